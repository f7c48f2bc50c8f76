"""Documents from files into a collection: staged as they are read, then moved.

Reading may take hours: each batch is a transaction of its own. The move is SQL, as the ORM cannot
update on a conflict only what differs, and there may be half a million documents.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from django.db import Error, OperationalError, connection
from django.db.backends.utils import CursorWrapper
from django.db.models import OuterRef, Subquery

from judging.collections.bulk import copy_rows, in_batches
from judging.collections.cleaning import VERSION, clean_text, is_cut
from judging.collections.incoming import CannotImport, check_ids
from judging.models import Collection, Document, PooledDocument, StagedDocument, Study, StudyTopic
from magnitudes.files.containers.archives import Member
from magnitudes.files.documents import read_documents
from magnitudes.files.lengths import length

TABLE, STAGING = Document._meta.db_table, StagedDocument._meta.db_table
COLUMNS = ("doc_id", "title", "text", "is_html", "language", "words", "cleaned", "cleaner")
STAGING_RETENTION = timedelta(days=1)  # since an import staged its last document
_SAME = (
    "(d.title, d.text, d.is_html, d.language) IS NOT DISTINCT FROM"
    " (n.title, n.text, n.is_html, n.language)"
)

TWO_TEXTS = f"""
    SELECT doc_id FROM {STAGING} WHERE import_key = %s GROUP BY doc_id
    HAVING count(DISTINCT (title, text, is_html, language)) > 1 ORDER BY doc_id LIMIT 1
"""
ANOTHER_TEXT = f"""
    SELECT n.doc_id FROM {STAGING} n JOIN {TABLE} d ON d.doc_id = n.doc_id
    WHERE n.import_key = %s AND d.collection_id = %s AND NOT {_SAME} ORDER BY n.doc_id LIMIT 1
"""


@dataclass
class ReadDocuments:
    """ids: in the order of the files."""

    key: UUID = field(default_factory=uuid4)
    staged: int = 0
    cut: list[str] = field(default_factory=list)  # too long to be shown whole
    empty: list[str] = field(default_factory=list)  # without title and text: left out


@contextmanager
def staged_documents(members: Iterable[Member], read: ReadDocuments) -> Iterator[None]:
    with staged_rows(_rows(members, read), read):
        yield


@contextmanager
def staged_rows(rows: Iterable[tuple[Any, ...]], read: ReadDocuments) -> Iterator[None]:
    try:
        for batch in in_batches(rows):
            keyed = [(*row, read.key) for row in batch]
            read.staged += copy_rows(STAGING, (*COLUMNS, "import_key"), keyed)
        yield
    finally:
        with suppress(Error):  # else housekeeping deletes them
            purge_staged([read.key])


def purge_staged(keys: Iterable[UUID]) -> None:
    StagedDocument.objects.filter(import_key__in=keys).delete()


def purge_staging(now: datetime) -> int:
    """Of imports that were killed; returns how many documents."""
    lately = StagedDocument.objects.filter(staged_at__gte=now - STAGING_RETENTION)
    dead = StagedDocument.objects.exclude(import_key__in=lately.values("import_key"))
    return dead.delete()[0]


def move_documents(collection: Collection, read: ReadDocuments, frozen: bool) -> int:
    """Within a transaction; returns how many documents are new or changed.

    Raises CannotImport if a document has two texts, or another than the collection where texts are
    `frozen`, and OperationalError if PostgreSQL crashed since they were staged, and lost them.
    """
    _check_all_staged(read)
    with connection.cursor() as cursor:
        cursor.execute(TWO_TEXTS, [read.key])
        if row := cursor.fetchone():
            raise CannotImport(f"Document {row[0]} comes in two files, with two texts.")
        if frozen:
            cursor.execute(ANOTHER_TEXT, [read.key, collection.pk])
            if row := cursor.fetchone():
                raise CannotImport(
                    f"Document {row[0]} is there with another text, and a study on this collection "
                    "has opened."
                )
        changed = _merge(cursor, read.key, collection)
    # Opinions may have named documents before their texts came.
    texts = Document.objects.filter(collection=collection, doc_id=OuterRef("doc_id"))
    topics = StudyTopic.objects.filter(
        study__collection=collection, study__crowd=Study.Crowd.IMPORTED
    )
    silent = PooledDocument.objects.filter(study_topic__in=topics.values("pk"), document=None)
    silent.update(document=Subquery(texts.values("pk")))
    return changed


def insert_new(collection: Collection, read: ReadDocuments) -> int:
    """Into a collection that has none, in their order; raises IntegrityError for equal ids."""
    _check_all_staged(read)
    columns = ", ".join(COLUMNS)
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {TABLE} (collection_id, {columns}) SELECT %s, {columns} FROM {STAGING} "
            "WHERE import_key = %s ORDER BY id",
            [collection.pk, read.key],
        )
        return int(cursor.rowcount)


def _check_all_staged(read: ReadDocuments) -> None:
    if StagedDocument.objects.filter(import_key=read.key).count() != read.staged:
        raise OperationalError("Staged documents are gone: import the files again.")


def _rows(members: Iterable[Member], read: ReadDocuments) -> Iterator[tuple[Any, ...]]:
    for member in members:
        for document in read_documents(member):
            check_ids("document id", [document.doc_id])
            if document.is_empty:
                read.empty.append(document.doc_id)
                continue
            if is_cut(document.text):
                read.cut.append(document.doc_id)
            yield (
                *(document.doc_id, document.title, document.text, document.is_html),
                *(document.language, length(document)),
                *(clean_text(document.text, document.is_html), VERSION),
            )


def _merge(cursor: CursorWrapper, key: UUID, collection: Collection) -> int:
    replaced = ", ".join(f"{name} = excluded.{name}" for name in COLUMNS[1:])
    cursor.execute(
        f"INSERT INTO {TABLE} AS d (collection_id, {', '.join(COLUMNS)}) "
        f"SELECT DISTINCT ON (doc_id) %s, {', '.join(COLUMNS)} FROM {STAGING} "
        "WHERE import_key = %s "
        f"ON CONFLICT (collection_id, doc_id) DO UPDATE SET {replaced} "
        f"WHERE NOT {_SAME.replace('n.', 'excluded.')}",
        [collection.pk, key],
    )
    return int(cursor.rowcount)
