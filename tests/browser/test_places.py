"""The places of a study on a phone and at a desk: what stands above a page, and how it unfolds."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.analysed import STUDY
from tests.browser.looks import faults, wrong_with
from tests.browser.worker import PHONE

Desk = Callable[..., Page]
pytestmark = pytest.mark.usefixtures("analysed")
ABOVE = 120  # pixels before the first words of a page
PATHS = (
    *("", "systems/", "topics/", "method/", "method/internal/", "replication/"),
    *("set-up/", "set-up/anchors/", "set-up/preview/", "set-up/cost/", "set-up/recruiting/"),
    *("recruit/", "recruit/batches/", "recruit/pay/", "monitor/", "monitor/workers/"),
    *("share/files/", "share/report/", "share/release/", "share/team/", "share/study/"),
)
SCROLLERS = """() => [...document.querySelectorAll("main *")]
    .filter(one => ["auto", "scroll"].includes(getComputedStyle(one).overflowY)
        && one.scrollHeight > one.clientHeight + 1 && !one.matches("textarea, select"))
    .map(one => one.outerHTML.slice(0, 120))"""


def top_of_heading(page: Page) -> int:
    return int(page.locator("h1").evaluate("one => Math.ceil(one.getBoundingClientRect().top)"))


def test_little_stands_above_a_page_on_a_phone(desk: Desk) -> None:
    page = desk(f"/studies/{STUDY}/", **PHONE)
    found = {}
    for path in PATHS:
        page.goto(f"/studies/{STUDY}/{path}")
        found[path] = top_of_heading(page)
    assert {path: top for path, top in found.items() if top > ABOVE} == {}


def test_no_list_is_in_a_box_that_scrolls(desk: Desk) -> None:
    page = desk(f"/studies/{STUDY}/")
    found = {}
    for path in PATHS:
        page.goto(f"/studies/{STUDY}/{path}")
        found[path] = page.evaluate(SCROLLERS)
    assert {path: boxes for path, boxes in found.items() if boxes} == {}


def test_the_places_unfold_on_a_phone_without_scripts(desk: Desk) -> None:
    page = desk(f"/studies/{STUDY}/topics/", **PHONE, java_script_enabled=False)
    place = page.get_by_role("navigation", name="Study")
    expect(place.locator("summary")).to_contain_text("Results Topics")
    expect(place.get_by_role("link", name="Monitor")).to_have_count(0)
    place.locator("summary").click()
    place.get_by_role("link", name="Share").click()
    expect(place.locator("summary")).to_contain_text("Share Files")
    page.locator(".bar summary").click()
    expect(page.get_by_role("link", name="Collections")).to_be_visible()


def test_the_steps_unfold_with_the_places(desk: Desk) -> None:
    page = desk(f"/studies/{STUDY}/set-up/anchors/", **PHONE)
    steps = page.get_by_role("navigation", name="Steps")
    expect(steps).to_be_hidden()
    page.get_by_role("navigation", name="Study").locator("summary").focus()
    page.keyboard.press("Enter")
    expect(steps.get_by_role("link", name="Cost and forecast")).to_be_visible()


def test_the_places_are_a_row_at_a_desk(desk: Desk) -> None:
    page = desk(f"/studies/{STUDY}/method/internal/")
    place = page.get_by_role("navigation", name="Study")
    expect(place.locator("summary")).to_be_hidden()
    expect(place.get_by_role("link", name="Results")).to_have_attribute("aria-current", "true")
    expect(place.get_by_role("link", name="Method")).to_have_attribute("aria-current", "true")
    assert faults(page) == []


@pytest.mark.parametrize("path", ["share/study/", "monitor/exclusions/", "recruit/batches/"])
def test_pages_of_places_look_right(desk: Desk, path: str) -> None:
    page = desk(f"/studies/{STUDY}/{path}")
    assert not (wrong := wrong_with(page)), wrong
