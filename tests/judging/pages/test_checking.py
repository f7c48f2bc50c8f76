"""The list of one's own answers before Finish, in studies that ask for it."""

import pytest

from judging.models import Assignment, Judgment, Study, Visit
from tests.factory import make_study
from tests.judging.browsing import Browser
from tests.judging.invariants import broken

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(db) -> Study:
    return make_study(check_before_finish=True)


@pytest.fixture
def at_list(judging, clock) -> Browser:
    """After Next on the last document."""
    for _ in range(8):
        clock.wait(20)
        assert "finish" not in judging.page.buttons
        judging.judge("next")
    return judging


def test_the_list_comes_after_the_last_document(at_list):
    page = at_list.page
    assert (page.step, page.buttons) == ("check", ["finish"])
    assert page.can_leave
    assert page.words.count("You gave") == 8
    assert at_list.get("").step == "check"
    assert not Visit.objects.filter(closed_at=None).exists()  # its time is no document's
    assert broken() == []


def test_finish_from_the_list(at_list):
    page = at_list.press("finish")
    assert page.step == "done"
    assert page.code
    assert broken() == []


def test_a_finish_sent_from_the_last_document_comes_to_the_list_first(judging, clock):
    for _ in range(7):
        clock.wait(20)
        judging.judge("next")
    clock.wait(20)
    for _ in range(2):  # the same form again changes nothing
        page = judging.post("8/", {**judging.page.form("next"), "action": "finish", "score": ""})
        assert (page.status, page.position) == (200, 8)
        assert "Please correct this" in page.words
        assert not Judgment.objects.filter(position=8, score__isnull=False).exists()
    typed = {"score": judging.right_score(), "justification": "I have read it"}
    page = judging.post("8/", {**page.form("next"), "action": "finish", **typed})
    assert page.step == "check"
    assert "I have read it" in page.words
    assert Assignment.objects.get().state == "judging"
    assert judging.press("finish").step == "done"
    assert broken() == []


def test_the_same_form_again_changes_nothing(at_list):
    form = {**at_list.page.form("finish"), "action": "finish"}
    Judgment.objects.update(score=5)  # so that check (c) fails
    assert at_list.post("", form).step == "revise"
    assert at_list.post("", form).step == "revise"
    assert Assignment.objects.get().failed_finishes == 1


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


def test_after_a_failed_finish_every_document_has_its_own(at_list, clock):
    Study.objects.update(minimum_seconds=1000)
    assert at_list.press("finish").step == "revise"
    page = at_list.press("back")
    assert (page.position, page.buttons) == (8, ["finish", "back"])


def test_it_is_kept_longer(at_list):
    assert at_list.press("keep").step == "check"
