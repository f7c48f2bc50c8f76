"""Processes that are killed, each by itself or two at once."""

import os
import random
import signal
from contextlib import suppress
from functools import partial

from tests.faults import victims
from tests.faults.fault import Fault, Make
from tests.faults.site import Site

EXCUSES = {
    "postgres": ("error",),
    "backend": ("error",),
    "web": ("cut",),
    "web worker": ("cut",),
}


class Kill(Fault):
    """One process of a kind is killed."""

    def __init__(self, victim: str, site: Site, draw: random.Random) -> None:
        super().__init__(site, draw)
        self.victim = victim
        self.excuses = EXCUSES.get(victim, ())

    def begin(self) -> str:
        """Kill one, unless there is none because it has not come back yet."""
        found = victims.wait_for(self.site, self.victim)
        if not found:
            return ""
        pid = self.draw.choice(found)
        self.gone.add(pid)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        return f"{self.victim} {pid}"


KINDS: dict[str, Make] = {f"kill {victim}": partial(Kill, victim) for victim in victims.KINDS}
