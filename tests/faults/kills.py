"""What kills: a thread that ends processes of the site at random times, and sees them come back."""

import http.client
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain

import psycopg2

from tests.faults import victims
from tests.faults.site import Site

PAUSE = (0.5, 3.0)  # seconds from a recovery to the next kill
TOGETHER = 0.25  # the chance that another is killed at once, with no time to recover
AT_ONCE = 0.5  # seconds between those two at most
GIVES_UP = 60.0  # seconds after which nobody waits for a recovery any more
FINDS = 5.0  # seconds in which there should be somebody to kill
LOOKS = 0.05
TICKED = "SELECT EXISTS (SELECT FROM judging_tick WHERE ran_at > to_timestamp(%s))"
Tell = Callable[[str], object]
Look = Callable[[], list[str]]


@dataclass
class Kill:
    """One process killed: when, and how long the site was not whole for it."""

    kind: str
    pid: int
    at: float  # of time.monotonic
    seconds: float | None = None  # None: it did not recover

    @property
    def recovered(self) -> float:
        """When the site was whole again."""
        return self.at + (GIVES_UP if self.seconds is None else self.seconds)


def schedule(seed: int) -> Iterator[str]:
    """Kinds of victims in random order; each comes as often as any other."""
    draw = random.Random(f"{seed} victims")
    while True:
        yield from draw.sample(victims.KINDS, len(victims.KINDS))


class Killer(threading.Thread):
    """Kills until a time, or until it is told to stop.

    entry: a page that asks the database; until: of time.monotonic; look: asks whenever all is
    well again, in the midst of the crowd's work, what is wrong.
    """

    def __init__(
        self, site: Site, entry: str, seed: int, until: float, look: Look, tell: Tell
    ) -> None:
        super().__init__(daemon=True)
        self.site, self.entry, self.until = site, entry, until
        self.look, self.tell = look, tell
        self.wrong: list[str] = []
        self.draw = random.Random(f"{seed} times")
        self.kinds = schedule(seed)
        self.kills: list[Kill] = []
        self.fault: BaseException | None = None
        self.began = time.monotonic()
        self._at_work = threading.Lock()
        self._stopped = threading.Event()

    def run(self) -> None:
        """Kill, wait until all is well, wait a little, and so on."""
        try:
            while not self._stopped.wait(self.draw.uniform(*PAUSE)):
                with self._at_work:
                    if time.monotonic() > self.until:
                        return
                    self._strike()
        except BaseException as fault:
            self.fault = fault

    def stop(self) -> None:
        """Kill nobody any more; returns once the site is whole."""
        self._stopped.set()
        self.join()

    @contextmanager
    def resting(self) -> Iterator[None]:
        """The site is whole, and for as long as this lasts it stays so."""
        with self._at_work:
            yield

    def _strike(self) -> None:
        """Kill one process, or two together, and wait until the site has recovered."""
        struck = [self._kill(next(self.kinds))]
        if self.draw.random() < TOGETHER:
            time.sleep(self.draw.uniform(0, AT_ONCE))
            struck.append(self._kill(next(self.kinds)))
        killed = [kill for kill in struck if kill]
        if not killed:
            return
        gone, last = {kill.pid for kill in killed}, time.time()
        back = self._until(lambda: self._is_well(gone, last), GIVES_UP)
        now = time.monotonic()
        for kill in killed:
            kill.seconds = now - kill.at if back else None
        self.tell(f"{now - self.began:7.1f} s: {'well again' if back else 'NOT WELL'}")
        if back:
            self.wrong += self.look()

    def _kill(self, kind: str) -> Kill | None:
        """Kill one of a kind; None: there was none, as it had not come back yet."""
        found: list[int] = []

        def is_there() -> bool:
            found[:] = victims.find(self.site)[kind]
            return bool(found)

        if not self._until(is_there, FINDS):
            return None
        kill = Kill(kind, self.draw.choice(found), time.monotonic())
        with suppress(ProcessLookupError):
            os.kill(kill.pid, signal.SIGKILL)
        self.tell(f"{kill.at - self.began:7.1f} s: killed {kind} {kill.pid}")
        self.kills.append(kill)
        return kill

    def _is_well(self, gone: set[int], since: float) -> bool:
        """Whether every part is there, pages are served, and work was done since."""
        found = victims.find(self.site)
        is_whole = victims.is_whole(found) and not gone.intersection(chain(*found.values()))
        return is_whole and self._page_comes() and self._ticked(since)

    def _page_comes(self) -> bool:
        client = http.client.HTTPConnection("localhost", self.site.port, timeout=5)
        try:
            client.request("GET", self.entry)
            return client.getresponse().status == http.client.OK
        except (OSError, http.client.HTTPException):
            return False
        finally:
            client.close()

    def _ticked(self, since: float) -> bool:
        """Whether the clock has called and a worker has come: that takes Valkey as well."""
        try:
            connection = psycopg2.connect(**self.site.database, connect_timeout=3)
        except psycopg2.Error:
            return False
        try:
            with connection.cursor() as cursor:
                cursor.execute(TICKED, [since])
                return bool(cursor.fetchone()[0])
        except psycopg2.Error:
            return False
        finally:
            connection.close()

    def _until(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Wait for it; whether it came about in that time."""
        ends = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > ends:
                return False
            time.sleep(LOOKS)
        return True
