"""Whatever a worker asks for, they come to the page where they stand."""

import pytest
from django.test import Client

from judging.models import Assignment, Judgment, Visit
from judging.studies.conduct.closing import close_study
from tests.judging.browsing import Browser, Page

pytestmark = pytest.mark.django_db


def test_a_page_further_ahead_leads_to_the_true_page(judging):
    for path in ("2/", "8/", "9/", "0/", "100000/", "9" * 40 + "/", "0002/"):
        page = judging.get(path)
        assert (page.step, page.position) == ("document", 1)
        assert judging.path == f"{judging.address}1/"
    for path in ("-1/", "1.5/", "x/", "1//", "٣/", "9" * 5000 + "/"):
        assert judging.client.get(judging.address + path).status_code == 404


def test_the_entry_leads_to_the_page_they_were_on(judging):
    judging.judge()
    judging.judge()
    judging.get("2/")
    page = judging.get()
    assert (page.position, judging.path) == (2, f"{judging.address}2/")


@pytest.mark.parametrize("step", ["welcome", "practice", "instructions", "topic", "revise"])
def test_there_is_no_document_before_its_time(browser, clock, step):
    browser.get() if step == "welcome" else browser.come_to(step)
    assert browser.get("9/").step == step


def test_someone_elses_assignment(judging, clock):
    """Neither its pages nor its forms are of use to another worker."""
    other = Browser(judging.study)
    other.come_to_documents()
    stolen = judging.page.sent("next", score="5", justification="x")
    before = Visit.objects.count()
    assert other.post("1/", stolen).position == 1
    assert not Judgment.objects.exists()
    assert other.post("", {"page": f"{judging.token}:document:3", "action": "leave"}).position == 1
    assert other.post("1/", {"page": judging.token, "action": "leave"}).position == 1
    assert set(Assignment.objects.values_list("state", flat=True)) == {"judging"}
    assert Visit.objects.count() == before


def test_a_forged_cookie_is_nobody(judging):
    name = judging.cookie_name
    real = judging.client.cookies[name].value
    changed = real[:-1] + ("A" if real[-1] != "A" else "B")
    for forged in ("", "x", "a:b:c", "{}", "worker:1t:xyz", "\xff", changed, "x" + real):
        client = Client()
        client.cookies[name] = forged
        page = Browser(judging.study, client).get()
        assert (page.status, page.step) == (200, "welcome")
        assert client.cookies[name].value != forged  # a new one


def test_the_cookie(study, browser):
    browser.get()
    cookie = browser.client.cookies[browser.cookie_name]
    assert (cookie["path"], cookie["httponly"], cookie["samesite"]) == ("/study/", True, "Lax")
    assert cookie["max-age"] == 365 * 24 * 3600
    close_study(study.slug)
    late = Browser(study)
    late.get()
    assert late.cookie_name not in late.client.cookies, "there is nothing to agree to"


# --- without the cookie ---------------------------------------------------------------------------
def test_a_document_sent_without_the_cookie(judging):
    form = judging.page.sent("next", score="5", justification="x")
    response = Client().post(judging.path, form)
    page = Page(response)
    assert (page.status, page.step, page.buttons) == (403, "unknown", [])
    assert "We no longer recognise this browser" in page.words
    assert f'href="{judging.address}resume/"' in page.html
    assert "rosa@example.org" in page.text
    assert not Judgment.objects.exists()
    assert "worker" not in response.cookies
    assert Browser(judging.study).get("3/").step == "welcome", "opening it leads there"


@pytest.mark.parametrize("step", ["practice", "line", "instructions", "topic", "revise"])
def test_another_page_sent_without_the_cookie(browser, clock, step):
    form = browser.come_to(step).sent("leave")
    state = Assignment.objects.get().state
    for client in (Client(), Browser(browser.study).client):
        assert Page(client.post(browser.address, form)).step == "unknown"
    assert Assignment.objects.get().state == state


def test_welcome_sent_without_the_cookie(browser):
    assert Client().post(browser.address, browser.get().sent("continue")).status_code == 302


def test_no_cookies_at_all(judging):
    """The token against forged forms fails too; elsewhere the usual page says so."""
    client = Client(enforce_csrf_checks=True)
    page = Page(client.post(judging.path, judging.page.sent("next")))
    assert (page.status, page.step) == (403, "unknown")
    assert "does not accept cookies" in page.words
    page = Page(client.post("/login/", {"login": "x"}))
    assert (page.status, page.step) == (403, "")


def test_an_address_that_is_none_of_the_studys_pages_says_the_way_back(judging):
    page = judging.get("documents/3/")
    assert (page.status, page.step, page.buttons) == (404, "lost", [])
    assert f'href="{judging.address}"' in page.html
    assert "rosa@example.org" in page.text
    assert Client().get(f"{judging.address}me").status_code == 301  # a slash is missing
    assert Client().get("/study/nowhere/1/2/").status_code == 404
