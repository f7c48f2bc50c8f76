import math
from collections.abc import Collection
from statistics import median
from typing import Any, cast

from django.core.cache import caches

from judging.models import Assignment, Study
from judging.studies.durations import SECONDS_A_DOCUMENT, cached_duration

MIN_UNITS, MAX_UNITS = 5, 200  # that the study's own median is made of
CACHE_SECONDS = 300


def seconds_by_position(study: Study) -> tuple[float, ...]:
    """Median seconds on each page of the latest completed units, or typical ones; cached."""
    key = f"seconds-{study.pk}-{study.unit_size}-{study.minimum_seconds}"
    seconds = caches["pictures"].get_or_set(key, lambda: _median_seconds(study), CACHE_SECONDS)
    return cast(tuple[float, ...], seconds)


def _median_seconds(study: Study) -> tuple[float, ...]:
    completed = Assignment.objects.completed().filter(study=study).order_by("-pk")
    units = [
        seconds
        for seconds in completed.values_list("seconds", flat=True)[:MAX_UNITS]
        if seconds and len(seconds) == study.unit_size
    ]
    if len(units) < MIN_UNITS:
        return (float(max(SECONDS_A_DOCUMENT, study.minimum_seconds)),) * study.unit_size
    return tuple(median(position) for position in zip(*units, strict=True))


def minutes_left(study: Study, answered: Collection[int]) -> int:
    seconds = seconds_by_position(study)
    return math.ceil(sum(s for page, s in enumerate(seconds, 1) if page not in answered) / 60)


def minutes_needed(study: Study) -> dict[str, int]:
    """Minutes to expect: for the documents, and from agreeing to Finish, as the plan has them."""
    minutes = cached_duration(study).minutes
    return {"reading_minutes": min(minutes_left(study, ()), minutes), "minutes": minutes}


def max_sets_and_pay(study: Study, topics: int) -> dict[str, Any]:
    units = study.max_units_each(topics)
    return {"topics": topics, "max_sets": units, "max_pay": units * (study.payment or 0)}
