"""How much processor time a judgment takes, beside a bare view that inserts one row.

    python -m bench.unit_cpu [--drafts]

One gunicorn, as the product runs it, serves all behind the same middleware. Sixteen browsers at
once each go through a whole unit, from Welcome to the completion code: all that the web server and
PostgreSQL use meanwhile, divided by 8 judgments a unit. Then the same browsers send a document's
form, as often, to a view that does nothing but `objects.create`, and to one that executes the
INSERT itself. They take turns, and what counts is the median over rounds. Ends with
1 when a judgment takes more than 12 times the first bare view; the ratio to the one without the ORM
has no limit.

With --drafts half of the units are judged by people who type for 75 seconds on every document, so
that their browsers send as many drafts as static/js/page.js then sends; it ends with 1 when their
judgments take more than 1.5 times those without.
"""

import asyncio
import sys
from collections.abc import Generator, Iterable
from typing import TypeAlias
from urllib.parse import urljoin

import aiohttp
import numpy as np
import psutil
from django.db import connection
from tqdm import tqdm

from bench.site.command import options, verdict
from bench.site.processes import cpu_seconds, postgres
from bench.site.running import HOST, scratch_database, web_server
from bench.site.urls import TABLE
from crowd.browser import Browser, Page
from judging.flow.admission import Arrival
from judging.models import PooledDocument, Study
from judging.pages import identity
from tests.factory import OPTIONS as ANSWERS
from tests.factory import make_study

OPTIONS = options(__doc__)
OPTIONS.add_argument("--drafts", action="store_true", help="measure units with drafts")
BROWSERS, ROUNDS, WARM = 16, 12, 2
BARE = 12  # requests a browser and round
TOPICS, DOCUMENTS, WORDS, SIZE = 10, 50, 500, 8
LIMIT, LIMIT_WITH_DRAFTS = 12.0, 1.5
DRAFTS = 75 // 30  # on a document
REASON = "It answers the question in part, and names its source."
Scores: TypeAlias = dict[str, str]  # by title
Steps: TypeAlias = Generator[tuple[str, str, dict[str, str]], Page, None]


def open_study() -> Study:
    """Topics, documents and units enough for everybody."""
    return make_study(
        topics=TOPICS, documents=DOCUMENTS, words=WORDS, redundancy=10, minimum_seconds=0
    )


def anchors(study: Study) -> Scores:
    """What to give to the documents that must be in order."""
    pooled = PooledDocument.objects.filter(study_topic__study=study).exclude(role="other")
    score_of = {"h_k": "90", "n_k": "2.5"}
    return {title: score_of[role] for title, role in pooled.values_list("document__title", "role")}


def unit(entry: str, scores: Scores, drafts: int = 0) -> Steps:
    """The requests of one unit, with drafts on every document; takes the page each leads to."""
    page = yield "GET", entry, {}
    while page.step != "done":
        action, typed = answer(page, scores)
        target, fields = page.form(action)
        for number in range(drafts if page.step == "document" else 0):
            reason = {"justification": REASON[: 20 * (number + 1)], "action": "draft"}
            kept = yield "POST", target, {**fields, **typed, **reason}
            fields = {**fields, "since": kept.text}
        page = yield "POST", target, {**fields, **typed, "action": action}


def answer(page: Page, scores: Scores) -> tuple[str, dict[str, str]]:
    """What to press on a page, and what to type."""
    view = page.view()
    if page.step == "practice" and view.line:
        return "next", {"score": f"{view.line:g}"}
    if page.step == "topic":
        return "continue", {"answer": page.options[ANSWERS[0]]}
    if page.step == "document":
        action = "next" if "next" in view.buttons else "finish"
        score = scores.get(page.words("h2"), "17")
        return action, {"score": score, "justification": REASON, "visible_seconds": "17.2"}
    return "continue", {}


async def go_through(browser: Browser, steps: Steps) -> None:
    page = None
    while True:
        try:
            page = await browser.follow(*(next(steps) if page is None else steps.send(page)))
        except StopIteration:
            return


def cookie(study: int, number: int) -> str:
    return identity.signed_cookie(study, Arrival(f"worker-{number}"))


