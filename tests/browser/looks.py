"""What is wrong with a page: by axe-core, by day and night, large and small."""

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.conftest import DESKTOP
from tests.browser.worker import SMALL

axe = Axe()
FINGER = 44  # pixels
TARGETS = "button, summary, .button, .to-help, .option, input:not([type=radio]), textarea"
# Pages of results are the same on every screen: the rules that a width can break.
OF_WIDTH = ("scrollable-region-focusable",)


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


def look(page: Page, within: str = "body", *, when_small: tuple[str, ...] = ()) -> None:
    """Find nothing wrong by day and night at a desk, and on the narrowest phone.

    within: the part in which whatever can be pressed is as high as a finger. when_small: axe-core's
    rules on the phone, all if none are named.
    """
    wrong = faults(page)
    page.emulate_media(color_scheme="dark")
    wrong += faults(page, "color-contrast")
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(SMALL)
    wrong += faults(page, *when_small)
    width = page.evaluate("document.documentElement.scrollWidth")
    if width > SMALL["width"]:
        wrong.append(f"{page.url}: {width} pixels wide on a screen of {SMALL['width']}")
    wrong += [f"{page.url}: {target}" for target in too_small(page, within)]
    page.set_viewport_size(DESKTOP)
    assert wrong == []


def look_at_results(page: Page) -> None:
    """The same of a page of results, open to the last details."""
    for details in page.locator("details").all():
        details.evaluate("d => { d.open = true }")
    look(page, "main", when_small=OF_WIDTH)


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
