"""An archive into the database, all or nothing: a collection and a study of its own.

Whoever wrote the archive is not trusted. Every value is checked against its field, every name
against the rows that there are, and every row by the database's own constraints; documents are
cleaned as in any import, and staged while no transaction is open: they are most of an archive.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from django.core.exceptions import ValidationError
from django.db import DataError, IntegrityError, transaction

from accounts.models import User
from evaluation.pipeline import evaluate
from judging.collections.bulk import array_of, copy_rows, in_batches
from judging.collections.documents import COLUMNS, ReadDocuments, fill, staged_rows
from judging.collections.incoming import CannotImport
from judging.levels import NotLevels, read_levels
from judging.models import Collection, Membership, Role, Study
from judging.studies.trail import record
from trec.containers.streams import Progress
from trec.errors import BadFile, Place
from workspace.archive import sealing, settling
from workspace.archive.checking import CHECKS
from workspace.archive.collection_tables import DOCUMENTS, OF_COLLECTION
from workspace.archive.columns import Keys, Row
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


def import_archive(
    path: Path,
    *,
    by: User | None,
    slug: str = "",
    collection: str = "",
    passphrase: str = "",
    name: str = "",
    progress: Progress = lambda _: None,
    staging_key: UUID | None = None,
    finish: Callable[[Imported], object] = lambda _: None,
) -> Imported:
    """Make the study of an archive, and its collection; both must be new here.

    Its documents are read first, while no transaction is open; one then brings in all of it. Its
    results are computed at once. A study that was open is paused; attempts in hand end, since their
    workers cannot come back to this site. Who imports it owns it.

    slug, collection: other names than they had; name: what messages call the file; progress: called
    with each number of bytes read of it; staging_key: under which documents are staged, or one of
    their own; finish: called at the end of the transaction, with what came of it.

    Raises:
        BadFile: the archive is damaged, of another version, or holds what no archive would.
        CannotImport: there is a study or a collection of that name already.
        BadPassphrase: it is not the one that platforms' ids were sealed with.
    """
    with opened(path, name, progress) as archive:
        manifest = archive.manifest
        home = _home(archive, by, slug or manifest["study"], collection or manifest["collection"])
        read = ReadDocuments(staging_key or uuid4())
        with staged_rows(_documents(archive, home), read), transaction.atomic():
            imported = _move(archive, home, read, by, passphrase)
            finish(imported)
    return imported


def _move(
    archive: Archive, home: Home, read: ReadDocuments, by: User | None, passphrase: str
) -> Imported:
    """Save the study and all that belongs to it; its documents are staged."""
    _save(home)
    imported = Imported(home.study)
    keys: dict[str, dict[Any, Any]] = {}
    for table in (*OF_COLLECTION, *OF_STUDY):
        is_staged = table is DOCUMENTS
        rows = fill(home.collection, read) if is_staged else _copy(archive, table, home, keys)
        imported.rows[table.name] = rows
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
    made_on = str(archive.manifest.get("made_on"))[:10]
    record(home.study, by, "imported an archive", made_on=made_on)
    return imported


def _home(archive: Archive, by: User | None, slug: str, collection: str) -> Home:
    """The study as its row has it, and its collection; neither is saved yet."""
    row = _only_row(archive)
    settings = _read(STUDY, *row, {})
    if settings["stage"] == Study.Stage.OPEN:
        settings["stage"] = Study.Stage.PAUSED
    owned = Collection(slug=collection, owner=by)
    study = Study(**settings | {"slug": slug, "collection": owned})
    _refuse_taken(Home(owned, study))
    try:
        if study.is_graded:
            read_levels(study.levels)
        owned.clean_fields()
        study.full_clean(exclude=["collection", "rehearsal_of"], validate_unique=False)
    except NotLevels as fault:
        raise row[0].bad(f"levels: {fault}", "the levels of a scale") from fault
    except ValidationError as fault:
        raise row[0].bad("; ".join(fault.messages), "the settings of a study") from fault
    return Home(owned, study)


def _save(home: Home) -> None:
    """Save a study and its collection, unless somebody has taken their names meanwhile."""
    _refuse_taken(home)
    home.collection.save()
    home.study.save()


def _only_row(archive: Archive) -> tuple[Place, Row]:
    rows = list(archive.rows("study.jsonl"))
    if len(rows) != 1:
        raise BadFile("study.jsonl", f"{len(rows)} rows", "one study")
    return rows[0]


def _refuse_taken(home: Home) -> None:
    for what, row in (("collection", home.collection), ("study", home.study)):
        if type(row)._default_manager.filter(slug=row.slug).exists():
            raise CannotImport(f"There is a {what} {row.slug} already: give this one another name.")


def _rows(archive: Archive, table: Table, home: Home, keys: Keys) -> Iterator[tuple[Place, Row]]:
    """The rows of a table by field, each checked and with its place."""
    check = CHECKS.get(table.name)
    for place, row in archive.rows(f"{table.name}.jsonl"):
        values = _read(table, place, row, keys)
        if check:
            _checked(place, check, values, row, keys, home)
        yield place, values


def _documents(archive: Archive, home: Home) -> Iterator[tuple[Any, ...]]:
    """The documents as rows to be staged."""
    ids = set()
    for place, values in _rows(archive, DOCUMENTS, home, {}):
        doc_id = values["doc_id"]
        if doc_id in ids:
            raise place.bad(f"{doc_id} a second time", "each document once")
        ids.add(doc_id)
        yield tuple(values[name] for name in COLUMNS)


def _copy(archive: Archive, table: Table, home: Home, keys: Keys) -> int:
    """Bring in the rows of a table; how many."""
    columns, copied = _columns(table), 0
    owner = (getattr(home, table.owner).pk,) if table.owner else ()
    rows = (
        (*owner, *map(_text, values.values())) for _, values in _rows(archive, table, home, keys)
    )
    for batch in in_batches(rows):
        try:
            copied += copy_rows(table.model._meta.db_table, columns, batch)
        except (IntegrityError, DataError) as fault:
            raise _broken_rule(f"{table.name}.jsonl", fault, copied) from fault
    return copied


def _columns(table: Table) -> list[str]:
    """The columns of the database that rows are written to, in their order."""
    column_of = {field.name: field.column or "" for field in table.model._meta.concrete_fields}
    names = [*filter(None, [table.owner]), *(column.name for column in table.columns)]
    return [column_of[name] for name in names]


def _read(table: Table, place: Place, row: Row, keys: Keys) -> Row:
    """A row's values by field; BadFile if it has other names, or a value that cannot be."""
    if strange := (row.keys() ^ table.sources.keys()) - (table.optional - row.keys()):
        odd = ", ".join(sorted(strange)[:5])
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


def _broken_rule(file: str, fault: Exception, copied: int) -> BadFile:
    """What a constraint of the database refused, with the line. copied: lines before its batch."""
    about = fault.__cause__.diag  # type: ignore[union-attr]  # psycopg2's
    line = _LINE.search(about.context or "")
    rule = f" ({about.constraint_name})" if about.constraint_name else ""
    problem = f"{about.message_primary}{rule}"
    number = copied + int(line[1]) if line else None
    return BadFile(file, problem, "rows that keep the rules", number)
