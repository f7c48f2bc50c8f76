"""A researcher reads results in a browser: of a study judged here, and of labels from elsewhere.

In one file, so that one process makes the studies and computes what is said of them.
"""

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from evaluation.analyses import ANALYSES
from tests.browser.analysed import STUDY
from tests.browser.conftest import DESKTOP, SOON, Site, Visits
from tests.browser.lengths import OF_PICTURES, WORDS_OF_PICTURES, too_long
from tests.browser.looks import look, look_at_results
from tests.browser.studies import RESEARCHER
from tests.browser.worker import PHONE

ELSEWHERE = "elsewhere"


def mostly_whole(analyses: Iterable[str], *always: str) -> list[Any]:
    """Those that are looked at on every change, and those that are in `make acceptance`."""
    return [
        pytest.param(name, marks=() if name in always else pytest.mark.whole) for name in analyses
    ]


# Among them are a question to ask, verdicts to give, and most kinds of plots and tables.
OF_LABELS_ALONE = ("levels_given", "aspects")
HERE = mostly_whole(
    [name for name in ANALYSES if name not in OF_LABELS_ALONE],
    *("differences", "distributions", "judges", "significance"),
)
# These say what is said of labels alone, by aspect; the others are as of a study here.
ELSEWHERE_TOO = mostly_whole((*OF_LABELS_ALONE, "consistency", "topics"), "aspects")
WITHIN = 20_000  # milliseconds
Desk = Callable[..., Page]
pytestmark = pytest.mark.usefixtures("analysed")


def address(analysis: str = "", study: str = STUDY) -> str:
    return f"/studies/{study}/method/{analysis}/" if analysis else f"/studies/{study}/method/"


def test_a_page_fills_itself_while_it_is_looked_at(desk: Desk, site: Site) -> None:
    site.call("analysed.forget", STUDY, "profiles")
    page = desk(address("profiles"), script=SOON)
    expect(page.get_by_text("Waits for its turn.")).to_be_visible()
    expect(page.locator("figure.plot")).to_have_count(0)
    site.call("analysed.compute", STUDY)
    expect(page.locator("figure.plot").first).to_be_visible(timeout=WITHIN)
    expect(page.get_by_text("Waits for its turn.")).to_have_count(0, timeout=WITHIN)


def test_the_index_looks_right(desk: Desk) -> None:
    page = desk(address())
    expect(page.get_by_role("heading", level=1)).to_contain_text("analyses have a finding")
    expect(page.get_by_role("status")).to_have_count(0)
    look_at_results(page)


def test_the_papers_results_look_right(desk: Desk) -> None:
    page = desk(f"/studies/{STUDY}/replication/")
    expect(page.get_by_role("heading", level=1)).to_contain_text("of the papers")
    look_at_results(page)


@pytest.mark.whole
def test_no_page_of_analyses_is_long(desk: Desk) -> None:
    page = desk(address())
    wrong = too_long(page)
    page.goto(f"/studies/{STUDY}/replication/")
    wrong += too_long(page, OF_PICTURES, WORDS_OF_PICTURES)
    for analysis in ANALYSES.keys() - set(OF_LABELS_ALONE):
        page.goto(address(analysis))
        wrong += too_long(page)
    assert not wrong, wrong


@pytest.mark.parametrize("analysis", HERE)
def test_an_analysis_looks_right(desk: Desk, analysis: str) -> None:
    page = desk(address(analysis))
    expect(page.locator(".warning")).to_have_count(0)
    look_at_results(page)
    for plot in page.locator("figure.plot").all():
        assert plot.locator("svg :is(path, circle, rect, text)").count() > 5, plot.inner_text()
        assert plot.locator("figcaption").inner_text()


@pytest.mark.parametrize(
    "scripts", [pytest.param(True, marks=pytest.mark.whole), False], ids=["scripts", "no scripts"]
)
def test_from_a_plot_to_its_numbers_and_files(desk: Desk, scripts: bool) -> None:
    page = desk(address(), java_script_enabled=scripts)
    page.get_by_role("link", name="How far apart are the scores of a document?").click()
    plot = page.locator("#spread-geometric-sd")
    named = plot.locator("svg title").first
    assert "scores" in (named.text_content() or "")
    for kind in ("CSV", "SVG", "PDF"):
        with page.expect_download() as download:
            plot.get_by_role("link", name=f"as {kind}").click()
        name = f"{STUDY}-spread-geometric-sd.{kind.lower()}"
        assert download.value.suggested_filename == name
    plot.get_by_text("The same as a table").click()
    plot.locator("thead").get_by_role("link", name="ratio").click()
    assert page.url.endswith("#spread-geometric-sd")
    expect(plot.locator("th[aria-sort=descending]")).to_have_text("ratio")
    given = [
        float(text.replace(",", ""))
        for text in plot.locator("tbody td:nth-child(5)").all_inner_texts()
    ]
    assert len(given) > 10
    assert given == sorted(given, reverse=True)


# --- where crowd and labels differ -----------------------------------------------------------


@pytest.fixture
def differing(desk: Desk) -> Desk:
    """Opens a researcher's window on one document of the list."""

    def open_window(place: int, **options: object) -> Page:
        page = desk(address("differences"), **options)
        page.locator("#differences-documents a[href*='/differences/']").nth(place).click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("but it fits level")
        return page

    return open_window


