"""Marks of pictures answer: to a pointer, a finger, keys, and without scripts."""

from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.analysed import STUDY
from tests.browser.looks import faults
from tests.browser.worker import PHONE

Desk = Callable[..., Page]
pytestmark = pytest.mark.usefixtures("analysed")
ADDRESS = f"/studies/{STUDY}/method/significance/"
MARKED = "figure.plot .one"
CLS = """() => new Promise(done => new PerformanceObserver(list => done(
    list.getEntries().reduce((sum, one) => sum + (one.hadRecentInput ? 0 : one.value), 0)
)).observe({ type: "layout-shift", buffered: true }) || setTimeout(done, 500, 0))"""


def dot(page: Page, place: int = 0) -> Locator:
    return page.locator("figure.plot").nth(place).locator("circle[data-system]").first


def system_of(mark: Locator) -> str:
    return str(mark.get_attribute("data-system"))


def middle(mark: Locator) -> tuple[float, float]:
    mark.scroll_into_view_if_needed()
    box = mark.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def asked(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def test_a_pointer_is_told_what_a_dot_is_and_marks_it_in_every_picture(desk: Desk) -> None:
    page = desk(ADDRESS)
    mark = dot(page)
    system = system_of(mark)
    page.mouse.move(*middle(mark))
    tip = page.locator(".tip")
    expect(tip).to_contain_text(f"{system}: ")
    elsewhere = page.locator("figure.plot").nth(1)
    expect(elsewhere.locator(f'.same[data-system="{system}"]')).not_to_have_count(0)
    tip.hover()  # it stays while one reads it
    page.wait_for_timeout(400)
    expect(tip).to_be_visible()
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    page.mouse.move(*middle(dot(page, 1)))
    page.mouse.move(*middle(mark))
    tip.get_by_role("button", name=f"Mark {system}").click()
    assert asked(page)["run"] == [system]
    for place in (0, 1):
        figure = page.locator("figure.plot").nth(place)
        expect(figure.locator(f'.one[data-system="{system}"]')).not_to_have_count(0)
    expect(page.get_by_label("Mark a system")).to_have_value(system)
    page.reload()
    expect(page.locator(f'{MARKED}[data-system="{system}"]')).not_to_have_count(0)
    page.get_by_role("link", name="Systems", exact=True).click()
    assert asked(page)["run"] == [system]
    expect(page.locator('tr[aria-current="true"]')).to_contain_text(system)
    page.go_back()
    page.go_back()
    expect(page.locator(MARKED)).to_have_count(0)
    assert "run" not in asked(page)


def test_a_click_follows_a_dot_and_keys_reach_the_same(desk: Desk) -> None:
    page = desk(ADDRESS)
    system = system_of(dot(page))
    page.mouse.click(*middle(dot(page)))
    page.wait_for_url(f"**/systems/{system}/**")
    page.go_back()
    plot = page.locator("figure.plot .scroll").first
    plot.focus()
    page.keyboard.press("Home")
    tip = page.locator(".tip")
    said = page.locator("p.unseen[aria-live]")
    first = tip.locator("p").first.inner_text()
    expect(said).to_have_text(first)
    page.keyboard.press("ArrowRight")
    expect(tip.locator("p").first).not_to_have_text(first)
    page.keyboard.press("ArrowLeft")
    expect(tip.locator("p").first).to_have_text(first)
    page.keyboard.press("Space")
    assert asked(page)["run"] == [first.split(":")[0]]
    page.keyboard.press("Tab")  # a picture is one stop
    expect(tip).to_be_hidden()
    assert plot.evaluate("plot => !plot.contains(document.activeElement)")
    plot.focus()
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/systems/{first.split(':')[0]}/**")


def test_a_tap_shows_and_the_second_follows(desk: Desk) -> None:
    page = desk(ADDRESS, **PHONE)
    mark = dot(page)
    system = system_of(mark)
    x, y = middle(mark)
    page.touchscreen.tap(x + 9, y)  # a finger is no needle
    expect(page.locator(".tip")).to_contain_text(f"{system}: ")
    assert urlsplit(page.url).path == ADDRESS
    page.touchscreen.tap(*middle(mark))
    page.wait_for_url(f"**/systems/{system}/**")


def test_a_legend_switches_what_it_names(desk: Desk) -> None:
    page = desk(f"/studies/{STUDY}/method/definitions/")
    figure = page.locator("figure.plot").first
    button = figure.get_by_role("button", name="ERR")
    drawn = figure.locator('g[data-kind="ERR"]')
    expect(drawn.first).to_be_visible()
    button.click()
    expect(button).to_have_attribute("aria-pressed", "false")
    expect(drawn.first).to_be_hidden()
    expect(figure.locator('g[data-kind="nDCG"]').first).to_be_visible()
    button.press("Enter")
    expect(drawn.first).to_be_visible()


def test_without_scripts_links_titles_and_a_menu_do_the_same(desk: Desk) -> None:
    page = desk(ADDRESS, java_script_enabled=False)
    mark = page.locator("figure.plot a:has(circle[data-system])").first
    system = system_of(mark.locator("circle"))
    assert f"{system}: " in str(mark.locator("title").text_content())
    page.get_by_label("Mark a system").select_option(system)
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.locator(f'{MARKED}[data-system="{system}"]')).not_to_have_count(0)
    page.locator("figure.plot a:has(circle[data-system])").first.click()
    page.wait_for_url("**/systems/**")


def test_nothing_shifts_and_nothing_is_wrong_while_a_mark_is_read(desk: Desk) -> None:
    page = desk(ADDRESS)
    assert page.evaluate(CLS) < 0.05
    page.mouse.move(*middle(dot(page)))
    expect(page.locator(".tip")).to_be_visible()
    assert not (wrong := faults(page)), wrong
    stops = page.locator("figure.plot > .scroll :is(a, button):not([tabindex='-1'])")
    expect(stops).to_have_count(0)


def test_the_dots_of_a_card_lead_to_their_systems(desk: Desk) -> None:
    page = desk(f"/studies/{STUDY}/")
    mark = page.locator("#card-ranking [data-system]").first
    system = system_of(mark)
    page.mouse.move(*middle(mark))
    expect(page.locator(".tip")).to_contain_text(f"{system}: 0.")
    page.mouse.click(*middle(mark))
    page.wait_for_url(f"**/systems/{system}/**")
