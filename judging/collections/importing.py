from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import NamedTuple
from uuid import UUID, uuid4

import numpy as np
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F

from accounts.models import User
from judging.collections import runs as runs_store
from judging.collections.access import lock_for_change, log_change
from judging.collections.bulk import copy_rows
from judging.collections.documents import ReadDocuments, move_documents, staged_documents
from judging.collections.incoming import CannotImport, Paths, Progress, check_ids
from judging.collections.topic_import import KnownTopics, move_topics, read_all_topics
from judging.models import Collection, Label, LabelSet, Study
from magnitudes.files.containers.archives import Member, open_members
from magnitudes.files.errors import BadFile
from magnitudes.files.ids import Ids, codes, decoded, encoded
from magnitudes.files.kinds import Kind
from magnitudes.files.labels.qrels import Qrels, read_qrels
from magnitudes.files.parsing.fields import LONGEST_ID
from magnitudes.files.recognising import kind_of
from magnitudes.files.runs import Run, read_runs
from magnitudes.files.topics import Topic as ReadTopic

REFERENCE = "reference"
OF_COLLECTION = (Kind.TOPICS, Kind.DOCUMENTS, Kind.LABELS, Kind.RUNS)
MAX_NAMED = 5  # topics or documents that a message names


@dataclass
class Imported:
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


class _ReadFiles(NamedTuple):
    topics: list[ReadTopic]
    documents: ReadDocuments
    labels: dict[str, Qrels]
    runs: list[Run]


def import_collection(
    slug: str,
    *,
    topics: Paths = (),
    documents: Paths = (),
    qrels: Mapping[str, Paths] | None = None,
    runs: Paths = (),
    mixed: Paths = (),
    encoding: str = "",
    make_topics: bool = False,
    progress: Progress = lambda _: None,
    by: User | None = None,
    staging_key: UUID | None = None,
    finish: Callable[[Imported], object] = lambda _: None,
) -> Imported:
    """Bring files into the collection `slug`, which is made if there is none, as that of `by`.

    All files are read first; one transaction then brings in all or nothing. What is new is added,
    the same content changes nothing, and other content replaces what is there, unless a study on
    the collection has opened. Runs and labels on unknown topics are left out, and named in the
    result; where there are no others, they are refused. `make_topics` makes these topics instead,
    without text.

    mixed: files of which the kind is recognised, as of a data set in one archive; their labels are
    the set `reference`. encoding: empty for UTF-8. staging_key: of the staged documents. finish:
    called with the result at the end of the transaction.

    Raises BadFile and UnknownEncoding; CannotImport: the content contradicts what is there; and
    NotYours: somebody (None: a command) may not change the collection.
    """
    with transaction.atomic():
        lock_or_create(slug, by)  # to refuse at once what would be refused in the end
        transaction.set_rollback(True)
    kinds = _kinds(mixed, encoding)

    def files(paths: Paths, kind: Kind | None) -> Iterator[Member]:
        yield from open_members(paths, progress, encoding)
        if kind in kinds:
            of_all = open_members(mixed, encoding=encoding)
            yield from (member for member in of_all if kind_of(member) == kind)

    sets = {**({REFERENCE: ()} if Kind.LABELS in kinds else {}), **(qrels or {})}
    read_topics = read_all_topics(files(topics, Kind.TOPICS))
    read_documents = ReadDocuments(staging_key or uuid4())
    with staged_documents(files(documents, Kind.DOCUMENTS), read_documents):
        read = _ReadFiles(
            read_topics,
            read_documents,
            {
                name: _read_labels(files(paths, Kind.LABELS if name == REFERENCE else None))
                for name, paths in sets.items()
            },
            _read_all_runs(files(runs, Kind.RUNS)),
        )
        with transaction.atomic():
            result = _move(lock_or_create(slug, by), read, make_topics, by)
            finish(result)
    return result


def _move(collection: Collection, read: _ReadFiles, make_topics: bool, by: User | None) -> Imported:
    """The caller has locked the collection."""
    # A closed study counts too: somebody may still be judging, and its judgments will be analysed.
    # A study of imported opinions does not: its people read other texts than these.
    judged = collection.studies.exclude(crowd=Study.Crowd.IMPORTED)
    frozen = judged.exclude(stage=Study.Stage.DRAFT).exists()
    result = Imported(cut=read.documents.cut, empty=read.documents.empty)
    result.topics = move_topics(collection, read.topics, frozen)
    if read.documents.staged:
        result.documents = move_documents(collection, read.documents, frozen)
    named: list[Ids] = []
    topics = KnownTopics(collection, makes_more=make_topics)
    for name, labels in read.labels.items():
        result.labels[name] = _move_labels(collection, name, labels, topics, result)
        named.append(labels.doc_ids)
    if read.runs:
        named.append(_move_runs(collection, read.runs, topics, frozen, result))
    result.made_topics = topics.made
    result.without_text = _without_text(collection, named)
    counts = {name: getattr(result, name) for name in ("topics", "documents", "runs", "labels")}
    log_change(collection, by, "imported into the collection", **counts)
    return result


