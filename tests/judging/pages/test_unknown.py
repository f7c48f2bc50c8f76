"""A browser that has lost its cookies in the middle of a set is told so, and how to go on."""

import pytest
from django.test import Client

from judging.models import Assignment, Judgment
from tests.judging.browsing import Browser, Page

pytestmark = pytest.mark.django_db


def test_a_document_sent_without_the_cookie(judging):
    form = {**judging.page.form("next"), "action": "next", "score": "5", "justification": "x"}
    response = Client().post(judging.path, form)
    page = Page(response)
    assert (page.status, page.step, page.buttons) == (403, "unknown", [])
    assert "We no longer recognise this browser" in page.words
    assert f'href="{judging.address}resume/"' in page.html
    assert "rosa@example.org" in page.text
    assert not Judgment.objects.exists()
    assert "worker" not in response.cookies


@pytest.mark.parametrize("step", ["practice", "line", "instructions", "topic", "revise"])
def test_another_page_sent_without_the_cookie(browser, clock, step):
    """Before, it led to Welcome without a word."""
    browser.walk_to(step, clock)
    state = Assignment.objects.get().state
    form = {**browser.page.form("leave"), "action": "leave"}
    for client in (Client(), Browser(browser.study).client):
        assert Page(client.post(browser.address, form)).step == "unknown"
    assert Assignment.objects.get().state == state


def test_welcome_sent_without_the_cookie(browser):
    form = {**browser.get().form("continue"), "action": "continue"}
    assert Client().post(browser.address, form).status_code == 302


def test_no_cookies_at_all(judging):
    """Without its cookie the token against forged forms fails too."""
    client = Client(enforce_csrf_checks=True)
    page = Page(client.post(judging.path, {**judging.page.form("next"), "action": "next"}))
    assert (page.status, page.step) == (403, "unknown")
    assert "does not accept cookies" in page.words


def test_elsewhere_the_usual_page_comes(db):
    page = Page(Client(enforce_csrf_checks=True).post("/login/", {"login": "x"}))
    assert (page.status, page.step) == (403, "")


def test_opening_a_document_without_the_cookie_leads_to_welcome(judging):
    assert Browser(judging.study).get("3/").step == "welcome"


def test_an_address_that_is_none_of_the_studys_pages_says_the_way_back(judging):
    page = judging.get("documents/3/")
    assert (page.status, page.step, page.buttons) == (404, "lost", [])
    assert f'href="{judging.address}"' in page.html
    assert "rosa@example.org" in page.text
    assert Client().get(f"{judging.address}me").status_code == 301  # a slash is missing
    assert Client().get("/study/nowhere/1/2/").status_code == 404
