"""Words that explain themselves, and the documentation beside the pages."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.analysed import STUDY
from tests.browser.looks import wrong_with
from tests.browser.worker import PHONE

Desk = Callable[..., Page]
pytestmark = pytest.mark.usefixtures("analysed")
TOPICS = f"/studies/{STUDY}/topics/"


def test_a_word_shows_its_meaning_under_the_mouse_and_on_focus(desk: Desk) -> None:
    page = desk(TOPICS)
    word, meaning = page.locator(".term").first, page.locator(".meaning").first
    expect(word).to_have_text("Alpha")
    expect(meaning).to_be_hidden()
    word.hover()
    expect(meaning).to_contain_text("reliability")
    meaning.hover()
    expect(meaning).to_be_visible()
    assert not wrong_with(page)
    page.keyboard.press("Escape")
    expect(meaning).to_be_hidden()
    page.mouse.move(0, 0)
    page.get_by_role("link", name="with its intervals here").focus()
    page.keyboard.press("Shift+Tab")
    expect(meaning).to_be_visible()
    page.keyboard.press("Tab")  # into the meaning, which stays open
    expect(meaning.get_by_role("link")).to_be_focused()
    page.keyboard.press("Tab")  # and out of it
    expect(meaning).to_be_hidden()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/help/glossary/#alpha$"))


def test_a_press_shows_it_on_a_phone_without_scripts(desk: Desk) -> None:
    page = desk(TOPICS, **PHONE, java_script_enabled=False)
    page.locator(".term").first.click()
    expect(page.locator(".meaning").first).to_be_visible()


@pytest.mark.parametrize("size", [{}, PHONE])
def test_a_page_of_the_documentation(desk: Desk, size: dict[str, object]) -> None:
    page = desk(TOPICS, **size)
    if size:
        page.locator(".bar summary").click()
    page.get_by_role("link", name="Help").click()
    expect(page.locator("h1")).to_have_text("Taking results out")
    contents = page.get_by_role("navigation", name="On this page")
    contents.get_by_role("link", name="Files", exact=True).click()
    expect(page.locator("#files")).to_be_in_viewport()
    assert not wrong_with(page)
