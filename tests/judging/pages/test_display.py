"""The size of text and the colours that somebody chooses for their browser."""

import pytest
from django.test import Client

from judging.models import Judgment
from tests.judging.browsing import Browser

pytestmark = pytest.mark.django_db


def test_a_choice_loses_nothing_that_was_typed(browser: Browser) -> None:
    browser.walk_to_documents()
    typed = {**browser.page.form("next"), "score": "7", "justification": "Half a rea"}
    page = browser.post(browser.path, {**typed, "display": "text=larger"})
    assert (page.status, page.step, page.position) == (200, "document", 1)
    assert page.typed == ("7", "Half a rea")
    assert not Judgment.objects.exclude(score=None).exists()
    assert 'data-text="larger" data-theme="device"' in page.html
    assert browser.assignment.back_steps == 0


def test_a_choice_is_kept_for_a_year_and_the_whole_site(browser: Browser) -> None:
    browser.get()
    page = browser.post("", {"display": "theme=dark"})
    assert (page.step, 'data-theme="dark"' in page.html) == ("welcome", True)
    cookie = browser.client.cookies["display_theme"]
    assert (cookie["max-age"], cookie["path"], cookie["samesite"]) == (31536000, "/", "Lax")
    for address in ("resume/", "me/", "/login/"):
        page = browser.get(address)
        assert 'data-theme="dark"' in page.html
        assert '<meta name="color-scheme" content="dark">' in page.html
    browser.get("me/")
    assert 'data-theme="light"' in browser.post("me/", {"display": "theme=light"}).html


def test_what_cannot_be_chosen_changes_nothing(browser: Browser) -> None:
    browser.client.cookies["display_text"] = '"><script>'
    page = browser.get()
    assert 'data-text="normal" data-theme="device"' in page.html
    for nonsense in ("theme=red", "theme", "size=large", "="):
        browser.post("", {"display": nonsense})
        assert "display_theme" not in browser.client.cookies


def test_a_strangers_address_is_not_answered_with_a_choice() -> None:
    client = Client()
    assert client.post("/study/none/", {"display": "theme=dark"}).status_code == 404
