from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from judging.models import Study
from judging.monitoring import words
from judging.monitoring.progress import Progress
from judging.monitoring.status.accepted import N_FORMS, Activity, Forms, activity_of, forms_of
from magnitudes.files.words import count
from web.findings import Finding, State

MIN_SILENCE = 60.0  # seconds without a form that are never too long
GAP_FACTOR = 20  # mean gaps between forms
OWN_FACTOR = 2  # the time that hardly anybody needs for a form
OWN_QUANTILE = 0.99  # of the gaps between two forms of one worker
MIN_WORKERS, MIN_UNITS = 2, 5  # with fewer no stop is reported


class Gaps(NamedTuple):
    """Pairs of forms, (n, 2): one after the other in a study, and of one worker."""

    between: NDArray[np.float64]
    own: NDArray[np.float64]

    @property
    def usual(self) -> float | None:
        """Mean seconds between the last hundred forms; None: too few came."""
        return float(_seconds(self.between[1 - N_FORMS :]).mean()) if len(self.between) else None

    @property
    def max_silence(self) -> float:
        """Seconds without a form after which a study has stopped."""
        own = float(np.quantile(_seconds(self.own), OWN_QUANTILE)) if len(self.own) else 0.0
        return max(MIN_SILENCE, GAP_FACTOR * (self.usual or 0.0), OWN_FACTOR * own)

    def without(self, index: int) -> "Gaps":
        """All but one, and but those of the workers who went on after it."""
        began, ended = self.between[index]
        across = (self.own[:, 0] <= began) & (self.own[:, 1] >= ended)
        return Gaps(np.delete(self.between, index, axis=0), self.own[~across])


def _seconds(pairs: NDArray[np.float64]) -> NDArray[np.float64]:
    return pairs[:, 1] - pairs[:, 0]


class Status(StrEnum):
    DRAFT = "draft"
    PAUSED = "paused"
    CLOSED = "closed"
    DONE = "done"
    DEMO_IDLE = "demo_idle"  # a demo that nobody plays with
    STOPPED = "stopped"
    INACTIVE = "inactive"  # nobody has been here for long
    IDLE = "idle"  # nobody is here just now
    SINGLE_WORKER = "single_worker"  # the only one here sends nothing, and others have left before
    TOO_EARLY = "too_early"  # no form comes, and too few came to call that long
    FLOWING = "flowing"


STATES = {
    Status.STOPPED: State.DOWN,
    Status.INACTIVE: State.DEGRADED,
    Status.FLOWING: State.OK,
}
AT_REST = {
    Status.DRAFT: "The study is not open yet.",
    Status.PAUSED: "Paused: nobody begins a unit.",
    Status.CLOSED: "Closed: nobody new is admitted.",
    Status.DONE: "All units are done.",
    Status.DEMO_IDLE: "The demo is idle: nobody is at work.",
}


@dataclass(frozen=True)
class Flow:
    """silent: seconds since the last form; gap: usual seconds between two; in_progress: units."""

    status: Status
    silent: float | None = None
    gap: float | None = None
    in_progress: int = 0

    @property
    def is_stopped(self) -> bool:
        return self.status == Status.STOPPED

    @property
    def is_flowing(self) -> bool:
        return self.status == Status.FLOWING

    @property
    def is_at_rest(self) -> bool:
        return self.status in AT_REST

    @property
    def sentence(self) -> str:
        if self.status in AT_REST:
            return AT_REST[self.status].rstrip(".")
        if self.silent is None:
            return "Nobody has begun yet"
        last, working = words.duration(self.silent), count(self.in_progress, "worker") + " at work"
        if self.status == Status.STOPPED:
            return f"Stopped: no form for {last}{self._usual_gap}, {working}"
        if self.status == Status.FLOWING:
            return f"A form came {last} ago{self._usual_gap}, {working}"
        if self.status == Status.TOO_EARLY:
            return f"No form for {last}, which is too early to judge, {working}"
        if self.status == Status.SINGLE_WORKER:
            return f"No form for {last}: the only worker at work may have left, as others did"
        if self.status == Status.INACTIVE:
            return f"Nobody is here: no form for {last}"
        return f"Nobody is at work: the last form came {last} ago"

    @property
    def _usual_gap(self) -> str:
        if self.gap is None:
            return ""
        gap = words.duration(self.gap) if self.gap >= 1 else "less than 1 s"
        return f" (usual gap {gap})"

    @property
    def finding(self) -> Finding:
        state = STATES.get(self.status, State.UNKNOWN)
        word = "not yet" if self.status in (Status.TOO_EARLY, Status.SINGLE_WORKER) else "idle"
        return Finding(state, f"{self.sentence}.", link="#at-work", name="Flow", unknown=word)


