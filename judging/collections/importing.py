"""Files into a collection, all or nothing."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256

import pyarrow as pa
import pyarrow.compute as pc
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F

from accounts.models import User
from judging.collections import runs as runs_store
from judging.collections.access import note, to_change
from judging.collections.bulk import copy_rows
from judging.collections.documents import import_documents
from judging.collections.incoming import CannotImport, Paths, Progress, refuse_odd
from judging.collections.topics import KnownTopics, import_topics
from judging.models import Collection, Label, LabelSet, Study
from trec.containers.archives import Member, open_members
from trec.labels.qrels import Qrels, read_qrels
from trec.runs import Run, read_runs

SOME = 5  # topics or documents that a message names


@dataclass
class Imported:
    """What an import brought; zeros where everything was there already."""

    topics: int = 0
    documents: int = 0
    runs: int = 0
    lists: int = 0
    labels: dict[str, int] = field(default_factory=dict)
    cut: list[str] = field(default_factory=list)  # documents too long to be shown whole
    empty: list[str] = field(default_factory=list)  # documents without title and text: left out
    without_text: int = 0  # documents that runs and labels name
    unknown_topics: set[str] = field(default_factory=set)  # of runs and labels: left out
    made_topics: set[str] = field(default_factory=set)  # of runs and labels, without text


@transaction.atomic
def import_collection(
    slug: str,
    *,
    topics: Paths = (),
    documents: Paths = (),
    qrels: Mapping[str, Paths] | None = None,
    runs: Paths = (),
    encoding: str = "",
    make_topics: bool = False,
    progress: Progress = lambda _: None,
    by: User | None = None,
) -> Imported:
    """Bring files into the collection `slug`, which is made if there is none, as that of `by`.

    What is new is added. The same content again changes nothing. Other content replaces what is
    there, unless a study on the collection has opened. Runs and labels on topics that the
    collection does not have are left out, and the result names these topics; where there are no
    others, they are refused. With `make_topics` these topics are made instead, without text. The
    files are UTF-8 where no `encoding` is named.

    Raises:
        BadFile: a file cannot be read; it says where.
        UnknownEncoding: there is no such encoding.
        CannotImport: the content contradicts what is there.
        NotYours: somebody (None: a command) may not change the collection.
    """
    collection = locked(slug, by)
    # A closed study counts too: somebody may still be judging, and its judgments will be analysed.
    # A study of imported opinions does not: its people read other texts than these.
    judged = collection.studies.exclude(crowd=Study.Crowd.IMPORTED)
    frozen = judged.exclude(stage=Study.Stage.DRAFT).exists()
    done = Imported()

    def files(paths: Paths) -> Iterator[Member]:
        return open_members(paths, progress, encoding)

    if topics:
        done.topics = import_topics(collection, files(topics), frozen)
    if documents:
        read = import_documents(collection, files(documents), frozen)
        done.documents, done.cut, done.empty = read.changed, read.cut, read.empty
    named: list[pa.Array] = []
    known = KnownTopics(collection, makes_more=make_topics)
    for name, paths in (qrels or {}).items():
        labels = read_qrels(files(paths))
        done.labels[name] = _import_labels(collection, name, labels, known, done)
        named.append(labels.doc_ids)
    if runs:
        named.append(_import_runs(collection, _runs(files(runs), known), known, frozen, done))
    done.made_topics = known.made
    done.without_text = _without_text(collection, named)
    counts = {"topics": done.topics, "documents": done.documents, "runs": done.runs}
    note(collection, by, "imported into the collection", **counts, labels=done.labels)
    return done


def locked(slug: str, by: User | None = None) -> Collection:
    """The collection, made if there is none, for this import alone.

    Raises:
        CannotImport: the slug is none.
        NotYours: it is there, and not somebody's to change.
    """
    collection = Collection.objects.filter(slug=slug).first()
    if collection is None:
        try:
            Collection(slug=slug).clean_fields()
        except ValidationError as fault:
            raise CannotImport(
                f"{slug!r} cannot be the name of a collection; expected at most 50 letters, "
                "digits, hyphens and underscores."
            ) from fault
        collection, _ = Collection.objects.get_or_create(slug=slug, defaults={"owner": by})
    return to_change(collection, by)


def _import_labels(
    collection: Collection, name: str, labels: Qrels, known: KnownTopics, done: Imported
) -> int:
    """Replace the label set `name`; the number of labels in it."""
    refuse_odd("document id", labels.doc_ids)
    query_ids = labels.query_ids.unique().to_pylist()
    known.meet(query_ids)
    _refuse_strange(collection, f"labels {name}", query_ids, known)
    label_set, _ = LabelSet.objects.get_or_create(collection=collection, name=name)
    Label.objects.filter(label_set=label_set).delete()
    done.unknown_topics |= set(query_ids) - known.keys()
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


def _import_runs(
    collection: Collection, runs: Iterable[Run], known: dict[str, int], frozen: bool, done: Imported
) -> pa.Array:
    """Store the runs; the documents that they name."""
    stored = runs_store.store(collection, runs, known, frozen)
    if not len(stored.doc_ids):
        _refuse_strange(collection, "runs", stored.unknown_topics, known)
    if stored.conflict:
        raise CannotImport(
            f"Run {stored.conflict} is there with other content, and a study on this collection "
            "has opened."
        )
    if stored.lists:
        Collection.objects.filter(pk=collection.pk).update(revision=F("revision") + 1)
    done.runs, done.lists = stored.runs, stored.lists
    done.unknown_topics |= stored.unknown_topics
    return stored.doc_ids


def _refuse_strange(
    collection: Collection, what: str, query_ids: Iterable[str], known: dict[str, int]
) -> None:
    """Refuse labels or runs if the collection has none of their topics: nothing would be kept."""
    strange = set(query_ids)
    if not strange or not strange.isdisjoint(known):
        return
    first = ", ".join(sorted(strange)[:SOME])
    own = ", ".join(sorted(known)[:SOME]) or "none"
    raise CannotImport(
        f"The {what} are on topics that collection {collection} does not have, {first} among them; "
        f"its topics: {own}. Import the topics first, name another collection, or have topics "
        "made without text: --make-topics."
    )


def _runs(members: Iterable[Member], known: KnownTopics) -> Iterator[Run]:
    for run in read_runs(members):
        refuse_odd("run tag", [run.tag])
        known.meet(run.topics)
        for ranked in run.topics.values():
            refuse_odd("document id", ranked.doc_ids)
        yield run


def _without_text(collection: Collection, named: Iterable[pa.Array]) -> int:
    """How many of the documents that runs and labels name have no text here."""
    arrays = list(named)
    if not arrays:
        return 0
    names = pc.unique(pa.concat_arrays(arrays))
    with_text = pa.array(collection.documents.values_list("doc_id", flat=True), pa.string())
    return len(names) - int(pc.sum(pc.is_in(names, value_set=with_text), min_count=0).as_py())
