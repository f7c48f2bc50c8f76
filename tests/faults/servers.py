"""PostgreSQL has no connection left; Valkey has no memory left, or forgets everything."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from random import Random

import psycopg2
from redis import Redis

from tests.faults.fault import Fault, Make, Taking
from tests.faults.site import Site

MOST = 1000  # connections; nobody allows more
SECONDS = 5.0


class UsedUp(Taking):
    """Who has a connection keeps it; nobody gets another."""

    told_by = ("database", "connections")

    def __init__(self, site: Site, draw: Random) -> None:
        super().__init__(site, draw)
        self.held: list[psycopg2.extensions.connection] = []

    def take(self) -> str:
        with suppress(psycopg2.OperationalError):
            while len(self.held) < MOST:
                self.held.append(psycopg2.connect(**self.site.database, connect_timeout=3))
        return f"{len(self.held)} connections"

    def give_back(self) -> None:
        while self.held:
            self.held.pop().close()


class Redisless(Fault):
    """Workers' pages need none of it, and ticks find the work again."""

    ready = True

    @contextmanager
    def client(self) -> Iterator[Redis]:
        place = str(self.site.sockets / "valkey")
        with Redis(unix_socket_path=place, socket_timeout=SECONDS) as client:
            yield client


class OutOfMemory(Redisless):
    """It takes nothing that is written."""

    lasts = 3.0, 8.0
    told_by = ("redis",)

    def begin(self) -> str:
        with self.client() as client:
            client.config_set("maxmemory-policy", "noeviction")
            client.config_set("maxmemory", 1)
        return "maxmemory 1"

    def end(self) -> None:
        with self.client() as client:
            client.config_set("maxmemory", 0)


class Flushed(Redisless):
    """All tasks that wait are forgotten, and those that are being done."""

    def begin(self) -> str:
        with self.client() as client:
            client.flushall()
        return "FLUSHALL"


KINDS: dict[str, Make] = {
    "connections used up": UsedUp,
    "redis out of memory": OutOfMemory,
    "redis flushed": Flushed,
}
