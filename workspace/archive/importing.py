"""An archive into the database, all or nothing: a collection and a study of its own.

Whoever wrote the archive is not trusted. Every value is checked against its field, every name
against the rows, and every row by the database's constraints. Documents, most of an archive, are
cleaned as in any import, and staged while no transaction is open.
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
from judging.collections.documents import COLUMNS, ReadDocuments, insert_new, staged_rows
from judging.collections.incoming import CannotImport
from judging.levels import InvalidLevels, read_levels
from judging.models import Collection, Membership, Role, Study
from judging.studies.trail import record
from magnitudes.files.containers.streams import Progress
from magnitudes.files.errors import BadFile, Place
from workspace.archive import encryption, settling
from workspace.archive.checking import CHECKS
from workspace.archive.collection_tables import DOCUMENTS, OF_COLLECTION
from workspace.archive.columns import Keys, Row
from workspace.archive.field_values import Invalid
from workspace.archive.study_tables import OF_STUDY, STUDY
from workspace.archive.table import Scope, Table
from workspace.archive.unpacking import Archive, open_archive

_LINE = re.compile(r"\bline (\d+)")


@dataclass
class Imported:
    """Rows by file, and what was left out or ended."""

    study: Study
    rows: dict[str, int] = field(default_factory=dict)
    ended: int = 0  # attempts that were in progress
    ids_left_out: bool = False  # platforms' ids, for want of the passphrase


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

    Documents are read first, outside of the transaction that imports everything. Results are
    computed at once. A study that was open is paused; attempts in progress end, since their workers
    cannot come back to this site. `by` becomes its owner.

    slug, collection: other names than they had; name: of the file in messages; progress: called
    with each number of bytes read; staging_key: under which documents are staged, None: a new one;
    finish: called with the result at the end of the transaction.

    Raises:
        BadFile: the archive is damaged, of another version, or has what no archive would.
        CannotImport: there is a study or a collection of that name already.
        BadPassphrase: it is not the one that platforms' ids were encrypted by.
    """
    with open_archive(path, name, progress) as archive:
        manifest = archive.manifest
        scope = _home(archive, by, slug or manifest["study"], collection or manifest["collection"])
        read = ReadDocuments(staging_key or uuid4())
        with staged_rows(_documents(archive, scope), read), transaction.atomic():
            imported = _import_rows(archive, scope, read, by, passphrase)
            finish(imported)
    return imported


def _import_rows(
    archive: Archive, scope: Scope, read: ReadDocuments, by: User | None, passphrase: str
) -> Imported:
    _refuse_taken(scope)
    scope.collection.save()
    scope.study.save()
    imported = Imported(scope.study)
    keys: dict[str, dict[Any, Any]] = {}
    for table in (*OF_COLLECTION, *OF_STUDY):
        is_staged = table is DOCUMENTS
        rows = (
            insert_new(scope.collection, read) if is_staged else _copy(archive, table, scope, keys)
        )
        imported.rows[table.name] = rows
        keys |= settling.keys_of(table, scope)
    settling.refuse_other_codes(scope)
    if archive.has_encrypted_ids and passphrase:
        content = archive.content(encryption.FILE, encryption.MAX_BYTES)
        encryption.restore_ids(scope.study, encryption.decrypt_ids(content, passphrase), keys)
    imported.ids_left_out = archive.has_encrypted_ids and not passphrase
    imported.ended = settling.settle(scope)
    if by:
        Membership.objects.create(
            study=scope.study, user=by, role=Role.OWNER, sees_platform_ids=bool(passphrase)
        )
    if scope.study.topics.filter(revision__gt=0).exists():
        evaluate(scope.study)
    made_on = str(archive.manifest.get("made_on"))[:10]
    record(scope.study, by, "imported an archive", made_on=made_on)
    return imported


