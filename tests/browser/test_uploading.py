"""Files become a collection in a browser, over a connection that breaks."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Site
from tests.browser.looks import look_at_results

pytestmark = pytest.mark.browser
# What is tried again after seconds is tried again at once.
SOON = "setTimeout = (real => (call, wait) => real(call, wait / 20))(setTimeout)"
DEMO = Path(__file__).resolve().parents[2] / "demo"


def test_from_files_to_a_collection(site: Site, desk: Callable[..., Page]) -> None:
    page = desk("/collections/new/", SOON)
    broken: list[str] = []

    def break_once(route: Route) -> None:
        if route.request.method == "PATCH" and not broken:
            broken.append(route.request.url)
            route.abort()
        else:
            route.continue_()

    page.route("**/api/v1/uploads/**", break_once)
    names = ["topics.trec", "qrels.txt", "README.md"]
    page.locator("[name=file]").set_input_files([DEMO / name for name in names])
    refused = page.locator("#sent li")
    expect(refused).to_have_count(1)
    expect(refused).to_contain_text("README.md: none of the known formats")
    assert broken
    expect(page.get_by_label("What topics.trec is")).to_have_value("topics")
    expect(page.get_by_label("What qrels.txt is")).to_have_value("labels")
    look_at_results(page)
    page.get_by_label("Name of the collection").fill("uploaded")
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("It waits for its turn")
    site.call("beside.bring_in")
    expect(page.get_by_role("heading", level=1)).to_have_text("Import finished")
    page.get_by_role("link", name="See what is in uploaded").click()
    page.get_by_role("link", name="Share, rename, delete").click()
    page.get_by_label("User name of a colleague").fill("nobody")
    page.get_by_role("button", name="Share").click()
    expect(page.locator(".errors")).to_contain_text("Nobody here is called nobody")
    look_at_results(page)
