"""The monitoring pages in a browser: by day and night, large and small, without scripts too."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import SOON, Site
from tests.browser.looks import look_at_results
from tests.browser.monitored import STUDY
from tests.browser.worker import PHONE, SMALL, Person

Desk = Callable[..., Page]
Somebody = Callable[..., Person]
MONITOR = f"/studies/{STUDY}/monitor/"
WITHIN = 20_000  # milliseconds: many times the second after which a page is renewed


@pytest.fixture(scope="module", autouse=True)
def watched(site: Site) -> None:
    site.call("monitored.make")


def figures(page: Page) -> dict[str, str]:
    found = page.locator(".figures").first
    names, values = (found.locator(tag).all_inner_texts() for tag in ("dt", "dd"))
    return dict(zip(names, values, strict=True))


def renewed(page: Page) -> None:
    shown = page.locator("main > .hint time")
    before = shown.inner_text()
    expect(shown).not_to_have_text(before, timeout=WITHIN)


def unfold(page: Page) -> Page:
    page.goto(f"{page.url}?open=all")
    return page


def test_the_first_screen_says_how_it_stands_and_all_looks_right(desk: Desk) -> None:
    page = desk(MONITOR)
    expect(page.locator("ul.lights li")).to_have_count(8)
    assert page.locator("#attention").bounding_box()["y"] < 900  # type: ignore[index]
    page.locator("ul.lights").get_by_role("link", name="Anchors").click()
    expect(page.locator("details:has(#by-topic) table")).to_be_visible()
    look_at_results(page)


@pytest.mark.whole
@pytest.mark.parametrize("table", ["by-topic", "standouts"])
def test_the_pages_of_one_look_right(desk: Desk, table: str) -> None:
    page = unfold(desk(MONITOR))
    page.locator(f"details:has(#{table}) .scroll tbody a").first.click()
    expect(page.locator("h1")).not_to_have_text("")
    look_at_results(page)


def test_the_plots_are_drawn(desk: Desk) -> None:
    page = unfold(desk(MONITOR))
    plots = page.locator("figure.plot")
    expect(plots).to_have_count(5)
    for plot in plots.all():
        assert plot.locator("svg :is(path, circle, rect, text)").count() > 10
        assert plot.locator("[role=img]").get_attribute("aria-label")
        page.mouse.move(0, 0)
        plot.locator("summary").click()
        expect(plot.locator("tbody tr").first).to_be_visible()
        for kind in ("SVG", "CSV"):
            with page.expect_download() as download:
                plot.get_by_role("link", name=f"as {kind}").click()
            assert download.value.suggested_filename.endswith(kind.lower())
    colour = "s => getComputedStyle(s).color"
    light = plots.first.locator("svg").evaluate(colour)
    page.emulate_media(color_scheme="dark")
    assert plots.first.locator("svg").evaluate(colour) != light


@pytest.mark.parametrize(
    "options", [{}, pytest.param(PHONE, marks=pytest.mark.whole)], ids=["desktop", "phone"]
)
def test_from_a_failure_to_the_judgments_of_its_worker(desk: Desk, options: dict[str, Any]) -> None:
    page = unfold(desk(MONITOR, **options))
    page.locator("details:has(#standouts) .scroll").get_by_role("link").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("units completed in")
    expect(page.get_by_text("reasons in words used before")).to_be_visible()
    page.locator("#attempts ~ .scroll").get_by_role("link").first.click()
    assert "#unit-" in page.url
    expect(page.get_by_role("cell", name="Good.").first).to_be_visible()
    page.go_back()
    page.locator("h2 a:visible").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Topic 40")
    expect(page.locator("#anchors")).to_contain_text("times the score of")


@pytest.mark.parametrize(
    "scripts", [pytest.param(True, marks=pytest.mark.whole), False], ids=["scripts", "no scripts"]
)
def test_filters_and_orders(desk: Desk, scripts: bool) -> None:
    def show(part: str) -> None:
        page.locator(f"#{part}").click()
        if not scripts:
            folded = page.locator(f"details:has(#{part})")
            folded.get_by_role("link", name="Show this part").click()

    page = desk(MONITOR, java_script_enabled=scripts)
    expect(page.locator("figure.plot svg")).to_have_count(1)
    expect(page.locator("main > .hint time")).to_be_visible()
    show("newest")
    page.get_by_label("Check", exact=True).select_option("question")
    page.get_by_label("Topic", exact=True).select_option("402")
    page.get_by_role("button", name="Show", exact=True).click()
    assert "check=question" in page.url
    assert page.url.endswith("#newest")
    rows = page.get_by_role("group", name="Newest failures").locator("tbody tr")
    expect(rows).not_to_have_count(0)
    for row in rows.all():
        assert row.locator("td").nth(1).inner_text() == "(b) question on the topic"
        assert row.locator("td").nth(2).inner_text() == "402"
    show("by-worker")
    page.locator("details:has(#by-worker) .scroll thead").get_by_role("link", name="(d)").click()
    assert "check=question" in page.url
    shares = page.locator("details:has(#by-worker) .scroll tbody td:nth-child(6)").all_inner_texts()
    given = [float(m[1]) if (m := re.search(r"([\d.]+)%", text)) else 0.0 for text in shares]
    assert given == sorted(given, reverse=True)
    show("over-time")
    page.get_by_role("link", name="last 6 hours").click()
    expect(page.locator("#over-time")).to_contain_text("In the last 6 hours")
    assert "workers_by=time" in page.url
    page.get_by_role("link", name="Show all", exact=True).click()
    assert "check" not in page.url
    assert "last=6h" in page.url


def test_it_renews_itself(desk: Desk, somebody: Somebody) -> None:
    page = unfold(desk("/studies/lamps/monitor/", SOON))
    before = figures(page)
    somebody("lamps").press("continue")
    in_progress = page.locator("dt", has_text="In progress").locator("+ dd")
    expect(in_progress).to_have_text(str(int(before["In progress"]) + 1), timeout=WITHIN)
    expect(page.locator("details:has(#at-work) .scroll tbody")).to_contain_text("practice")


def test_renewing_disturbs_nobody_and_can_be_stopped(desk: Desk) -> None:
    page = unfold(desk(MONITOR, SOON, viewport=SMALL))
    page.get_by_role("button", name="Stop that").click()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.wait_for_timeout(1200)
    assert asked == []
    page.get_by_role("button", name="Keep it up to date").click()
    table = page.locator("details:has(#at-work) .scroll")
    data = page.locator("details.data").first
    data.locator("summary").click()
    table.evaluate("t => { t.scrollLeft = 80 }")
    page.evaluate("scrollTo(0, 900)")
    renewed(page)
    assert table.evaluate("t => t.scrollLeft") == 80
    assert data.evaluate("d => d.open")
    assert page.evaluate("scrollY") == 900

    worker = page.get_by_label("Worker", exact=True)
    worker.press_sequentially("ab")
    renewed(page)
    expect(worker).to_be_focused()
    expect(worker).to_have_value("ab")
    page.get_by_role("link", name="SVG").first.focus()
    page.keyboard.press("Tab")
    held = page.evaluate_handle("document.activeElement")
    renewed(page)
    expect(worker).to_have_value("ab")
    assert page.evaluate("held => held === document.activeElement", held)
