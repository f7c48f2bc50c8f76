"""Processes that are killed, each by itself or two at once; and one that nobody starts again.

What is started again at once is back before health has to know: what it says is some seconds old.
"""

import os
import random
import signal
from contextlib import suppress
from functools import partial

from tests.faults import victims
from tests.faults.fault import Fault, Make
from tests.faults.site import Site
from tests.faults.stops import SHORT, send

EXCUSES = {
    "postgres": ("error",),
    "backend": ("error",),
    "web": ("cut",),  # nobody listens until the next one does
    "supervisord": ("cut",),
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


class WorkerGone(Kill):
    """supervisord stands still meanwhile, so that it does not come back before the end."""

    lasts = SHORT
    ready = True
    told_by = ("workers",)

    def begin(self) -> str:
        self.stopped = victims.wait_for(self.site, "supervisord")
        send(signal.SIGSTOP, self.stopped)
        try:
            what = super().begin()
        except BaseException:
            self.end()
            raise
        if not what:
            self.end()
        return what

    def end(self) -> None:
        send(signal.SIGCONT, self.stopped)


BRIEF: dict[str, Make] = {f"kill {victim}": partial(Kill, victim) for victim in victims.KINDS}
KINDS: dict[str, Make] = BRIEF | {"kill compute for long": partial(WorkerGone, "compute")}
