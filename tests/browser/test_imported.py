"""A researcher brings labels from elsewhere and looks at what comes of them."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Site
from tests.browser.looks import look_at_results

Desk = Callable[..., Page]
SLUG = "elsewhere"
WITHIN = 20_000  # milliseconds
SECTIONS = ("scores", "agreement", "systems", "disagreement")


@pytest.fixture(scope="module", autouse=True)
def imported(site: Site, analysed: None) -> None:
    """Levels of two aspects, by six workers, of the topics and documents of another study."""
    rows = ["worker,query_id,doc_id,label,aspect"]
    for query_id in (401, 402, 403):
        for number in range(12):
            for worker in range(6):
                label = min((number + worker * query_id) % 7, 3) - (worker == number)
                aspect = ("page", "snippet")[worker % 2]
                rows.append(f"w{worker},{query_id},D{query_id}-{number:03},{label},{aspect}")
    file = site.log.parent / "labels.csv"
    file.write_text("\n".join(rows))
    levels = ("--levels", "Not", "Hardly", "Partly", "Fully")
    site.run("manage.py", "import_opinions", SLUG, str(file), "--collection", "analysed", *levels)
    site.run("manage.py", "recompute", SLUG)
    site.run("-m", "tests.browser.analysed", "compute", SLUG)


def test_from_the_list_to_the_ranking_and_the_labels(desk: Desk) -> None:
    page = desk("/studies/")
    page.get_by_role("link", name=SLUG).click()
    expect(page.locator("h1")).to_contain_text("leads after", timeout=WITHIN)
    expect(page.locator(".notice")).to_contain_text("Judged elsewhere")
    expect(page.get_by_role("link", name="Monitor")).to_have_count(0)
    expect(page.get_by_role("row", name="Fully")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="judgments as csv").click()
    assert download.value.suggested_filename == f"{SLUG}-imported-judgments.csv"
    look_at_results(page)


@pytest.mark.parametrize("section", SECTIONS)
def test_a_section_looks_right(desk: Desk, section: str) -> None:
    page = desk(f"/studies/{SLUG}/{section}/")
    expect(page.locator(".warning")).to_have_count(0)
    expect(page.get_by_role("status")).to_have_count(0)
    look_at_results(page)


def test_from_a_document_that_differs_to_its_labels(desk: Desk) -> None:
    page = desk(f"/studies/{SLUG}/agreement/")
    page.locator("#differences-documents tbody a").first.click()
    expect(page.get_by_role("heading", name="6 labels, the highest first")).to_be_visible()
    expect(page.get_by_role("columnheader", name="Aspect")).to_be_visible()
    page.get_by_label("The labels are wrong").check()
    page.get_by_role("button", name="Record", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Recorded: the labels are wrong")
    look_at_results(page)
