"""Judgments that are like one another: one score for a whole unit, one justification for all."""

from dataclasses import dataclass

import numpy as np
from django.db.models import Count, F, Min
from django.db.models.functions import Lower
from numpy.typing import NDArray

from judging.completed.units import NUMBER_OF_WORDS
from judging.models import Judgment, Study
from judging.monitoring.packed import columns
from judging.states import State

MAX_CHARACTERS = 60  # characters of a justification that are shown


@dataclass(frozen=True)
class Judgments:
    """All judgments of completed units, a value each: keys, the score, a number for the words."""

    workers: NDArray[np.int64]
    units: NDArray[np.int64]
    scores: NDArray[np.float64]
    words: NDArray[np.int64]


def judgments(study: Study) -> Judgments:
    """The judgments of a study, unit after unit as they were begun, of no excluded worker.

    Words are the same in capitals or not.
    """
    rows = Judgment.objects.filter(
        assignment__study=study,
        assignment__state=State.COMPLETED,
        assignment__worker__excluded_at=None,
    )
    arrays = columns(
        rows,
        workers=(int, "assignment__worker_id"),
        units=(int, "assignment_id"),
        scores=(float, "score"),
        words=(int, NUMBER_OF_WORDS),
    )
    order = np.argsort(arrays["units"], kind="stable")
    return Judgments(**{name: values[order] for name, values in arrays.items()})


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
    longest_run = np.maximum.reduceat(alike, np.searchsorted(runs, firsts))
    return workers[order][firsts], longest_run >= np.diff(firsts, append=len(unit)) - 1


def repeats(workers: NDArray[np.int64], words: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which justifications repeat an earlier one of the same worker."""
    order = np.lexsort((words, workers))
    worker, text = workers[order], words[order]
    marks = np.zeros(len(words), dtype=bool)
    marks[order[1:]] = (worker[1:] == worker[:-1]) & (text[1:] == text[:-1])
    return marks


def most_frequent(workers: list[int]) -> dict[int, str]:
    """The justification that each of these workers gave most often, and how often."""
    rows = (
        Judgment.objects.filter(assignment__worker__in=workers, assignment__state=State.COMPLETED)
        .values(worker=F("assignment__worker"), same=Lower("justification"))
        .annotate(n=Count("id"), text=Min("justification"))
        .order_by("n", "same")
    )
    return {row["worker"]: f"“{_shortened(row['text'])}”, {row['n']} times" for row in rows}


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_CHARACTERS else f"{text[:MAX_CHARACTERS].rstrip()}…"
