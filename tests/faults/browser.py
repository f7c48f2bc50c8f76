"""A browser whose connections break, whose user forgets, mistypes, and sometimes never returns."""

import asyncio
import random
import time
from dataclasses import dataclass

import aiohttp

from crowd.browser import Browser, Page, Refused, ServerError
from judging.pages import identity
from tests.faults.record import ON_A_DOCUMENT, Answer, Record, document_page

CUTS = 0.02  # of requests: the connection is cut before the answer
FORGETS = 0.02  # of answers: it came, and the page is opened anew as if it had not
MISTYPES = 0.01  # of judgments: no number
BEGIN = ("continue", "again")  # what is pressed to have a unit
LATEST = 30.0  # seconds in which the site deals with a request, even if nothing is heard of it
LOOKS_AGAIN = 0.5  # seconds at least, until who found no work looks again
TROUBLE = {
    ServerError: "error",
    Refused: "refusal",
    aiohttp.ClientError: "cut",
    TimeoutError: "cut",
}
GONE = Page("", "<main></main>")


class Cut(aiohttp.ClientConnectionError):
    """We cut the connection ourselves."""


@dataclass
class Storm:
    """How bad it is, and until when.

    vanishes: the chance that a worker closes the browser for good, at each press of a button.
    """

    seed: object
    until: float  # of time.monotonic
    vanishes: float

    @property
    def rages(self) -> bool:
        return time.monotonic() < self.until


class FaultyBrowser(Browser):
    """One worker's browser, which writes down what it knows for certain."""

    def __init__(self, connector: aiohttp.TCPConnector, record: Record, storm: Storm) -> None:
        super().__init__(connector)
        self.record, self.storm = record, storm
        self.said = 0
        self.unheard = -LATEST  # when there was last a request without an answer
        self.forgotten: int | None = None  # the document's page that a forgotten answer led to

    def set_cookie(self, name: str, value: str, address: str) -> None:
        """Know by the cookie who this is, and where they begin."""
        super().set_cookie(name, value, address)
        self.entry = address
        self.pseudonym = identity.arrival_of_cookie(int(name.split("-")[-1]), value).pseudonym
        self.draw = random.Random(f"{self.storm.seed} {self.pseudonym}")

    async def press(self, page: Page, action: str, **typed: str) -> Page:
        """Press a button, unless they have closed the window."""
        if self._happens(self.storm.vanishes):
            self.record.vanished.add(self.pseudonym)
            return GONE
        if page.step == "document" and action in ON_A_DOCUMENT:
            typed["score"] = self._score(typed["score"])
        return await super().press(page, action, **typed)

    def _score(self, score: str) -> str:
        """The score with a mark, so that no two forms of a worker say the same; or a mistake."""
        self.said += 1
        point = "" if "." in score else "."
        return f"{'about ' * self._happens(MISTYPES)}{score}{point}{self.said:04}"

    async def follow(self, method: str, address: str, fields: dict[str, str]) -> Page:
        self.forgotten = None
        page = await super().follow(method, address, fields)
        self.record.seen[self.pseudonym] = page.step
        if self.forgotten and self.unheard < time.monotonic() - LATEST:
            self.record.returned(self.pseudonym, self.forgotten, page.view().position)
        if page.step == "no-work":
            await asyncio.sleep(LOOKS_AGAIN)
        return page

    async def send(self, method: str, address: str, fields: dict[str, str]) -> Answer:
        """One request and its answer, if both ways stay open."""
        self.record.counts["requests"] += 1
        form = self.record.sent(self.pseudonym, address, fields) if method == "POST" else None
        try:
            answer = await self._ask(method, address, fields)
        except (aiohttp.ClientError, TimeoutError, ServerError) as fault:
            self.unheard = time.monotonic()
            if fields.get("action") in BEGIN:
                self.record.asked.add(self.pseudonym)
            if form:
                self.record.unanswered(form)
            if not isinstance(fault, Cut) or self.draw.random() < 0.5:
                raise  # and so to ask again
            return self.entry, None
        if form:
            self.record.answered(form, answer)
        self.record.told(self.pseudonym, answer[1] or "")
        if self._happens(FORGETS):
            self.record.counts["dropped after"] += 1
            self.forgotten = document_page(answer[0])
            return self.entry, None
        return answer

    async def _ask(self, method: str, address: str, fields: dict[str, str]) -> Answer:
        """Send it, note what goes wrong, and how long it takes."""
        began = time.monotonic()
        asking = super().send(method, address, fields)
        try:
            if self._happens(CUTS):
                return await self._cut(asking)
            return await asking
        except tuple(TROUBLE) as fault:
            if not isinstance(fault, Cut):
                kind = next(kind for kinds, kind in TROUBLE.items() if isinstance(fault, kinds))
                self.record.trouble(kind, f"{method} {address}: {fault!r}", began)
            raise
        finally:
            self.record.took(f"{method} {address}", began)

    async def _cut(self, asking) -> Answer:
        """Cut the connection after a while, unless the answer comes before."""
        request = asyncio.ensure_future(asking)
        try:
            await asyncio.wait({request}, timeout=10 ** self.draw.uniform(-3.5, -0.5))
        finally:
            request.cancel()
        await asyncio.wait({request})
        if not request.cancelled():
            return request.result()
        self.record.counts["dropped before"] += 1
        raise Cut

    def _happens(self, chance: float) -> bool:
        return self.storm.rages and self.draw.random() < chance
