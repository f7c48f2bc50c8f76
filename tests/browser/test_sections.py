"""A researcher reads the sections of results in a browser."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from evaluation.analyses import SECTIONS
from tests.browser.analysed import STUDY
from tests.browser.conftest import Site
from tests.browser.looks import look_at_results

WITHIN = 20_000  # milliseconds
Desk = Callable[..., Page]
pytestmark = pytest.mark.usefixtures("analysed")


def address(section: str) -> str:
    return f"/studies/{STUDY}/{section}/"


def test_a_page_fills_itself_while_it_is_looked_at(desk: Desk, site: Site) -> None:
    site.run("-m", "tests.browser.analysed", "forget", STUDY)
    page = desk(address("scores"))
    expect(page.get_by_role("status")).to_contain_text("being computed")
    expect(page.locator("figure.plot")).to_have_count(0)
    site.run("-m", "tests.browser.analysed", "compute", STUDY)
    expect(page.locator("figure.plot").first).to_be_visible(timeout=WITHIN)
    expect(page.get_by_role("status")).to_have_count(0, timeout=WITHIN)


@pytest.mark.parametrize("section", SECTIONS)
def test_a_section_looks_right(desk: Desk, section: str) -> None:
    page = desk(address(section))
    expect(page.locator(".warning")).to_have_count(0)
    look_at_results(page)
    for plot in page.locator("figure.plot").all():
        assert plot.locator("svg path, svg line").count() > 5, plot.inner_text()
        assert plot.locator("figcaption").inner_text()


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_from_a_plot_to_its_numbers_and_files(desk: Desk, scripts: bool) -> None:
    page = desk(address("scores"), java_script_enabled=scripts)
    page.get_by_role("link", name="How far apart are the scores of a document?").click()
    plot = page.locator("#spread-geometric-sd")
    named = plot.locator("svg title").first
    assert "scores" in (named.text_content() or "")
    for kind in ("CSV", "SVG", "PDF"):
        with page.expect_download() as download:
            plot.get_by_role("link", name=f"as {kind}").click()
        name = f"{STUDY}-spread-geometric-sd.{kind.lower()}"
        assert download.value.suggested_filename == name
    plot.locator("summary").click()
    plot.locator("thead").get_by_role("link", name="ratio").click()
    assert page.url.endswith("#spread-geometric-sd")
    expect(plot.locator("th[aria-sort=descending]")).to_have_text("ratio")
    given = [
        float(text.replace(",", ""))
        for text in plot.locator("tbody td:nth-child(5)").all_inner_texts()
    ]
    assert len(given) > 10
    assert given == sorted(given, reverse=True)
