"""What a platform says of a submission: it is over, or goes on."""

import pytest

from judging import flow
from judging.flow import NoWork
from judging.models import Judgment, PlatformAccount, Study, Unit, Visit
from tests.cast import Person
from tests.factory import make_study
from tests.judging.browsing import Browser
from tests.judging.invariants import broken
from web import clock

PID, SESSION = "60a1", "5ub1"


@pytest.fixture
def study(db: None) -> Study:
    return make_study(topics=2)


@pytest.fixture
def dora(study: Study) -> Person:
    ids = {"SESSION_ID": SESSION}
    return Person(study, "dora", platform="prolific", external_id=PID, ids=ids)


def over(person: Person, session: str = SESSION):
    return flow.end_submissions(person.study, "prolific", {PID: session}, person.now)


def account() -> PlatformAccount:
    return PlatformAccount.objects.get()


@pytest.mark.parametrize("at", ["practice", "documents"])
def test_a_unit_of_a_returned_submission_is_free_and_its_data_are_gone(dora, at) -> None:
    dora.begin() if at == "practice" else dora.come_to_documents().next(1)
    (ended,) = over(dora.wait(30))
    assert (ended.state, ended.finished_at) == ("returned", dora.now)
    assert not Judgment.objects.exists()
    assert not Visit.objects.exists()
    assert Unit.objects.get(pk=ended.unit_id).free
    assert dora.begin() == NoWork.RETURNED
    assert not over(dora)
    assert not broken()


def test_a_completed_unit_stays_and_no_other_begins(dora: Person) -> None:
    dora.complete()
    unit = dora.assignment
    assert not over(dora)
    unit.refresh_from_db()
    assert (unit.state, unit.judgments.count()) == ("completed", 8)
    assert dora.begin() == NoWork.RETURNED


def test_the_end_of_another_submission_changes_nothing(dora: Person) -> None:
    dora.come_to_documents()
    assert not over(dora, "older")
    assert (dora.assignment.state, account().submission_over) == ("judging", False)
    assert not flow.end_submissions(dora.study, "prolific", {"nobody": SESSION}, dora.now)


def test_whoever_comes_back_by_a_new_submission_begins_again(dora: Person) -> None:
    dora.come_to_documents()
    over(dora)
    flow.confirm_submissions(dora.study, "prolific", {PID: "5ub2"})
    assert (account().ids["SESSION_ID"], account().submission_over) == ("5ub2", False)
    assert not over(dora), "the end of the first one comes late"
    assert dora.begin() is None
    dora.worker.refresh_from_db()
    assert dora.worker.verified
    flow.confirm_submissions(dora.study, "prolific", {"nobody": "5ub2"})
    assert PlatformAccount.objects.count() == 1


def test_their_page_says_why(study: Study) -> None:
    browser = Browser(study)
    browser.client.get(f"{browser.address}?PROLIFIC_PID={PID}&SESSION_ID={SESSION}")
    browser.walk_to_documents()
    flow.end_submissions(study, "prolific", {PID: SESSION}, clock.now())
    page = browser.get()
    assert page.step == "failed"
    assert "returned your submission there, or that its time ran out" in page.words
    assert "again" not in page.buttons
