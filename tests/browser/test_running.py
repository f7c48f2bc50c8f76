"""A study is run in a browser: paused, looked at before it is closed, and its trail read."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.looks import look_at_results


def test_paused_asked_and_told(desk: Callable[..., Page]) -> None:
    page = desk("/studies/small/recruit/")
    look_at_results(page)
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("status")).to_have_text("The study is paused.")
    page.get_by_role("button", name="Resume").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("The study is open")

    page.get_by_role("link", name="Batches").click()
    page.get_by_label("Topics and documents").fill("nothing of the sort")
    page.get_by_role("button", name="See what it takes").click()
    expect(page.locator("#errors")).to_contain_text("has no topic nothing")
    look_at_results(page)

    page.get_by_role("link", name="Payments").click()
    look_at_results(page)
    page.goto("/studies/small/recruit/")
    page.get_by_role("button", name="Close for good").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Close the study for good?")
    look_at_results(page)
    page.get_by_role("link", name="No, go back").click()
    page.get_by_role("link", name="Share").click()
    page.get_by_role("link", name="Trail").click()
    expect(page.get_by_role("row").nth(1)).to_contain_text("resumed the study")
    look_at_results(page)
    elsewhere = desk(page.url, timezone_id="Asia/Kolkata").locator("td time").first
    expect(elsewhere).to_contain_text("GMT+5:30")
    unscripted = desk(page.url, java_script_enabled=False).locator("td time").first
    expect(unscripted).to_contain_text("UTC")
