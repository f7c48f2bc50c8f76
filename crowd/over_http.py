"""Artificial workers who come over HTTP, each with a browser, hundreds at once in one process."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urljoin, urlsplit

import aiohttp
from asgiref.sync import sync_to_async
from django.db import Error, close_old_connections, connections

from crowd.behaviour import Action, Behaviour, Unit
from crowd.browser import Browser, Page
from crowd.model import MIN_SECONDS, Person
from crowd.people import CannotSimulate, Crowd, Progress
from judging.models import Assignment
from judging.pages import identity
from web.cookie_names import WORKER, path_cookie

RETRY_SECONDS = 30.0  # by their clock, until somebody who finds no free unit comes back
KEEPALIVE_SECONDS = 1.5  # of an idle connection: the server ends it after 2
COUNT_INTERVAL = 1.0  # seconds
TOLERANCE = 1e-9
Answer = TypeVar("Answer")


class NoSite(CannotSimulate):
    """Nobody answers at the address; the message says why."""


MakeBrowser = Callable[[aiohttp.TCPConnector], Browser]


def run(
    crowd: Crowd,
    concurrency: int,
    site: str,
    speedup: float,
    progress: Progress,
    make_browser: MakeBrowser = Browser,
) -> None:
    """Let artificial workers judge over HTTP until all units are completed, or enough have come.

    They wait as long as they read, divided by `speedup`. The site must be an installation on the
    same database with the same SECRET_KEY, which signs their cookies. Raises NoSite, and
    CannotSimulate: the study's minimum seconds do not go with `speedup`.
    """
    if urlsplit(site).scheme not in ("http", "https"):
        raise NoSite(f"{site}: expected an address such as http://localhost:8000")
    study = crowd.world.study
    if study.minimum_seconds * speedup > MIN_SECONDS + TOLERANCE:
        raise CannotSimulate(
            f"Study {study} asks for {study.minimum_seconds:g} s on a document, and these workers "
            f"take at least {MIN_SECONDS / speedup:g} s: its minimum_seconds has to be "
            f"{MIN_SECONDS:g} / X for --speedup X."
        )
    entry = urljoin(site, f"/study/{study.slug}/")
    asyncio.run(_Site(crowd, entry, speedup, progress, make_browser).run(concurrency))


@dataclass
class _Site:
    crowd: Crowd
    entry: str
    speedup: float
    progress: Progress
    make_browser: MakeBrowser
    over: bool = False

    async def run(self, concurrency: int) -> None:
        self.connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=KEEPALIVE_SECONDS)
        async with self.connector:
            await self._check_site_answers()
            counting = asyncio.create_task(self._report_progress())
            try:
                async with asyncio.TaskGroup() as group:
                    for _ in range(concurrency):
                        group.create_task(self._run_workers())
            finally:
                counting.cancel()
        self.progress(await _in_thread(self.crowd.completed))
        await _in_thread(connections.close_all)

    async def _check_site_answers(self) -> None:
        try:
            async with (
                aiohttp.ClientSession(connector=self.connector, connector_owner=False) as session,
                session.get(self.entry) as answer,
            ):
                if not answer.ok:
                    raise NoSite(f"{self.entry} answers {answer.status}")
        except (aiohttp.ClientError, TimeoutError) as fault:
            raise NoSite(f"{self.entry}: nobody answers ({fault}). Is the site running?") from fault

    async def _report_progress(self) -> None:
        planned = await _in_thread(lambda: self.crowd.planned)
        while not self.over:
            completed = await _in_thread(self.crowd.completed)
            self.progress(completed)
            self.over = completed >= planned
            await asyncio.sleep(COUNT_INTERVAL)

    async def _run_workers(self) -> None:
        study = self.crowd.world.study.pk
        name = path_cookie(f"{WORKER}-{study}", https=self.entry.startswith("https:"))
        while not self.over and (person := self.crowd.next()):
            cookie = identity.signed_cookie(study, self.crowd.arrival(person))
            async with self.make_browser(self.connector) as browser:
                browser.set_cookie(name, cookie, self.entry)
                await self._run_worker(person, browser)

    async def _run_worker(self, person: Person, browser: Browser) -> None:
        behaviour = self.crowd.behaviour(person, self.speedup)
        units: dict[str, Unit] = {}
        page = await browser.get(self.entry)
        while not (self.over and page.step in ("welcome", "no-work")):
            self.over |= page.step == "closed"
            if page.step == "no-work" and not behaviour.completed:
                await self._wait(RETRY_SECONDS)
                page = await browser.get(self.entry)
                continue
            unit = await self._unit(person, page, units)
            act = behaviour.act(page.view(), unit)
            if act is None:
                return
            await self._wait(act.seconds)
            page = await browser.press(page, act.action, **self._form_values(behaviour, act, page))

    async def _wait(self, seconds: float) -> None:
        await asyncio.sleep(seconds / self.speedup)

    async def _unit(self, person: Person, page: Page, units: dict[str, Unit]) -> Unit | None:
        if page.step not in ("topic", "document"):
            return None
        token = page.form("leave")[1]["page"].partition(":")[0]
        if token not in units:
            topic_and_order = await _in_thread(
                lambda: Assignment.objects.values_list("study_topic", "order").get(token=token)
            )
            units.clear()
            units[token] = self.crowd.unit(person, *topic_and_order)
        return units[token]

    def _form_values(self, behaviour: Behaviour, act: Action, page: Page) -> dict[str, str]:
        if act.answer:
            options = page.options
            right = " ".join(act.answer.split())
            return {"answer": options[behaviour.choose_option(list(options), right)]}
        if page.step == "welcome":
            return page.boxes
        if page.step == "document":
            typed = {"score": act.score, "justification": act.justification}
            return {**typed, "visible_seconds": f"{act.seconds / self.speedup:.1f}"}
        return {"score": act.score} if act.score else {}


async def _in_thread(query: Callable[[], Answer]) -> Answer:
    """Retried while the database is away."""

    def reconnected() -> Answer:
        close_old_connections()
        return query()

    while True:
        try:
            return await sync_to_async(reconnected)()
        except Error:  # the connection's own faults as well
            await asyncio.sleep(COUNT_INTERVAL)
