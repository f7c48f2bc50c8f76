"""A researcher walks through a preview, and makes a rehearsal."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.looks import faults, look_at_results


def test_from_the_preview_to_a_rehearsal(desk: Callable[..., Page]) -> None:
    page = desk("/studies/small/set-up/preview/")
    look_at_results(page)
    page.get_by_role("link", name="Practice: line 1").click()
    page.locator("#score").fill("12")
    page.get_by_role("button", name="Next").click()
    expect(page.locator("#preview")).to_contain_text("Practice: line 2")
    assert page.evaluate("Object.keys(sessionStorage)") == [], "nothing that is typed is kept"
    page.get_by_role("link", name="All pages").click()
    page.get_by_role("link", name="A document without a reason").click()
    assert not (wrong := faults(page)), wrong

    page.goto("/studies/small/set-up/rehearsal/")
    page.get_by_label("Units for each topic").fill("1")
    page.get_by_role("button", name="Open a rehearsal").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Nobody has come yet")
    expect(page.locator(".secret code")).to_contain_text("/study/small-")
    look_at_results(page)
    page.get_by_role("button", name="Delete it with").click()
    page.get_by_role("button", name="Delete it").click()
    expect(page.get_by_role("status")).to_contain_text("is deleted")
    look_at_results(page)
