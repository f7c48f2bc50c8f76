import json
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from hashlib import sha256
from typing import Any

from accounts.models import User
from judging.models import Assignment, PooledDocument, Study
from judging.studies.trail import record
from web import clock
from web.files import File, zipped
from web.product import VERSION
from web.snapshots import snapshot
from workspace.archive import encryption
from workspace.archive.columns import Names
from workspace.archive.study_tables import TABLES
from workspace.archive.table import Scope, Table

MANIFEST = "manifest.json"
FORMAT, FORMAT_VERSION = "magnitudes archive", 1
BATCH_SIZE = 2000  # rows
SMALL_BATCH_SIZE = 50  # of those that hold thousands of numbers
LONG_ROWS = frozenset({"documents", "vocabularies", "lists"})


class CannotArchive(ValueError):
    """A study has no archive; the message says why."""


def export_archive(study: Study, *, by: User | None, passphrase: str = "") -> Iterator[bytes]:
    """The bytes of an archive of a study, read from one snapshot.

    It contains no users, tokens, memberships, invitations or secrets. With a `passphrase` it
    contains platforms' ids and completion codes, encrypted: the caller has checked that `by` may
    see them.

    Raises:
        BadPassphrase: it is too short.
        CannotArchive: the study is a rehearsal, whose data stay apart.
    """
    if study.rehearsal_of_id:
        raise CannotArchive(f"{study} is a rehearsal: archive the study that it tries out.")
    if passphrase:
        encryption.check_passphrase(passphrase)
    record(study, by, "exported an archive", platform_ids=bool(passphrase))
    return _pieces(study, passphrase)


def _pieces(study: Study, passphrase: str) -> Generator[bytes, None, None]:
    """A reader may stop early: the files are closed before the transaction that reads them."""
    with snapshot(), closing(_files(study, passphrase)) as files:
        yield from zipped(files)


def _files(study: Study, passphrase: str) -> Generator[File, None, None]:
    scope, names, written = Scope(study.collection, study), _names(study), {}
    for table in TABLES:
        file = f"{table.name}.jsonl"
        written[file] = _Counted(_line(row) for row in _rows(table, scope, names))
        yield File(file, written[file])
    if passphrase:
        written[encryption.FILE] = _Counted([encryption.encrypt_ids(study, names, passphrase)])
        yield File(encryption.FILE, written[encryption.FILE])
    about = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "product": VERSION,
        "study": study.slug,
        "collection": study.collection.slug,
        "made_on": clock.now().date().isoformat(),
        "files": {name: counted.counts() for name, counted in written.items()},
    }
    yield File(MANIFEST, [json.dumps(about, indent=1).encode()])


def _names(study: Study) -> Names:
    assignments = Assignment.objects.filter(study=study).order_by("pk").values_list("pk", flat=True)
    pool = PooledDocument.objects.filter(study_topic__study=study).values_list("pk", "doc_id")
    people = User.objects.values_list("username", "email")
    return {
        "assignments": {key: line for line, key in enumerate(assignments.iterator(), 1)},
        "pool": dict(pool.iterator()),
        "people": {name: "somebody" for both in people for name in both if name},
    }


def _rows(table: Table, scope: Scope, names: Names) -> Iterator[dict[str, Any]]:
    column_of = {name: column for column in table.columns for name in column.sources}
    values = table.rows(scope).order_by("pk").values_list(*table.sources.values())
    for cells in values.iterator(SMALL_BATCH_SIZE if table.name in LONG_ROWS else BATCH_SIZE):
        yield {
            name: column_of[name].written(cell, names)
            for name, cell in zip(table.sources, cells, strict=True)
        }


def _line(row: dict[str, Any]) -> bytes:
    line = json.dumps(row, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return f"{line}\n".encode()


class _Counted:
    """The pieces of a file, counted and hashed as they are read: one piece is one row."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = pieces
        self._rows = self._bytes = 0
        self._digest = sha256()

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            self._rows += 1
            self._bytes += len(piece)
            self._digest.update(piece)
            yield piece

    def counts(self) -> dict[str, Any]:
        return {"rows": self._rows, "bytes": self._bytes, "sha256": self._digest.hexdigest()}
