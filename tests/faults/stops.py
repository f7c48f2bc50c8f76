"""Processes that stand still for a while (SIGSTOP) and go on as if nothing had been."""

import os
import signal
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from random import Random

from tests.faults import victims
from tests.faults.fault import Fault, Make
from tests.faults.site import Site

SHORT = 3.0, 8.0
LONGER_THAN_A_LEASE = 22.0, 28.0  # web.background.leases
LONGER_THAN_GUNICORN_WAITS = 33.0, 37.0
UNTIL_TICKS_ARE_LATE = 34.0, 40.0


class Stop(Fault):
    """One process of a kind stands still, or with its children."""

    ready = True
    with_children = False

    def __init__(self, victim: str, site: Site, draw: Random) -> None:
        super().__init__(site, draw)
        self.victim, self.lasts = victim, SHORT
        self.stopped: list[int] = []

    def begin(self) -> str:
        found = victims.wait_for(self.site, self.victim)
        if not found:
            return ""
        pid = self.draw.choice(found)
        self.stopped = [pid]
        send(signal.SIGSTOP, self.stopped)
        if self.with_children:  # after it, so that it has no more of them meanwhile
            children = [one.pid for one in victims.processes() if one.parent == pid]
            send(signal.SIGSTOP, children)
            self.stopped += children
        return f"{self.victim} {pid}"

    def end(self) -> None:
        send(signal.SIGCONT, self.stopped)


def send(number: signal.Signals, pids: Iterable[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


class StoppedWebWorker(Stop):
    """The other one serves. Who has a connection to this one waits, and it may be a probe.

    What this one has locked stays so. Who waits for that is told after 5 s (lock_timeout) that the
    site is not available.
    """

    ready = None
    hangs = True
    excuses = ("slow", "error")


class LongStoppedWebWorker(StoppedWebWorker):
    """Gunicorn ends it after 30 s without a sign of life, and starts another."""

    excuses = ("slow", "cut", "error")

    def begin(self) -> str:
        what = super().begin()
        self.gone.update(self.stopped)
        return what


class StoppedPostgres(Stop):
    """All of PostgreSQL. Requests that ask it wait until it goes on; health does not."""

    ready = False
    told_by = ("database",)
    excuses = ("error", "slow")
    with_children = True


class StoppedPostmaster(Stop):
    """Nobody can connect anew; connections that are kept go on."""

    ready = False
    told_by = ("database",)
    excuses = ("error",)


class StoppedBackend(Stop):
    """One connection. It may hold a lock that others wait for."""

    ready = None
    excuses = ("error",)


def _told(part: str, victim: str, site: Site, draw: Random) -> Stop:
    fault = Stop(victim, site, draw)
    fault.told_by = (part,)
    return fault


def _long(make: Make, lasts: tuple[float, float], site: Site, draw: Random) -> Fault:
    fault = make(site, draw)
    fault.lasts = lasts
    return fault


def _late_clock(site: Site, draw: Random) -> Fault:
    return _long(partial(_told, "expiry", "io"), UNTIL_TICKS_ARE_LATE, site, draw)


KINDS: dict[str, Make] = {
    "stop web": partial(Stop, "web"),
    "stop web worker": partial(StoppedWebWorker, "web worker"),
    "stop web worker for long": partial(
        _long, partial(LongStoppedWebWorker, "web worker"), LONGER_THAN_GUNICORN_WAITS
    ),
    "stop compute": partial(_told, "workers", "compute"),
    "stop compute child": partial(_long, partial(Stop, "compute child"), LONGER_THAN_A_LEASE),
    "stop io": partial(_told, "workers", "io"),
    "stop io for long": _late_clock,
    "stop valkey": partial(_told, "redis", "valkey"),
    "stop postgres": partial(StoppedPostgres, "postgres"),
    "stop postgres for long": partial(
        _long, partial(StoppedPostgres, "postgres"), LONGER_THAN_A_LEASE
    ),
    "stop postmaster": partial(StoppedPostmaster, "postgres"),
    "stop backend": partial(StoppedBackend, "backend"),
}
