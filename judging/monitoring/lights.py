"""The four lights over the monitor: flow, checks, workers, anchors."""

from collections.abc import Iterator
from datetime import datetime
from functools import cached_property

from judging.models import Study
from judging.monitoring.glance import checks, workers
from judging.monitoring.glance.light import Light
from judging.monitoring.watch import Watch


class Lights:
    """The lights of what is watched; each is asked for when it is looked at."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch

    def __iter__(self) -> Iterator[Light]:
        return iter((self.flow, self.checks, self.workers, self.anchors))

    @cached_property
    def flow(self) -> Light:
        return self.watch.flow.light

    @cached_property
    def checks(self) -> Light:
        return checks.light(self.watch.checks, self.watch.workers)

    @cached_property
    def workers(self) -> Light:
        size = self.watch.study.unit_size
        return workers.light(self.watch.standouts, self.watch.workers, size)

    @cached_property
    def anchors(self) -> Light:
        return self.watch.anchors.light


def lights(study: Study, now: datetime) -> Lights:
    """The lights of a study at one moment."""
    return Lights(Watch(study, now))
