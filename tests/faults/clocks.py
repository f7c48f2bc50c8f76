"""Clocks that jump forth, and back again, under processes that run.

PostgreSQL's clock rules what belongs to the protocol: visits, deadlines, ticks, leases. Where it
jumps by more than a minute, the next tick moves what is under way with it, so that nobody's unit
expires by the jump. The clock of a web process rules log-ins. How long a process waits, none does.
"""

from functools import partial
from random import Random

from tests.faults import victims
from tests.faults.fault import Fault, Make
from tests.faults.site import Site

APART = 5  # seconds by which clocks may differ until /status says so
JUMPS = (-86_400, -3_600, -600, -20, 20, 600, 3_600, 86_400)


class Jump(Fault):
    """The clock of some parts is another for a while."""

    lasts = 3.0, 8.0
    ready = True

    def __init__(self, parts: tuple[str, ...], site: Site, draw: Random) -> None:
        super().__init__(site, draw)
        self.parts = parts
        if set(parts) & {"web", "postgres"}:
            self.told_by = ("clock",)

    def begin(self) -> str:
        """Set it; with no parts that of all processes."""
        assert self.site.clocks
        seconds = self.draw.choice(JUMPS)
        if not self.parts:
            self.site.clocks.set(seconds)
            return f"{seconds:+} s"
        found = victims.find(self.site)
        of_parts = [pid for part in self.parts for pid in found[part]]
        self.site.clocks.set(some=dict.fromkeys(of_parts, seconds))
        return f"{', '.join(self.parts)} {seconds:+} s" if of_parts else ""

    def end(self) -> None:
        assert self.site.clocks
        self.site.clocks.set()


def why_not(site: Site) -> str:
    """Whether the site was started with clocks that can be set."""
    return "" if site.clocks else "no C compiler (cc) was found, to make a clock that can be set"


KINDS: dict[str, Make] = {
    "clock of web": partial(Jump, ("web",)),
    "clock of workers": partial(Jump, ("io", "compute")),
    "clock of postgres": partial(Jump, ("postgres",)),
    "clock of valkey": partial(Jump, ("valkey",)),
    "clock of everything": partial(Jump, ()),
}
