"""The one door out of judging: completed judgments, opinions, pools and runs as arrays."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from judging.collections import vocabulary
from judging.models import Label, LabelSet, PooledDocument, Run, Study, Topic
from judging.states import State

Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Completed:
    """The completed units of one topic, in the order of their completion.

    assignments: (units,) keys; documents: (units, unit size) keys of pooled documents in the
    order in which they were shown; scores: (units, unit size), as given.

    An opinion given elsewhere, if it is on the study's main aspect and its label is a level, stands
    as a unit of its own: one document.
    """

    revision: int
    assignments: Ids
    documents: Ids
    scores: NDArray[np.float64]


@dataclass(frozen=True)
class Pool:
    """The documents of one topic, by key: their codes in the vocabulary, and the anchors' keys.

    A topic without anchors has keys that no document has.
    """

    keys: Ids
    codes: Ids
    h_k: int
    n_k: int


# One row of packed columns, as NumPy takes them. Each unit finds its own judgments by an index:
# joined, a plan would read those of all topics.
JUDGMENTS = """
    SELECT t.revision, coalesce(d.assignments, o.opinions, ''),
           coalesce(d.documents, o.documents, ''), coalesce(d.scores, o.levels, '')
    FROM judging_studytopic t
    CROSS JOIN LATERAL (
        SELECT string_agg(int8send(a.id), '' ORDER BY a.finished_at, a.id) AS assignments,
               string_agg(j.documents, '' ORDER BY a.finished_at, a.id) AS documents,
               string_agg(j.scores, '' ORDER BY a.finished_at, a.id) AS scores
        FROM judging_assignment a
        CROSS JOIN LATERAL (
            SELECT string_agg(int8send(document_id), '' ORDER BY position) AS documents,
                   string_agg(float8send(score), '' ORDER BY position) AS scores
            FROM judging_judgment WHERE assignment_id = a.id
        ) j
        WHERE a.study_topic_id = t.id AND a.state = %s
    ) d
    CROSS JOIN LATERAL (
        SELECT string_agg(int8send(id), '' ORDER BY id) AS opinions,
               string_agg(int8send(document_id), '' ORDER BY id) AS documents,
               string_agg(float8send(level), '' ORDER BY id) AS levels
        FROM judging_opinion
        WHERE study_topic_id = t.id AND level IS NOT NULL
            AND aspect = (SELECT main_aspect FROM judging_study WHERE id = t.study_id)
    ) o
    WHERE t.id = %s
"""


def judgments(study_topic: int) -> Completed:
    """What has been completed on a topic, with the revision it belongs to, at one moment."""
    with connection.cursor() as cursor:
        cursor.execute(JUDGMENTS, [State.COMPLETED, study_topic])
        revision, *packed = cursor.fetchone()
    units, documents = (np.frombuffer(column, ">i8").astype(np.int64) for column in packed[:2])
    scores = np.frombuffer(packed[2], ">f8").astype(np.float64)
    shape = (len(units), len(scores) // max(len(units), 1))
    return Completed(revision, units, documents.reshape(shape), scores.reshape(shape))


JUDGES = """
    SELECT coalesce(string_agg(int8send(worker_id), '' ORDER BY finished_at, id), '')
    FROM judging_assignment WHERE study_topic_id = %s AND state = %s
"""


def judges(study_topic: int) -> Ids:
    """The key of each completed unit's worker, in the order of `judgments` of the same moment."""
    with connection.cursor() as cursor:
        cursor.execute(JUDGES, [study_topic, State.COMPLETED])
        return np.frombuffer(cursor.fetchone()[0], ">i8").astype(np.int64)


POOL = """
    SELECT string_agg(int8send(id), '' ORDER BY id), string_agg(int8send(code), '' ORDER BY id),
           coalesce(max(id) FILTER (WHERE role = %s), 0),
           coalesce(max(id) FILTER (WHERE role = %s), 0)
    FROM judging_pooleddocument WHERE study_topic_id = %s
"""