@pytest.mark.parametrize(
    ("place", "scripts"),
    [(0, True), pytest.param(2, False, marks=pytest.mark.whole)],
    ids=["scripts", "none"],
)
def test_from_the_list_to_verdicts_and_their_shares(
    differing: Desk, place: int, scripts: bool
) -> None:
    page = differing(place, java_script_enabled=scripts)
    first = page.get_by_role("heading", level=1).inner_text()
    page.get_by_label("Note").fill("A good reason")
    page.get_by_role("button", name="Record", exact=True).click()
    expect(page.locator("#errors")).to_contain_text("Choose what you found.")
    expect(page.get_by_label("Note")).to_have_value("A good reason")
    page.get_by_role("link", name="Choose what you found.").click()
    page.keyboard.press("Space")
    expect(page.get_by_label("The labels are wrong")).to_be_checked()
    page.get_by_label("The crowd is wrong").check()
    page.get_by_role("button", name="Record and continue").click()
    expect(page.locator("#errors")).to_have_count(0)
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


def test_it_looks_right_with_and_without_an_error(differing: Desk) -> None:
    page = differing(4)
    look_at_results(page)
    page.get_by_role("button", name="Record", exact=True).click()
    expect(page.locator("#errors")).to_be_focused()
    assert page.title().startswith("Error: ")
    look_at_results(page)


def test_the_overview_answers_on_one_screen(desk: Desk) -> None:
    page = desk(f"/studies/{STUDY}/")
    cards = page.locator("article.card")
    expect(cards).to_have_count(6)
    expect(page.get_by_text("being computed")).to_have_count(0)
    below = cards.last.evaluate("card => card.getBoundingClientRect().bottom")
    assert below <= DESKTOP["height"]
    page.set_viewport_size(PHONE["viewport"])
    strip = page.locator("tbody .strip").first
    expect(strip).to_be_visible()
    assert strip.evaluate("strip => strip.getBoundingClientRect().right") <= 390
    look_at_results(page)


# --- labels from elsewhere --------------------------------------------------------------------


@pytest.fixture(scope="module")
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
    site.call("analysed.import_elsewhere", ELSEWHERE, str(file))


def test_from_the_list_to_the_ranking_and_the_labels(desk: Desk, imported: None) -> None:
    page = desk("/studies/")
    page.get_by_role("link", name=ELSEWHERE).click()
    expect(page.locator("h1")).to_contain_text("system", timeout=WITHIN)
    expect(page.locator(".notice")).to_contain_text("Judged elsewhere")
    expect(page.get_by_role("link", name="Monitor")).to_have_count(0)
    expect(page.get_by_role("row", name="Fully")).to_be_visible()
    look_at_results(page)
    page.get_by_role("link", name="files", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("link", name="judgments as csv").click()
    assert download.value.suggested_filename == f"{ELSEWHERE}-imported-judgments.csv"
    look_at_results(page)


@pytest.mark.parametrize("analysis", ELSEWHERE_TOO)
def test_an_analysis_of_labels_from_elsewhere_looks_right(
    desk: Desk, imported: None, analysis: str
) -> None:
    page = desk(address(analysis, ELSEWHERE))
    expect(page.locator(".warning")).to_have_count(0)
    expect(page.get_by_role("status")).to_have_count(0)
    look_at_results(page)


def test_from_a_document_that_differs_to_its_labels(desk: Desk, imported: None) -> None:
    page = desk(address("differences", ELSEWHERE))
    page.locator("#differences-documents a[href*='/differences/']").first.click()
    expect(page.get_by_role("heading", name="6 labels, the highest first")).to_be_visible()
    expect(page.get_by_role("columnheader", name="Aspect")).to_be_visible()
    page.get_by_label("The labels are wrong").check()
    page.get_by_role("button", name="Record", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Recorded: the labels are wrong")
    look_at_results(page)


# --- the way down ----------------------------------------------------------------------------
def test_from_the_ranking_to_the_words_of_a_worker_by_links(desk: Desk) -> None:
    page = desk(f"/studies/{STUDY}/systems/")
    look_at_results(page)
    page.goto(f"/studies/{STUDY}/systems/")
    page.locator("tbody th a").nth(1).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("place 2 of 8")
    look_at_results(page)
    page.reload()
    page.get_by_role("button", name="Compare").click()
    assert "/against/" in page.url
    look_at_results(page)
    page.go_back()
    page.locator("tbody th a").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("has the highest gain of")
    look_at_results(page)
    page.reload()
    page.locator("tbody th a").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("place 1 of")
    look_at_results(page)
    page.reload()
    page.locator("td.why a").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Worker")


# What moves although nobody has touched the page, as the share of the window and of the way.
SHIFTS = """shifted = 0; new PerformanceObserver(list => {
    for (const shift of list.getEntries()) if (!shift.hadRecentInput) shifted += shift.value;
}).observe({type: "layout-shift", buffered: true})"""


def shifted(page: Page) -> float:
    page.wait_for_load_state("networkidle")
    page.mouse.wheel(0, 5000)
    page.wait_for_timeout(300)
    return float(page.evaluate("shifted"))


def test_the_first_page_looks_right_with_the_demo_and_without(visit: Visits, site: Site) -> None:
    page = visit(reduced_motion="reduce")
    page.add_init_script(SHIFTS)
    page.goto("/")
    ranked = page.get_by_role("heading", name="systems in the demo, ranked")
    expect(ranked).to_have_count(0)
    look(page)
    site.call("analysed.show_on_first_page", STUDY)
    try:
        page.goto("/")
        expect(ranked).to_be_visible()
        assert shifted(page) < 0.05
        look(page)
    finally:
        site.call("analysed.hide_again")


@pytest.mark.parametrize("path", ["", "systems/", "method/judges/"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE["viewport"]], ids=["desk", "phone"])
def test_nothing_shifts_as_a_page_comes(desk: Desk, path: str, size: dict[str, int]) -> None:
    page = desk(f"/studies/{STUDY}/{path}", script=SHIFTS, viewport=size)
    assert shifted(page) < 0.05
