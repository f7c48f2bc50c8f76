"""What is wrong with a page: by axe-core, by day and night, large and small."""

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.conftest import DESKTOP
from tests.browser.worker import SMALL

axe = Axe()
NO_COLOURS = {"color-contrast": {"enabled": False}}
FINGER = 44  # pixels
# A word that explains itself stands in a sentence, like a link.
TARGETS = (
    "button:not(.term), summary, .button, .to-help, .option, .tick, textarea, "
    "input:not([type=radio], [type=checkbox])"
)
SETTLED = "() => Promise.allSettled(document.getAnimations().map(({finished}) => finished))"
LATER_ROWS = "tbody tr:nth-child(n+3)"
LATER_MARKS = "svg :is(path, line, text, rect, circle):nth-child(n+4)"
# Cells are of one kind if tags and classes in and around them are the same.
EMPTY_LATER_CELLS = """() => {
    const named = (one) => `${one.tagName}.${one.className}`;
    const around = (one) => one ? `${around(one.parentElement)} ${named(one)}` : "";
    const seen = {};
    for (const cell of document.querySelectorAll("th, td")) {
        const kind = [around(cell), ...[...cell.querySelectorAll("*")].map(named)].join();
        seen[kind] = (seen[kind] || 0) + 1;
        if (seen[kind] > 5) cell.replaceChildren();
    }
}"""


def faults(page: Page, **options: Any) -> list[str]:
    """What axe-core finds on the page, by all its rules or by those that its options name."""
    # A page that is only just coming has a window, but no document yet or no longer. What is asked
    # again must be a function: the pages' own policy forbids to evaluate a text a second time.
    page.wait_for_function("() => document?.readyState === 'complete'")
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe.axe_script)
    options["resultTypes"] = ["violations"]
    violations = page.evaluate("options => axe.run(options)", options)["violations"]
    return [
        f"{page.url}: {fault['id']}: {node['html']} {node['failureSummary']}"
        for fault in violations
        for node in fault["nodes"]
    ]


def look(page: Page) -> None:
    assert not (wrong := wrong_with(page)), wrong


def wrong_with(page: Page) -> list[str]:
    """What is wrong by day and night at a desk, and on the narrowest phone: same colours."""
    wrong = faults(page) + at_night(page)
    page.set_viewport_size(SMALL)
    wrong += faults(page, rules=NO_COLOURS) + narrow(page, "body")
    page.set_viewport_size(DESKTOP)
    return wrong


def look_at_results(page: Page) -> None:
    assert not (wrong := wrong_with_results(page)), wrong


def wrong_with_results(page: Page) -> list[str]:
    """The same of a researcher's page, with all details open and long tables.

    Its parts are the same on every screen, and rows of a table are alike, as are a plot's marks of
    one kind: axe-core, which takes a while for each cell and mark, sees the first ones, and on the
    phone looks for what a width can break. Of colours it sees some cells of each kind.
    """
    page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true })")
    page.set_viewport_size(SMALL)
    wrong = faults(page, runOnly=["scrollable-region-focusable"]) + narrow(page, "main")
    page.set_viewport_size(DESKTOP)
    page.locator(f"{LATER_ROWS}, {LATER_MARKS}").evaluate_all(
        "all => all.forEach(one => one.remove())"
    )
    wrong += faults(page, rules=NO_COLOURS)
    page.evaluate(EMPTY_LATER_CELLS)
    return wrong + faults(page, runOnly=["color-contrast"]) + at_night(page)


def at_night(page: Page) -> list[str]:
    page.emulate_media(color_scheme="dark")
    page.evaluate(SETTLED)  # a button's colours change little by little
    wrong = faults(page, runOnly=["color-contrast"])
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
