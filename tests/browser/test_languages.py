"""Pages in other languages than English: German, and one that is written from right to left."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Site
from tests.browser.looks import faults
from tests.browser.worker import Person

PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def made(site: Site) -> None:
    site.call("previewed.make_in", "de")
    site.call("previewed.make_in", "ar")


@pytest.mark.usefixtures("made")
def test_german_from_the_first_page_to_a_document(somebody: Callable[..., Person]) -> None:
    person = somebody("in-de")
    page = person.page
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.get_by_role("button", name="Ich stimme zu und beginne")).to_be_visible()
    assert not (wrong := faults(page)), wrong


@pytest.mark.usefixtures("made")
@pytest.mark.parametrize("size", [{}, {"viewport": PHONE}], ids=["desk", "phone"])
def test_from_right_to_left(desk: Callable[..., Page], size: dict[str, Any]) -> None:
    page = desk("/studies/in-ar/set-up/preview/document-2/", **size)
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    assert not (wrong := faults(page)), wrong
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    sides = "name => getComputedStyle(document.querySelector(name))"
    assert page.evaluate(f"({sides})('#score').direction") == "ltr"
    assert page.evaluate(f"({sides})('.document').textAlign") == "start"
    first, second = page.locator(".answer .buttons button").all()[:2]
    assert _left(first) > _left(second), "Next stands where reading begins"


def _left(element: Any) -> float:
    return float(element.bounding_box()["x"])


@pytest.mark.usefixtures("made")
def test_size_and_colours_change_at_once_and_stay(somebody: Callable[..., Person]) -> None:
    page = somebody("in-de").page
    page.locator("#display summary").click()
    page.get_by_role("button", name="Größere Schrift").click()
    page.get_by_role("button", name="Dunkel").click()
    for _ in range(2):
        html = page.locator("html")
        expect(html).to_have_attribute("data-text", "larger")
        expect(html).to_have_attribute("data-theme", "dark")
        expect(html).to_have_css("font-size", "24px")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(26, 31, 38)"
        page.reload()
    page.locator("#display summary").click()
    assert not (wrong := faults(page)), wrong
