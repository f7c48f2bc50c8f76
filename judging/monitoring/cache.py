from collections.abc import Callable
from typing import TypeVar

from django.core.cache import caches
from django.db.models import Sum

from judging.models import Study

Result = TypeVar("Result")
CACHE_SECONDS = 24 * 3600


def cached_per_revision(study: Study, name: str, compute: Callable[[], Result]) -> Result:
    """Cached by each process until the study's judgments change, which raises a topic's revision.

    Only the newest result is cached: those of a large study take megabytes.
    """
    revision = study.topics.aggregate(sum=Sum("revision"))["sum"]
    key = f"{name}-{study.pk}"
    cached: tuple[int, Result] | None = caches["pictures"].get(key)
    if cached is None or cached[0] != revision:
        cached = revision, compute()
        caches["pictures"].set(key, cached, CACHE_SECONDS)
    return cached[1]