def _kinds(mixed: Paths, encoding: str) -> set[Kind]:
    kinds = set()
    for member in open_members(mixed, encoding=encoding):
        kind = kind_of(member)
        if kind not in OF_COLLECTION:
            raise BadFile(member.name, "none of the known formats", ", ".join(OF_COLLECTION))
        kinds.add(kind)
    return kinds


def lock_or_create(slug: str, by: User | None = None) -> Collection:
    """Raises CannotImport if the slug is invalid, and NotYours."""
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
    return lock_for_change(collection, by)


def _read_labels(members: Iterable[Member]) -> Qrels:
    labels = read_qrels(members)
    _check_doc_ids(labels.doc_ids)
    return labels


def _move_labels(
    collection: Collection, name: str, labels: Qrels, topics: KnownTopics, result: Imported
) -> int:
    """Replace the label set `name`; returns how many labels it has."""
    query_ids = decoded(codes(labels.query_ids)[1])
    topics.add_missing(query_ids)
    _check_topics_known(collection, f"labels {name}", query_ids, topics)
    label_set, _ = LabelSet.objects.get_or_create(collection=collection, name=name)
    Label.objects.filter(label_set=label_set).delete()
    result.unknown_topics |= set(query_ids) - topics.keys()
    digest = sha256()

    def rows() -> Iterator[tuple[int, int, str, str]]:
        for query_id, doc_id, level in labels.rows():
            if query_id in topics:
                row = (topics[query_id], doc_id, repr(level))
                digest.update(repr(row).encode())
                yield label_set.pk, *row

    copied = copy_rows(
        Label._meta.db_table, ("label_set_id", "topic_id", "doc_id", "level"), rows()
    )
    LabelSet.objects.filter(pk=label_set.pk).update(digest=digest.hexdigest())
    return copied


def _move_runs(
    collection: Collection, runs: list[Run], topics: KnownTopics, frozen: bool, result: Imported
) -> Ids:
    topics.add_missing(query_id for run in runs for query_id in run.topics)
    stored = runs_store.store(collection, runs, topics, frozen)
    if not len(stored.doc_ids):
        _check_topics_known(collection, "runs", stored.unknown_topics, topics)
    if stored.conflict:
        raise CannotImport(
            f"Run {stored.conflict} is there with other content, and a study on this collection "
            "has opened."
        )
    if stored.lists:
        Collection.objects.filter(pk=collection.pk).update(revision=F("revision") + 1)
    result.runs, result.lists = stored.runs, stored.lists
    result.unknown_topics |= stored.unknown_topics
    return stored.doc_ids


def _check_topics_known(
    collection: Collection, what: str, query_ids: Iterable[str], topics: dict[str, int]
) -> None:
    """Refuse labels or runs on none of the collection's topics: nothing would be stored."""
    unknown = set(query_ids)
    if not unknown or not unknown.isdisjoint(topics):
        return
    first = ", ".join(sorted(unknown)[:MAX_NAMED])
    known = ", ".join(sorted(topics)[:MAX_NAMED]) or "none"
    raise CannotImport(
        f"The {what} are on topics that collection {collection} does not have, {first} among them; "
        f"its topics: {known}. Import the topics first, name another collection, or have topics "
        "made without text: --make-topics."
    )


def _read_all_runs(members: Iterable[Member]) -> list[Run]:
    runs = list(read_runs(members))
    check_ids("run tag", [run.tag for run in runs])
    for run in runs:
        for ranked in run.topics.values():
            _check_doc_ids(ranked.doc_ids)
    return runs


def _check_doc_ids(ids: Ids) -> None:
    # Most are plain, which NumPy sees much faster than Python.
    octets = ids.view(np.uint8)
    if ids.itemsize > LONGEST_ID or (((octets > 0) & (octets < 32)) | (octets > 126)).any():
        check_ids("document id", decoded(ids))


def _without_text(collection: Collection, named: list[Ids]) -> int:
    if not named:
        return 0
    with_text = encoded(collection.documents.values_list("doc_id", flat=True))
    return len(np.setdiff1d(np.concatenate(named), with_text))