def _home(archive: Archive, by: User | None, slug: str, collection: str) -> Scope:
    row = _study_row(archive)
    settings = _read(STUDY, *row, {})
    if settings["stage"] == Study.Stage.OPEN:
        settings["stage"] = Study.Stage.PAUSED
    owned = Collection(slug=collection, owner=by)
    study = Study(**settings | {"slug": slug, "collection": owned})
    _refuse_taken(Scope(owned, study))
    try:
        if study.is_graded:
            read_levels(study.levels)
        owned.clean_fields()
        study.full_clean(exclude=["collection", "rehearsal_of"], validate_unique=False)
    except InvalidLevels as fault:
        raise row[0].bad(f"levels: {fault}", "the levels of a scale") from fault
    except ValidationError as fault:
        raise row[0].bad("; ".join(fault.messages), "the settings of a study") from fault
    return Scope(owned, study)


def _study_row(archive: Archive) -> tuple[Place, Row]:
    rows = list(archive.rows("study.jsonl"))
    if len(rows) != 1:
        raise BadFile("study.jsonl", f"{len(rows)} rows", "one study")
    return rows[0]


def _refuse_taken(scope: Scope) -> None:
    for what, row in (("collection", scope.collection), ("study", scope.study)):
        if type(row)._default_manager.filter(slug=row.slug).exists():
            raise CannotImport(f"There is a {what} {row.slug} already: give this one another name.")


def _rows(archive: Archive, table: Table, scope: Scope, keys: Keys) -> Iterator[tuple[Place, Row]]:
    check = CHECKS.get(table.name)
    for place, row in archive.rows(f"{table.name}.jsonl"):
        values = _read(table, place, row, keys)
        if check:
            _checked(place, check, values, row, keys, scope)
        yield place, values


def _documents(archive: Archive, scope: Scope) -> Iterator[tuple[Any, ...]]:
    ids = set()
    for place, values in _rows(archive, DOCUMENTS, scope, {}):
        doc_id = values["doc_id"]
        if doc_id in ids:
            raise place.bad(f"{doc_id} a second time", "each document once")
        ids.add(doc_id)
        yield tuple(values[name] for name in COLUMNS)


def _copy(archive: Archive, table: Table, scope: Scope, keys: Keys) -> int:
    columns, copied = _columns(table), 0
    owner = (getattr(scope, table.owner).pk,) if table.owner else ()
    rows = (
        (*owner, *map(_text, values.values())) for _, values in _rows(archive, table, scope, keys)
    )
    for batch in in_batches(rows):
        try:
            copied += copy_rows(table.model._meta.db_table, columns, batch)
        except (IntegrityError, DataError) as fault:
            raise _broken_rule(f"{table.name}.jsonl", fault, copied) from fault
    return copied


def _columns(table: Table) -> list[str]:
    column_of = {field.name: field.column or "" for field in table.model._meta.concrete_fields}
    names = [*filter(None, [table.owner]), *(column.name for column in table.columns)]
    return [column_of[name] for name in names]


def _read(table: Table, place: Place, row: Row, keys: Keys) -> Row:
    if strange := (row.keys() ^ table.sources.keys()) - (table.optional - row.keys()):
        odd = ", ".join(sorted(strange)[:5])
        raise place.bad(f"missing or unknown: {odd}", ", ".join(table.sources))
    values = {}
    for column in table.columns:
        try:
            values[column.name] = column.read(row, keys)
        except Invalid as fault:
            raise place.bad(f"{column.name}: {fault.problem}", fault.expected) from fault
    return values


def _checked(place: Place, check: Any, *arguments: Any) -> None:
    try:
        check(*arguments)
    except Invalid as fault:
        raise place.bad(fault.problem, fault.expected) from fault


def _text(value: Any) -> Any:
    if isinstance(value, list):
        return array_of(value)
    return json.dumps(value) if isinstance(value, dict) else value


def _broken_rule(file: str, fault: Exception, copied: int) -> BadFile:
    """A violated constraint, with the line. copied: lines before its batch."""
    about = fault.__cause__.diag  # type: ignore[union-attr]  # psycopg2's
    line = _LINE.search(about.context or "")
    rule = f" ({about.constraint_name})" if about.constraint_name else ""
    problem = f"{about.message_primary}{rule}"
    number = copied + int(line[1]) if line else None
    return BadFile(file, problem, "rows that keep the rules", number)
