"""A site that is measured: its annotators, and what its processes use."""

import socket
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain

import psutil

from bench.peers.annotators import Annotator
from bench.site.processes import memory, seconds

HOST, START_SECONDS = "127.0.0.1", 120.0


@dataclass(frozen=True)
class Peer:
    """arrive: so many annotators who are at their first document; processes: all, by part."""

    name: str
    arrive: Callable[[int], list[Annotator]]
    processes: Callable[[], dict[str, list[psutil.Process]]]

    def used(self) -> dict[str, float]:
        """Seconds of processor so far, by part."""
        return {part: sum(map(seconds, some)) for part, some in self.processes().items()}

    def memory(self) -> float:
        """MiB, with what several processes share counted once."""
        return memory(chain(*self.processes().values()))


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind((HOST, 0))
        return int(listener.getsockname()[1])


def wait_for(address: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        with suppress(urllib.error.URLError, ConnectionError), urllib.request.urlopen(address):
            return
        time.sleep(0.1)
    raise RuntimeError(f"{address} does not answer")
