"""The commands that are killed: what must never be half done of each, and what it leaves."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import OperationalError, ProgrammingError, connection
from django.db.migrations.executor import MigrationExecutor

from judging.models import Collection, RecordEntry, StagedDocument, Study, Tick
from operations.backup import encryption, gate, manifests, restoring
from operations.backup.dumping import LEFT_OUT
from operations.backup.stores import BackupFault, Folder
from tests.operations.conftest import rankings
from tests.operations.databases import alike, content, database, schema
from web import health

NUMBERED = ("auth_permission", "django_content_type", "django_migrations")  # kills leave gaps
COMPUTED = ("evaluation_evaluation", "evaluation_ranking", "evaluation_topicevaluation")
UNCHECKED = "--skip-checks"  # which would load all pages first, for seconds


class Command(ABC):
    """A command of the product; all queries go to the database that it is called on.

    template: what that database is a copy of. folder: for files, another for each time.
    """

    name: str
    template: str
    folder: Path
    seconds: float  # that it takes, and what it leaves, where nobody kills it
    expected: Any = None

    def ready(self) -> None:  # noqa: B027 - most need nothing
        """Make ready what it needs, each time."""

    @abstractmethod
    def words(self) -> Sequence[str]:
        """What follows manage.py."""

    def settings(self) -> dict[str, str]:
        return {}

    @abstractmethod
    def half(self) -> Iterator[str]:
        """What is half done now, in words."""

    def is_done(self) -> bool:
        """Whether it was killed so late that it need not be called again."""
        return False

    def may_try_again(self, log: str) -> bool:
        """Whether what it says asks to call it once more."""
        return False

    @abstractmethod
    def content(self) -> dict[str, Any]:
        """What it has left."""

    def differences(self, content: dict[str, Any]) -> str:
        names = sorted(content.keys() | self.expected.keys())
        return ", ".join(n for n in names if content.get(n) != self.expected.get(n))


class Migrate(Command):
    """From an empty database to the tables of this version."""

    name = "migrate"

    def __init__(self, template: str) -> None:
        self.template = template
        self.references: dict[frozenset[tuple[str, str]], list[Any]] = {}

    def words(self) -> Sequence[str]:
        return ["migrate", "--no-input", "--verbosity", "0", UNCHECKED]

    def half(self) -> Iterator[str]:
        loader = MigrationExecutor(connection).loader
        applied = frozenset(loader.applied_migrations)
        if applied not in self.references:
            self.references[applied] = self._reference(applied)
        if schema() != self.references[applied]:
            yield "the tables are not those of the migrations that are applied"
        health._had_all_tables = False
        said = health._probe()
        if (said == "") != (loader.disk_migrations.keys() <= applied):
            yield f"a web process says {said or 'that it is ready'}"

    def _reference(self, applied: frozenset[tuple[str, str]]) -> list[Any]:
        """The tables when just these migrations were applied, and nothing was killed."""
        with database("reference", self.template):
            executor = MigrationExecutor(connection)
            plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
            steps = [(each.app_label, each.name) for each, _ in plan]
            for step in steps:
                if step in applied:
                    MigrationExecutor(connection).migrate([step])
            return schema()

    def content(self) -> dict[str, Any]:
        return {"schema": schema(), **content(*NUMBERED), **alike(*NUMBERED)}


class Import(Command):
    """A collection from files, into a database without any."""

    name = "import_collection"

    def __init__(self, template: str, files: Sequence[str]) -> None:
        self.template, self.files = template, files

    def words(self) -> Sequence[str]:
        return ["import_collection", "made-up", *self.files, UNCHECKED]

    def half(self) -> Iterator[str]:
        if Collection.objects.exists() and self.expected != (now := self.content()):
            yield f"there is a collection with others {self.differences(now)}"

    def content(self) -> dict[str, Any]:
        """Without what a killed import has staged, which the next `purge` deletes."""
        rows = alike()
        del rows[StagedDocument._meta.db_table]
        return rows


class Recompute(Command):
    """The rankings of a study in which somebody has judged since the last ones."""

    name = "recompute"

    def __init__(self, template: str) -> None:
        self.template = template

    def ready(self) -> None:
        self.slug, self.before = Study.objects.get().slug, rankings()

    def words(self) -> Sequence[str]:
        return ["recompute", self.slug, UNCHECKED]

    def half(self) -> Iterator[str]:
        if rankings() not in (self.before, self.expected["rankings"]):
            yield "there are rankings that are neither those of before nor the new ones"

    def content(self) -> dict[str, Any]:
        return {"rankings": rankings()}


class Backup(Command):
    """A backup of a judged site."""

    name = "backup"

    def __init__(self, template: str, key: Path) -> None:
        self.template, self.key = template, key

    def ready(self) -> None:
        self.place = Folder(self.folder / "store")

    def words(self) -> Sequence[str]:
        return ["backup"]

    def settings(self) -> dict[str, str]:
        public = str(encryption.read_keys(self.key)[0].to_public())
        return {"BACKUP_URL": self.place.root.as_uri(), "BACKUP_KEY": public}

    def half(self) -> Iterator[str]:
        for manifest in manifests.backups(self.place):
            try:
                restoring.validate_file(self.place, manifest)
            except BackupFault as fault:
                yield f"{manifest.name} is listed: {fault}"

    def content(self) -> dict[str, Any]:
        """What comes back of the newest, but for the note that one was made before it."""
        *_, manifest = manifests.backups(self.place)
        with database("back"), gate.passing():
            restoring.fill(self.place, manifest, encryption.read_keys(self.key))
            return content(*LEFT_OUT, Tick._meta.db_table)


class Restore(Command):
    """A judged site, with what was taken back since, into an empty database."""

    name = "restore"
    template = "template0"

    def __init__(self, place: Folder, key: Path) -> None:
        self.place, self.key = place, key
        (self.backup,) = manifests.names(place)

    @property
    def unplaced(self) -> Path:
        return settings.VAR_DIR / f"unplaced-{self.backup}.jsonl"

    def ready(self) -> None:
        self.unplaced.unlink(missing_ok=True)

    def words(self) -> Sequence[str]:
        return ["restore", "newest", "--key-file", str(self.key)]

    def settings(self) -> dict[str, str]:
        return {"BACKUP_URL": self.place.root.as_uri()}

    def half(self) -> Iterator[str]:
        if self.is_done() and self.expected != (now := self.content()):
            yield f"it is open, and has others {self.differences(now)}"

    def is_done(self) -> bool:
        """Whether somebody gets in, and finds tables there."""
        connection.close()
        try:
            return Study.objects.exists()
        except ProgrammingError:  # nothing was begun
            return False
        except OperationalError as fault:
            if "being restored" not in str(fault):
                raise
            return False

    def may_try_again(self, log: str) -> bool:
        return "others are connected" in log

    def content(self) -> dict[str, Any]:
        connection.close()
        lines = self.unplaced.read_text().splitlines()
        keys = RecordEntry.objects.values_list("kind", "details").order_by("kind", "details")
        return {
            **content(*LEFT_OUT, *COMPUTED, "judging_recordentry", "judging_trailentry"),
            **alike("judging_trailentry"),  # who withdrew is written anew, at another moment
            "record": [str(row) for row in keys],
            "rankings": rankings(),
            "unplaced": sorted(lines),
        }