async def units(
    site: str, study: Study, numbers: Iterable[int], scores: Scores, drafts: int = 0
) -> None:
    """A unit for each of these workers, all at once."""
    entry = f"{site}/study/{study.slug}/"
    async with aiohttp.TCPConnector(limit=0) as connector, asyncio.TaskGroup() as group:
        for number in numbers:
            steps = unit(entry, scores, drafts)
            group.create_task(one_unit(connector, entry, study.pk, number, steps))


async def one_unit(
    connector: aiohttp.TCPConnector, entry: str, study: int, number: int, steps: Steps
) -> None:
    async with Browser(connector) as browser:
        browser.set_cookie(identity.cookie_name(study), cookie(study, number), entry)
        await go_through(browser, steps)


async def bare(address: str) -> None:
    """The same form to a bare view, from as many browsers, a connection each."""
    async with aiohttp.TCPConnector(limit=0) as connector, asyncio.TaskGroup() as group:
        for _ in range(BROWSERS):
            group.create_task(bare_forms(connector, address))


async def bare_forms(connector: aiohttp.TCPConnector, address: str) -> None:
    async with Browser(connector) as browser:
        browser.set_cookie(identity.cookie_name(0), cookie(0, 0), address)
        _, fields = await browser.send("GET", urljoin(address, "/bare/form/"), {})
        form = {"csrfmiddlewaretoken": fields, "score": "17", "justification": REASON}
        form |= {"action": "next", "visible_seconds": "17.2"}
        for _ in range(BARE):
            _, answer = await browser.send("POST", address, form)
            assert answer == "done"


def compare_drafts() -> int:
    """Units with drafts and without, in turns."""
    spent: dict[int, list[float]] = {0: [], DRAFTS: []}
    with scratch_database(), web_server() as port:
        study, site = open_study(), f"http://{HOST}:{port}"
        scores, parts = anchors(study), (*psutil.Process().children(), postgres())
        number = 0
        for _ in tqdm(range(ROUNDS), desc="rounds"):
            for drafts, seconds in spent.items():
                before, numbers = cpu_seconds(*parts), range(number, number + BROWSERS)
                asyncio.run(units(site, study, numbers, scores, drafts))
                seconds.append((cpu_seconds(*parts) - before) / (BROWSERS * SIZE))
                number += BROWSERS
    without, with_drafts = (np.median(seconds[WARM:]) * 1000 for seconds in spent.values())
    print(f"processor time of a judgment: {without:.2f} ms, {with_drafts:.2f} ms with drafts")
    return verdict(with_drafts / without, LIMIT_WITH_DRAFTS)


def main() -> int:
    if OPTIONS.parse_args().drafts:
        return compare_drafts()
    with scratch_database(), web_server() as port:
        with connection.cursor() as cursor:
            cursor.execute(TABLE)
        study, site = open_study(), f"http://{HOST}:{port}"
        scores = anchors(study)
        parts = (*psutil.Process().children(), postgres())
        spent: dict[str, list[float]] = {name: [] for name in ("judgment", "ORM", "SQL")}
        for turn in tqdm(range(ROUNDS), desc="rounds"):
            numbers = range(turn * BROWSERS, (turn + 1) * BROWSERS)
            for name, made, count in (
                ("judgment", units(site, study, numbers, scores), BROWSERS * SIZE),
                ("ORM", bare(f"{site}/bare/orm/"), BROWSERS * BARE),
                ("SQL", bare(f"{site}/bare/"), BROWSERS * BARE),
            ):
                before = cpu_seconds(*parts)
                asyncio.run(made)
                spent[name].append((cpu_seconds(*parts) - before) / count)
    judged, by_orm, by_sql = (np.median(seconds[WARM:]) * 1000 for seconds in spent.values())
    print(f"processor time of a judgment: {judged:.2f} ms")
    print(f"of a bare request: {by_orm:.2f} ms by the ORM, {by_sql:.2f} ms by plain SQL")
    print(f"judgment / bare request by plain SQL: {judged / by_sql:.2f}")
    return verdict(judged / by_orm, LIMIT)


if __name__ == "__main__":
    sys.exit(main())
