"""Windows in which nothing may run, and somebody who notices whoever calls."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Dialog, Page

from tests.browser.conftest import Site, Visits
from tests.browser.hostile.canary import Canary, listening

TELL_VIOLATIONS = """document.addEventListener("securitypolicyviolation", event =>
    violated(`${event.effectiveDirective} ${event.blockedURI}`))"""


@pytest.fixture(scope="package")
def canary() -> Iterator[Canary]:
    with listening() as server:
        yield server


class Guarded(Visits):
    """Windows of which everything that happens in them is noted, as is what was stopped."""

    def __call__(self, **options: Any) -> Page:
        page = super().__call__(**options)
        watch(page.context, lambda number: self.complaints.append(f"payload {number} ran"))
        page.context.expose_binding(
            "violated", lambda _, what: self.complaints.append(f"only the policy stopped {what}")
        )
        page.context.add_init_script(TELL_VIOLATIONS)
        page.context.on("dialog", self._dialog)
        return page

    def _dialog(self, dialog: Dialog) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()


def watch(context: BrowserContext, ran: Callable[[int], object]) -> None:
    """Be told the number of each payload that runs, in whatever frame of the windows."""
    context.expose_binding("canary", lambda _, number: ran(int(number)))


@contextmanager
def nothing_happens(browser: Browser, site: Site, canary: Canary) -> Iterator[Guarded]:
    """Windows in which nothing ran, and from which nobody was called."""
    guarded, before = Guarded(browser, site), canary.connections
    try:
        yield guarded
    finally:
        for context in guarded.contexts:
            context.close()
    assert guarded.complaints == []
    assert canary.connections == before, canary.paths


@pytest.fixture
def guarded(browser: Browser, site: Site, canary: Canary) -> Iterator[Guarded]:
    with nothing_happens(browser, site, canary) as windows:
        yield windows
