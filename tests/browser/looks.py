"""What is wrong with a page: by axe-core, by day and night, large and small."""

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.conftest import DESKTOP
from tests.browser.worker import SMALL

axe = Axe()
FINGER = 44  # pixels
TARGETS = "button, summary, .button, .to-help, .option, input:not([type=radio]), textarea"
LATER_ROWS = "tbody tr:nth-child(n+4)"


def faults(page: Page, *rules: str) -> list[str]:
    """What axe-core finds on the page, by all its rules or by some."""
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = list(rules)
    violations = axe.run(page, options=options).response["violations"]
    return [
        f"{page.url}: {fault['id']}: {node['html']} {node['failureSummary']}"
        for fault in violations
        for node in fault["nodes"]
    ]


def look(page: Page) -> None:
    """Find nothing wrong by day and night at a desk, and on the narrowest phone."""
    wrong = by_day_and_night(page)
    page.set_viewport_size(SMALL)
    wrong += faults(page) + narrow(page, "body")
    page.set_viewport_size(DESKTOP)
    assert wrong == []


def look_at_results(page: Page) -> None:
    """The same of a researcher's page, with all details open and long tables.

    Its parts are the same on every screen, and rows of a table are alike: axe-core, which takes a
    while for each cell, sees the first rows, and on the phone looks for what a width can break.
    """
    for details in page.locator("details").all():
        details.evaluate("d => { d.open = true }")
    page.set_viewport_size(SMALL)
    wrong = faults(page, "scrollable-region-focusable") + narrow(page, "main")
    page.set_viewport_size(DESKTOP)
    page.evaluate(f"document.querySelectorAll('{LATER_ROWS}').forEach(row => row.remove())")
    assert wrong + by_day_and_night(page) == []


def by_day_and_night(page: Page) -> list[str]:
    """What axe-core finds by day, and of colours by night."""
    wrong = faults(page)
    page.emulate_media(color_scheme="dark")
    wrong += faults(page, "color-contrast")
    page.emulate_media(color_scheme="light")
    return wrong


def narrow(page: Page, within: str) -> list[str]:
    """What does not fit on the phone: the page's width, and what can be pressed in a part of it."""
    wrong = [f"{page.url}: {target}" for target in too_small(page, within)]
    width = page.evaluate("document.documentElement.scrollWidth")
    if width > SMALL["width"]:
        wrong.append(f"{page.url}: {width} pixels wide on a screen of {SMALL['width']}")
    return wrong


def too_small(page: Page, within: str) -> list[str]:
    """Whatever can be pressed there, and is lower than a finger.

    Measured where it is looked for, as pages that update by themselves replace their parts.
    """
    return page.locator(within).evaluate(
        f"""part => [...part.querySelectorAll(`{TARGETS}`)]
        .filter(one => one.matches(".option") || one.checkVisibility())
        .map(one => [one.outerHTML, one.getBoundingClientRect().height])
        .filter(([_, height]) => height < {FINGER})
        .map(([html, height]) => `${{html}} is ${{height}} high`)"""
    )
