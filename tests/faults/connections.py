"""All of PostgreSQL's connections are taken by somebody else."""

import threading
from random import Random

import psycopg2

from tests.faults.fault import Fault, Make
from tests.faults.site import Site

MOST = 1000  # nobody allows more
AGAIN = 0.05  # seconds from being refused to the next try


class UsedUp(Fault):
    """Who has a connection keeps it; nobody gets another, nor one that somebody gives back."""

    lasts = 3.0, 8.0
    ready = False
    told_by = ("database", "connections")
    excuses = ("error",)

    def __init__(self, site: Site, draw: Random) -> None:
        super().__init__(site, draw)
        self.held: list[psycopg2.extensions.connection] = []
        self._ends = threading.Event()
        self._taking = threading.Thread(target=self._take_what_is_given_back, daemon=True)

    def begin(self) -> str:
        """Connect until nobody is let in any more, and go on with it."""
        while self._take():
            pass
        self._taking.start()
        return f"{len(self.held)} connections"

    def end(self) -> None:
        """Close them."""
        self._ends.set()
        self._taking.join()
        while self.held:
            self.held.pop().close()

    def _take_what_is_given_back(self) -> None:
        while not self._ends.wait(AGAIN):
            self._take()

    def _take(self) -> bool:
        """One more; whether there was one."""
        if len(self.held) >= MOST:
            return False
        try:
            self.held.append(psycopg2.connect(**self.site.database, connect_timeout=3))
        except psycopg2.OperationalError:
            return False
        return True


KINDS: dict[str, Make] = {"connections used up": UsedUp}
