"""Artificial workers who come over HTTP, each with a browser, hundreds at once in one process."""

import asyncio
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import urljoin, urlsplit

import aiohttp
from asgiref.sync import sync_to_async
from django.db import Error, close_old_connections, connections

from crowd.browser import Browser, Page
from crowd.mind import Act, Mind, Unit
from crowd.model import FASTEST, Person
from crowd.people import Crowd, Occupied, Progress
from judging.models import Assignment
from judging.pages import arriving
from web.cookie_names import WORKER, path_cookie

LOOKS_AGAIN = 30.0  # seconds, by their clock, until somebody who finds no free unit comes back
KEEPS = 1.5  # seconds that an idle connection is kept: the server ends it after 2
COUNTS = 1.0  # second between two counts of what is done
NEAR = 1e-9
Answer = TypeVar("Answer")


class NoSite(ValueError):
    """There is no such site; the message says why."""


MakeBrowser = Callable[[aiohttp.TCPConnector], Browser]


def run(
    crowd: Crowd,
    at_once: int,
    site: str,
    speedup: float,
    progress: Progress,
    make_browser: MakeBrowser = Browser,
) -> None:
    """Let artificial workers judge over HTTP until all units are completed, or enough have come.

    They wait as long as they read, divided by `speedup`. The site has to be an installation on
    the same database and with the same SECRET_KEY, which signs the cookies that they come with.

    Raises:
        NoSite: nobody answers there.
        Occupied: the study's minimum seconds do not go with `speedup`.
    """
    if urlsplit(site).scheme not in ("http", "https"):
        raise NoSite(f"{site}: expected an address such as http://localhost:8000")
    study = crowd.world.study
    if study.minimum_seconds * speedup > FASTEST + NEAR:
        raise Occupied(
            f"Study {study} asks for {study.minimum_seconds:g} s on a document, and these workers "
            f"take at least {FASTEST / speedup:g} s: its minimum_seconds has to be {FASTEST:g} / X "
            "for --speedup X."
        )
    asyncio.run(_Site(crowd, site, speedup, progress, make_browser).run(at_once))


class _Site:
    """One crowd at one site."""

    def __init__(
        self,
        crowd: Crowd,
        site: str,
        speedup: float,
        progress: Progress,
        make_browser: MakeBrowser,
    ) -> None:
        self.crowd, self.speedup, self.progress = crowd, speedup, progress
        self.entry = urljoin(site, f"/study/{crowd.world.study.slug}/")
        self.make_browser = make_browser
        self.over = False

    async def run(self, at_once: int) -> None:
        self.connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=KEEPS)
        async with self.connector:
            await self._look_whether_it_answers()
            counting = asyncio.create_task(self._count())
            try:
                async with asyncio.TaskGroup() as group:
                    for _ in range(at_once):
                        group.create_task(self._one_after_the_other())
            finally:
                counting.cancel()
        self.progress(await _in_thread(self.crowd.completed))
        await _in_thread(connections.close_all)

    async def _look_whether_it_answers(self) -> None:
        try:
            async with (
                aiohttp.ClientSession(connector=self.connector, connector_owner=False) as session,
                session.get(self.entry) as answer,
            ):
                if not answer.ok:
                    raise NoSite(f"{self.entry} answers {answer.status}")
        except (aiohttp.ClientError, TimeoutError) as fault:
            raise NoSite(f"{self.entry}: nobody answers ({fault}). Is the site running?") from fault

    async def _count(self) -> None:
        """Tell how far it has come, and know when it is over."""
        planned = await _in_thread(lambda: self.crowd.planned)
        while not self.over:
            done = await _in_thread(self.crowd.completed)
            self.progress(done)
            self.over = done >= planned
            await asyncio.sleep(COUNTS)

    async def _one_after_the_other(self) -> None:
        study = self.crowd.world.study.pk
        name = path_cookie(f"{WORKER}-{study}", https=self.entry.startswith("https:"))
        while not self.over and (person := self.crowd.next()):
            cookie = arriving.signed(study, self.crowd.arrival(person))
            async with self.make_browser(self.connector) as browser:
                browser.keep_cookie(name, cookie, self.entry)
                await self._live(person, browser)

    async def _live(self, person: Person, browser: Browser) -> None:
        """From Welcome until they go home."""
        mind = self.crowd.mind(person, self.speedup)
        units: dict[str, Unit] = {}
        page = await browser.get(self.entry)
        while not (self.over and page.step in ("welcome", "no-work")):
            self.over |= page.step == "closed"
            if page.step == "no-work" and not mind.completed:
                await self._pass(LOOKS_AGAIN)
                page = await browser.get(self.entry)
                continue
            unit = await self._unit(person, page, units)
            act = mind.act(page.sight(), unit)
            if act is None:
                return
            await self._pass(act.seconds)
            page = await browser.press(page, act.action, **self._typed(mind, act, page))

    async def _pass(self, seconds: float) -> None:
        await asyncio.sleep(seconds / self.speedup)

    async def _unit(self, person: Person, page: Page, units: dict[str, Unit]) -> Unit | None:
        """What there is to know about the unit in hand. Its pages name no document."""
        if page.step not in ("topic", "document"):
            return None
        token = page.form("leave")[1]["page"].partition(":")[0]
        if token not in units:
            topic_and_order = await _in_thread(
                lambda: Assignment.objects.values_list("study_topic", "order").get(token=token)
            )
            units.clear()
            units[token] = self.crowd.world.unit(*topic_and_order)
        return units[token]

    def _typed(self, mind: Mind, act: Act, page: Page) -> dict[str, str]:
        if act.answer:
            options = page.options
            right = " ".join(act.answer.split())
            return {"answer": options[mind.chooses(list(options), right)]}
        if page.step == "welcome":
            return page.boxes
        if page.step == "document":
            seconds = f"{act.seconds / self.speedup:.1f}"
            return {
                "score": act.score,
                "justification": act.justification,
                "visible_seconds": seconds,
            }
        return {"score": act.score} if act.score else {}


async def _in_thread(ask: Callable[[], Answer]) -> Answer:
    """Ask the database; when it is away, again."""

    def patiently() -> Answer:
        close_old_connections()
        return ask()

    while True:
        try:
            return await sync_to_async(patiently)()
        except Error:  # the connection's own faults as well
            await asyncio.sleep(COUNTS)
