"""Artificial workers who come over HTTP, with pages, forms and cookies as browsers have them."""

import asyncio
import sys
from collections.abc import Awaitable, Callable

import aiohttp
import pytest
from django.core.management import CommandError

import crowd
from crowd import over_http, world
from crowd.browser import Browser, Page, Refused
from crowd.model import person
from crowd.people import Crowd
from judging.models import Assignment, Judgment, Study
from tests.cast import Person
from tests.factory import GRADED, make_study
from tests.factory.crowds import simulate
from tests.judging.invariants import broken

# Few, as who finds all units taken looks again and again, at this speed as fast as they can.
FAST = {"workers": 4, "seed": 4, "speedup": 1000.0}


def come(study: Study, site: str, **options: object) -> str:
    return simulate(study, **{**FAST, "over_http": site, **options})


@pytest.mark.parametrize(
    "scale",
    [
        pytest.param({}, id="magnitudes"),
        pytest.param(GRADED, id="levels", marks=pytest.mark.whole),
    ],
)
def test_a_crowd_completes_the_plan_over_http(live_server, scale) -> None:
    study = make_study(topics=2, redundancy=1, minimum_seconds=0.01, **scale)
    assert come(study, live_server.url).startswith("4 of 4 units are complete")
    assert broken() == []
    study.refresh_from_db()
    assert study.mark == "simulated"
    assert set(study.workers.values_list("simulated", flat=True)) == {True}
    # Who came this way gave what they would have given through flow.
    crowd = Crowd(world.read(study, 4))
    given = Judgment.objects.filter(assignment__failed_finishes=0).select_related(
        "assignment__worker", "document"
    )
    assert len(given) > 15
    people = {one.pseudonym: one for one in (person(4, n, 2) for n in range(1, 200))}
    for judgment in given:
        one = people[judgment.assignment.worker.pseudonym]
        pair = crowd.world.pairs[judgment.document_id]
        if study.is_graded:
            assert judgment.score == float(one.level(pair, 0, 4))
        else:
            assert judgment.score_text == one.score(pair, 0)


def test_the_pages_say_that_it_is_simulated(live_server) -> None:
    study = make_study(minimum_seconds=0.01, redundancy=1, consent_by="checkbox")
    seen: dict[str, bool] = {}

    class Watching(Browser):
        async def get(self, address: str) -> Page:
            return self._look(await super().get(address))

        async def press(self, page: Page, action: str, **typed: str) -> Page:
            return self._look(await super().press(page, action, **typed))

        def _look(self, page: Page) -> Page:
            words = page._tree.text_content()
            seen[page.step] = "simulation with artificial workers" in words
            return page

    crowd = Crowd(world.read(study, 2))
    over_http.run(crowd, 2, live_server.url, 2000.0, lambda done: None, Watching)
    del seen["welcome"]  # the first to come could have been a person
    assert {"practice", "instructions", "topic", "document"} <= set(seen)
    assert all(seen.values()), seen


def test_a_person_at_a_simulated_study_is_told(client, db: None) -> None:
    study = make_study(redundancy=1)
    simulate(study, workers=1, seed=1)
    Study.objects.filter(pk=study.pk).update(stage="open")
    answer = client.get(f"/study/{study.slug}/")
    assert b'data-step="closed"' in answer.content
    assert "This study is a simulation" in answer.content.decode()


def test_who_is_refused_is_told_why(live_server) -> None:
    study = make_study()
    with pytest.raises(CommandError, match=r"asks for 20 s .* take at least 0.02 s"):
        come(study, live_server.url)
    with pytest.raises(CommandError, match="expected an address such as"):
        come(study, "localhost", speedup=1.0)
    with pytest.raises(CommandError, match="nobody answers"):
        come(study, "http://127.0.0.1:9", speedup=1.0)
    judged = make_study(minimum_seconds=0)
    Person(judged).begin()
    with pytest.raises(CommandError, match="has been judged by people"):
        come(judged, live_server.url)
    assert not Assignment.objects.filter(study=study).exists()


def ask(serve: Callable, asks: Callable[[Browser, str], Awaitable[None]]) -> None:
    """Have a browser ask a server of our own."""

    async def run() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with server, aiohttp.TCPConnector() as connector, Browser(connector) as browser:
            await asks(browser, f"http://127.0.0.1:{port}")

    asyncio.run(run())


def test_a_browser_is_patient_with_a_server_that_is_away() -> None:
    """It asks again when nobody answers or the server fails; what is refused it says at once."""
    asked: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append((await reader.readuntil(b"\r\n\r\n")).decode())
        status = {1: None, 2: "503 Away", 3: "200 OK", 4: "404 Not Found"}[len(asked)]
        if status:
            body = "<main data-step='done'></main>"
            head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
            writer.write((head + body).encode())
        writer.close()

    async def twice(browser: Browser, site: str) -> None:
        page = await browser.get(f"{site}/")
        assert page.step == "done"
        assert browser.failures >= 1
        with pytest.raises(Refused, match="404"):
            await browser.get(f"{site}/")

    ask(serve, twice)
    assert len(asked) == 4


def test_a_browser_says_where_a_form_comes_from() -> None:
    """As a site with TLS asks for."""
    heads: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append((await reader.readuntil(b"\r\n\r\n")).decode())
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\n<p>a\n")
        writer.close()

    async def both(browser: Browser, site: str) -> None:
        for method in ("GET", "POST"):
            await browser.send(method, f"{site}/a/?b", {"c": "d"})
        assert "Origin:" not in heads[0]
        assert f"Origin: {site}\r\n" in heads[1]

    ask(serve, both)


@pytest.mark.django_db
def test_where_aiohttp_is_missing_the_command_says_so(monkeypatch) -> None:
    study = make_study()
    monkeypatch.setitem(sys.modules, "aiohttp", None)
    monkeypatch.delitem(sys.modules, "crowd.over_http")
    monkeypatch.delattr(crowd, "over_http")
    with pytest.raises(CommandError, match="needs aiohttp, which the image does not have"):
        come(study, "http://localhost")
