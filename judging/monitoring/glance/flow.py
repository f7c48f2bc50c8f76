"""Does work flow? The light for it, from the times at which forms were accepted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from judging.models import Study
from judging.monitoring import words
from judging.monitoring.glance.accepted import LAST, Forms, Standing, forms_of, standings
from judging.monitoring.glance.light import Colour, Light
from judging.monitoring.progress import Progress
from trec.words import count

SHORTEST = 60.0  # seconds without a form that are never too long
GAPS = 20  # mean gaps between forms
TIMES = 2  # the time that hardly anybody needs for a form
HARDLY = 0.99  # of the gaps between two forms of one worker
WORKERS, UNITS = 2, 5  # with fewer nothing is said


class Gaps(NamedTuple):
    """Pairs of forms, n x 2: in a study one after the other, and of one worker."""

    between: NDArray[np.float64]
    own: NDArray[np.float64]

    @property
    def usual(self) -> float | None:
        """Seconds between the last hundred forms, their mean; None: too few came."""
        return float(_seconds(self.between[1 - LAST :]).mean()) if len(self.between) else None

    @property
    def longest_silence(self) -> float:
        """Seconds without a form after which a study has stopped."""
        own = float(np.quantile(_seconds(self.own), HARDLY)) if len(self.own) else 0.0
        return max(SHORTEST, GAPS * (self.usual or 0.0), TIMES * own)

    def without(self, place: int) -> "Gaps":
        """All but one, and but those of the workers who went on after it."""
        began, ended = self.between[place]
        across = (self.own[:, 0] <= began) & (self.own[:, 1] >= ended)
        return Gaps(np.delete(self.between, place, axis=0), self.own[~across])


def _seconds(pairs: NDArray[np.float64]) -> NDArray[np.float64]:
    return pairs[:, 1] - pairs[:, 0]


class Status(StrEnum):
    """Where the work of a study stands."""

    DRAFT = "draft"
    PAUSED = "paused"
    CLOSED = "closed"
    DONE = "done"
    RESTING = "resting"  # a demo that nobody plays with
    STOPPED = "stopped"
    AWAY = "away"  # nobody is here, and that for long
    NOBODY = "nobody"  # nobody is here just now
    ALONE = "alone"  # the only one who is here sends nothing, and others have left before
    EARLY = "early"  # nothing comes, and too little came to say that this is long
    FLOWING = "flowing"


COLOURS = {
    Status.STOPPED: Colour.RED,
    Status.AWAY: Colour.AMBER,
    Status.FLOWING: Colour.GREEN,
}
AT_REST = {
    Status.DRAFT: "The study is not open yet.",
    Status.PAUSED: "Paused: nobody begins a unit.",
    Status.CLOSED: "Closed: nobody new is admitted.",
    Status.DONE: "All units are done.",
    Status.RESTING: "A demo at rest: nobody is at work.",
}


@dataclass(frozen=True)
class Flow:
    """Whether forms come in; silent: seconds since the last, gap: between two as a rule.

    in_hand: units that somebody has, were they silent for long or not.
    """

    status: Status
    silent: float | None = None
    gap: float | None = None
    in_hand: int = 0

    @property
    def is_stopped(self) -> bool:
        return self.status == Status.STOPPED

    @property
    def is_flowing(self) -> bool:
        return self.status == Status.FLOWING

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing is expected to come."""
        return self.status in AT_REST

    @property
    def colour(self) -> Colour:
        return COLOURS.get(self.status, Colour.GREY)

    @property
    def sentence(self) -> str:
        """The finding, without a full stop where a heading takes it."""
        if self.status in AT_REST:
            return AT_REST[self.status].rstrip(".")
        if self.silent is None:
            return "Nobody has begun yet"
        last, working = words.duration(self.silent), count(self.in_hand, "worker") + " in hand"
        if self.status == Status.STOPPED:
            return f"Stopped: no form for {last}{self._usual_gap}, {working}"
        if self.status == Status.FLOWING:
            return f"A form came {last} ago{self._usual_gap}, {working}"
        if self.status == Status.EARLY:
            return f"No form for {last}, which is too early to judge, {working}"
        if self.status == Status.ALONE:
            return f"No form for {last}: the only worker at work may have left, as others did"
        if self.status == Status.AWAY:
            return f"Nobody is here: no form for {last}"
        return f"Nobody is at work: the last form came {last} ago"

    @property
    def _usual_gap(self) -> str:
        if self.gap is None:
            return ""
        gap = words.duration(self.gap) if self.gap >= 1 else "less than 1 s"
        return f" (usual gap {gap})"

    @property
    def light(self) -> Light:
        grey = "not yet" if self.status in (Status.EARLY, Status.ALONE) else "at rest"
        return Light("Flow", self.colour, f"{self.sentence}.", "at-work", grey)


