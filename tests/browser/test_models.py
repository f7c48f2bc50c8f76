"""A researcher has a language model judge: from the form and the cost to the conversations."""

import json
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from evaluation.analyses import SECTIONS
from tests.browser.conftest import Site
from tests.browser.looks import look_at_results
from tests.browser.modelled import BESIDE, SLUG
from tests.doubles.language_model import KEY, language_model

TYPED = {
    "Model": "bm25",
    "Key": KEY,
    "Price of a million tokens sent, in USD": "2",
    "Price of a million tokens answered, in USD": "8",
    "Maximum cost, in USD": "5",
    "Judgments of each document": "2",
    "Requests per minute": "6000",
}


def heading(page: Page, text: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_contain_text(text)


def test_from_the_form_to_the_conversations(desk: Callable[..., Page], site: Site) -> None:
    site.call("modelled.make")
    page = desk(f"/studies/{SLUG}/recruit/")
    page.get_by_role("link", name="Language models").click()
    look_at_results(page)
    for label, value in TYPED.items():
        page.get_by_label(label, exact=True).fill(value)
    page.get_by_role("button", name="Prepare the run").click()
    heading(page, "bm25 has not begun: 2 units")
    expect(page.locator("main")).to_contain_text("about 18 requests")
    own = page.url
    look_at_results(page)

    page.goto(own)
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#errors")).to_contain_text("Confirm that the texts may be sent")
    page.get_by_label("may be sent to double").check()
    page.get_by_role("button", name="Start").click()
    heading(page, "bm25 judges: 0 of 2")
    page.get_by_role("button", name="Pause").click()
    heading(page, "bm25 is paused")
    with language_model(site.model_port) as model:
        site.call("modelled.judge")
        assert not model.requests, "it is paused"
        look_at_results(page)
        page.goto(own)
        page.get_by_role("button", name="Resume").click()
        heading(page, "bm25 judges")
        site.call("modelled.judge")
    heading(page, "bm25 is through: 2 of 2")  # the page renews itself
    assert model.requests.total() == 18

    with page.expect_download() as download:
        page.get_by_role("link", name="Download all conversations").click()
    rows = Path(download.value.path()).read_text().splitlines()
    assert [json.loads(row)["state"] for row in rows] == ["completed"] * 2
    page.get_by_role("link", name="401-1").click()
    expect(page.get_by_role("heading", name="The whole conversation")).to_be_visible()
    expect(page.locator(".talk")).to_contain_text("Document 8 of 8")
    look_at_results(page)
    page.goto(own)
    look_at_results(page)

    page.get_by_role("link", name="Results").click()
    expect(page.get_by_label("Who judged")).to_contain_text("A language model, not people")
    expect(page.locator("#table1 + details")).to_contain_text("401")
    look_at_results(page)
    page.get_by_label("Who judged").get_by_role("link").click()
    page.get_by_role("link", name="Recruit and run").click()
    page.get_by_role("link", name="Language models").click()
    heading(page, "1 run of a language model")
    look_at_results(page)


def test_the_model_beside_people(desk: Callable[..., Page], site: Site) -> None:
    site.call("modelled.make_beside")
    for analysis in SECTIONS["model"].analyses:
        page = desk(f"/studies/{BESIDE}/method/{analysis.name}/")
        expect(page.locator("figure svg").first).to_be_visible()
        expect(page.locator("main")).to_contain_text("people and model")
        look_at_results(page)
