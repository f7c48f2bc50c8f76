from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress

from django.db import DatabaseError
from django.db.models import Count
from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric

from judging.models import Assignment, Study, Unit
from judging.monitoring.status import machine
from judging.states import LIVE, State
from operations.health import catalogue, database
from web import clock
from web.findings import ORDER
from web.queues import UNAVAILABLE, queue_lengths

ACTIVE_STAGES = ("open", "paused")  # stages of studies whose units are counted


def _by(label: str, name: str, description: str, numbers: Mapping[str, float]) -> Metric:
    gauge = GaugeMetricFamily(name, description, labels=[label])
    for value, number in numbers.items():
        gauge.add_metric([value], number)
    return gauge


def parts() -> Metric:
    health = catalogue.current_health()
    states = {check.name: ORDER.index(finding.state) for check, finding in health.parts}
    return _by("part", "magnitudes_part_state", "0: ok, 1: degraded, 2: down.", states)


def ticks() -> Metric:
    ages = machine.ages(clock.now())
    return _by("tick", "magnitudes_tick_age_seconds", "Seconds since a tick ran.", ages)


def connections() -> Metric:
    numbers = dict(zip(("used", "allowed"), database.connections_in_use(), strict=True))
    name = "magnitudes_database_connections"
    return _by("which", name, "Connections of PostgreSQL.", numbers)


def clocks() -> Metric:
    return GaugeMetricFamily(
        "magnitudes_clock_ahead_seconds",
        "Seconds by which this machine's clock is ahead of PostgreSQL's.",
        value=database.clock_offset(),
    )


def queues() -> Metric:
    lengths = queue_lengths()
    return _by("queue", "magnitudes_queue_tasks", "Tasks that no worker has begun.", lengths)


def units() -> Metric:
    gauge = GaugeMetricFamily(
        "magnitudes_units", "Units of open and paused studies.", labels=["study", "state"]
    )
    studies = Study.objects.filter(stage__in=ACTIVE_STAGES)
    attempts = Assignment.objects.filter(study__in=studies)
    counted = {
        "free": Unit.objects.free().filter(study__in=studies),
        "in progress": attempts.filter(state__in=LIVE),
        "completed": attempts.filter(state=State.COMPLETED),
    }
    for state, rows in counted.items():
        numbers = dict(rows.values_list("study").annotate(Count("pk")))
        for pk, slug in studies.values_list("pk", "slug"):
            gauge.add_metric([slug, state], numbers.get(pk, 0))
    return gauge


FAMILIES: tuple[Callable[[], Metric], ...] = (parts, ticks, connections, clocks, queues, units)


class Site:
    """Gauges that cannot be read are left out, and `parts` says why."""

    def collect(self) -> Iterator[Metric]:
        for family in FAMILIES:
            with suppress(DatabaseError, *UNAVAILABLE):
                yield family()

    def describe(self) -> Iterable[Metric]:
        """Nothing: a description would need queries."""
        return []


registry = CollectorRegistry()
registry.register(Site())
