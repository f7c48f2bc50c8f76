"""A study while it runs: pausing, closing, putting away, pay, and units taken back by hand."""

from decimal import Decimal

import pytest

from accounts.models import User
from judging import flow
from judging.flow import NoWork
from judging.models import Study, TrailEntry, Unit
from judging.studies.conduct import stages
from judging.studies.conduct.closing import close_study
from judging.studies.conduct.opening import open_study
from judging.studies.conduct.stages import CannotRun
from judging.studies.configuration.settings import BadStudy
from tests.cast import ada, ben
from tests.factory import NOON, later, make_study
from tests.judging.browsing import Browser
from tests.judging.invariants import broken


@pytest.fixture
def rita(db: None) -> User:
    return User.objects.create_user("rita")


def trail_of(study: Study) -> list[tuple[str, str]]:
    """Who did what since the study was opened, oldest first; nobody: a command."""
    entries = study.trail.order_by("pk").select_related("by")
    pairs = [(str(entry.by or ""), entry.action) for entry in entries]
    return pairs[[action for _, action in pairs].index("opened") + 1 :]


# --- paused -------------------------------------------------------------------------------------
def test_while_it_is_paused_nobody_begins_and_who_is_in_finishes(study: Study, rita: User) -> None:
    in_progress = ada(study).come_to_the_end()
    stages.pause(study, rita)
    assert ben(study).begin() == NoWork.PAUSED
    in_progress.finish()
    assert in_progress.assignment.state == "completed"
    assert in_progress.begin() == NoWork.PAUSED
    stages.resume(study, rita)
    assert ben(study).begin() is None
    assert trail_of(study) == [("rita", "paused"), ("rita", "resumed")]


def test_pages_say_that_it_is_paused(study: Study) -> None:
    stages.pause(study, None)
    page = Browser(study).get()
    assert page.step == "closed"
    assert "This study is paused" in page.words
    assert "has ended" not in page.words


def test_what_can_be_done_at_which_stage(study: Study) -> None:
    with pytest.raises(CannotRun, match="is open; to go on it must be paused"):
        stages.resume(study, None)
    stages.pause(study, None)
    with pytest.raises(CannotRun, match="is paused; to be paused it must be open"):
        stages.pause(study, None)
    with pytest.raises(BadStudy, match="is paused"):
        open_study(study.slug)
    with pytest.raises(CannotRun, match="to be archived it must be closed"):
        stages.archive(study, None)
    close_study(study.slug)
    for change in (stages.pause, stages.resume):
        with pytest.raises(CannotRun, match="is closed"):
            change(study, None)
    with pytest.raises(CannotRun, match="is closed"):
        stages.raise_payment(study, "9", None)


def test_a_study_is_archived_and_taken_back(study: Study, rita: User) -> None:
    close_study(study.slug, rita)
    assert stages.archive(study, rita).archived_at
    assert stages.archive(study, rita).archived_at
    assert stages.unarchive(study, rita).archived_at is None
    assert trail_of(study) == [("rita", what) for what in ("closed", "archived", "unarchived")]


# --- payment ------------------------------------------------------------------------------------
def test_more_is_paid_for_units_to_come(study: Study, rita: User) -> None:
    before = ada(study)
    before.begin()
    stages.raise_payment(study, "1.50", rita)
    after = ben(study)
    after.begin()
    assert (before.assignment.payment, after.assignment.payment) == (1, Decimal("1.50"))
    assert study.trail.latest("pk").details["changes"] == {"payment": ["1.00", "1.50"]}


@pytest.mark.parametrize("payment", ["1", "0.99", "-2", "much", "1.505", "NaN", "1e9", ""])
def test_what_is_no_higher_payment_is_refused(study: Study, payment: str) -> None:
    with pytest.raises(CannotRun) as refusal:
        stages.raise_payment(study, payment, None)
    assert refusal.value.faults[0].where == ("payment",)
    study.refresh_from_db()
    assert (study.payment, trail_of(study)) == (1, [])


def test_a_demo_pays_nothing(db: None) -> None:
    with pytest.raises(CannotRun, match="pays nothing"):
        stages.raise_payment(make_study(demo=True, payment=0), "1", None)


# --- a unit taken back --------------------------------------------------------------------------
def test_a_unit_is_released_from_who_left_it(study: Study, rita: User) -> None:
    worker = ada(study).come_to_documents()
    worker.next(1)
    held = worker.assignment.unit
    name = f"401-{held.number}"
    released = flow.release_unit(study, name, rita, later(100))
    assert (released.state, worker.assignment.judgments.count()) == ("released", 0)
    assert Unit.objects.get(pk=held.pk).free
    assert worker.next(2).position is None, "nothing of it can be changed any more"
    assert broken() == []
    details = study.trail.get(action="released").details
    assert details == {"unit": name, "worker": worker.pseudonym}
    with pytest.raises(CannotRun, match="is not in progress"):
        flow.release_unit(study, name, rita, later(100))


@pytest.mark.parametrize("name", ["", "401", "401-", "401-x", "401-99", "402-1", "401-²"])
def test_a_unit_that_nobody_holds_cannot_be_released(study: Study, name: str) -> None:
    ada(study).begin()
    with pytest.raises(CannotRun, match="is not in progress"):
        flow.release_unit(study, name, None, NOON)
    assert not TrailEntry.objects.filter(action="released").exists()


def test_whose_unit_was_released_reads_why_and_begins_again(study: Study) -> None:
    browser = Browser(study)
    browser.come_to("practice")
    flow.release_unit(study, f"401-{study.assignments.get().unit.number}", None, NOON)
    page = browser.get()
    assert "gave these documents back" in page.words
    assert page.buttons == ["again"]


# --- a unit withdrawn ---------------------------------------------------------------------------
def test_a_worker_withdraws_by_code(study: Study, rita: User) -> None:
    worker = ada(study)
    code = worker.complete()
    flow.withdraw_unit(study, f" {code.lower()} ", rita, later(900))
    assert (worker.assignment.state, worker.assignment.completion_code) == ("withdrawn", code)
    assert code not in str(study.trail.get(action="withdrew").details)
    with pytest.raises(CannotRun, match="deleted already"):
        flow.withdraw_unit(study, code, rita, later(900))


def test_codes_of_another_study_withdraw_nothing(study: Study) -> None:
    code = ada(make_study()).complete()
    with pytest.raises(CannotRun, match="No completed unit"):
        flow.withdraw_unit(study, code, None, later(900))
