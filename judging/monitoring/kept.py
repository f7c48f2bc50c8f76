"""What all judgments of a study are looked at for, once for each revision of the study."""

from collections.abc import Callable
from typing import TypeVar

from django.core.cache import caches
from django.db.models import Sum

from judging.models import Study

Answer = TypeVar("Answer")
KEPT_SECONDS = 24 * 3600


def once_a_revision(study: Study, question: str, look: Callable[[], Answer]) -> Answer:
    """What `look` gives, kept by each process until the study's judgments change.

    Completing a unit, excluding a worker and withdrawing raise a topic's revision. One answer is
    kept, the newest: those of a large study take megabytes.
    """
    revision = study.topics.aggregate(sum=Sum("revision"))["sum"]
    key = f"{question}-{study.pk}"
    kept: tuple[int, Answer] | None = caches["pictures"].get(key)
    if kept is None or kept[0] != revision:
        kept = revision, look()
        caches["pictures"].set(key, kept, KEPT_SECONDS)
    return kept[1]
