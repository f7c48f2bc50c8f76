"""No part of an address that is secret, or that names a person, stands in a log, whichever page."""

import logging
import re
from collections.abc import Iterable, Iterator

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from tests.config.helpers import ROOT
from web.logs import requests
from web.logs.redaction import redacted_message, redacted_path

# What of addresses a log may have: names of studies and of what is in them, and numbers.
TOLD = {
    *("slug", "position", "query_id", "doc_id", "run", "other", "section", "analysis", "table"),
    *("part", "file_format", "pseudonym", "rest", "content_type_id", "object_id", "app_label"),
    *("slug:name", "int:key", "uuid:key", "path:path", "id", "url"),
}
PARAMETER = re.compile(r"<(?:(\w+):)?(\w+)>|\(\?P<(\w+)>(?:[^()]|\([^()]*\))*\)")
PLANTED = "pl4nted~40example~2Eorg"
# As the proxy's file says it, for its log.
CADDYFILE = (ROOT / "deploy/Caddyfile").read_text()
OF_PROXY = re.search(r"^\t+request>uri regexp (\S+) (\S+)$", CADDYFILE, re.MULTILINE)


def routes(patterns: Iterable[URLPattern | URLResolver], before: str = "/") -> Iterator[str]:
    for each in patterns:
        route = before + str(each.pattern).removeprefix("^").removesuffix("$")
        if isinstance(each, URLResolver):
            yield from routes(each.url_patterns, route)
        else:
            yield route


def _filled(found: re.Match[str]) -> str:
    kind, name = found[1], found[2] or found[3]
    return "7" if {name, f"{kind}:{name}"} & TOLD else PLANTED


ALL = {route: PARAMETER.sub(_filled, route) for route in routes(get_resolver().url_patterns)}
PRIVATE = {route: path for route, path in ALL.items() if PLANTED in path}


def of_proxy(path: str) -> str:
    assert OF_PROXY
    return re.sub(OF_PROXY[1], re.sub(r"\$(\d)", r"\\\1", OF_PROXY[2]), path)


def test_these_are_all_there_are() -> None:
    """Whoever adds an address with something new in it decides here whether logs may have it."""
    assert sorted(PRIVATE) == [
        "/account/tokens/<id:name>/delete/",
        "/api/v1/studies/<slug:slug>/team/<id:username>/",
        "/collections/<slug:slug>/topics/<id:query_id>/runs/<id:tag>/",
        "/feeds/alerts/<str:token>.atom",
        "/help/<path:name>/",
        "/invitation/<str:secret>/",
        "/password/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/",
        "/studies/<slug:slug>/share/team/<id:username>/",
    ]


@pytest.mark.parametrize("path", PRIVATE.values())
def test_no_log_has_them(path: str) -> None:
    below = f"{path}{PLANTED}/" if path.startswith("/help/") else path  # pages lie in folders
    for address in (path, below, f"https://judge.example{path}"):
        assert PLANTED not in redacted_path(address)
        assert PLANTED not in of_proxy(f"{address}?a={PLANTED}")


FORMER = "/studies/7/team/7"  # a name stands there


@pytest.mark.parametrize("path", sorted({*ALL.values()} - {*PRIVATE.values(), FORMER}))
def test_other_paths_are_logged(path: str) -> None:
    assert redacted_path(path) == path
    assert redacted_path(FORMER) != FORMER


def test_the_access_log_has_neither_them_nor_a_query(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, requests.__name__):
        client.post(f"/studies/s/share/team/{PLANTED}/?a={PLANTED}")
        client.get("/a%0Ab/")  # one line for each
    lines = [redacted_message(line) for line in caplog.records if line.name == requests.__name__]
    assert [line.rpartition(" ")[0] for line in lines] == [
        "POST /studies/s/share/team/…/ 302",
        "GET /a%0Ab/ 404",
    ]