def without_breaks(forms: Forms) -> Gaps:
    """The gaps while work went on: of them no silence is one that the other gaps do not allow.

    A night, or a stop that the light has shown, is no time that anybody needed for a form: after
    it the light turns red as soon as before.
    """
    gaps = Gaps(np.column_stack([forms.times[:-1], forms.times[1:]]), forms.own)
    while len(gaps.between) > 1:
        longest = int(_seconds(gaps.between).argmax())
        others = gaps.without(longest)
        if _seconds(gaps.between)[longest] <= others.longest_silence:
            break
        gaps = others
    return gaps


def at_work(standing: Standing, forms: Forms, now: float, quiet: float) -> Flow:
    """How an open study flows.

    Who had been silent for too long already when the last form came is not waited for. One person
    alone may have left as others did before: only where nobody ever has is one enough.

    now: seconds of the epoch, as forms have them; quiet: seconds after which it says that nobody
    is here.
    """
    gaps = without_breaks(forms)
    silent, limit = max(0.0, now - float(forms.times[-1])), gaps.longest_silence
    here = int((forms.in_hand >= forms.times[-1] - limit).sum())
    is_enough = standing.workers >= WORKERS and standing.completed >= UNITS
    if not here:
        status = Status.AWAY if silent > quiet else Status.NOBODY
    elif silent <= limit:
        status = Status.FLOWING
    elif is_enough:
        status = Status.ALONE if here == 1 and standing.gone else Status.STOPPED
    else:
        status = Status.AWAY if silent > quiet else Status.EARLY
    return Flow(status, silent, gaps.usual, len(forms.in_hand))


def flow_of(study: Study, progress: Progress, now: datetime) -> Flow:
    """How a study flows, with the usual gap."""
    rests = _at_rest(study, progress)
    if rests:
        return rests
    came = standings([study.pk]).get(study.pk)
    return _working(study, now, came, forms_of([study.pk])[study.pk] if came else None)


def flows(
    studies: Sequence[Study], progress: Mapping[int, Progress], now: datetime
) -> dict[int, Flow]:
    """How each study flows, by its key; asks as often for many as for one.

    Forms are looked at only where it may be that none comes.
    """
    rest = {study.pk: _at_rest(study, progress[study.pk]) for study in studies}
    came = standings([key for key, resting in rest.items() if not resting])
    silent = [key for key, standing in came.items() if _may_be_silent(standing, now)]
    forms = forms_of([key for key in silent if progress[key].live])
    return {
        study.pk: rest[study.pk]
        or _working(study, now, came.get(study.pk), forms.get(study.pk), progress[study.pk].live)
        for study in studies
    }


def _may_be_silent(standing: Standing, now: datetime) -> bool:
    return standing.last is not None and (now - standing.last).total_seconds() > SHORTEST


def _at_rest(study: Study, progress: Progress) -> Flow | None:
    """The flow of a study from which nothing is expected; None: something is."""
    if study.stage == Study.Stage.DRAFT:
        return Flow(Status.DRAFT)
    if progress.units and progress.completed == progress.units:
        return Flow(Status.DONE)
    if study.stage in (Study.Stage.PAUSED, Study.Stage.CLOSED):
        return Flow(Status(study.stage))
    return None


def _working(
    study: Study, now: datetime, came: Standing | None, forms: Forms | None, live: int = 0
) -> Flow:
    """The flow of an open study; without its forms, where these need not be asked for."""
    quiet = timedelta(hours=study.quiet_hours).total_seconds()
    if came is None or came.last is None:
        waited = (now - study.opened_at).total_seconds() if study.opened_at else 0.0
        flow = Flow(Status.AWAY if waited > quiet else Status.NOBODY)
    elif forms is not None:
        flow = at_work(came, forms, now.timestamp(), quiet)
    else:
        silent = max(0.0, (now - came.last).total_seconds())
        nobody = Status.AWAY if silent > quiet else Status.NOBODY
        flow = Flow(Status.FLOWING if live else nobody, silent, None, live)
    return Flow(Status.RESTING) if study.demo and flow.status != Status.FLOWING else flow
