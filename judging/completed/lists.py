from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from judging.collections import vocabulary
from judging.models import Label, LabelSet, PooledDocument, RankedList, Run, Study, Topic

Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Pool:
    """The documents of one topic, by key; without anchors, h_k and n_k are keys of no document."""

    keys: Ids
    codes: Ids
    h_k: int
    n_k: int


POOL = """
    SELECT coalesce(string_agg(int8send(id), '' ORDER BY id), ''),
           coalesce(string_agg(int8send(code), '' ORDER BY id), ''),
           coalesce(max(id) FILTER (WHERE role = %s), 0),
           coalesce(max(id) FILTER (WHERE role = %s), 0)
    FROM judging_pooleddocument WHERE study_topic_id = %s
"""


def pool(study_topic: int) -> Pool:
    """Empty before the topic's units are planned."""
    role = PooledDocument.Role
    with connection.cursor() as cursor:
        cursor.execute(POOL, [role.H_K, role.N_K, study_topic])
        *packed, h_k, n_k = cursor.fetchone()
    keys, codes = (np.frombuffer(column, ">i8").astype(np.int64) for column in packed)
    return Pool(keys, codes, h_k, n_k)


def runs(study: Study) -> tuple[list[int], list[str]]:
    rows = Run.objects.filter(collection=study.collection_id).order_by("tag")
    pairs = list(rows.values_list("id", "tag"))
    return [key for key, _ in pairs], [tag for _, tag in pairs]


def rankings(
    topic: int, run_keys: list[int], depth: int | None, *, by_rank: bool = False
) -> NDArray[np.int32]:
    """The first `depth` codes of every run on a topic: (runs, depth or the longest list's length).

    Shorter lists are filled with -1. In evaluation order, or `by_rank` in that of the rank field,
    with ties in evaluation order.
    """
    max_bytes = 2**31 - 1  # what PostgreSQL can be asked for
    if depth is not None and not by_rank:
        max_bytes = min(depth * vocabulary.CODE_BYTES, max_bytes)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT run_id, substring(codes FROM 1 FOR %s), CASE WHEN %s THEN ranks ELSE '' END"
            " FROM judging_rankedlist WHERE topic_id = %s",
            [max_bytes, by_rank, topic],
        )
        rows = cursor.fetchall()
    lists = {run: vocabulary.codes(packed) for run, packed, _ in rows}
    if by_rank:
        for run, _, packed in rows:
            order = np.argsort(vocabulary.ranks(packed), kind="stable")
            lists[run] = lists[run][order][:depth]
    longest = max(map(len, lists.values()), default=0)
    codes = np.full((len(run_keys), longest), -1, dtype=np.int32)
    for row, key in enumerate(run_keys):
        ranked = lists.get(key, codes[row, :0])
        codes[row, : len(ranked)] = ranked
    return codes


def lists_of(
    run: int, topics: list[int], depth: int, *, by_rank: bool = False
) -> dict[int, NDArray[np.int32]]:
    """As `rankings`, of one run, by topic."""
    rows = RankedList.objects.filter(run=run, topic__in=topics)
    lists = {}
    for topic, codes, ranks in rows.values_list("topic", "codes", "ranks"):
        order = np.argsort(vocabulary.ranks(ranks), kind="stable") if by_rank else slice(None)
        lists[topic] = vocabulary.codes(codes)[order][:depth]
    return lists


WORDS = """
    SELECT wanted.code, d.words
    FROM unnest(%s::int[], %s::text[]) AS wanted(code, doc_id)
    JOIN judging_topic t ON t.id = %s
    JOIN judging_document d ON d.collection_id = t.collection_id AND d.doc_id = wanted.doc_id
"""


def words(topic: int, *codes: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
    """Lengths in words of the documents in `codes`, by code, and NaN at the end for code -1.

    As long as the topic's vocabulary; NaN for documents without a text or not in `codes`.
    """
    doc_ids = vocabulary.read(Topic(pk=topic))
    wanted = np.unique(np.concatenate([array.ravel() for array in codes]))
    wanted = wanted[wanted >= 0].tolist()
    lengths = np.full(len(doc_ids) + 1, np.nan)
    with connection.cursor() as cursor:
        cursor.execute(WORDS, [wanted, [doc_ids[code] for code in wanted], topic])
        for code, number in cursor.fetchall():
            lengths[code] = number
    return lengths


@dataclass(frozen=True)
class Labelled:
    """The labels of one topic: document ids, codes (-1: no run or pool names it), levels."""

    doc_ids: list[str]
    codes: Ids
    levels: NDArray[np.float64]


def labels(topic: Topic, label_set: LabelSet | None) -> Labelled:
    of_topic = Label.objects.filter(topic=topic, label_set=label_set).order_by("doc_id")
    rows = list(of_topic.values_list("doc_id", "level"))
    code_of = {doc_id: code for code, doc_id in enumerate(vocabulary.read(topic))}
    return Labelled(
        [doc_id for doc_id, _ in rows],
        np.array([code_of.get(doc_id, -1) for doc_id, _ in rows], dtype=np.int64),
        np.array([level for _, level in rows], dtype=np.float64),
    )
