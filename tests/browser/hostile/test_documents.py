"""Nothing in a document runs or calls anybody, and it is read and judged like any other."""

import json
from collections.abc import Iterator
from random import Random

import pytest
from playwright.sync_api import Browser, BrowserContext, Route

from tests.browser.conftest import Site
from tests.browser.hostile.canary import Canary, listening
from tests.browser.hostile.conftest import Guarded, watch
from tests.browser.hostile.payloads import (
    CALLS,
    CALLS_IF_CLICKED,
    CLICKED,
    PAYLOADS,
    RUNS,
    filled,
)
from tests.browser.hostile.reader import Reader
from tests.browser.hostile.words import hostile_text
from tests.browser.looks import faults

SEED, SOME = 5, 8
SAMPLE = Random(SEED).sample(sorted(PAYLOADS), SOME)
UNIT = 50  # documents, as many as a unit may have
SIZES = [
    pytest.param(SAMPLE, id="some", marks=pytest.mark.nightly),
    pytest.param(list(PAYLOADS), id="all", marks=pytest.mark.whole),
]
CLICKABLE = "a, button, b, p, img"
PATIENCE = 5  # seconds that a payload without our defences has, on a busy machine


@pytest.fixture(scope="module")
def control() -> Iterator[Canary]:
    with listening() as server:
        yield server


@pytest.fixture
def bare(browser: Browser) -> Iterator[tuple[BrowserContext, list[int]]]:
    """A browser in whose windows anything may run, and the numbers of what did.

    Windows stay open until the end: one that is on its way elsewhere Chromium may never close.
    """
    ran: list[int] = []
    with browser.new_context() as context:
        context.set_default_timeout(30_000)
        context.on("dialog", lambda dialog: dialog.dismiss())
        watch(context, ran.append)
        yield context, ran


@pytest.mark.parametrize("names", SIZES)
def test_without_our_defences_they_run_and_call(
    names: list[str], control: Canary, bare: tuple[BrowserContext, list[int]], canary: Canary
) -> None:
    """So that what follows can fail: each does in a plain page what it is listed for."""
    context, ran = bare
    did_not = []
    for name in names:
        number = list(PAYLOADS).index(name)
        control.page = f"<!doctype html><body>{filled(PAYLOADS[name], number, canary.url)}".encode()
        connections = canary.connections
        page = context.new_page()
        page.goto(f"{control.url}/page", wait_until="commit")
        if name in CLICKED or name in CALLS_IF_CLICKED:
            page.locator(CLICKABLE).first.click(force=True, no_wait_after=True)
        runs = name in RUNS or name in CLICKED
        calls = name in CALLS or name in CALLS_IF_CLICKED
        for _ in range(PATIENCE * 50):
            if (not runs or number in ran) and (not calls or canary.connections > connections):
                break
            page.wait_for_timeout(20)
        else:
            did_not.append(name)
    assert not did_not


# What no Content-Security-Policy is asked about: going elsewhere, and a connection beforehand.
BEYOND_THE_POLICY = {"refresh", "refresh never ended", "preconnect"}
SETTLED = 300  # milliseconds in which a payload would have run or called, as the test above shows


@pytest.mark.nightly
@pytest.mark.parametrize("names", SIZES)
def test_were_a_document_shown_as_it_is_the_policy_would_stop_it(
    names: list[str], site: Site, bare: tuple[BrowserContext, list[int]], canary: Canary
) -> None:
    """The second line of defence, by itself: payloads are put into a page on its way."""
    context, ran = bare
    called, put_in = [], ""

    def add(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace("<main", f"{put_in}<main", 1))

    context.route("**/study/lamps/", add)
    for name in set(names) - set(CALLS_IF_CLICKED):
        number, connections = list(PAYLOADS).index(name), canary.connections
        put_in = f"<div id=payload>{filled(PAYLOADS[name], number, canary.url)}</div>"
        page = context.new_page()
        page.goto(f"{site.url}/study/lamps/", wait_until="commit")
        if name in CLICKED:
            page.locator("#payload").locator(CLICKABLE).first.click(force=True, no_wait_after=True)
        page.wait_for_timeout(SETTLED)
        if canary.connections > connections:
            called.append(name)
    assert ran == []
    assert set(called) <= BEYOND_THE_POLICY


@pytest.mark.parametrize("names", SIZES)
def test_nothing_runs_nothing_leaves_and_all_can_be_judged(
    names: list[str], site: Site, guarded: Guarded, canary: Canary
) -> None:
    for first in range(0, len(names), UNIT):
        some, slug = names[first : first + UNIT], f"hostile-{len(names)}-{first}"
        site.call("hostile.studies.make", slug, canary.url, json.dumps(some))
        try:
            _judge(Reader(guarded(), slug), some, canary)
        finally:
            site.call("hostile.studies.put_away", slug)


def _judge(reader: Reader, names: list[str], canary: Canary) -> None:
    reason, wrong, kept = hostile_text(999, canary.url), [], 0
    reader.enter()
    wrong += faults(reader.page)
    reader.to_documents()
    for position in range(1, len(names) + 1):
        assert (reader.step, reader.position, reader.last) == ("document", position, len(names))
        reader.look_at_document()
        kept += reader.has_last_words()
        wrong += faults(reader.page)
        reader.answer_by_keyboard(reason)
    assert reader.step == "done"
    assert wrong == []
    assert kept >= 0.8 * len(names)
