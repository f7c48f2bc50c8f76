"""Artificial workers at a site for a while, in a process of their own, and what they met there.

Each has a connection of their own, as browsers have, and waits as long as people do, divided by a
speed-up. So is the time for which the connection is kept: people read for longer than the server
waits, and need another one for the next page. Who is placed in a unit (see `placing`) opens their
page at a moment of the warm-up, and has read a part of it.
"""

import asyncio
import gc
import random
import time
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import numpy as np
from django.db import connections

from bench.site import environment  # noqa: F401 - before any model
from crowd import over_http, world
from crowd.browser import Browser, Refused, ServerError
from crowd.people import Crowd
from crowd.world import World
from judging.models import Study

PATIENCE = 5.0  # seconds without an answer, until a worker gives up
LOOK = 0.05  # seconds between two looks at how late this process is
JUDGING = ("next", "finish")
FAULTS = (aiohttp.ClientError, TimeoutError, ServerError, Refused)


@dataclass(frozen=True)
class Visitors:
    """How many come to which study, and when: by the clock that all processes share.

    waits: seconds before every step, instead of those that people take.
    """

    slug: str
    site: str
    seed: int
    count: int
    speedup: float
    opens: float
    begins: float
    ends: float
    waits: float | None = None


@dataclass
class Met:
    """Milliseconds of each kind of request that was answered in the measured time."""

    taken: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    judgments: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    late: list[float] = field(default_factory=list)  # milliseconds by which this process was late

    def add(self, other: "Met") -> None:
        for kind, milliseconds in other.taken.items():
            self.taken[kind] += milliseconds
        self.judgments += other.judgments
        self.errors += other.errors
        self.late += other.late

    def quantiles(self, kind: str = "") -> list[float]:
        """Median, 95% and 99% of one kind, or of all."""
        found = self.taken[kind] if kind else list(chain(*self.taken.values()))
        return np.quantile(found, [0.5, 0.95, 0.99]).tolist()

    @property
    def requests(self) -> int:
        return sum(map(len, self.taken.values()))


class Over(Exception):
    """The time is up."""


def visit(visitors: Visitors) -> Met:
    """Let them come, until the time is up and the last of them has been answered."""
    met = Met()
    study = Study.objects.get(slug=visitors.slug)
    truth = replace(_world(visitors.slug), study=study, seed=visitors.seed)
    gc.freeze()  # what stays for ever is not looked through again and again
    asyncio.run(_Site(Crowd(truth), visitors, met).stay())
    return Met(dict(met.taken), met.judgments, met.errors, met.late)


@lru_cache
def _world(slug: str) -> World:
    return world.read(Study.objects.get(slug=slug), 0)


class _Site(over_http._Site):
    """The crowd, until the time is up."""

    def __init__(self, crowd: Crowd, visitors: Visitors, met: Met) -> None:
        entry = f"{visitors.site}study/{visitors.slug}/"
        super().__init__(crowd, entry, visitors.speedup, lambda done: None, self._browser)
        self.visitors, self.met = visitors, met
        self.random = random.Random(visitors.seed)
        self.reading: set[asyncio.Task | None] = set()  # those of who came in the middle of a page
        self.connector = None  # each browser has its own

    def _browser(self, connector: None) -> Browser:
        return _Timed(self.visitors, self.met)

    async def stay(self) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self._look_how_late_it_is())
            for _ in range(self.visitors.count):
                self.reading.add(group.create_task(self._until_it_is_over()))
        await over_http._in_thread(connections.close_all)

    async def _look_how_late_it_is(self) -> None:
        await asyncio.sleep(self.visitors.begins - time.monotonic())
        while (now := time.monotonic()) < self.visitors.ends:
            await asyncio.sleep(LOOK)
            self.met.late.append((time.monotonic() - now - LOOK) * 1000)

    async def _until_it_is_over(self) -> None:
        await asyncio.sleep(self.random.random() * (self.visitors.opens - time.monotonic()))
        with suppress(Over, *FAULTS):  # which `_Timed` has counted
            await self._run_workers()

    async def _wait(self, seconds: float) -> None:
        if (task := asyncio.current_task()) in self.reading:
            self.reading.remove(task)
            seconds *= self.random.random()
        waits = seconds / self.speedup if self.visitors.waits is None else self.visitors.waits
        await asyncio.sleep(min(waits, self.visitors.ends - time.monotonic()))
        if time.monotonic() >= self.visitors.ends:
            raise Over


class _Timed(Browser):
    """A browser that takes the time of every request, from before it connects to the last byte."""

    def __init__(self, visitors: Visitors, met: Met) -> None:
        self.visitors, self.met = visitors, met
        keeps = over_http.KEEPALIVE_SECONDS / visitors.speedup
        self.connector = aiohttp.TCPConnector(keepalive_timeout=keeps)
        super().__init__(self.connector, PATIENCE)

    async def __aexit__(self, *fault: Any) -> None:
        await super().__aexit__(*fault)
        await self.connector.close()

    async def send(
        self, method: str, address: str, fields: dict[str, str]
    ) -> tuple[str, str | None]:
        begin = time.monotonic()
        try:
            answer = await super().send(method, address, fields)
        except FAULTS as fault:
            self.met.errors[f"{method} {type(fault).__name__}: {fault}"[:150]] += 1
            raise
        end = time.monotonic()
        if self.visitors.begins <= end < self.visitors.ends:
            is_entry = urlsplit(address).path == f"/study/{self.visitors.slug}/"
            page = "entry" if is_entry else "document"
            self.met.taken[f"{page} {method}"].append((end - begin) * 1000)
            self.met.judgments += page == "document" and fields.get("action") in JUDGING
        return answer
