"""Pages as people adapt them: larger text, wider spacing, forced colours, the keyboard alone."""

from typing import Any

from playwright.sync_api import Page

from tests.browser.conftest import DESKTOP
from tests.browser.looks import faults
from tests.browser.worker import SMALL

TWICE = "html { font-size: 200% }"
SPACED = (  # WCAG 2.2, 1.4.12
    "* { line-height: 1.5 !important; letter-spacing: 0.12em !important; "
    "word-spacing: 0.16em !important } p { margin-bottom: 2em !important }"
)
TOO_MANY_STOPS = 200
TABBABLE = "a[href], button, input, select, textarea, summary, [tabindex='0']"
WEAR = """css => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    document.adoptedStyleSheets = [sheet];
}"""
# What a box hides that does not scroll; what is meant for ears alone, and titles that the page
# has in full elsewhere, excepted.
CUT_OFF = """() => [...document.querySelectorAll("body *:not(script)")].filter((one) => {
    const style = getComputedStyle(one);
    if (!one.checkVisibility() || one.closest(".unseen, .skip, .bar-name, svg, input")) {
        return false;
    }
    return style.overflowX !== "visible" && !/auto|scroll/.test(style.overflowX)
        && (one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1);
}).map((one) => `${one.outerHTML.slice(0, 120)} is cut off`)"""
TO_THE_TOP = """() => {
    scrollTo(0, 0);
    document.body.tabIndex = -1;
    document.body.focus();
    document.body.removeAttribute("tabindex");
}"""
# The stops of the Tab key: one for all options of a name.
STOPS = """tabbable => {
    const names = new Set();
    return [...document.querySelectorAll(tabbable)].filter((one) => {
        if (one.disabled || one.type === "hidden" || one.tabIndex < 0) return false;
        if (!one.checkVisibility({ visibilityProperty: true })) return false;
        if (one.type !== "radio") return true;
        const seen = names.has(one.name);
        names.add(one.name);
        return !seen;
    }).map((one) => one.type === "radio" ? one.name : one.outerHTML.slice(0, 80));
}"""
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
# Of what has the focus: its name as above, and what is wrong with how it is seen.
FOCUS = """() => {
    const one = document.activeElement;
    if (!one || one === document.body) return null;
    const { left, top, width, height } = one.getBoundingClientRect();
    const style = getComputedStyle(one);
    const ring = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
    const shown = [0.1, 0.5, 0.9].some((x) => [0.1, 0.5, 0.9].some((y) => {
        const hit = document.elementFromPoint(left + x * width, top + y * height);
        return hit && (one.contains(hit) || hit.contains(one));
    }));
    const name = one.type === "radio" ? one.name : one.outerHTML.slice(0, 80);
    return [name, ring ? "" : `${name}: the focus is not seen`, shown ? "" : `${name}: covered`];
}"""


def wear(page: Page, css: str) -> None:
    """Lay rules over the page, as a reader's own style sheet does."""
    page.evaluate(WEAR, css)


def adapted(page: Page, *styles: str) -> list[str]:
    """What is lost with each of these styles: larger text, the spacing that readers may choose."""
    wrong = []
    for css in styles:
        wear(page, css)
        wrong += [f"{page.url}: {css[:24]}: {what}" for what in cut_off(page)]
    wear(page, "")
    return wrong


def cut_off(page: Page) -> list[str]:
    """What is cut off, and whether the page is wider than its window."""
    width, window = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    wide = [f"{width} pixels wide in a window of {window}"] if width > window else []
    return [*wide, *page.evaluate(CUT_OFF)]


def small_targets(page: Page) -> list[str]:
    """What a finger or an unsteady hand misses, by axe-core's rule of 24 pixels."""
    return faults(page, runOnly=["target-size"], rules={"target-size": {"enabled": True}})


def by_keyboard(page: Page) -> list[str]:
    """What Tab does not come to in the order of the page, and focus that is not seen."""
    page.evaluate(DRAWN)  # what has the focus of itself gets it with the first picture
    page.evaluate(TO_THE_TOP)
    expected = page.evaluate(STOPS, TABBABLE)
    names, wrong = [], []
    while (stop := _next_stop(page)) and len(names) < TOO_MANY_STOPS:
        if stop[0] not in names[-1:]:
            names.append(stop[0])
        wrong += [f"{page.url}: {fault}" for fault in stop[1:] if fault]
    if names != expected:
        wrong.append(f"{page.url}: Tab comes to {names}, on the page are {expected}")
    return wrong


def _next_stop(page: Page) -> Any:
    page.keyboard.press("Tab")
    return page.evaluate(FOCUS)


def in_forced_colours(page: Page) -> list[str]:
    """Buttons and boxes without an edge where the page's colours are replaced by a few."""
    page.emulate_media(forced_colors="active")
    edges = page.locator("button, .button, input[type=text], textarea, select").evaluate_all(
        """all => all.filter(one => one.checkVisibility() && !one.matches(".quiet"))
        .filter(one => parseFloat(getComputedStyle(one).borderTopWidth) < 1)
        .map(one => one.outerHTML.slice(0, 80) + " has no edge")"""
    )
    page.emulate_media(forced_colors="none")
    return [f"{page.url}: {edge}" for edge in edges]


def reads_everywhere(page: Page) -> list[str]:
    """All of this at a desk, and what a width of 320 pixels adds: 1280 at a zoom of 400%."""
    wrong = by_keyboard(page) + adapted(page, TWICE, SPACED)
    wrong += small_targets(page) + in_forced_colours(page)
    page.set_viewport_size(SMALL)
    wrong += by_keyboard(page) + adapted(page, SPACED)
    page.set_viewport_size(DESKTOP)
    return wrong
