"""A worker who opens one page again and again, in a process of their own, and how long it takes."""

import http.client
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import NamedTuple

import numpy as np

from bench.site.crowding import go_first

HOST = "127.0.0.1"
PAUSE = 0.04  # seconds between an answer and the next request


class Opened(NamedTuple):
    """When a page was asked for, by the clock that all processes share, and the seconds it took."""

    at: float
    took: float


class Reader:
    """What the worker has met so far."""

    def __init__(self, answers: Connection) -> None:
        self._answers = answers
        self.opened: list[Opened] = []

    def during(self, begin: float, end: float) -> list[float]:
        """The milliseconds of the pages that were asked for in a time."""
        while self._answers.poll():
            self.opened += self._answers.recv()
        return [1000 * page.took for page in self.opened if begin <= page.at < end]


@contextmanager
def reading(port: int, page: str, cookie: str) -> Iterator[Reader]:
    """A worker who opens a page for as long as this lasts."""
    context = get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_read, args=(port, page, cookie, there), daemon=True)
    process.start()
    try:
        yield Reader(here)
    finally:
        process.terminate()
        process.join()


def _read(port: int, page: str, cookie: str, answers: Connection) -> None:
    go_first()
    client = http.client.HTTPConnection(HOST, port)
    headers = {"Cookie": cookie, "Host": "localhost"}
    while True:
        at = time.monotonic()
        client.request("GET", page, headers=headers)
        answer = client.getresponse()
        answer.read()
        if answer.status != http.client.OK:
            raise RuntimeError(f"{page} answers {answer.status}")
        answers.send([Opened(at, time.monotonic() - at)])
        time.sleep(PAUSE)


def high(milliseconds: list[float]) -> tuple[float, float]:
    """Median and 99th percentile."""
    median, highest = np.quantile(milliseconds, [0.5, 0.99])
    return float(median), float(highest)
