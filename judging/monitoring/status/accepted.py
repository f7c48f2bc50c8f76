"""When forms of workers were accepted: they show whether work flows.

A form at the documents leaves a visit that has ended, one before them the last activity of its
attempt, as drafts do. Attempts that ended early have no visits: then only their last form is known,
which makes gaps look longer, and the light for the flow slower to turn red.
"""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import NamedTuple

import numpy as np
from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Case, Count, F, Max, Min, Q, When, Window
from django.db.models.functions import RowNumber
from numpy.typing import NDArray

from judging.models import Assignment, Visit
from judging.states import LIVE, PAID, State

N_FORMS = 100  # forms that the usual gap is taken of
ABANDONED = (State.LEFT, State.EXPIRED, State.RELEASED, State.RETURNED)
SAME_FORM_SECONDS = 1.0  # seconds: a page opened so soon after a form is the answer to it
# The form that ends an attempt early is no activity of it; by expiry or by others it ends without.
LATEST = Case(
    When(state__in=(State.FAILED, State.LEFT), then=F("finished_at")), default=F("active_at")
)


class Activity(NamedTuple):
    completed: int = 0  # units, whatever has become of their data
    workers: int = 0  # who completed them
    last: datetime | None = None
    abandoned: int = 0  # attempts that were given up, by a button or in silence


class Forms(NamedTuple):
    """The forms of the attempts that were active last; in seconds of the epoch, ascending."""

    times: NDArray[np.float64]  # the last N_FORMS are those of the study
    own: NDArray[np.float64]  # two forms of one worker at the documents, one after the other: n x 2
    in_progress: NDArray[np.float64]  # of each who has a unit in progress the last activity


def activity_of(studies: Collection[int]) -> dict[int, Activity]:
    """By study, of those that have an attempt."""
    rows = (
        Assignment.objects.filter(study__in=studies)
        .values("study")
        .annotate(
            completed=Count("id", filter=Q(state__in=PAID)),
            workers=Count("worker", distinct=True, filter=Q(state__in=PAID)),
            came_last=Max(LATEST),
            abandoned=Count("id", filter=Q(state__in=ABANDONED)),
        )
        .values_list("study", "completed", "workers", "came_last", "abandoned")
    )
    return {study: Activity(*counts) for study, *counts in rows}


def forms_of(studies: Collection[int]) -> dict[int, Forms]:
    """By study; as many queries for many as for one.

    The last 100 forms are of the 100 attempts that were active last, as each is active at its own.
    """
    active_last = Window(RowNumber(), partition_by="study", order_by=F("latest").desc())
    attempts = list(
        Assignment.objects.filter(study__in=studies)
        .annotate(latest=LATEST)
        .annotate(place=active_last)
        .filter(place__lte=N_FORMS)
        .values_list("study", "pk", "started_at", "latest")
    )
    visits = _visits([key for _, key, *_ in attempts])
    in_progress: dict[int, list[float]] = {study: [] for study in studies}
    live = Assignment.objects.filter(study__in=studies, state__in=LIVE)
    for study, active_at in live.values_list("study", "active_at"):
        in_progress[study].append(active_at.timestamp())
    forms: dict[int, list[list[float]]] = {study: [] for study in studies}
    for study, key, started_at, latest in attempts:
        at_documents = visits.get(key, [])
        forms[study].append(times(started_at.timestamp(), at_documents, latest.timestamp()))
    return {study: combine(forms[study], in_progress[study]) for study in studies}


def _visits(assignments: Collection[int]) -> dict[int, list[float]]:
    rows = (
        Visit.objects.filter(assignment__in=assignments)
        .values("assignment")
        .annotate(
            first=Min("opened_at"),
            ended=ArrayAgg("closed_at", filter=Q(closed_at__isnull=False)),
        )
        .values_list("assignment", "first", "ended")
    )
    return {
        key: [first.timestamp(), *sorted(at.timestamp() for at in ended or ())]
        for key, first, ended in rows
    }


def times(started: float, at_documents: list[float], latest: float) -> list[float]:
    """The times of one attempt's forms: the consent, those that are known, and the latest.

    >>> times(0.0, [60.0, 95.0], 95.25), times(0.0, [60.0, 95.0], 120.0)
    ([0.0, 60.0, 95.0], [0.0, 60.0, 95.0, 120.0])
    """
    forms = [started, *at_documents]
    return [*forms, latest] if latest > forms[-1] + SAME_FORM_SECONDS else forms


def combine(attempts: Iterable[list[float]], in_progress: Iterable[float]) -> Forms:
    attempts = list(attempts)
    # From the consent to the first document there are many forms, of which none is stored.
    own = [np.column_stack([forms[1:-1], forms[2:]]) for forms in attempts if len(forms) > 2]
    return Forms(
        np.sort(np.concatenate([*map(np.array, attempts), np.empty(0)])),
        np.concatenate([*own, np.empty((0, 2))]),
        np.sort(np.array(list(in_progress), dtype=np.float64)),
    )
