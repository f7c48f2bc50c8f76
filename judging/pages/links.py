from collections.abc import Callable
from dataclasses import dataclass

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
    return Links(
        reverse("study", args=[study.slug]),
        reverse("about", args=[study.slug]),
        reverse("resume", args=[study.slug]),
        reverse("me", args=[study.slug]),
        reverse("my-data", args=[study.slug]),
        lambda position: reverse("document", args=[study.slug, position]),
    )
