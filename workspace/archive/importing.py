"""An archive into the database, all or nothing: a collection and a study of its own.

Whoever wrote the archive is not trusted. Every value is checked against its field, every name
against the rows that there are, and every row by the database's own constraints; documents are
cleaned as in any import.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.db import DataError, IntegrityError, transaction

from accounts.models import User
from evaluation.pipeline import evaluate
from judging.collections.bulk import array_of, copy_rows
from judging.collections.incoming import CannotImport
from judging.levels import NotLevels, read_levels
from judging.models import Collection, Membership, Role, Study
from judging.studies.trail import record
from trec.containers.streams import Progress
from trec.errors import BadFile, Place
from workspace.archive import sealing, settling
from workspace.archive.checking import CHECKS
from workspace.archive.collection_tables import OF_COLLECTION
from workspace.archive.columns import Row
from workspace.archive.field_values import Wrong
from workspace.archive.study_tables import OF_STUDY, STUDY
from workspace.archive.table import Home, Table
from workspace.archive.unpacking import Archive, opened

_LINE = re.compile(r"\bline (\d+)")


@dataclass
class Imported:
    """A study that came by an archive: rows by file, and what became of what was not finished."""

    study: Study
    rows: dict[str, int] = field(default_factory=dict)
    ended: int = 0  # attempts that somebody had in hand
    left_sealed: bool = False  # platforms' ids, for want of the passphrase


@transaction.atomic
def import_archive(
    path: Path,
    *,
    by: User | None,
    slug: str = "",
    collection: str = "",
    passphrase: str = "",
    name: str = "",
    progress: Progress = lambda _: None,
) -> Imported:
    """Make the study of an archive, and its collection; both must be new here.

    Its results are computed at once. A study that was open is paused; attempts in hand end, since
    their workers cannot come back to this site. Who imports it owns it.

    slug, collection: other names than they had; name: what messages call the file; progress: called
    with each number of bytes read of it.

    Raises:
        BadFile: the archive is damaged, of another version, or holds what no archive would.
        CannotImport: there is a study or a collection of that name already.
        BadPassphrase: it is not the one that platforms' ids were sealed with.
    """
    with opened(path, name, progress) as archive:
        manifest = archive.manifest
        home = _home(archive, by, slug or manifest["study"], collection or manifest["collection"])
        imported = Imported(home.study)
        keys: dict[str, dict[Any, Any]] = {}
        for table in (*OF_COLLECTION, *OF_STUDY):
            imported.rows[table.name] = _copy(archive, table, home, keys)
            keys |= settling.keys_of(table, home)
        settling.refuse_other_codes(home)
        if archive.is_sealed and passphrase:
            content = archive.content(sealing.FILE, sealing.LARGEST)
            sealing.bring_in(home.study, sealing.opened(content, passphrase), keys)
        imported.left_sealed = archive.is_sealed and not passphrase
    imported.ended = settling.settle(home)
    if by:
        Membership.objects.create(
            study=home.study, user=by, role=Role.OWNER, sees_platform_ids=bool(passphrase)
        )
    if home.study.topics.filter(revision__gt=0).exists():
        evaluate(home.study)
    record(home.study, by, "imported an archive", made_on=str(manifest.get("made_on"))[:10])
    return imported


def _home(archive: Archive, by: User | None, slug: str, collection: str) -> Home:
    """The study as its row has it, and an empty collection; neither has anything yet."""
    row = _only_row(archive)
    settings = _read(STUDY, *row, {})
    if settings["stage"] == Study.Stage.OPEN:
        settings["stage"] = Study.Stage.PAUSED
    owned = Collection(slug=_free(Collection, "collection", collection), owner=by)
    study = Study(**settings | {"slug": _free(Study, "study", slug), "collection": owned})
    try:
        if study.is_graded:
            read_levels(study.levels)
        owned.clean_fields()
        study.full_clean(exclude=["collection", "rehearsal_of"], validate_unique=False)
    except NotLevels as fault:
        raise row[0].bad(f"levels: {fault}", "the levels of a scale") from fault
    except ValidationError as fault:
        raise row[0].bad("; ".join(fault.messages), "the settings of a study") from fault
    owned.save()
    study.save()
    return Home(owned, study)


def _only_row(archive: Archive) -> tuple[Place, Row]:
    rows = list(archive.rows("study.jsonl"))
    if len(rows) != 1:
        raise BadFile("study.jsonl", f"{len(rows)} rows", "one study")
    return rows[0]


def _free(model: type[Study] | type[Collection], what: str, slug: str) -> str:
    if model._default_manager.filter(slug=slug).exists():
        raise CannotImport(f"There is a {what} {slug} already: give this one another name.")
    return slug


def _copy(archive: Archive, table: Table, home: Home, keys: dict[str, dict[Any, Any]]) -> int:
    """Bring in the rows of a table; how many."""
    file = f"{table.name}.jsonl"
    columns = _columns(table)
    owner = [getattr(home, table.owner).pk] if table.owner else []
    check = CHECKS.get(table.name)

    def rows() -> Iterator[list[Any]]:
        for place, row in archive.rows(file):
            values = _read(table, place, row, keys)
            if check:
                _checked(place, check, values, row, keys, home)
            yield owner + [_text(value) for value in values.values()]

    try:
        return copy_rows(table.model._meta.db_table, columns, rows())
    except (IntegrityError, DataError) as fault:
        raise _broken_rule(file, fault) from fault


def _columns(table: Table) -> list[str]:
    """The columns of the database that rows are written to, in their order."""
    column_of = {field.name: field.column or "" for field in table.model._meta.concrete_fields}
    names = [*filter(None, [table.owner]), *(column.name for column in table.columns)]
    return [column_of[name] for name in names]


def _read(table: Table, place: Place, row: Row, keys: dict[str, dict[Any, Any]]) -> Row:
    """A row's values by field; BadFile if it has other names, or a value that cannot be."""
    if row.keys() != table.sources.keys():
        odd = ", ".join(sorted(row.keys() ^ table.sources.keys())[:5])
        raise place.bad(f"missing or unknown: {odd}", ", ".join(table.sources))
    values = {}
    for column in table.columns:
        try:
            values[column.name] = column.read(row, keys)
        except Wrong as fault:
            raise place.bad(f"{column.name}: {fault.problem}", fault.expected) from fault
    return values


def _checked(place: Place, check: Any, *arguments: Any) -> None:
    try:
        check(*arguments)
    except Wrong as fault:
        raise place.bad(fault.problem, fault.expected) from fault


def _text(value: Any) -> Any:
    """A value as COPY takes it."""
    if isinstance(value, list):
        return array_of(value)
    return json.dumps(value) if isinstance(value, dict) else value


def _broken_rule(file: str, fault: Exception) -> BadFile:
    """What a constraint of the database refused, with the line."""
    about = fault.__cause__.diag  # type: ignore[union-attr]  # psycopg2's
    line = _LINE.search(about.context or "")
    rule = f" ({about.constraint_name})" if about.constraint_name else ""
    problem = f"{about.message_primary}{rule}"
    return BadFile(file, problem, "rows that keep the rules", int(line[1]) if line else None)
