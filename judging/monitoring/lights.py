"""The four lights over the monitor: flow, checks, workers, anchors."""

from collections.abc import Iterator
from datetime import datetime
from functools import cached_property

from judging.models import Study
from judging.monitoring.status import checks, workers
from judging.monitoring.status.light import StatusLight
from judging.monitoring.watch import Watch


class Lights:
    """The lights of a study; each is computed when it is first used."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch

    def __iter__(self) -> Iterator[StatusLight]:
        return iter((self.flow, self.checks, self.workers, self.anchors))

    @cached_property
    def flow(self) -> StatusLight:
        return self.watch.flow.light

    @cached_property
    def checks(self) -> StatusLight:
        return checks.light(self.watch.checks, self.watch.workers)

    @cached_property
    def workers(self) -> StatusLight:
        size = self.watch.study.unit_size
        return workers.light(self.watch.standouts, self.watch.workers, size)

    @cached_property
    def anchors(self) -> StatusLight:
        return self.watch.anchors.light


def lights(study: Study, now: datetime) -> Lights:
    return Lights(Watch(study, now))