def pool(study_topic: int) -> Pool:
    """The pooled documents of a topic."""
    role = PooledDocument.Role
    with connection.cursor() as cursor:
        cursor.execute(POOL, [role.H_K, role.N_K, study_topic])
        *packed, h_k, n_k = cursor.fetchone()
    keys, codes = (np.frombuffer(column, ">i8").astype(np.int64) for column in packed)
    return Pool(keys, codes, h_k, n_k)


def runs(study: Study) -> tuple[list[int], list[str]]:
    """Keys and names of the collection's runs, by name."""
    rows = Run.objects.filter(collection=study.collection_id).order_by("tag")
    pairs = list(rows.values_list("id", "tag"))
    return [key for key, _ in pairs], [tag for _, tag in pairs]


def rankings(
    topic: int, run_keys: list[int], depth: int | None, *, by_rank: bool = False
) -> NDArray[np.int32]:
    """The first `depth` codes of every run on a topic, -1 where a list is shorter.

    In evaluation order, or in that of the rank field, equal ranks in evaluation order;
    (runs, depth), or no wider than the longest list. A run without a list for the topic is a row
    of -1.
    """
    most = 2**31 - 1  # bytes: what PostgreSQL can be asked for
    if depth is not None and not by_rank:
        most = min(depth * vocabulary.CODE_BYTES, most)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT run_id, substring(codes FROM 1 FOR %s), CASE WHEN %s THEN ranks ELSE '' END"
            " FROM judging_rankedlist WHERE topic_id = %s",
            [most, by_rank, topic],
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
        found = lists.get(key, codes[row, :0])
        codes[row, : len(found)] = found
    return codes


WORDS = """
    SELECT asked.code, d.words
    FROM unnest(%s::int[], %s::text[]) AS asked(code, doc_id)
    JOIN judging_topic t ON t.id = %s
    JOIN judging_document d ON d.collection_id = t.collection_id AND d.doc_id = asked.doc_id
"""


