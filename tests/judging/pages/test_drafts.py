"""Drafts that a browser sends while one types: kept, and never in the place of what came later."""

from typing import Any

import pytest
from django.http import HttpResponse

from judging import flow
from judging.models import Assignment, Judgment, Visit
from tests.cast import WORDS
from tests.judging.browsing import Browser
from tests.judging.invariants import broken

pytestmark = pytest.mark.django_db


def form_of(browser: Browser) -> dict[str, str]:
    return browser.page.sent("next") | {"action": "draft"}


def send(browser: Browser, form: dict[str, str], **typed: str) -> HttpResponse:
    """Send a draft as scripts do; the answer."""
    return browser.client.post(browser.path, {**form, **typed})


def stored() -> tuple[Any, ...]:
    judgment = Judgment.objects.get()
    return judgment.answer, judgment.first_score, judgment.draft


def test_a_draft_is_kept_and_shown(judging, clock):
    clock.wait(15)
    before = Assignment.objects.get()
    answer = send(judging, form_of(judging), score="1/", justification="half a sen")
    assert answer.status_code == 200
    assert stored() == (None, None, ("1/", "half a sen"))
    assert judging.get("1/").typed == ("1/", "half a sen")
    after = Assignment.objects.get()
    assert (after.position, after.furthest, after.back_steps) == (1, 1, 0)
    assert after.deadline_at > before.deadline_at
    assert Visit.objects.count() == 1


def test_one_draft_after_the_other(judging, clock):
    form = form_of(judging)
    for text in ("ha", "half", "half a"):
        clock.wait(15)
        answer = send(judging, form, score="5", justification=text)
        form["since"] = answer.content.decode()
    assert stored() == (None, None, ("5", "half a"))


def test_a_draft_that_comes_late_changes_nothing(judging, clock):
    form = form_of(judging)
    clock.wait(5)
    judging.get("1/")  # of another tab, which ends the drafts of the first
    assert send(judging, {**form, "score": "9"}).status_code == 409
    assert not Judgment.objects.exists()
    form = form_of(judging)
    clock.wait(20)
    judging.judge(score="7", words="sent")
    for _ in range(2):
        clock.wait(1)
        assert judging.client.post(f"{judging.address}1/", form).status_code == 409
        judging.get("1/")  # back on the page, for which the draft is still too old
    assert stored() == (("7", "sent"), 7, None)


def test_sent_as_it_was_drafted_it_has_a_first_score(judging, clock):
    clock.wait(15)
    send(judging, form_of(judging), score="5", justification="whole")
    judging.get("1/")
    clock.wait(15)
    page = judging.judge(score="5", words="whole")
    assert page.position == 2
    assert stored() == (("5", "whole"), 5, None)
    assert Judgment.objects.get().submitted_at == clock.now


def test_a_draft_changes_no_answer(judging, clock):
    clock.wait(15)
    judging.judge(score="5")
    judging.get("1/")
    clock.wait(15)
    send(judging, form_of(judging), score="6", justification="x")
    assert stored() == (("5", WORDS), 5, ("6", "x"))
    assert "You had given 5" in judging.get("1/").words
    assert judging.press("keep-answer").typed == ("5", WORDS)
    assert stored() == (("5", WORDS), 5, None)


def test_finish_leads_to_a_draft_that_is_newer_than_its_answer(failed, clock):
    """Who goes on by a mark's link has typed, and given nothing."""
    failed.get("3/")
    clock.wait(15)
    form = failed.page.sent("finish") | {"action": "draft"}
    assert send(failed, form, score="33", justification="typed").status_code == 200
    for page in range(1, 9):
        failed.get(f"{page}/")
        clock.wait(20)
    page = failed.press("finish")
    assert (page.step, page.position, page.typed) == ("document", 3, ("33", "typed"))
    assert "Before you can finish, this document needs an answer" in page.words
    assert "You typed this, but it is not given yet." in page.words
    assert "You had given" in page.words
    assert failed.press("finish").step in ("done", "revise")
    assert Judgment.objects.get(position=3).score == 33
    assert broken() == []


def test_drafts_of_others_and_of_ended_sets(judging, clock):
    form = form_of(judging)
    other = Browser(judging.study)
    other.get()
    assert other.client.post(judging.path, form).status_code == 409
    clock.wait(4000)
    flow.expire_overdue(clock.now)
    assert send(judging, form).status_code == 409
