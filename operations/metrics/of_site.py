"""Gauges of the site when they are read: parts, ticks, queues, connections and units."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from django.db import DatabaseError
from django.db.models import Count
from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric

from judging.models import Assignment, Study, Unit
from judging.states import LIVE, State
from operations.health import catalogue
from operations.health.finding import ORDER
from operations.health.parts import background, database
from web.queues import UNAVAILABLE

ACTIVE_STAGES = ("open", "paused")  # stages of studies whose units are counted


def parts() -> Metric:
    """The state of each part, as in /status."""
    gauge = GaugeMetricFamily(
        "magnitudes_part_state", "0: ok, 1: degraded, 2: down.", labels=["part"]
    )
    for check, finding in catalogue.current_health().parts:
        gauge.add_metric([check.name], ORDER.index(finding.state))
    return gauge


def ticks() -> Metric:
    """How long ago each kind of tick ran."""
    gauge = GaugeMetricFamily(
        "magnitudes_tick_age_seconds", "Seconds since a tick ran.", labels=["tick"]
    )
    for name, age in background.ages().items():
        gauge.add_metric([name], age)
    return gauge


def connections() -> Metric:
    """Connections of PostgreSQL."""
    gauge = GaugeMetricFamily(
        "magnitudes_database_connections", "Connections of PostgreSQL.", labels=["which"]
    )
    for which, number in zip(("used", "allowed"), database.connections_in_use(), strict=True):
        gauge.add_metric([which], number)
    return gauge


def clocks() -> Metric:
    """The offset of this machine's clock."""
    return GaugeMetricFamily(
        "magnitudes_clock_ahead_seconds",
        "Seconds by which this machine's clock is ahead of PostgreSQL's.",
        value=database.clock_offset(),
    )


def queues() -> Metric:
    """Waiting tasks."""
    gauge = GaugeMetricFamily(
        "magnitudes_queue_tasks", "Tasks that no worker has begun.", labels=["queue"]
    )
    for queue, waiting in background.lengths().items():
        gauge.add_metric([queue], waiting)
    return gauge


def units() -> Metric:
    """Units of the studies that are open or paused."""
    gauge = GaugeMetricFamily(
        "magnitudes_units", "Units of open and paused studies.", labels=["study", "state"]
    )
    studies = Study.objects.filter(stage__in=ACTIVE_STAGES)
    attempts = Assignment.objects.filter(study__in=studies)
    counted = {
        "free": Unit.objects.free().filter(study__in=studies),
        "in hand": attempts.filter(state__in=LIVE),
        "completed": attempts.filter(state=State.COMPLETED),
    }
    for state, rows in counted.items():
        numbers = dict(rows.values_list("study").annotate(Count("pk")))
        for pk, slug in studies.values_list("pk", "slug"):
            gauge.add_metric([slug, state], numbers.get(pk, 0))
    return gauge


FAMILIES: tuple[Callable[[], Metric], ...] = (parts, ticks, connections, clocks, queues, units)


class Site:
    """A collector of all gauges; those that cannot be read are left out, and `parts` says why."""

    def collect(self) -> Iterator[Metric]:
        for family in FAMILIES:
            with suppress(DatabaseError, *UNAVAILABLE):
                yield family()

    def describe(self) -> Iterable[Metric]:
        """Nothing: a description would need queries."""
        return []


registry = CollectorRegistry()
registry.register(Site())
