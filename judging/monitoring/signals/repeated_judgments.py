from dataclasses import dataclass

import numpy as np
from django.db.models import Case, Count, F, Min, When
from django.db.models.functions import Lower
from numpy.typing import NDArray

from judging.completed.units import NUMBER_OF_WORDS
from judging.models import Judgment, PooledDocument, Study
from judging.states import State

Role = PooledDocument.Role
MAX_CHARACTERS = 60  # characters of a justification that are shown


@dataclass(frozen=True)
class Judgments:
    """All judgments of completed units, a value each; words: a number, the same in capitals or not.

    Unit after unit as they were begun, H_k and N_k first in each; of no excluded worker.
    """

    workers: NDArray[np.int64]
    units: NDArray[np.int64]
    documents: NDArray[np.int64]
    scores: NDArray[np.float64]
    words: NDArray[np.int64]
    reasons: list[str]


def judgments(study: Study) -> Judgments:
    anchors_first = Case(
        When(document__role=Role.H_K, then=0), When(document__role=Role.N_K, then=1), default=2
    )
    rows = list(
        Judgment.objects.filter(
            assignment__study=study,
            assignment__state=State.COMPLETED,
            assignment__worker__excluded_at=None,
        ).values_list(
            *("assignment__worker_id", "assignment_id", "document_id", "score", NUMBER_OF_WORDS),
            *(anchors_first, "justification"),
        )
    )
    *columns, reasons = zip(*rows, strict=True) if rows else [()] * 7
    workers, units, documents, scores, words, roles = map(np.array, columns)
    order = np.lexsort((roles, units))
    return Judgments(
        workers[order].astype(np.int64),
        units[order].astype(np.int64),
        documents[order].astype(np.int64),
        scores[order].astype(np.float64),
        words[order].astype(np.int64),
        [reasons[place] for place in order.tolist()],
    )


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
    order = np.lexsort((words, workers))
    worker, text = workers[order], words[order]
    marks = np.zeros(len(words), dtype=bool)
    marks[order[1:]] = (worker[1:] == worker[:-1]) & (text[1:] == text[:-1])
    return marks


def most_frequent(workers: list[int]) -> dict[int, str]:
    rows = (
        Judgment.objects.filter(assignment__worker__in=workers, assignment__state=State.COMPLETED)
        .values(worker=F("assignment__worker"), same=Lower("justification"))
        .annotate(n=Count("id"), text=Min("justification"))
        .order_by("n", "same")
    )
    return {row["worker"]: f"“{_shortened(row['text'])}”, {row['n']} times" for row in rows}


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_CHARACTERS else f"{text[:MAX_CHARACTERS].rstrip()}…"
