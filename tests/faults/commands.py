"""Commands of an operator are killed in their midst, while the site is at work.

`tests.faults.cut` kills more of them, on databases of their own.
"""

import itertools
import os
import signal
import subprocess
import sys
import time
from abc import abstractmethod
from contextlib import closing, suppress
from random import Random
from typing import Any

import psycopg2

from operations.backup import manifests
from operations.backup.faults import BackupFault
from operations.backup.restoring import insist_on_whole
from operations.backup.stores import Folder
from tests.config.helpers import ROOT
from tests.faults.fault import Fault, Make
from tests.faults.site import DOCUMENTS, RUNS, Site, variables, write_collection

STARTS = 60.0  # seconds until it has loaded what it needs, on a busy machine
WORKS = 1.5  # seconds of its work in which it is killed, at most
ENDS = 300.0
TOPICS = 60  # of the collection that is imported
LISTENS = "SELECT 1 FROM pg_stat_activity WHERE application_name = %s"
STUDY = "SELECT slug FROM judging_study WHERE stage = 'open' ORDER BY id DESC LIMIT 1"
COLLECTION = """
    SELECT (SELECT count(*) FROM judging_topic WHERE collection_id = c.id),
        (SELECT count(*) FROM judging_document WHERE collection_id = c.id),
        (SELECT count(*) FROM judging_run WHERE collection_id = c.id),
        (SELECT count(*) FROM judging_label l JOIN judging_labelset s ON s.id = l.label_set_id
            WHERE s.collection_id = c.id)
    FROM judging_collection c WHERE c.slug = %s
"""
_numbers = itertools.count(1)


class Killed(Fault):
    """A command is killed; nobody else notices. It is called again then, to its end."""

    ready = True

    def __init__(self, site: Site, draw: Random) -> None:
        super().__init__(site, draw)
        self.name = f"command-{os.getpid()}-{next(_numbers)}"
        self.folder = site.folder / "commands" / self.name
        self.folder.mkdir(parents=True)
        self.log = self.folder / "log"

    @abstractmethod
    def words(self) -> list[str]:
        """What follows manage.py; none: it cannot be called now."""

    @abstractmethod
    def half(self) -> list[str]:
        """What is half done, in words."""

    @abstractmethod
    def is_done(self) -> bool:
        """Whether all is there."""

    def begin(self) -> str:
        """Call it, and kill it and what it has started once it is at work."""
        self.called = self.words()
        if not self.called:
            return ""
        process = self._call()
        ends = time.monotonic() + STARTS
        while not self.ask(LISTENS, self.name):
            if process.poll() is not None or time.monotonic() > ends:
                break
            time.sleep(0.01)
        time.sleep(seconds := self.draw.uniform(0, WORKS))
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        return f"{self.called[0]}, {seconds:.2f} s at work; it ended with {process.wait()}"

    def _call(self) -> subprocess.Popen[bytes]:
        backups = {"BACKUP_URL": self.place.root.as_uri()}
        with self.log.open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "manage.py", *self.called],
                cwd=ROOT,
                env=os.environ | variables(self.site.folder) | backups | {"PGAPPNAME": self.name},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    @property
    def place(self) -> Folder:
        """Where backups go."""
        return Folder(self.folder / "store")

    def ask(self, question: str, *arguments: Any) -> list[tuple[Any, ...]]:
        """The rows that answer it."""
        with (
            closing(psycopg2.connect(**self.site.database)) as connection,
            connection.cursor() as cursor,
        ):
            cursor.execute(question, arguments)
            return cursor.fetchall()

    def wrong(self) -> list[str]:
        """What it has left half done, and what is missing once it was called again."""
        found = [f"after {self.called[0]} was killed {what}" for what in self.half()]
        if self._call().wait(ENDS):
            found.append(f"{self.called[0]} fails the second time: {self.log.read_text()[-2000:]}")
        elif not self.is_done():
            found.append(f"{self.called[0]} has not done its work the second time")
        return found + self.half()


class Import(Killed):
    """A collection that no study uses."""

    def words(self) -> list[str]:
        files = write_collection(self.folder / "files", TOPICS, self.draw.randrange(1000))
        return ["import_collection", self.name, *files]

    def half(self) -> list[str]:
        rows = self.ask(COLLECTION, self.name)
        documents = TOPICS * DOCUMENTS
        whole = [(TOPICS, documents, RUNS, documents)]
        return [] if rows in ([], whole) else [f"a collection has {rows}"]

    def is_done(self) -> bool:
        return bool(self.ask(COLLECTION, self.name))


class Recompute(Killed):
    """The rankings of the study that is being judged; in the end all are held against others."""

    def words(self) -> list[str]:
        rows = self.ask(STUDY)
        return ["recompute", rows[0][0]] if rows else []

    def half(self) -> list[str]:
        return []

    def is_done(self) -> bool:
        return True


class Backup(Killed):
    """A backup of the site at work."""

    def words(self) -> list[str]:
        return ["backup"]

    def half(self) -> list[str]:
        found = []
        for manifest in manifests.backups(self.place):
            try:
                insist_on_whole(self.place, manifest)
            except BackupFault as fault:
                found.append(str(fault))
        return found

    def is_done(self) -> bool:
        return bool(manifests.names(self.place))


KINDS: dict[str, Make] = {
    "command import": Import,
    "command recompute": Recompute,
    "command backup": Backup,
}
