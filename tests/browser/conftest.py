"""A real server on a database of its own, and a real browser to visit it with."""

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Page,
    StorageState,
    expect,
    sync_playwright,
)

from tests.browser.studies import PASSWORD, RESEARCHER
from tests.browser.worker import Person
from tests.setup_browser import HELP, NAMES, find_browser

ROOT = Path(__file__).parents[2]
DESKTOP = {"width": 1280, "height": 900}
START_SECONDS = 60
PATIENCE = 15_000  # milliseconds that a window has for anything: a busy machine is slow


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


class Site:
    """The web server, as a process that can be killed and started again."""

    def __init__(self, var_dir: Path) -> None:
        with socket.socket() as free, socket.socket() as of_model:
            free.bind(("127.0.0.1", 0))
            of_model.bind(("127.0.0.1", 0))
            self.port, self.model_port = free.getsockname()[1], of_model.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = var_dir / "web.log"
        unset = ("DATABASE_URL", "REDIS_URL", "ALLOWED_HOSTS", "DEBUG", "HTTPS", "PYTHONWARNINGS")
        self.environment = {k: v for k, v in os.environ.items() if k not in unset}
        self.environment |= {
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "SECRET_KEY": "for tests in a browser",
            "VAR_DIR": str(var_dir / "var"),
            "MODEL_ENDPOINTS": f"double=http://127.0.0.1:{self.model_port}/v1",
        }

    @cached_property
    def _backstage(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "tests.browser.backstage"],
            cwd=ROOT,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def call(self, function: str, *arguments: str) -> None:
        """Have a function of tests/browser, by module and name, called next to the server."""
        backstage = self._backstage
        assert backstage.stdin
        assert backstage.stdout
        print(json.dumps([function, *arguments]), file=backstage.stdin, flush=True)
        assert backstage.stdout.readline(), f"{function} failed"

    def start(self, address: str = "/study/lamps/") -> None:
        """Start it, and wait until it answers at an address."""
        gunicorn = ["-m", "gunicorn", "--config", "config/gunicorn.py", "config.wsgi"]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, *gunicorn, "--bind", f"127.0.0.1:{self.port}"],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        deadline = time.monotonic() + START_SECONDS
        while not self._answers(address):
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.05)

    def _answers(self, address: str) -> bool:
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            client.request("GET", address)
            return client.getresponse().status == http.client.OK
        except OSError:
            return False
        finally:
            client.close()

    def kill(self) -> None:
        """As a crash would: no process of it has time for anything."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(20)
        finally:
            if self.process.poll() is None:
                self.kill()

    def end(self) -> None:
        """Let go of the database, which stops when nobody uses it."""
        self._backstage.communicate(timeout=60)


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The server, with the studies of tests/browser/studies.py."""
    folder = tmp_path_factory.mktemp("site")
    site = Site(folder)
    try:
        site.call("studies.make_all")
        site.start()
        yield site
        site.stop()
    finally:
        site.end()
        shutil.rmtree(folder / "var", ignore_errors=True)


@pytest.fixture(scope="package")
def analysed(site: Site) -> None:
    """A study whose results are looked at, all of them computed."""
    site.call("analysed.make")


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Only for as long as the tests of this folder run: Playwright's loop is in Django's way."""
    program = find_browser()
    if program is None:
        pytest.fail(HELP.format(names=", ".join(NAMES)), pytrace=False)
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-background-networking"]
        )
        yield browser
        browser.close()


# For a window in which every five seconds are over after one.
SOON = "setInterval = (real => (call, wait) => real(call, wait / 5))(setInterval)"


class Visits:
    """Opens windows, and notes what no page may do."""

    def __init__(self, browser: Browser, site: Site) -> None:
        self.browser = browser
        self.site = site
        self.complaints: list[str] = []
        self.contexts: list[BrowserContext] = []

    def __call__(self, **options: Any) -> Page:
        """A page in a browser of its own: somebody new."""
        context = self.browser.new_context(
            **{"base_url": self.site.url, "viewport": DESKTOP, **options}
        )
        context.set_default_timeout(PATIENCE)
        context.on("request", lambda request: self._request(request.url))
        context.on("console", lambda message: self._console(message.type, message.text))
        context.on("weberror", lambda fault: self.complaints.append(str(fault.error)))
        self.contexts.append(context)
        return context.new_page()

    def _request(self, url: str) -> None:
        host = urlsplit(url).netloc
        if host and host != urlsplit(self.site.url).netloc:
            self.complaints.append(f"asked another host: {url}")

    def _console(self, kind: str, text: str) -> None:
        # Chromium reports every answer from 400 up, and every lost connection, as an error.
        if kind in ("error", "warning") and not text.startswith("Failed to load resource"):
            self.complaints.append(f"console: {text}")


@pytest.fixture
def visit(browser: Browser, site: Site) -> Iterator[Visits]:
    """Opens windows; whatever they did, they asked no other host and broke no policy."""
    visits = Visits(browser, site)
    yield visits
    for context in visits.contexts:
        context.close()
    assert visits.complaints == []


@pytest.fixture
def somebody(visit: Visits) -> Callable[..., Person]:
    def come(slug: str = "lamps", **options: Any) -> Person:
        person = Person(visit(**options), slug)
        person.enter()
        return person

    return come


@pytest.fixture
def person(somebody: Callable[..., Person]) -> Person:
    return somebody()


@pytest.fixture(scope="package")
def logged_in(site: Site, browser: Browser) -> StorageState:
    """The cookies of a researcher, who logs in once for all tests."""
    with browser.new_context(base_url=site.url) as context:
        page = context.new_page()
        page.goto("/login/?next=/studies/")
        page.get_by_label("User name").fill(RESEARCHER)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
        page.wait_for_url("**/studies/")
        return context.storage_state()


@pytest.fixture
def desk(visit: Visits, logged_in: StorageState) -> Callable[..., Page]:
    def open_window(address: str, script: str = "", **options: Any) -> Page:
        page = visit(reduced_motion="reduce", storage_state=logged_in, **options)
        page.add_init_script(script)
        page.goto(address)
        return page

    return open_window
