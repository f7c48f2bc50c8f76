"""Valkey has no memory left, or forgets everything."""

from collections.abc import Iterator
from contextlib import contextmanager

from redis import Redis

from tests.faults.fault import Fault, Make

SECONDS = 5.0


class Redisless(Fault):
    """Workers' pages need none of it, and ticks find the work again."""

    ready = True

    @contextmanager
    def client(self) -> Iterator[Redis]:
        """A client of its own."""
        place = str(self.site.sockets / "valkey")
        with Redis(unix_socket_path=place, socket_timeout=SECONDS) as client:
            yield client


class OutOfMemory(Redisless):
    """It takes nothing that is written."""

    lasts = 3.0, 8.0
    told_by = ("redis",)

    def begin(self) -> str:
        """Leave it a byte."""
        with self.client() as client:
            client.config_set("maxmemory-policy", "noeviction")
            client.config_set("maxmemory", 1)
        return "maxmemory 1"

    def end(self) -> None:
        """Give it all it wants."""
        with self.client() as client:
            client.config_set("maxmemory", 0)


class Flushed(Redisless):
    """All tasks that wait are forgotten, and those that are being done."""

    def begin(self) -> str:
        """Forget."""
        with self.client() as client:
            client.flushall()
        return "FLUSHALL"


KINDS: dict[str, Make] = {"redis out of memory": OutOfMemory, "redis flushed": Flushed}
