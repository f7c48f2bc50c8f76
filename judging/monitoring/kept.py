"""What all judgments of a study are looked at for, once for each revision of the study."""

from collections.abc import Callable
from typing import TypeVar, cast

from django.core.cache import caches
from django.db.models import Sum

from judging.models import Study

Answer = TypeVar("Answer")


def once_a_revision(study: Study, question: str, look: Callable[[], Answer]) -> Answer:
    """What `look` gives, kept by each process until the study's judgments change.

    Completing a unit, excluding a worker and withdrawing raise a topic's revision.
    """
    revision = study.topics.aggregate(sum=Sum("revision"))["sum"]
    key = f"{question}-{study.pk}-{revision}"
    return cast(Answer, caches["pictures"].get_or_set(key, look))
