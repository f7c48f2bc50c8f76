"""The list of one's own answers before Finish, in studies that ask for it."""

import pytest

from judging.models import Assignment, Judgment, Visit
from tests.factory import make_study
from tests.judging.browsing import Browser
from tests.judging.invariants import broken

pytestmark = pytest.mark.django_db


@pytest.fixture
def at_list(clock) -> Browser:
    """After Next on the last document."""
    browser = Browser(make_study(check_before_finish=True))
    browser.come_to_documents()
    browser.person().judge_up_to(8)
    clock.wait(7 * 20)
    assert "finish" not in browser.get().buttons
    clock.wait(20)
    browser.judge("next")
    return browser


def test_the_list_comes_after_the_last_document_and_finish_after_it(at_list):
    page = at_list.page
    assert (page.step, page.buttons) == ("check", ["finish"])
    assert page.can_leave
    assert page.words.count("You gave") == 8
    assert at_list.get("").step == "check"
    assert at_list.press("keep").step == "check"
    assert not Visit.objects.filter(closed_at=None).exists()  # its time is no document's
    assert broken() == []
    page = at_list.press("finish")
    assert page.step == "done"
    assert page.code
    assert broken() == []


def test_a_finish_sent_from_the_last_document_comes_to_the_list_first(at_list):
    Judgment.objects.filter(position=8).delete()
    page = at_list.get("8/")
    for _ in range(2):  # the same form again changes nothing
        page = at_list.post("8/", page.sent("next", score="") | {"action": "finish"})
        assert (page.status, page.position) == (200, 8)
        assert "Please correct this" in page.words
        assert not Judgment.objects.filter(position=8, score__isnull=False).exists()
    typed = {"score": at_list.right_score(), "justification": "I have read it"}
    page = at_list.post("8/", page.sent("next", **typed) | {"action": "finish"})
    assert page.step == "check"
    assert "I have read it" in page.words
    assert Assignment.objects.get().state == "judging"
    assert at_list.press("finish").step == "done"
    assert broken() == []


def test_the_same_form_again_changes_nothing(at_list):
    form = at_list.page.sent("finish")
    Judgment.objects.update(score=5)  # so that check (c) fails
    for _ in range(2):
        assert at_list.post("", form).step == "revise"
    assert Assignment.objects.get().failed_finishes == 1
    # From then on every document has its own.
    page = at_list.press("back")
    assert (page.position, page.buttons) == (8, ["finish", "back"])


def test_a_document_of_the_list_is_a_step_back(at_list, clock):
    page = at_list.get("3/")
    assert (page.position, page.buttons) == (3, ["next", "back"])
    assert Assignment.objects.get().back_steps == 1
    for _ in range(6):
        at_list.judge("next")
    assert at_list.page.step == "check"
    assert at_list.press("finish").step == "done"


def test_what_is_missing_is_shown(at_list):
    at_list.get("4/")
    at_list.press("back", score="", justification="")
    answer = Judgment.objects.get(position=4).answer
    for page in (3, 5, 6, 7, 8):
        at_list.get(f"{page}/")
        at_list.judge("next")
    assert at_list.page.step == "check"
    assert "You typed something else since, which is not given yet." in at_list.page.words
    page = at_list.press("finish")
    assert (page.step, page.position) == ("document", 4)
    assert "Before you can finish, this document needs an answer" in page.words
    at_list.press("keep-answer")
    assert Judgment.objects.get(position=4).answer == answer
    for page in (4, 5, 6, 7, 8):
        at_list.get(f"{page}/")
        at_list.press("next")
    assert at_list.press("finish").step == "done"
