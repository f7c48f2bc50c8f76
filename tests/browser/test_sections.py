"""A researcher reads the sections of results in a browser."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from evaluation.analyses import SECTIONS
from tests.browser.analysed import NAME, PASSWORD, STUDY
from tests.browser.conftest import DESKTOP, Site, Visits
from tests.browser.test_looks import faults, too_small
from tests.browser.worker import SMALL

WITHIN = 20_000  # milliseconds
Desk = Callable[..., Page]


def address(section: str) -> str:
    return f"/studies/{STUDY}/{section}/"


@pytest.fixture
def desk(visit: Visits, analysed: None) -> Desk:
    """Opens a window in which a researcher is logged in."""

    def open_window(section: str, **options: object) -> Page:
        page = visit(reduced_motion="reduce", **options)
        page.goto(f"/login/?next={address(section)}")
        page.get_by_label("User name").fill(NAME)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
        page.wait_for_url(f"**{address(section)}")
        return page

    return open_window


def test_a_page_fills_itself_while_it_is_looked_at(desk: Desk, site: Site) -> None:
    page = desk("scores")
    expect(page.get_by_role("status")).to_contain_text("being computed")
    expect(page.locator("figure.plot")).to_have_count(0)
    site.run("-m", "tests.browser.analysed", "compute")
    expect(page.locator("figure.plot").first).to_be_visible(timeout=WITHIN)
    expect(page.get_by_role("status")).to_have_count(0, timeout=WITHIN)


@pytest.mark.parametrize("section", SECTIONS)
def test_a_section_looks_right(desk: Desk, site: Site, section: str) -> None:
    page = desk(section)
    site.run("-m", "tests.browser.analysed", "compute")
    page.goto(address(section))
    expect(page.locator(".warning")).to_have_count(0)
    for details in page.locator("details").all():
        details.evaluate("d => { d.open = true }")
    found = faults(page)
    page.emulate_media(color_scheme="dark")
    found += faults(page, "color-contrast")
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(SMALL)
    found += faults(page)
    width = page.evaluate("document.documentElement.scrollWidth")
    if width > SMALL["width"]:
        found.append(f"{section}: {width} pixels wide on a screen of {SMALL['width']}")
    found += too_small(page, "main")
    page.set_viewport_size(DESKTOP)
    assert found == []
    for plot in page.locator("figure.plot").all():
        assert plot.locator("svg path, svg line").count() > 5, plot.inner_text()
        assert plot.locator("figcaption").inner_text()


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_from_a_plot_to_its_numbers_and_files(desk: Desk, site: Site, scripts: bool) -> None:
    page = desk("scores", java_script_enabled=scripts)
    site.run("-m", "tests.browser.analysed", "compute")
    page.goto(address("scores"))
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
