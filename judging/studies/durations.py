"""How long a unit takes: one figure for Welcome, the plan, the confirmation and the pay an hour."""

from typing import Any, NamedTuple

from django.core.cache import caches

from judging.models import Study
from judging.studies.table_one import unit_seconds

SECONDS_A_DOCUMENT = 68  # of the published crowd, at the median
SECONDS_BEFORE = 60  # practice, instructions and topic
MIN_UNITS = 10  # paid ones, to take times from
CACHE_SECONDS = 300


class Duration(NamedTuple):
    """How long a unit takes, by `units` of study `source`; 0 units: as published of others."""

    source: str
    units: int
    mean: float  # seconds; NaN as published
    median: float  # seconds of the median person, failed attempts included

    @property
    def minutes(self) -> int:
        return whole_minutes(self.median)


def whole_minutes(seconds: float) -> int:
    """A duration as pages show it, at least a minute.

    >>> whole_minutes(604), whole_minutes(0)
    (10, 1)
    """
    return max(1, round(seconds / 60))


def published_seconds(unit_size: int, minimum_seconds: float = 0) -> float:
    """The median seconds that a unit is assumed to take as long as nobody has been timed."""
    return SECONDS_BEFORE + max(SECONDS_A_DOCUMENT, minimum_seconds) * unit_size


def expected_duration(study: Study, pilot: Study | None = None) -> Duration:
    """By the study's own units, those of `pilot` or else of its own pilot, or as published."""
    for source in filter(None, (study, pilot or study.pilot)):
        taken = unit_seconds(source)
        if taken.n >= MIN_UNITS:
            times = study.unit_size / source.unit_size
            return Duration(source.slug, taken.n, taken.mean * times, taken.median * times)
    median = published_seconds(study.unit_size, study.minimum_seconds)
    return Duration("", 0, float("nan"), median)


def cached_duration(study: Study) -> Duration:
    """For pages of workers; each process caches it for some minutes."""
    key = f"duration-{study.pk}-{study.unit_size}-{study.minimum_seconds}-{study.pilot_id}"
    times: Any = caches["pictures"].get_or_set(key, lambda: expected_duration(study), CACHE_SECONDS)
    return Duration(*times)
