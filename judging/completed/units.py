from dataclasses import dataclass

import numpy as np
from django.db import connection
from django.db.models import BigIntegerField, Func, QuerySet, Value
from django.db.models.functions import Lower
from numpy.typing import NDArray

from judging.models import Assignment, Judgment
from judging.states import State

Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Completed:
    """The completed units of one topic that count, in the order of their completion.

    Units of excluded workers do not count, nor, unless the study counts all judgments, those of
    batches beyond its redundancy: see `counted`.

    assignments: (units,) keys; documents: (units, unit size) keys in the order shown; scores:
    (units, unit size), as given.

    An imported opinion, if it is a level or magnitude on the main aspect, is a row of one document.
    groups: (units,), which rows are on one scale, by numbers from 1: units of imported magnitudes,
    of any size. None: every row is a unit of its own.
    """

    revision: int
    assignments: Ids
    documents: Ids
    scores: NDArray[np.float64]
    groups: Ids | None = None


# One row of packed columns, as NumPy takes them. Each unit finds its own judgments by an index:
# joined, a plan would read those of all topics.
JUDGMENTS = """
    SELECT t.revision, coalesce(d.assignments, o.opinions, ''),
           coalesce(d.documents, o.documents, ''), coalesce(d.scores, o.scores, ''), o.groups,
           coalesce(d.of_batch, '{}'), s.redundancy, s.all_judgments
    FROM judging_studytopic t
    JOIN judging_study s ON s.id = t.study_id
    CROSS JOIN LATERAL (
        SELECT string_agg(int8send(a.id), '' ORDER BY a.finished_at, a.id) AS assignments,
               string_agg(j.documents, '' ORDER BY a.finished_at, a.id) AS documents,
               string_agg(j.scores, '' ORDER BY a.finished_at, a.id) AS scores,
               array_agg(u.batch_id IS NOT NULL ORDER BY a.finished_at, a.id) AS of_batch
        FROM judging_assignment a
        JOIN judging_worker w ON w.id = a.worker_id AND w.excluded_at IS NULL
        JOIN judging_unit u ON u.id = a.unit_id
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
               string_agg(float8send(coalesce(score, level)), '' ORDER BY id) AS scores,
               string_agg(int8send(place), '' ORDER BY id) FILTER (WHERE score IS NOT NULL)
                   AS groups
        FROM (
            SELECT id, document_id, level, score,
                   dense_rank() OVER (ORDER BY worker_id, "group") AS place
            FROM judging_opinion
            WHERE study_topic_id = t.id AND (level IS NOT NULL OR score IS NOT NULL)
                AND aspect = s.main_aspect
        ) counted
    ) o
    WHERE t.id = %s
"""


def judgments(study_topic: int, *, of_plan: bool = False) -> Completed:
    """What counts on a topic and its revision, at one moment; of_plan: without batches."""
    with connection.cursor() as cursor:
        cursor.execute(JUDGMENTS, [State.COMPLETED, study_topic])
        revision, *packed, groups, of_batch, redundancy, all_count = cursor.fetchone()
    units, documents = map(_whole_numbers, packed[:2])
    scores = np.frombuffer(packed[2], ">f8").astype(np.float64)
    shape = (len(units), len(scores) // max(len(units), 1))
    documents, scores = documents.reshape(shape), scores.reshape(shape)
    if any(of_batch) and (of_plan or not all_count):
        batch = np.array(of_batch)
        counts = ~batch if of_plan else counted(documents, batch, redundancy)
        units, documents, scores = units[counts], documents[counts], scores[counts]
    return Completed(
        revision, units, documents, scores, None if groups is None else _whole_numbers(groups)
    )


def _whole_numbers(packed: bytes) -> Ids:
    return np.frombuffer(packed, ">i8").astype(np.int64)


def counted(documents: Ids, of_batch: NDArray[np.bool_], redundancy: int) -> NDArray[np.bool_]:
    """All units of the plan count; of batches those that make up for missing scores.

    Units of batches are taken in order. One counts, whole, as its scores are on one scale, if any
    of its documents has fewer than `redundancy` scores of units that count.

    documents: (units, unit size), keys, in the order of completion; of_batch and the result:
    (units,).

    >>> plan, batch = [[1, 2], [2, 3]], [[2, 4], [1, 2], [1, 3]]
    >>> counted(np.array(plan + batch), np.array([False] * 2 + [True] * 3), 2)
    array([ True,  True,  True,  True,  True])
    >>> counted(np.array(plan + batch), np.array([False] * 2 + [True] * 3), 1)
    array([ True,  True,  True, False, False])
    """
    keys, places = np.unique(documents, return_inverse=True)
    places = places.reshape(documents.shape)
    scores = np.bincount(places[~of_batch].ravel(), minlength=len(keys))
    counts = ~of_batch
    for unit in np.flatnonzero(of_batch):
        if (scores[places[unit]] < redundancy).any():
            counts[unit] = True
            scores[places[unit]] += 1
    return counts


# A number for a justification, the same in capitals and in small letters.
NUMBER_OF_WORDS = Func(
    Lower("justification"),
    Value(0),
    function="hashtextextended",
    output_field=BigIntegerField(),
)


def judges(units: Completed) -> Ids:
    return np.array(list(_assignments(units).values_list("worker_id", flat=True)), dtype=np.int64)


def _assignments(units: Completed) -> QuerySet[Assignment]:
    rows = Assignment.objects.filter(pk__in=units.assignments.tolist())
    return rows.order_by("finished_at", "id")


@dataclass(frozen=True)
class Circumstances:
    """How the units of `Completed` were judged, in the same order.

    (units,): workers, numbers (of units), finished (seconds since 1970), failed (finishes). By
    page, (units, unit size): seconds, texts (scores as typed), words (numbers that stand for
    justifications, whatever their case).
    """

    workers: Ids
    numbers: Ids
    finished: NDArray[np.float64]
    failed: Ids
    seconds: NDArray[np.float64]
    texts: NDArray[np.object_]
    words: Ids


def circumstances(done: Completed) -> Circumstances:
    """Call within the same snapshot as `judgments`."""
    units = _assignments(done).values_list(
        "worker_id", "unit__number", "finished_at", "failed_finishes", "seconds"
    )
    workers, numbers, finished, failed, seconds = zip(*units, strict=True) if units else [()] * 5
    judged = Judgment.objects.filter(assignment__in=done.assignments.tolist()).order_by(
        "assignment__finished_at", "assignment_id", "position"
    )
    rows = list(judged.values_list("score_text", NUMBER_OF_WORDS))
    shape = (len(units), len(rows) // max(len(units), 1))
    return Circumstances(
        workers=np.array(workers, dtype=np.int64),
        numbers=np.array(numbers, dtype=np.int64),
        finished=np.array([at.timestamp() for at in finished], dtype=np.float64),
        failed=np.array(failed, dtype=np.int64),
        seconds=np.array(seconds, dtype=np.float64).reshape(shape),
        texts=np.array([text for text, _ in rows], dtype=object).reshape(shape),
        words=np.array([number for _, number in rows], dtype=np.int64).reshape(shape),
    )


def justifications(assignments: Ids, positions: Ids) -> list[str]:
    """By keys of assignments and pages from 1; empty where the judgment is gone."""
    rows = Judgment.objects.filter(assignment__in=np.unique(assignments).tolist())
    columns = rows.values_list("assignment_id", "position", "justification")
    texts = {(assignment, position): text for assignment, position, text in columns}
    pages = zip(assignments.tolist(), positions.tolist(), strict=True)
    return [texts.get(page, "") for page in pages]
