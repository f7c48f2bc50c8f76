"""Whatever a worker asks for, they come to the page where they stand."""

import pytest
from django.test import Client

from judging.models import Assignment, Judgment, Visit
from judging.studies.conduct.opening import close_study
from tests.judging.browsing import Browser

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("path", ["2/", "8/", "9/", "0/", "100000/", "9" * 40 + "/", "0002/"])
def test_a_page_further_ahead_leads_to_the_true_page(judging, path):
    page = judging.get(path)
    assert (page.step, page.position) == ("document", 1)
    assert judging.path == f"{judging.address}1/"


@pytest.mark.parametrize("path", ["-1/", "1.5/", "x/", "1//", "٣/", "9" * 5000 + "/"])
def test_addresses_that_are_none(judging, path):
    assert judging.client.get(judging.address + path).status_code == 404


def test_the_entry_leads_to_the_page_they_were_on(judging):
    judging.judge()
    judging.judge()
    judging.get("2/")
    page = judging.get()
    assert (page.position, judging.path) == (2, f"{judging.address}2/")


@pytest.mark.parametrize("step", ["welcome", "practice", "instructions", "topic", "revise"])
def test_there_is_no_document_before_its_time(browser, clock, step):
    browser.get()
    if step == "revise":
        browser.come_to_documents()
        browser.judge_all(clock, seconds=1)
    elif step != "welcome":
        browser.press("continue")
        if step != "practice":
            browser.practise()
        if step == "topic":
            browser.press("continue")
    page = browser.get("9/")
    assert page.step == step


def test_someone_who_has_no_cookie(judging):
    stranger = Browser(judging.study)
    assert stranger.get("1/").step == "welcome"
    stranger = Browser(judging.study)
    page = stranger.post(judging.path, judging.page.form("next"))
    assert (page.status, page.step) == (403, "unknown")
    assert not Judgment.objects.exists()


def test_someone_elses_assignment(judging, clock):
    """Neither its pages nor its forms are of use to another worker."""
    other = Browser(judging.study)
    other.come_to_documents()
    stolen = {**judging.page.form("next"), "score": "5", "justification": "x", "action": "next"}
    before = Visit.objects.count()
    assert other.post("1/", stolen).position == 1
    assert not Judgment.objects.exists()
    assert other.post("", {"page": f"{judging.token}:document:3", "action": "leave"}).position == 1
    assert other.post("1/", {"page": judging.token, "action": "leave"}).position == 1
    assert set(Assignment.objects.values_list("state", flat=True)) == {"judging"}
    assert Visit.objects.count() == before


@pytest.mark.parametrize("cookie", ["", "x", "a:b:c", "{}", "worker:1t:xyz", "\xff"])
def test_a_forged_cookie_is_nobody(judging, cookie):
    name = judging.cookie_name
    real = judging.client.cookies[name].value
    for forged in (cookie, real[:-1] + ("A" if real[-1] != "A" else "B"), "x" + real):
        client = Client()
        client.cookies[name] = forged
        page = Browser(judging.study, client).get()
        assert (page.status, page.step) == (200, "welcome")
        assert client.cookies[name].value != forged  # a new one


def test_the_cookie(browser):
    browser.get()
    cookie = browser.client.cookies[browser.cookie_name]
    assert (cookie["path"], cookie["httponly"], cookie["samesite"]) == (
        "/study/",
        True,
        "Lax",
    )
    assert cookie["max-age"] == 365 * 24 * 3600


def test_no_cookie_where_there_is_nothing_to_agree_to(study):
    close_study(study.slug)
    browser = Browser(study)
    browser.get()
    assert "worker" not in browser.client.cookies