def without_breaks(forms: Forms) -> Gaps:
    """The gaps while work went on, without silences that are too long for the other gaps.

    A night, or a stop that the light has shown, is no time that anybody needed for a form: after
    it the light turns red as soon as before.
    """
    gaps = Gaps(np.column_stack([forms.times[:-1], forms.times[1:]]), forms.own)
    while len(gaps.between) > 1:
        longest = int(_seconds(gaps.between).argmax())
        others = gaps.without(longest)
        if _seconds(gaps.between)[longest] <= others.max_silence:
            break
        gaps = others
    return gaps


def at_work(activity: Activity, forms: Forms, now: float, quiet: float) -> Flow:
    """now: seconds of the epoch; quiet: seconds after which the light says that nobody is here.

    Workers who were silent for too long when the last form came are not counted. A single worker
    may have left, as others did before: one counts only in a study that nobody has left.
    """
    gaps = without_breaks(forms)
    silent, limit = max(0.0, now - float(forms.times[-1])), gaps.max_silence
    n_present = int((forms.in_progress >= forms.times[-1] - limit).sum())
    is_enough = activity.workers >= MIN_WORKERS and activity.completed >= MIN_UNITS
    if not n_present:
        status = Status.INACTIVE if silent > quiet else Status.IDLE
    elif silent <= limit:
        status = Status.FLOWING
    elif is_enough:
        status = Status.SINGLE_WORKER if n_present == 1 and activity.abandoned else Status.STOPPED
    else:
        status = Status.INACTIVE if silent > quiet else Status.TOO_EARLY
    return Flow(status, silent, gaps.usual, len(forms.in_progress))


def flow_of(study: Study, progress: Progress, now: datetime) -> Flow:
    return flows([study], {study.pk: progress}, now, closely=True)[study.pk]


def flows(
    studies: Sequence[Study],
    progress: Mapping[int, Progress],
    now: datetime,
    *,
    closely: bool = False,
) -> dict[int, Flow]:
    """By study; as many queries for many as for one.

    closely: with the usual gap; else forms are read only where it may be that none comes.
    """
    resting = {study.pk: _at_rest(study, progress[study.pk]) for study in studies}
    activity = activity_of([key for key, flow in resting.items() if not flow])
    read = [
        key
        for key, last in activity.items()
        if closely or (progress[key].live and _may_be_silent(last, now))
    ]
    forms = forms_of(read) if read else {}
    return {
        study.pk: resting[study.pk]
        or _working(study, now, activity.get(study.pk), forms.get(study.pk), progress[study.pk])
        for study in studies
    }


def _may_be_silent(activity: Activity, now: datetime) -> bool:
    return activity.last is not None and (now - activity.last).total_seconds() > MIN_SILENCE


def _at_rest(study: Study, progress: Progress) -> Flow | None:
    """None: something is expected to come."""
    if study.stage == Study.Stage.DRAFT:
        return Flow(Status.DRAFT)
    if progress.units and progress.completed == progress.units:
        return Flow(Status.DONE)
    if study.stage in (Study.Stage.PAUSED, Study.Stage.CLOSED):
        return Flow(Status(study.stage))
    return None


def _working(
    study: Study,
    now: datetime,
    activity: Activity | None,
    forms: Forms | None,
    progress: Progress,
) -> Flow:
    quiet = timedelta(hours=study.quiet_hours).total_seconds()
    if activity is None or activity.last is None:
        waited = (now - study.opened_at).total_seconds() if study.opened_at else 0.0
        flow = Flow(Status.INACTIVE if waited > quiet else Status.IDLE)
    elif forms is not None:
        flow = at_work(activity, forms, now.timestamp(), quiet)
    else:
        silent = max(0.0, (now - activity.last).total_seconds())
        nobody = Status.INACTIVE if silent > quiet else Status.IDLE
        live = progress.live
        flow = Flow(Status.FLOWING if live else nobody, silent, None, live)
    return Flow(Status.DEMO_IDLE) if study.demo and flow.status != Status.FLOWING else flow
