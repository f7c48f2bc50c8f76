from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import FloatField, Sum, Value
from django.db.models.functions import Cast, Coalesce

from accounts.models import User
from judging.collections import importing, vocabulary
from judging.collections.bulk import copy_rows
from judging.collections.incoming import CannotImport
from judging.collections.opinion_studies import get_or_create_study
from judging.models import Document, Opinion, PooledDocument, Study, StudyTopic, Topic, Worker
from magnitudes.files.labels.opinions import Opinions
from magnitudes.files.labels.scales import MISSING
from web import clock

PAGE = "page"  # what systems return, where opinions are on snippets too
COLUMNS = (
    *("study_topic_id", "document_id", "worker_id"),
    *("level", "score", "aspect", "occasion", "group"),
)


@dataclass(frozen=True)
class Imported:
    rows: int
    golds: int
    workers: int
    topics: int
    pairs: int
    main_aspect: str
    shared: int  # pairs that two workers or more gave a level or score, on the main aspect
    missing: Counter[str]
    unused: list[str]  # levels that nobody gave
    groups: list[int]  # of magnitudes on the main aspect: how many scores each has
    unchanged: bool


@transaction.atomic
def import_opinions(
    slug: str,
    collection: str,
    read: Opinions,
    levels: Sequence[str] = (),
    *,
    title: str = "",
    main_aspect: str = "",
    replace: bool = False,
    by: User | None = None,
) -> Imported:
    """Make the study `slug` of the opinions read, as that of `by`, or replace those that it has.

    The collection and topics without text are made where there are none; documents need not be
    known. The same opinions in the same order change nothing. Gains are computed of opinions on the
    `main_aspect`; by default on `page`, or else on the aspect that most opinions are on. levels:
    their names, lowest first; none for magnitudes.

    Raises CannotImport: the study is of another kind, scale or collection; it has other opinions,
    and `replace` is false; a name is not valid; no opinion has a level or score, or none is on the
    main aspect. NotYours: somebody (None: a command) may not change the collection, or the study.
    """
    if (read.levels == MISSING).all():
        if read.scores is not None:
            raise CannotImport(f"No row has a score: {list_missing(read.missing)}.")
        raise CannotImport(
            f"No label is a level: {list_missing(read.missing)}. Write levels, or their values, as "
            "the files do."
        )
    main = _main_aspect(read, main_aspect)
    home = importing.lock_or_create(collection, by)
    study, is_new = get_or_create_study(slug, home, list(levels), title, by)
    unchanged = not is_new and study.main_aspect == main and _is_stored(study, read, levels)
    if not (is_new or unchanged or replace):
        raise CannotImport(
            f"Study {slug} has other opinions. Put these in their place with --replace, or import "
            "them into a study with another name."
        )
    if not unchanged:
        Study.objects.filter(pk=study.pk).update(levels=list(levels), main_aspect=main)
        _write(study, read)
        counts = {"rows": len(read), "workers": len(read.workers)}
        study.trail.create(at=clock.now(), by=by, action="imported opinions", details=counts)
    return _result(read, levels, main, unchanged)


def list_missing(missing: Counter[str]) -> str:
    return ", ".join(f"{n:,} × {label!r}" for label, n in missing.most_common(5))


def _main_aspect(read: Opinions, requested: str) -> str:
    if requested and requested not in read.aspects:
        available = ", ".join(filter(None, read.aspects)) or "none"
        raise CannotImport(f"No opinion is on the aspect {requested!r}; there are {available}.")
    counts = np.bincount(read.aspect_of, minlength=len(read.aspects)).tolist()
    ranked = [(aspect == PAGE, n, aspect) for n, aspect in zip(counts, read.aspects, strict=True)]
    return requested or max(ranked)[-1]


def _is_stored(study: Study, read: Opinions, levels: Sequence[str]) -> bool:
    if study.levels != list(levels):
        return False
    stored = Opinion.objects.filter(study_topic__study=study).order_by("id")
    value = Coalesce("score", Cast("level", FloatField()), Value(float(MISSING)))
    rows = stored.values_list(
        *("study_topic__topic__query_id", "document__doc_id", "worker__pseudonym"),
        *(value, "aspect", "occasion", "group"),
    )
    return _digest(rows.iterator()) == _digest(_rows(read))


def _rows(read: Opinions) -> Iterator[tuple[Any, ...]]:
    """As `_is_stored` reads them."""
    for row, group in zip(read.rows(), read.group_of.tolist(), strict=True):
        query_id, doc_id, worker, value, *marks = row
        yield query_id, doc_id, worker, float(value), *marks, read.groups[group]


