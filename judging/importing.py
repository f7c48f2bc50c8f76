"""Files into a collection, all or nothing."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.db.models import F, OuterRef, Subquery

from judging import runs_store
from judging.bulk import copy_rows
from judging.models import (
    Collection,
    Document,
    Label,
    LabelSet,
    PooledDocument,
    Study,
    Topic,
)
from trec.archives import open_members
from trec.documents import read_documents
from trec.fields import LONGEST_ID, UNPRINTABLE
from trec.lengths import length
from trec.qrels import Qrels, read_qrels
from trec.runs import Run, read_runs
from trec.topics import Topic as ReadTopic
from trec.topics import read_topics

Paths = Sequence[str | Path]
Progress = Callable[[int], object]


class CannotImport(ValueError):
    """The files are well formed, but do not go with what is there."""


@dataclass
class Imported:
    """What an import brought; zeros where everything was there already."""

    topics: int = 0
    documents: int = 0
    runs: int = 0
    lists: int = 0
    labels: dict[str, int] = field(default_factory=dict)
    without_text: int = 0  # documents that runs and labels name
    unknown_topics: set[str] = field(default_factory=set)  # of runs and labels: left out


@transaction.atomic
def import_collection(
    slug: str,
    *,
    topics: Paths = (),
    documents: Paths = (),
    qrels: Mapping[str, Paths] | None = None,
    runs: Paths = (),
    progress: Progress = lambda _: None,
) -> Imported:
    """Bring files into the collection `slug`, which is made if there is none.

    What is new is added; the same again changes nothing; another content for something known
    replaces it, unless a study on the collection has opened. Runs and labels of topics that the
    collection does not have are left out and named in the result.

    Raises:
        BadFile: a file cannot be read; it says where.
        CannotImport: the content does not go with what is there.
    """
    collection = locked(slug)
    # A closed study's too: somebody may be judging still, and what was judged is to be analysed.
    # What was judged elsewhere was not judged by what is here.
    judged = collection.studies.exclude(crowd=Study.Crowd.IMPORTED)
    frozen = judged.exclude(stage=Study.Stage.DRAFT).exists()
    done = Imported()
    if topics:
        done.topics = _import_topics(collection, topics, frozen, progress)
    if documents:
        done.documents = _import_documents(collection, documents, frozen, progress)
        _give_texts_to_opinions(collection)
    named: list[pa.Array] = []
    known = dict(collection.topics.values_list("query_id", "id"))
    for name, paths in (qrels or {}).items():
        labels = read_qrels(open_members(paths, progress))
        _refuse_odd("document id", labels.doc_ids)
        done.labels[name] = _import_labels(collection, name, labels, known, done)
        named.append(labels.doc_ids)
    if runs:
        stored = runs_store.store(collection, _runs(runs, progress), known, frozen)
        done.runs, done.lists = stored.runs, stored.lists
        done.unknown_topics |= stored.unknown_topics
        named.append(stored.doc_ids)
        if stored.lists:
            Collection.objects.filter(pk=collection.pk).update(revision=F("revision") + 1)
        if stored.conflict:
            raise CannotImport(
                f"Run {stored.conflict} is there with other content, and a study on this "
                "collection has opened."
            )
    done.without_text = _without_text(collection, named)
    return done


def locked(slug: str) -> Collection:
    """The collection, made if there is none, for this import alone."""
    collection = Collection.objects.filter(slug=slug).first()
    if collection is None:
        try:
            Collection(slug=slug).clean_fields()
        except ValidationError as fault:
            raise CannotImport(
                f"{slug!r} cannot be the name of a collection; expected at most 50 letters, "
                "digits, hyphens and underscores."
            ) from fault
        collection, _ = Collection.objects.get_or_create(slug=slug)
    return Collection.objects.select_for_update().get(pk=collection.pk)


def _import_topics(collection: Collection, paths: Paths, frozen: bool, progress: Progress) -> int:
    there = {topic.query_id: topic for topic in collection.topics.all()}
    changed = []
    for topic in _read_all_topics(paths, progress):
        old = there.get(topic.query_id)
        new = Topic(
            id=old.pk if old else None,
            collection=collection,
            query_id=topic.query_id,
            title=topic.title,
            description=topic.description,
            narrative=topic.narrative,
        )
        if old and _words(old) == _words(new):
            continue
        if old and frozen and any(_words(old)):  # one that opinions alone have named has none
            raise CannotImport(
                f"Topic {topic.query_id} is there with another text, and a study on this "
                "collection has opened."
            )
        changed.append(new)
    Topic.objects.bulk_create(
        changed,
        update_conflicts=True,
        unique_fields=["collection", "query_id"],
        update_fields=["title", "description", "narrative"],
    )
    return len(changed)


def _read_all_topics(paths: Paths, progress: Progress) -> Iterator[ReadTopic]:
    seen: dict[str, ReadTopic] = {}
    for member in open_members(paths, progress):
        for topic in read_topics(member):
            _refuse_odd("topic number", [topic.query_id])
            if topic.query_id not in seen:
                yield topic
            if seen.setdefault(topic.query_id, topic) != topic:
                raise CannotImport(
                    f"{member.name}: topic {topic.query_id} again, with another text"
                )


def _words(topic: Topic) -> tuple[str, str, str]:
    return topic.title, topic.description, topic.narrative


def _import_documents(
    collection: Collection, paths: Paths, frozen: bool, progress: Progress
) -> int:
    """Stream all documents beside the table, then compare and merge with one statement each."""
    table, scratch = Document._meta.db_table, "incoming_document"
    columns = ("doc_id", "title", "text", "is_html", "words")
    same = "(d.title, d.text, d.is_html) IS NOT DISTINCT FROM (n.title, n.text, n.is_html)"
    with connection.cursor() as cursor:
        cursor.execute(
            f"CREATE TEMPORARY TABLE {scratch} ON COMMIT DROP AS "
            f"SELECT {', '.join(columns)} FROM {table} WITH NO DATA"
        )
        copy_rows(scratch, columns, _document_rows(paths, progress))
        cursor.execute(
            f"SELECT doc_id FROM {scratch} GROUP BY doc_id "
            "HAVING count(DISTINCT (title, text, is_html)) > 1 ORDER BY doc_id LIMIT 1"
        )
        if twice := cursor.fetchone():
            raise CannotImport(f"Document {twice[0]} comes in two files, with two texts.")
        cursor.execute(
            f"SELECT n.doc_id FROM {scratch} n JOIN {table} d ON d.doc_id = n.doc_id "
            f"WHERE d.collection_id = %s AND NOT {same} ORDER BY n.doc_id LIMIT 1",
            [collection.pk],
        )
        if frozen and (other := cursor.fetchone()):
            raise CannotImport(
                f"Document {other[0]} is there with another text, and a study on this collection "
                "has opened."
            )
        cursor.execute(
            f"INSERT INTO {table} AS d (collection_id, {', '.join(columns)}) "
            f"SELECT DISTINCT ON (doc_id) %s, {', '.join(columns)} FROM {scratch} "
            "ON CONFLICT (collection_id, doc_id) DO UPDATE SET title = excluded.title, "
            "text = excluded.text, is_html = excluded.is_html, words = excluded.words "
            f"WHERE NOT {same.replace('n.', 'excluded.')}",
            [collection.pk],
        )
        merged = int(cursor.rowcount)
        cursor.execute(f"DROP TABLE {scratch}")
    return merged


def _give_texts_to_opinions(collection: Collection) -> None:
    """Opinions may have named documents before their texts came."""
    texts = Document.objects.filter(collection=collection, doc_id=OuterRef("doc_id"))
    PooledDocument.objects.filter(
        study_topic__study__collection=collection,
        study_topic__study__crowd=Study.Crowd.IMPORTED,
        document=None,
    ).update(document=Subquery(texts.values("pk")))


def _document_rows(paths: Paths, progress: Progress) -> Iterator[tuple[str, str, str, bool, int]]:
    for member in open_members(paths, progress):
        for document in read_documents(member):
            _refuse_odd("document id", [document.doc_id])
            yield (
                document.doc_id,
                document.title,
                document.text,
                document.is_html,
                length(document),
            )


def _import_labels(
    collection: Collection, name: str, labels: Qrels, known: dict[str, int], done: Imported
) -> int:
    """Replace the label set `name`; the number of labels in it."""
    label_set, _ = LabelSet.objects.get_or_create(collection=collection, name=name)
    Label.objects.filter(label_set=label_set).delete()
    done.unknown_topics |= set(labels.query_ids.unique().to_pylist()) - known.keys()
    digest = sha256()

    def rows() -> Iterator[tuple[int, int, str, str]]:
        for query_id, doc_id, level in labels.rows():
            if query_id in known:
                row = (known[query_id], doc_id, repr(level))
                digest.update(repr(row).encode())
                yield label_set.pk, *row

    copied = copy_rows(
        Label._meta.db_table, ("label_set_id", "topic_id", "doc_id", "level"), rows()
    )
    LabelSet.objects.filter(pk=label_set.pk).update(digest=digest.hexdigest())
    return copied


def _runs(paths: Paths, progress: Progress) -> Iterator[Run]:
    for run in read_runs(open_members(paths, progress)):
        _refuse_odd("run tag", [run.tag])
        for ranked in run.topics.values():
            _refuse_odd("document id", ranked.doc_ids)
        yield run


def _refuse_odd(what: str, ids: pa.Array | Iterable[str]) -> None:
    """Refuse ids that are too long, or that nothing could show."""
    given = ids if isinstance(ids, pa.Array) else pa.array(ids, pa.string())
    odd = pc.or_(
        pc.greater(pc.utf8_length(given), LONGEST_ID), pc.match_substring_regex(given, UNPRINTABLE)
    )
    for one in given.filter(odd).to_pylist():
        shown = "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in one[:40])
        if len(one) > LONGEST_ID:
            raise CannotImport(
                f"The {what} {shown}… has {len(one)} characters; expected at most {LONGEST_ID}."
            )
        raise CannotImport(f"The {what} {shown} holds a control character; expected none.")


def _without_text(collection: Collection, named: Iterable[pa.Array]) -> int:
    """How many of the documents that runs and labels name have no text here."""
    arrays = list(named)
    if not arrays:
        return 0
    names = pc.unique(pa.concat_arrays(arrays))
    there = pa.array(collection.documents.values_list("doc_id", flat=True), pa.string())
    return len(names) - int(pc.sum(pc.is_in(names, value_set=there), min_count=0).as_py())
