"""Documents from files into a collection: streamed beside the table, then merged.

The merge is SQL: the ORM can neither make a temporary table nor update on a conflict only what
differs, and a collection may have half a million documents.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db import connection
from django.db.backends.utils import CursorWrapper
from django.db.models import OuterRef, Subquery

from judging.collections.bulk import copy_rows
from judging.collections.cleaning import VERSION, cleaned, is_cut
from judging.collections.incoming import CannotImport, refuse_odd
from judging.models import Collection, Document, PooledDocument, Study
from trec.containers.archives import Member
from trec.documents import read_documents
from trec.lengths import length

TABLE, INCOMING = Document._meta.db_table, "incoming_document"
COLUMNS = ("doc_id", "title", "text", "is_html", "language", "words", "cleaned", "cleaner")
_SAME = (
    "(d.title, d.text, d.is_html, d.language) IS NOT DISTINCT FROM"
    " (n.title, n.text, n.is_html, n.language)"
)


@dataclass
class ReadDocuments:
    """What was brought in; ids in the order of the files."""

    changed: int = 0  # new ones, and those with another text than before
    cut: list[str] = field(default_factory=list)  # too long to be shown whole
    empty: list[str] = field(default_factory=list)  # without title and text: left out


def import_documents(
    collection: Collection, members: Iterable[Member], frozen: bool
) -> ReadDocuments:
    """Bring documents in; those without title and text are left out.

    Raises:
        CannotImport: a document has two texts, or another than is there where texts are `frozen`.
    """
    done = ReadDocuments()
    with connection.cursor() as cursor:
        cursor.execute(
            f"CREATE TEMPORARY TABLE {INCOMING} ON COMMIT DROP AS "
            f"SELECT {', '.join(COLUMNS)} FROM {TABLE} WITH NO DATA"
        )
        copy_rows(INCOMING, COLUMNS, _rows(members, done))
        _refuse_two_texts(cursor)
        if frozen:
            _refuse_other_texts(cursor, collection)
        done.changed = _merge(cursor, collection)
        cursor.execute(f"DROP TABLE {INCOMING}")
    _give_texts_to_opinions(collection)
    return done


def _rows(members: Iterable[Member], done: ReadDocuments) -> Iterator[tuple[Any, ...]]:
    for member in members:
        for document in read_documents(member):
            refuse_odd("document id", [document.doc_id])
            if document.is_empty:
                done.empty.append(document.doc_id)
                continue
            if is_cut(document.text):
                done.cut.append(document.doc_id)
            yield (
                document.doc_id,
                document.title,
                document.text,
                document.is_html,
                document.language,
                length(document),
                cleaned(document.text, document.is_html),
                VERSION,
            )


def _refuse_two_texts(cursor: CursorWrapper) -> None:
    cursor.execute(
        f"SELECT doc_id FROM {INCOMING} GROUP BY doc_id "
        "HAVING count(DISTINCT (title, text, is_html, language)) > 1 ORDER BY doc_id LIMIT 1"
    )
    if row := cursor.fetchone():
        raise CannotImport(f"Document {row[0]} comes in two files, with two texts.")


def _refuse_other_texts(cursor: CursorWrapper, collection: Collection) -> None:
    cursor.execute(
        f"SELECT n.doc_id FROM {INCOMING} n JOIN {TABLE} d ON d.doc_id = n.doc_id "
        f"WHERE d.collection_id = %s AND NOT {_SAME} ORDER BY n.doc_id LIMIT 1",
        [collection.pk],
    )
    if row := cursor.fetchone():
        raise CannotImport(
            f"Document {row[0]} is there with another text, and a study on this collection "
            "has opened."
        )


def _merge(cursor: CursorWrapper, collection: Collection) -> int:
    """Add what is new, replace what differs; how many documents that were."""
    replaced = ", ".join(f"{name} = excluded.{name}" for name in COLUMNS[1:])
    cursor.execute(
        f"INSERT INTO {TABLE} AS d (collection_id, {', '.join(COLUMNS)}) "
        f"SELECT DISTINCT ON (doc_id) %s, {', '.join(COLUMNS)} FROM {INCOMING} "
        f"ON CONFLICT (collection_id, doc_id) DO UPDATE SET {replaced} "
        f"WHERE NOT {_SAME.replace('n.', 'excluded.')}",
        [collection.pk],
    )
    return int(cursor.rowcount)


def _give_texts_to_opinions(collection: Collection) -> None:
    """Opinions may have named documents before their texts came."""
    texts = Document.objects.filter(collection=collection, doc_id=OuterRef("doc_id"))
    PooledDocument.objects.filter(
        study_topic__study__collection=collection,
        study_topic__study__crowd=Study.Crowd.IMPORTED,
        document=None,
    ).update(document=Subquery(texts.values("pk")))
