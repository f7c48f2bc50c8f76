"""Web processes are replaced behind Debian's Caddy as docs/operations/upgrades.md says."""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx

from tests.config.compose import free_ports
from tests.config.helpers import until

from .recorder import Recorder, recorder
from .servers import Proxy, proxy

PATIENCE = 30
DRAINS = 5  # seconds; the proxy asks every two whether it is ready
NAMED = "judgments.example.org"  # the site


@contextmanager
def asking(front: Proxy) -> Iterator[Counter[int | str]]:
    """Somebody asks for a page all the time; how often which status came."""
    got: Counter[int | str] = Counter()
    goes_on = True

    def ask() -> None:
        with front.client() as client:
            while goes_on:
                try:
                    got[client.get("/page").status_code] += 1
                except httpx.HTTPError as error:
                    got[type(error).__name__] += 1
                time.sleep(0.02)

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield got
    finally:
        goes_on = False
        thread.join(PATIENCE)


def asked_of(*webs: Recorder) -> None:
    """Wait until each of them was asked for something more."""
    had = [len(web.seen) for web in webs]
    until(lambda: all(len(web.seen) > was for web, was in zip(webs, had, strict=True)), PATIENCE)


def test_both_serve_and_nobody_notices_that_one_ends(tmp_path: Path) -> None:
    """As two that always run, and as a web process and the one that stands in for it."""
    ports = free_ports(2)
    with ExitStack() as stack:
        webs = [stack.enter_context(recorder(port)) for port in ports]
        front = stack.enter_context(proxy(tmp_path, ports))
        with asking(front) as got:
            asked_of(*webs)
            for leaves, stays in (webs, webs[::-1]):
                leaves.ready = False
                time.sleep(DRAINS)
                before = len(leaves.seen)
                asked_of(stays)
                assert len(leaves.seen) == before
                leaves.ready = True
                asked_of(*webs)
    assert got.keys() == {200}


def test_one_stands_in_for_the_other(tmp_path: Path) -> None:
    port, beside = free_ports(2)
    with ExitStack() as stack:
        old = stack.enter_context(ExitStack())
        web = old.enter_context(recorder(port))
        front = stack.enter_context(proxy(tmp_path, [port]))
        with asking(front) as got:
            asked_of(web)
            with recorder(beside) as stands_in:
                front.lead([port, beside])
                asked_of(web, stands_in)
                web.ready = False
                time.sleep(DRAINS)
                old.close()
                asked_of(stands_in)
                web = stack.enter_context(recorder(port))
                asked_of(web)
                front.lead([port])
                before = len(stands_in.seen)
                asked_of(web)
                assert len(stands_in.seen) <= before + 1  # what was under way
            asked_of(web)
    assert got.keys() == {200}


def test_release_0_1_is_asked_by_the_name_of_the_site(tmp_path: Path) -> None:
    """It refuses a check by any other name, and then nobody is let through."""
    (port,) = free_ports(1)
    with recorder(port) as web:
        web.called = NAMED
        wrong = {"READINESS": "/health/", "HOST_OF_CHECKS": "localhost"}
        with proxy(tmp_path / "wrong", [port], **wrong) as front, front.client() as client:
            until(lambda: client.get("/page").status_code == 503, PATIENCE)
        right = wrong | {"HOST_OF_CHECKS": NAMED}
        with proxy(tmp_path / "right", [port], **right) as front, front.client() as client:
            until(lambda: client.get("/page").status_code == 200, PATIENCE)
