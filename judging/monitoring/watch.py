"""Each value is computed at most once; views load them within `snapshot`, before they render."""

from collections.abc import Iterator
from datetime import datetime
from functools import cached_property

from judging.models import Study
from judging.monitoring import live, tries
from judging.monitoring.attempts import Attempts, attempts
from judging.monitoring.cache import cached_per_revision
from judging.monitoring.figures.bins import LAST, Bins, Lifetime, lifetime
from judging.monitoring.over_time import COUNTED, OverTime, ended, over_time
from judging.monitoring.pace import Course, course
from judging.monitoring.progress import Progress, progress
from judging.monitoring.seconds import Reading, reading
from judging.monitoring.signals.by_worker import StudySignals, signals
from judging.monitoring.signals.standouts import StandOut, find_standouts
from judging.monitoring.status import people
from judging.monitoring.status.anchors import Anchors, anchors
from judging.monitoring.status.flow import Flow, flow_of
from magnitudes.files.words import count
from web.findings import Finding


class Watch:
    """last: one of LAST, shortens what is shown over time."""

    def __init__(self, study: Study, now: datetime, last: str = "") -> None:
        self.study = study
        self.now = now
        self.last = last if last in LAST else ""

    def load(self, *names: str) -> None:
        for name in names:
            getattr(self, name)

    @cached_property
    def progress(self) -> Progress:
        return progress(self.study)

    @cached_property
    def lifetime(self) -> Lifetime | None:
        return lifetime(self.study, self.progress, self.now, self.last)

    @cached_property
    def course(self) -> Course:
        until = self.lifetime.until if self.lifetime else self.now
        return course(self.study, self.progress, self.flow, until)

    @cached_property
    def at_work(self) -> live.Live:
        return live.live(self.study, self.now)

    @cached_property
    def bins(self) -> Bins | None:
        return self.lifetime.bins(self.last) if self.lifetime else None

    @cached_property
    def ended(self) -> dict[str, list[int]]:
        return ended(self.study, self.bins) if self.bins else {}

    @cached_property
    def whole_lifetime(self) -> tuple[Bins, list[int]] | None:
        if not self.lifetime:
            return None
        of_all = self.lifetime.bins()
        counts = self.ended if of_all == self.bins else ended(self.study, of_all)
        return of_all, counts[COUNTED]

    @cached_property
    def over_time(self) -> OverTime | None:
        return over_time(self.study, self.bins, self.ended["completed"]) if self.bins else None

    @cached_property
    def reading(self) -> Reading:
        study = self.study
        name = f"reading-{study.long_visit_minutes}"
        return cached_per_revision(study, name, lambda: reading(study))

    @cached_property
    def attempts(self) -> Attempts:
        return attempts(self.study)

    @cached_property
    def topics(self) -> list[tries.Tally]:
        return tries.by_topic(self.study, self.attempts)

    @cached_property
    def workers(self) -> list[tries.Tally]:
        return tries.by_worker(self.study, self.attempts)

    @cached_property
    def checks(self) -> list[tries.CheckTotals]:
        return tries.by_check(self.topics, self.workers)

    @property
    def any_failed(self) -> bool:
        return any(check.rate.failures for check in self.checks)

    @property
    def most_failed_check(self) -> str:
        worst = max(self.checks, key=lambda check: check.rate.share or 0.0)
        tries = count(worst.rate.tries, "try", "tries")
        return f"{worst.label} fails most often: {worst.rate.percent} of {tries}"

    @cached_property
    def flow(self) -> Flow:
        return flow_of(self.study, self.progress, self.now)

    @cached_property
    def anchors(self) -> Anchors:
        return anchors(self.study, self.attempts.not_excluded)

    @cached_property
    def signals(self) -> StudySignals:
        return signals(self.study)

    @cached_property
    def standouts(self) -> list[StandOut]:
        workers = [worker for worker in self.workers if not worker.excluded]
        made = self.attempts.not_excluded
        return find_standouts(self.study, workers, made, self.reading)


class Lights:
    def __init__(self, watch: Watch) -> None:
        self.watch = watch

    def __iter__(self) -> Iterator[Finding]:
        return iter((self.flow, self.checks, self.workers, self.anchors))

    @cached_property
    def flow(self) -> Finding:
        return self.watch.flow.finding

    @cached_property
    def checks(self) -> Finding:
        return people.checks(self.watch.checks, self.watch.workers)

    @cached_property
    def workers(self) -> Finding:
        size = self.watch.study.unit_size
        return people.standing_out(self.watch.standouts, self.watch.workers, size)

    @cached_property
    def anchors(self) -> Finding:
        return self.watch.anchors.finding


def lights(study: Study, now: datetime) -> Lights:
    return Lights(Watch(study, now))