def _digest(rows: Iterable[tuple[Any, ...]]) -> str:
    digest = sha256()
    for row in rows:
        digest.update(repr(tuple(row)).encode())
    return digest.hexdigest()


def _write(study: Study, read: Opinions) -> None:
    """Workers, topics and documents that stay keep their keys."""
    Opinion.objects.filter(study_topic__study=study).delete()
    named = Worker.objects.filter(study=study)
    named.exclude(pseudonym__in=read.workers).delete()
    Worker.objects.bulk_create(
        (Worker(study=study, pseudonym=name) for name in read.workers), ignore_conflicts=True
    )
    workers = dict(named.values_list("pseudonym", "id"))
    topics = _topics(study, dict.fromkeys(query_id for query_id, _ in read.pairs))
    documents = _documents(study, topics, read.pairs)
    keys = dict(zip(read.pairs, documents, strict=True))

    def rows() -> Iterator[tuple[Any, ...]]:
        for query_id, doc_id, worker, value, *marks in _rows(read):
            level = score = None
            if value != MISSING and read.scores is None:
                level = int(value)
            elif value != MISSING:
                score = value
            yield *keys[query_id, doc_id], workers[worker], level, score, *marks

    copy_rows(Opinion._meta.db_table, COLUMNS, rows())


def _topics(study: Study, query_ids: Iterable[str]) -> dict[str, StudyTopic]:
    """By number, each with a revision that no earlier state of it had."""
    wanted = list(query_ids)
    home = study.collection
    Topic.objects.bulk_create(
        (Topic(collection=home, query_id=query_id) for query_id in wanted), ignore_conflicts=True
    )
    revision = (study.topics.aggregate(sum=Sum("revision"))["sum"] or 0) + 1
    study.topics.exclude(topic__query_id__in=wanted).delete()
    topics = home.topics.filter(query_id__in=wanted).order_by("query_id")
    StudyTopic.objects.bulk_create(
        (StudyTopic(study=study, topic=topic) for topic in topics), ignore_conflicts=True
    )
    study.topics.update(revision=revision)
    return {topic.topic.query_id: topic for topic in study.topics.select_related("topic")}


def _documents(
    study: Study, topics: dict[str, StudyTopic], pairs: Sequence[tuple[str, str]]
) -> list[tuple[int, int]]:
    named: dict[str, list[str]] = {}
    for query_id, doc_id in pairs:
        named.setdefault(query_id, []).append(doc_id)
    key_of: dict[tuple[str, str], tuple[int, int]] = {}
    for query_id, doc_ids in named.items():
        topic = topics[query_id]
        topic.documents.exclude(doc_id__in=doc_ids).delete()
        codes = vocabulary.extend(topic.topic, doc_ids)
        existing = Document.objects.filter(collection=study.collection, doc_id__in=doc_ids)
        texts = dict(existing.values_list("doc_id", "id"))
        rows = [
            PooledDocument(study_topic=topic, doc_id=i, code=codes[i], document_id=texts.get(i))
            for i in doc_ids
        ]
        PooledDocument.objects.bulk_create(rows, ignore_conflicts=True)
        for doc_id, key in topic.documents.values_list("doc_id", "id"):
            key_of[query_id, doc_id] = topic.pk, key
    return [key_of[pair] for pair in pairs]


def _result(read: Opinions, levels: Sequence[str], main: str, unchanged: bool) -> Imported:
    has_level = read.levels != MISSING
    used = set(read.levels[has_level].tolist())
    on_main = has_level & (read.aspect_of == read.aspects.index(main))
    pair_and_worker = np.stack([read.pair_of[on_main], read.worker_of[on_main]])
    judges = np.bincount(np.unique(pair_and_worker, axis=1)[0], minlength=len(read.pairs))
    groups: list[int] = []
    if read.scores is not None:
        _, topic_of_pair = np.unique([query_id for query_id, _ in read.pairs], return_inverse=True)
        scales = np.stack([topic_of_pair[read.pair_of], read.worker_of, read.group_of])[:, on_main]
        groups = np.unique(scales, axis=1, return_counts=True)[1].tolist()
    return Imported(
        rows=len(read) - read.golds,
        golds=read.golds,
        workers=len(read.workers),
        topics=len({query_id for query_id, _ in read.pairs}),
        pairs=len(read.pairs),
        main_aspect=main,
        shared=int((judges > 1).sum()),
        missing=read.missing,
        unused=[name for level, name in enumerate(levels) if level not in used],
        groups=groups,
        unchanged=unchanged,
    )
