"""Annotators at a site, in a process of their own: each judges a unit, page after page.

A judgment lasts from when its form is sent until the page that follows is there. What is sent is
what the browser of that site sends: here a form and the page that it leads to, in Potato the
annotation, the step to the next text, and its page.
"""

import asyncio
import re
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from html import unescape

import aiohttp

SIZE = 8  # documents of a unit
REASON = "It answers the question in part, and names its source."
FIELD = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)"')
BUTTON = re.compile(r'name="action" value="(next|finish)"')
TITLE = re.compile(r'<h2 class="title">(.*?)</h2>', re.DOTALL)
INSTANCE = re.compile(r'id="instance_id"[^>]* value="([^"]+)"')
H_K, N_K = "highly relevant", "not relevant"  # titles of the documents to be told apart
SCORES = {H_K: "90", N_K: "2.5"}
SECONDS = 17.2  # that their browsers say they looked at a text


@dataclass(frozen=True)
class Annotator:
    """cookies: by which the site knows them; entry: the page of their first document."""

    entry: str
    cookies: dict[str, str]


@dataclass(frozen=True)
class Met:
    """seconds: from the first judgment to the last; milliseconds: of each."""

    seconds: float
    milliseconds: list[float]


@dataclass(frozen=True)
class Page:
    address: str
    text: str


Step = Callable[[aiohttp.ClientSession, Page], Awaitable[Page]]


async def judge_here(session: aiohttp.ClientSession, page: Page) -> Page:
    """Send the form of a document; the page that follows."""
    button = BUTTON.search(page.text)
    title = TITLE.search(page.text)
    assert button, page
    assert title, page
    form = dict(FIELD.findall(page.text)) | {
        "action": button.group(1),
        "score": SCORES.get(unescape(title.group(1)), "17"),
        "justification": REASON,
        "visible_seconds": str(SECONDS),
    }
    async with session.post(page.address, data=form) as answer:
        return await _page(answer)


async def judge_in_potato(session: aiohttp.ClientSession, page: Page) -> Page:
    """Store the annotation, go on, and load the page, as its script does."""
    instance = INSTANCE.search(page.text)
    assert instance, page
    annotation = {
        "instance_id": instance.group(1),
        "annotations": {"relevance:number": "17", "reason:text_box": REASON},
        "cleared_schemas": [],
        "span_annotations": [],
        "client_timestamp": "2026-01-01T00:00:00.000Z",
        "response_time_seconds": SECONDS,
    }
    step = {"action": "next_instance", "instance_id": instance.group(1)}
    store = page.address.replace("/annotate", "/updateinstance")
    async with session.post(store, json=annotation) as answer:
        assert '"success"' in (await _page(answer)).text
    headers = {"X-Potato-Navigation": "1"}
    async with session.post(page.address, json=step, headers=headers) as answer:
        await _page(answer)
    async with session.get(page.address) as answer:
        return await _page(answer)


STEPS: dict[str, Step] = {"here": judge_here, "Potato": judge_in_potato}
LAST = {"here": 'data-step="done"', "Potato": "</html>"}  # in the page after the last judgment


def judge(site: str, annotators: Iterable[Annotator], at_once: int, pause: float) -> Met:
    """Let them judge a unit each, so many at once, with a pause of so many seconds before each."""
    return asyncio.run(_judge(site, deque(annotators), at_once, pause))


async def _judge(site: str, coming: deque[Annotator], at_once: int, pause: float) -> Met:
    met: list[float] = []
    began = time.monotonic()
    async with asyncio.TaskGroup() as group:
        for number in range(at_once):
            group.create_task(_judge_units(site, coming, pause, pause * number / at_once, met))
    return Met(time.monotonic() - began, met)


async def _judge_units(
    site: str, coming: deque[Annotator], pause: float, first: float, met: list[float]
) -> None:
    await asyncio.sleep(first)
    while coming:
        annotator = coming.popleft()
        async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
            session.cookie_jar.update_cookies(annotator.cookies)
            async with session.get(annotator.entry) as answer:
                page = await _page(answer)
            for _ in range(SIZE):
                await asyncio.sleep(pause)
                began = time.monotonic()
                page = await STEPS[site](session, page)
                met.append(1000 * (time.monotonic() - began))
            assert LAST[site] in page.text, page


async def _page(answer: aiohttp.ClientResponse) -> Page:
    text = await answer.text()
    if not answer.ok:
        raise RuntimeError(f"{answer.method} {answer.url}: {answer.status} {text[:200]}")
    return Page(str(answer.url), text)
