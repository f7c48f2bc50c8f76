"""What a fault is: how it begins and ends, what it excuses, and what health says meanwhile.

Each module of a family (`families.FAMILIES`) has KINDS: by the name of a kind, what makes a fault
of it; and may have `why_not(site)`: why none is possible here, in words; empty if they are.
"""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from tests.faults.site import Site

GIVES_UP = 90.0  # seconds after which nobody waits for a recovery any more
AGAIN = 0.05  # seconds until what was given back meanwhile is taken as well


class Lacking(Exception):
    """What was asked for is not possible here."""


@dataclass
class Strike:
    """A fault that befell the site; moments are those of time.monotonic."""

    kind: str
    what: str  # in words: which process, which file
    at: float
    ended: float | None = None  # when its cause was taken away; None: it still is there
    seconds: float | None = None  # from `at` until all was well again; None: it never was
    excuses: list[str] = field(default_factory=list)  # kinds of Trouble that it may bring
    ready: bool | None = None  # what /readyz must have said meanwhile; None: either
    told_by: list[str] = field(default_factory=list)  # parts of /status, one of which told of it
    hangs: bool = False  # no answer may have come meanwhile
    amiss: str = ""  # what was not well when it was given up

    @property
    def recovered(self) -> float:
        return self.at + (GIVES_UP if self.seconds is None else self.seconds)


class Fault(ABC):
    """One fault, made for one occasion. A subclass says how it begins and how it ends.

    lasts: seconds, from and to, of which a number is drawn. It lasts longer until health has told
        of it, if that is to be told.
    excuses: "cut" if connections may break meanwhile, "error" if pages may say that the site is
        not available just now, "slow" if an answer may take longer than any should.
    ready: what /readyz has to say at least once (False), or all the time (True); None: either.
    told_by: parts of /status, one of which must say that it is not well.
    hangs: whether a request may get no answer at all while it lasts, a probe's as well.
    """

    lasts: tuple[float, float] = (0.0, 0.0)
    excuses: tuple[str, ...] = ()
    ready: bool | None = None
    told_by: tuple[str, ...] = ()
    hangs = False

    def __init__(self, site: Site, draw: Random) -> None:
        self.site, self.draw = site, draw
        self.gone: set[int] = set()  # processes that must not be there when all is well again

    @abstractmethod
    def begin(self) -> str:
        """Let it happen; what was struck, in words. Empty: there is nothing that it could strike"""

    def end(self) -> None:  # noqa: B027 - a kill has none
        """Take its cause away, if it has one that can be."""


class Taking(Fault):
    """Takes all there is of something, also what the site gives back meanwhile."""

    lasts = 3.0, 8.0
    ready = False
    excuses = ("error",)

    def begin(self) -> str:
        what = self.take()
        self._ends = threading.Event()
        self._again = threading.Thread(target=self._take_again, daemon=True)
        self._again.start()
        return what

    def end(self) -> None:
        self._ends.set()
        self._again.join()
        self.give_back()

    @abstractmethod
    def take(self) -> str:
        """Take what there is now; how much is taken by then, in words."""

    @abstractmethod
    def give_back(self) -> None:
        """Give back what was taken."""

    def _take_again(self) -> None:
        while not self._ends.wait(AGAIN):
            self.take()


Make = Callable[[Site, Random], Fault]
