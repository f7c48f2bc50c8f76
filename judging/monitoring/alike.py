"""Judgments that are like one another: one score for a whole unit, one justification for all."""

from dataclasses import dataclass

import numpy as np
from django.db import connection
from django.db.models import Count, F, Min
from django.db.models.functions import Lower
from numpy.typing import NDArray

from judging.models import Judgment, Study
from judging.states import State

LONGEST = 60  # characters of a justification that are shown
# One row of packed columns, as NumPy takes them: a value a judgment of a completed unit.
JUDGMENTS = """
    SELECT coalesce(string_agg(int8send(a.worker_id), ''), ''),
           coalesce(string_agg(int8send(a.id), ''), ''),
           coalesce(string_agg(float8send(j.score), ''), ''),
           coalesce(string_agg(int8send(hashtextextended(lower(j.justification), 0)), ''), '')
    FROM judging_judgment j JOIN judging_assignment a ON a.id = j.assignment_id
    WHERE a.study_id = %s AND a.state = %s
"""


@dataclass(frozen=True)
class Judgments:
    """All judgments of completed units, a value each: keys, the score, a number for the words."""

    workers: NDArray[np.int64]
    units: NDArray[np.int64]
    scores: NDArray[np.float64]
    words: NDArray[np.int64]


def judgments(study: Study) -> Judgments:
    """The judgments of a study. Words are the same in capitals and in small letters."""
    with connection.cursor() as cursor:
        cursor.execute(JUDGMENTS, [study.pk, State.COMPLETED])
        packed = cursor.fetchone()
    workers, units, words = (np.frombuffer(packed[n], ">i8").astype(np.int64) for n in (0, 1, 3))
    scores = np.frombuffer(packed[2], ">f8").astype(np.float64)
    return Judgments(workers, units, scores, words)


def flat_units(
    workers: NDArray[np.int64], units: NDArray[np.int64], scores: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Each unit's worker, and whether all documents but one, or all, have the same score.

    More cannot be alike: check (c) wants one anchor above the other.
    """
    order = np.lexsort((scores, units))
    unit, score = units[order], scores[order]
    other_unit = np.append(True, unit[1:] != unit[:-1])
    runs = np.flatnonzero(other_unit | np.append(True, score[1:] != score[:-1]))
    firsts = np.flatnonzero(other_unit)
    alike = np.diff(runs, append=len(unit))
    most = np.maximum.reduceat(alike, np.searchsorted(runs, firsts))
    return workers[order][firsts], most >= np.diff(firsts, append=len(unit)) - 1


def repeated(workers: NDArray[np.int64], words: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which justifications this worker gave elsewhere too, all but one of each."""
    order = np.lexsort((words, workers))
    worker, text = workers[order], words[order]
    marks = np.zeros(len(words), dtype=bool)
    marks[order[1:]] = (worker[1:] == worker[:-1]) & (text[1:] == text[:-1])
    return marks


def favourites(workers: list[int]) -> dict[int, str]:
    """The justification that each of these workers gave most often, and how often."""
    rows = (
        Judgment.objects.filter(assignment__worker__in=workers, assignment__state=State.COMPLETED)
        .values(worker=F("assignment__worker"), same=Lower("justification"))
        .annotate(n=Count("id"), text=Min("justification"))
        .order_by("n", "same")
    )
    return {row["worker"]: f"“{_shortened(row['text'])}”, {row['n']} times" for row in rows}


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST].rstrip()}…"
