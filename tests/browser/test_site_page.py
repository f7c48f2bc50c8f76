"""The page Site, on which admins see how every part is: by day and night, large and small."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looks import at_night, faults, look_at_results, too_small
from tests.browser.worker import PHONE


def test_it_tells_every_part_with_what_to_do(desk: Callable[..., Page]) -> None:
    page = desk("/studies/")
    page.get_by_role("link", name="Site", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Workers")  # of whom none runs
    rows = page.locator(".matters > li")
    expect(rows.first).to_contain_text("Start")  # what to do about it
    expect(rows.filter(has_text="Answers, and can be written to.")).to_have_count(1)
    look_at_results(page)


@pytest.mark.parametrize("options", [{}, {"java_script_enabled": False}], ids=["live", "plain"])
def test_it_fits_a_phone(desk: Callable[..., Page], options: dict[str, bool]) -> None:
    page = desk("/operations/", **{**PHONE, **options})
    expect(page.locator(".matters > li").first).to_be_visible()
    width = page.locator("html").evaluate("page => page.scrollWidth")
    assert width <= 390
    if not options:
        assert [*faults(page), *at_night(page), *too_small(page, "main")] == []
