"""All of PostgreSQL's connections are taken by somebody else."""

from contextlib import suppress
from random import Random

import psycopg2

from tests.faults.fault import Make
from tests.faults.site import Site
from tests.faults.taking import Taking

MOST = 1000  # nobody allows more


class UsedUp(Taking):
    """Who has a connection keeps it; nobody gets another."""

    lasts = 3.0, 8.0
    ready = False
    told_by = ("database", "connections")
    excuses = ("error",)

    def __init__(self, site: Site, draw: Random) -> None:
        super().__init__(site, draw)
        self.held: list[psycopg2.extensions.connection] = []

    def take(self) -> str:
        """Connect until nobody is let in any more."""
        with suppress(psycopg2.OperationalError):
            while len(self.held) < MOST:
                self.held.append(psycopg2.connect(**self.site.database, connect_timeout=3))
        return f"{len(self.held)} connections"

    def give_back(self) -> None:
        """Close them."""
        while self.held:
            self.held.pop().close()


KINDS: dict[str, Make] = {"connections used up": UsedUp}