def words(topic: int, *codes: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
    """The lengths of some documents of a topic, by code, as many as it has and NaN at the end.

    NaN too for documents without a text, and for those that are not asked for.
    """
    doc_ids = vocabulary.read(Topic(pk=topic))
    wanted = np.unique(np.concatenate([some.ravel() for some in codes]))
    wanted = wanted[wanted >= 0].tolist()
    found = np.full(len(doc_ids) + 1, np.nan)
    with connection.cursor() as cursor:
        cursor.execute(WORDS, [wanted, [doc_ids[code] for code in wanted], topic])
        for code, number in cursor.fetchall():
            found[code] = number
    return found


@dataclass(frozen=True)
class Circumstances:
    """How the units of `Completed` were judged, in the same order.

    workers, numbers (of units), finished (seconds since 1970), failed (finishes): (units,);
    seconds, texts (scores as typed), words (a number for each justification, in capitals or not):
    (units, unit size), by page.
    """

    workers: Ids
    numbers: Ids
    finished: NDArray[np.float64]
    failed: Ids
    seconds: NDArray[np.float64]
    texts: NDArray[np.object_]
    words: Ids


CIRCUMSTANCES = """
    SELECT coalesce(string_agg(int8send(a.worker_id), '' ORDER BY a.finished_at, a.id), ''),
           coalesce(string_agg(int8send(u.number), '' ORDER BY a.finished_at, a.id), ''),
           coalesce(string_agg(int8send(a.failed_finishes), '' ORDER BY a.finished_at, a.id), ''),
           coalesce(string_agg(float8send(extract(epoch FROM a.finished_at)::float8), ''
                               ORDER BY a.finished_at, a.id), ''),
           coalesce(string_agg(s.seconds, '' ORDER BY a.finished_at, a.id), '')
    FROM judging_assignment a
    JOIN judging_unit u ON u.id = a.unit_id
    CROSS JOIN LATERAL (
        SELECT string_agg(float8send(second), '' ORDER BY page) AS seconds
        FROM unnest(a.seconds) WITH ORDINALITY AS t(second, page)
    ) s
    WHERE a.study_topic_id = %s AND a.state = %s
"""
TEXTS = """
    SELECT j.score_text, hashtextextended(lower(j.justification), 0)
    FROM judging_judgment j JOIN judging_assignment a ON a.id = j.assignment_id
    WHERE a.study_topic_id = %s AND a.state = %s
    ORDER BY a.finished_at, a.id, j.position
"""


def circumstances(study_topic: int) -> Circumstances:
    """How the completed units of a topic were judged; read at the same moment as `judgments`."""
    of = (study_topic, State.COMPLETED)
    with connection.cursor() as cursor:
        cursor.execute(CIRCUMSTANCES, of)
        packed = cursor.fetchone()
        cursor.execute(TEXTS, of)
        rows = cursor.fetchall()
    texts = np.array([text for text, _ in rows], dtype=object)
    words = np.array([number for _, number in rows], dtype=np.int64)
    workers, numbers, failed = (np.frombuffer(c, ">i8").astype(np.int64) for c in packed[:3])
    finished, seconds = (np.frombuffer(c, ">f8").astype(np.float64) for c in packed[3:])
    shape = (len(workers), len(texts) // max(len(workers), 1))
    return Circumstances(
        workers,
        numbers,
        finished,
        failed,
        seconds.reshape(shape),
        texts.reshape(shape),
        words.reshape(shape),
    )


JUSTIFICATIONS = """
    SELECT j.justification
    FROM unnest(%s::bigint[], %s::int[]) WITH ORDINALITY AS asked(assignment, position, place)
    LEFT JOIN judging_judgment j
        ON j.assignment_id = asked.assignment AND j.position = asked.position
    ORDER BY asked.place
"""


def justifications(assignments: Ids, positions: Ids) -> list[str]:
    """The justifications of some judgments, by the keys of assignments and pages from 1.

    Empty where there is no such judgment any more.
    """
    with connection.cursor() as cursor:
        cursor.execute(JUSTIFICATIONS, [assignments.tolist(), positions.tolist()])
        return [text or "" for (text,) in cursor.fetchall()]


@dataclass(frozen=True)
class Labelled:
    """The labels of one topic: document ids, codes (-1: no run or pool names it), levels."""

    doc_ids: list[str]
    codes: Ids
    levels: NDArray[np.float64]


def labels(topic: Topic, label_set: LabelSet | None) -> Labelled:
    """The labels of a topic in one set, by document id."""
    rows = list(
        Label.objects.filter(topic=topic, label_set=label_set)
        .order_by("doc_id")
        .values_list("doc_id", "level")
    )
    code_of = {doc_id: code for code, doc_id in enumerate(vocabulary.read(topic))}
    return Labelled(
        [doc_id for doc_id, _ in rows],
        np.array([code_of.get(doc_id, -1) for doc_id, _ in rows], dtype=np.int64),
        np.array([level for _, level in rows], dtype=np.float64),
    )


@dataclass(frozen=True)
class Opinions:
    """The opinions on one topic that were given elsewhere, in the order in which they were read.

    documents, workers: keys; levels: from 0, -1 where the label is no level; aspects, occasions:
    texts, empty where there is none; all (n,).
    """

    documents: Ids
    workers: Ids
    levels: Ids
    aspects: NDArray[np.object_]
    occasions: NDArray[np.object_]

    def on(self, aspect: str) -> "Opinions":
        """Those on one aspect."""
        there = self.aspects == aspect
        columns = (self.documents, self.workers, self.levels, self.aspects, self.occasions)
        return Opinions(*(column[there] for column in columns))


OPINIONS = """
    SELECT document_id, worker_id, coalesce(level, -1), aspect, occasion
    FROM judging_opinion WHERE study_topic_id = %s ORDER BY id
"""


def opinions(study_topic: int) -> Opinions:
    """All opinions on a topic; read at the same moment as `judgments`."""
    with connection.cursor() as cursor:
        cursor.execute(OPINIONS, [study_topic])
        columns = list(zip(*cursor.fetchall(), strict=True)) or [()] * 5
    documents, workers, levels = (np.array(column, dtype=np.int64) for column in columns[:3])
    aspects, occasions = (np.array(column, dtype=object) for column in columns[3:])
    return Opinions(documents, workers, levels, aspects, occasions)
