"""A researcher goes through the documents on which crowd and labels differ, with verdicts."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.analysed import STUDY
from tests.browser.looks import look_at_results
from tests.browser.studies import RESEARCHER

SECTION = f"/studies/{STUDY}/agreement/"


@pytest.fixture
def differing(desk: Callable[..., Page], analysed: None) -> Callable[..., Page]:
    """Opens a researcher's window on one document of the list."""

    def open_window(place: int, **options: object) -> Page:
        page = desk(SECTION, **options)
        page.locator("#differences-documents a[href*='/differences/']").nth(place).click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("but it fits level")
        return page

    return open_window


@pytest.mark.parametrize(("place", "scripts"), [(0, True), (2, False)], ids=["scripts", "none"])
def test_from_the_list_to_verdicts_and_their_shares(
    differing: Callable[..., Page], place: int, scripts: bool
) -> None:
    page = differing(place, java_script_enabled=scripts)
    first = page.get_by_role("heading", level=1).inner_text()
    page.get_by_label("Note").fill("A good reason")
    page.get_by_role("button", name="Record", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("Choose what you found.")
    expect(page.get_by_label("Note")).to_have_value("A good reason")
    page.get_by_role("link", name="Choose what you found.").click()
    page.keyboard.press("Space")
    expect(page.get_by_label("The labels are wrong")).to_be_checked()
    page.get_by_label("The crowd is wrong").check()
    page.get_by_role("button", name="Record, and on to the next").click()
    expect(page.get_by_role("alert")).to_have_count(0)
    assert page.get_by_role("heading", level=1).inner_text() != first
    page.get_by_role("link", name="Previous").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(first)
    expect(page.get_by_role("status")).to_contain_text(
        f"Recorded: the crowd is wrong, by {RESEARCHER}"
    )
    expect(page.get_by_label("The crowd is wrong")).to_be_checked()
    expect(page.get_by_label("Note")).to_have_value("A good reason")
    page.get_by_role("link", name="Where crowd and labels differ most").click()
    shares = page.locator("#differences-verdicts tbody tr", has_text="the crowd is wrong")
    expect(shares.locator("td").nth(1)).not_to_have_text("0")
    expect(page.locator("#differences-recorded")).to_contain_text("A good reason")


def test_it_looks_right_with_and_without_an_error(differing: Callable[..., Page]) -> None:
    page = differing(4)
    look_at_results(page)
    page.get_by_role("button", name="Record", exact=True).click()
    expect(page.get_by_role("alert")).to_be_focused()
    assert page.title().startswith("Error: ")
    look_at_results(page)
