"""Every page of the workspace, taken from the site's own addresses: a new one is not forgotten."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from django.urls import URLPattern, URLResolver, get_resolver

from workspace.places import FORMER

ROOMS = (
    *("account/$", "archives/", "collections/", "imports/", "new-study/", "opinions/"),
    *("studies/", "uploads/run/"),
)
# What is done by POST alone, and what is there only where an operator names data sets or endpoints.
NO_PAGES = (
    "collections/new/dataset/",
    *("recruit/models/", "<slug:slug>/run/", "run/units/<id:query_id>/<int:key>/"),
    "collections/new/sample/",
    "<section:section>/",  # leads on
    *("share/release/free-texts/", "share/team/<id:username>/"),
    *FORMER,  # these lead on as well
    *("<slug:slug>/results/", "<slug:slug>/share/"),
    "set-up/open/",  # leads back to the review, which has its form
    *("set-up/take-anchors/", "set-up/plan-units/", "set-up/discard-plan/", "set-up/as-in-paper/"),
)
PLACE = re.compile(r"<(?:\w+:)?(\w+)>")


def routes() -> list[str]:
    """The routes of all pages, as the URLconf writes them; no files, nothing done by POST."""
    rooms = re.compile("|".join(ROOMS))
    return [
        route
        for route in _routes(get_resolver().url_patterns)
        if rooms.match(route) and route.endswith("/") and not route.endswith(NO_PAGES)
    ]


def _routes(patterns: Sequence[URLPattern | URLResolver], before: str = "") -> Iterator[str]:
    for pattern in patterns:
        route = before + str(pattern.pattern).removeprefix("^")
        if isinstance(pattern, URLResolver):
            yield from _routes(pattern.url_patterns, route)
        else:
            yield route


def addresses(route: str, words: Mapping[str, Sequence[str]]) -> list[str]:
    """The addresses that a route stands for.

    Args:
        route: as in `studies/<slug:slug>/<section:section>/`.
        words: what stands in its places, by their names; the words of `imports/key` go into the
            `key` of routes that begin with `imports/`, before those of `key`.

    Raises:
        KeyError: it has a place for which there are no words.
    """
    room = route.partition("/")[0]
    lists = [words.get(f"{room}/{name}") or words[name] for name in PLACE.findall(route)]
    template = "/" + PLACE.sub("{}", route)
    return [template.format(*choice) for choice in product(*lists)]
