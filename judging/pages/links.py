from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from django.urls import reverse

from judging.models import Study


@dataclass(frozen=True)
class Links:
    """about: the text of Welcome."""

    study: str
    about: str
    resume: str
    me: str
    data: str
    document: Callable[[int], str]


def links_of(study: Study) -> Links:
    return _links_of(study.slug)


@lru_cache
def _links_of(slug: str) -> Links:
    return Links(
        reverse("study", args=[slug]),
        reverse("about", args=[slug]),
        reverse("resume", args=[slug]),
        reverse("me", args=[slug]),
        reverse("my-data", args=[slug]),
        lru_cache(lambda position: reverse("document", args=[slug, position])),
    )
