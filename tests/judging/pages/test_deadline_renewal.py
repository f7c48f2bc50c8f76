"""Until when a set is kept, and the button that keeps it longer."""

import re
from datetime import timedelta

import pytest

from judging import flow
from judging.models import Assignment, Judgment, Study
from tests.factory import make_study
from tests.judging.browsing import Browser

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(study: Study) -> Study:
    """A set is kept as long before the first document is sent as after it."""
    study.practice_minutes = 60
    study.save(update_fields=["practice_minutes"])
    return study


def kept_seconds(page) -> int:
    return int(re.search(r'id="kept" data-seconds="(\d+)"', page.html)[1])


def test_a_page_says_until_when_answers_are_kept(judging, clock):
    assert kept_seconds(judging.page) == 3600
    assert "are kept until 13:00 UTC, 60 minutes from now." in judging.page.words
    assert "kept until" not in Browser(judging.study).get().words
    for _ in range(3):
        clock.wait(3500)
        judging.press("keep")
        flow.expire_overdue(clock.now)
    assert judging.judge().position == 2


def test_a_set_is_kept_briefly_until_the_first_document_is_sent(db, clock):
    browser = Browser(make_study(practice_minutes=7))
    browser.come_to_documents()
    assert kept_seconds(browser.page) == 420
    assert "(7 until you have sent the first document)" in Browser(browser.study).get().words
    browser.judge()
    assert kept_seconds(browser.page) == 3600


def test_without_progress_it_is_kept_longer_ten_times(db, clock):
    browser = Browser(make_study(practice_minutes=7))
    browser.get()
    browser.press("continue")
    for _ in range(10):
        clock.wait(420)
        assert kept_seconds(browser.press("keep")) == 420
    clock.wait(400)
    page = browser.press("keep")
    assert kept_seconds(page) == 20
    assert "Nothing has been sent for long, so it cannot be kept longer." in page.words
    assert "Keep them longer" not in page.words
    assert kept_seconds(browser.press("continue")) == 420, "going on is progress"


@pytest.mark.parametrize("step", ["practice", "line", "instructions", "topic", "revise"])
def test_it_is_kept_longer_on_every_page(browser, clock, step):
    before = browser.come_to(step)
    clock.wait(500)
    assert kept_seconds(browser.get()) == kept_seconds(before) - 500  # looking is not asking
    page = browser.press("keep")
    assert (page.status, page.step) == (200, before.step)
    assert kept_seconds(page) == kept_seconds(before)


def test_what_was_typed_on_a_document_stays_and_is_no_answer(judging, clock):
    clock.wait(3400)
    page = judging.press("keep", score="1/", justification="half a\0 sentence")
    assert (page.status, page.position) == (200, 1)
    assert page.typed == ("1/", "half a sentence")
    assert "errors" not in page.html
    assert kept_seconds(page) == 3600
    assert Judgment.objects.get().answer is None


def test_what_was_typed_on_a_line_and_chosen_on_a_topic_stays(browser, clock):
    browser.come_to("line")
    page = browser.press("keep", score="abo")
    assert (page.status, page.typed[0]) == (200, "abo")
    assert Assignment.objects.get().practice_step == 1
    browser.come_to("topic")
    page = browser.press("keep", answer="2")
    assert (page.status, page.step) == (200, "topic")
    assert re.search(r'value="2"[^>]* checked', page.html)
    assert Assignment.objects.get().state == "topic"


def test_a_page_that_was_left_behind_keeps_the_set_while_it_goes_on(judging, clock):
    """A second tab shows another page of it."""
    form = judging.page.sent("keep")
    judging.judge()
    clock.wait(3000)
    assert kept_seconds(judging.post("", form)) == 3600
    clock.wait(3601)
    flow.expire_overdue(clock.now)
    for path in ("1/", ""):
        assert judging.post(path, form).step == "failed"
    assert "kept until" not in judging.page.words


def test_nobody_keeps_the_set_of_another(judging, clock):
    other = Browser(judging.study)
    other.come_to_documents()
    token = other.token
    clock.wait(60)
    judging.post("1/", judging.page.sent("keep", page=token))
    judging.post("", {"page": f"{token}:document:3", "action": "keep"})
    kept = Assignment.objects.get(token=token)
    assert kept.deadline_at == clock.now + timedelta(seconds=3600 - 60)
