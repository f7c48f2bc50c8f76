"""Leaving, expiring, withdrawing: what is deleted and what is kept at each end."""

from datetime import timedelta

import pytest
from django.conf import settings

from judging import flow, tasks
from judging.models import (
    Assignment,
    Judgment,
    PlatformAccount,
    Study,
    StudyTopic,
    Tick,
    Unit,
    Visit,
)
from judging.states import LIVE
from judging.studies.conduct.closing import close_study
from tests.cast import Person, ada, crowd, dora
from tests.factory import NOON, later, make_study


@pytest.fixture
def study(study_for_all: Study, db: None) -> Study:
    """A unit is held as long before the first document is sent as after it."""
    Study.objects.filter(pk=study_for_all.pk).update(practice_minutes=60)
    return Study.objects.get(pk=study_for_all.pk)


def at(person: Person, step: str) -> Person:
    """Bring somebody to a step of their way."""
    if step == "practice":
        person.begin()
        flow.start_practice(person.assignment.token, person.now)
        flow.practise(person.assignment.token, 1, 5, person.now)
        return person
    if step in ("instructions", "topic"):
        return person.come_to(step)
    person.come_to_the_end(seconds=5)
    if step == "revising":
        person.finish()
    return person


def data(assignment: Assignment) -> tuple[int, int]:
    return assignment.judgments.count(), assignment.visits.count()


def tick(moment) -> int:
    """A tick, after others that ran in time."""
    Tick.objects.update_or_create(
        name="expiry", defaults={"ran_at": moment - timedelta(seconds=settings.TICK_SECONDS)}
    )
    return flow.expire_overdue(moment)


# --- each end from each live state --------------------------------------------------------------
@pytest.mark.parametrize("how", ["leave", "expire"])
@pytest.mark.parametrize("step", LIVE)
def test_the_row_stays_the_data_go_the_unit_returns(study, worker, step, how):
    at(worker, step)
    before = worker.assignment
    assert before.state == step
    end = worker.now + timedelta(minutes=61)
    if how == "leave":
        assert flow.leave(before.token, end)
    else:
        assert tick(end) == 1
    after = worker.assignment
    assert (after.state, after.finished_at) == ({"leave": "left", "expire": "expired"}[how], end)
    assert data(after) == (0, 0)
    assert after.line_scores == []
    assert after.completion_code is None
    assert after.unit.free
    assert len(after.seconds) == 8
    for kept in ("unit_id", "worker_id", "furthest", "back_steps", "revise_steps", "started_at"):
        assert getattr(after, kept) == getattr(before, kept)
    assert (after.failed_finishes, after.barred) == (before.failed_finishes, before.barred)
    assert after.payment == before.payment
    assert after.failures.count() == (step == "revising")
    assert StudyTopic.objects.get().revision == 0


# --- expiry -------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("steps", "in_time", "late"),
    [("open 1", 3600, 3600.001), ("wait 3000, open 1", 6000, 6601)],
    ids=["to the moment", "activity moves the deadline"],
)
def test_nobody_expires_before_the_deadline(study, judging, steps, in_time, late):
    judging.do(steps)
    close_study(study.slug)  # which changes nothing for who is in
    assert tick(later(in_time)) == 0
    assert tick(later(late)) == 1


def test_the_setting(db):
    person = ada(make_study(expiry_minutes=1.5))
    person.begin()
    assert tick(later(90)) == 0
    assert tick(later(91)) == 1


def test_only_those_who_are_late_expire(db):
    study = make_study(practice_minutes=60)
    early, late = ada(study), Person(study, "ben", now=later(600))
    early.come_to_documents()
    late.come_to_documents()
    assert tick(later(3700)) == 1
    assert (early.assignment.state, late.assignment.state) == ("expired", "judging")


def test_what_is_late_but_comes_before_the_tick_counts(judging):
    assert judging.do("open 1, wait 7200, next 1").position == 2
    assert tick(judging.now) == 0
    judging.judge_up_to(8).do("wait 9000, finish")
    assert judging.assignment.state == "completed"
    was = judging.assignment.deadline_at
    for moment in (judging.now, later(10**7)):
        assert tick(moment) == 0
    assert flow.expire_overdue(later(10**8)) == 0  # after an outage
    assert judging.assignment.deadline_at == was


def test_after_the_tick_nothing_counts(judging):
    tick(later(4000))
    token = judging.assignment.token
    assert judging.open(1) is None
    assert judging.next(1, token=token).position is None
    assert data(judging.assignment) == (0, 0)


def test_the_task_runs_the_tick(judging):
    assert tasks.tick() in (0, 1)  # it is long past, but the first tick knows of no gap
    assert Tick.objects.filter(name="expiry").exists()


# --- an outage ----------------------------------------------------------------------------------
def deadline(person: Person) -> float:
    return (person.assignment.deadline_at - NOON).total_seconds()


def test_ticks_in_time_move_no_deadline_and_only_more_than_a_minute_is_an_outage(judging, caplog):
    for second in (*range(0, 60, 2), 58 + 60):
        flow.expire_overdue(later(second))
    assert (deadline(judging), caplog.messages) == (3600, [])
    flow.expire_overdue(later(58 + 60 + 60.5))
    assert deadline(judging) == 3600 + 60.5
    assert caplog.messages == ["No tick for 60 s: 1 deadline moved on by that"]


@pytest.mark.parametrize("period", [4.5, 59])
def test_late_ticks_keep_nobody_alive(db, period):
    """Nor do they under load for as long as it lasts."""
    worker = ada(make_study())
    worker.begin()
    at, ended = 0.0, 0
    while at <= 600 + period:
        ended += flow.expire_overdue(later(at))
        at += period
    assert ended == 1
    assert worker.assignment.state == "expired"


def test_of_very_many_some_are_left_to_the_next_tick(db, monkeypatch):
    monkeypatch.setattr("judging.flow.ending.MAX_PER_TICK", 3)
    for person in crowd(make_study(redundancy=4), 8):
        person.begin()
    flow.expire_overdue(later(590))
    assert [flow.expire_overdue(later(second)) for second in (610, 612, 614)] == [3, 3, 2]


def test_a_tick_takes_as_many_statements_for_many_as_for_one(db, django_assert_max_num_queries):
    for person in crowd(make_study(redundancy=4), 8):
        person.begin()
    flow.expire_overdue(later(590))
    with django_assert_max_num_queries(16):
        assert flow.expire_overdue(later(610)) == 8


def test_an_outage_moves_every_live_deadline_by_the_gap(db):
    study = make_study(topics=2)
    people = [ada(study), Person(study, "ben"), Person(study, "cleo")]
    for person, step in zip(people, ("practice", "topic", "revising"), strict=True):
        at(person, step)
    before = [deadline(p) for p in people]
    flow.expire_overdue(later(0))
    assert flow.expire_overdue(later(5 * 3600)) == 0
    assert [deadline(p) for p in people] == [d + 5 * 3600 for d in before]
    assert flow.expire_overdue(later(5 * 3600 + 2)) == 0
    assert [deadline(p) for p in people] == [d + 5 * 3600 for d in before]


def test_an_outage_spares_those_whose_time_ran_out_in_it(judging):
    flow.expire_overdue(later(3000))
    assert flow.expire_overdue(later(4000)) == 0  # would have been late since 3600
    assert deadline(judging) == 4600
    assert judging.wait(4100).next(1).position == 2


def test_the_first_tick_ever_knows_no_gap(judging):
    assert flow.expire_overdue(later(3599)) == 0
    assert deadline(judging) == 3600


def test_a_tick_with_an_older_clock_changes_nothing(judging):
    """It comes late, from before another one."""
    flow.expire_overdue(later(3601 - 2))
    assert flow.expire_overdue(later(3601 - 60)) == 0
    assert Tick.objects.get().ran_at == later(3599)
    assert flow.expire_overdue(later(3601)) == 1


# --- a clock that is set ------------------------------------------------------------------------
def test_a_clock_set_back_takes_what_is_under_way_with_it(judging, another, caplog):
    judging.judge_up_to(3, seconds=30).wait(10)
    another.begin()  # at noon
    flow.expire_overdue(judging.now)
    was, held = deadline(judging), deadline(another)
    judging.wait(-7200)
    assert flow.expire_overdue(judging.now) == 0
    assert caplog.messages == [
        "PostgreSQL's clock was set back by 7200 s: 2 units in progress moved back with it"
    ]
    assert (deadline(judging), deadline(another)) == (was - 7200, held - 7200)
    judging.wait(5).next(3)
    judging.leave()
    assert judging.assignment.seconds == [30, 30, 15, 0, 0, 0, 0, 0]


def test_what_began_after_the_clock_was_set_back_stays_where_it_is(judging):
    Tick.objects.create(name="expiry", ran_at=later(7200))
    was = deadline(judging)
    assert flow.expire_overdue(later(10)) == 0
    assert deadline(judging) == was
    assert Tick.objects.get().ran_at == later(10)


def test_a_clock_set_forth_and_back_holds_no_unit_for_longer(judging, another):
    """Neither that of who was idle all the while, nor of who was not."""
    another.begin()
    flow.expire_overdue(later(1))
    was = deadline(judging)
    flow.expire_overdue(later(86_401))
    assert deadline(judging) == was + 86_400
    another.wait(86_402).next(1)
    assert flow.expire_overdue(later(5)) == 0
    assert max(deadline(judging), deadline(another)) <= 5 + 3600


@pytest.mark.parametrize("waited", [0, 9])
def test_who_is_active_while_a_clock_is_set_back_keeps_the_unit(judging, monkeypatch, waited):
    """The tick reads the clock, and waits for their row: then they have been active since."""
    Tick.objects.create(name="expiry", ran_at=later(7200))
    judging.wait(10.5 + waited).next(1)
    was = deadline(judging)
    steady = iter([100.0, 100.0 + waited])
    monkeypatch.setattr("judging.flow.ending.monotonic", lambda: next(steady))
    assert flow.expire_overdue(later(10)) == 0
    assert was - waited - 1 <= deadline(judging) <= was


def test_a_unit_begins_before_what_is_done_after_the_clock_was_set_back(another):
    another.wait(7200).begin()
    Tick.objects.create(name="expiry", ran_at=another.now)
    another.wait(-7200).practise()
    flow.expire_overdue(another.now)
    assert another.assignment.started_at == NOON
    assert deadline(another) == (another.now - NOON).total_seconds() + 3600


def test_a_clock_set_forth_ends_nobodys_unit(judging):
    flow.expire_overdue(later(1))
    assert flow.expire_overdue(later(86_400)) == 0
    assert flow.expire_overdue(later(86_402)) == 0


# --- withdrawing --------------------------------------------------------------------------------
def test_a_withdrawn_unit_returns_and_code_and_pay_stay(worker):
    code = worker.complete()
    before = worker.assignment
    gone = flow.withdraw(code, worker.wait(10**6).now)
    after = worker.assignment
    assert gone == after
    assert after.state == "withdrawn"
    assert (after.completion_code, after.payment) == (code, before.payment)
    assert (after.finished_at, after.seconds) == (before.finished_at, before.seconds)
    assert data(after) == (0, 0)
    assert after.unit.free
    assert after.study_topic.revision == 2
    page = worker.current_page
    assert (page.step, page.assignment.completion_code) == ("done", code)
    assert flow.withdraw(code, NOON) is None
    assert worker.assignment.study_topic.revision == 2


def test_a_withdrawn_unit_is_judged_by_somebody_else(db):
    study = make_study(documents=8, redundancy=1)
    first, second = ada(study), Person(study, "ben")
    flow.withdraw(first.complete(), first.now)
    assert first.begin() is not None  # the topic stays barred for her
    second.complete()
    assert Unit.objects.get(study=study).assignments.filter(state="completed").count() == 1
    assert first.assignment.completion_code != second.assignment.completion_code


@pytest.mark.parametrize("code", ["", "0000000000", "x" * 500])
def test_an_unknown_code_withdraws_nothing(db, code):
    assert flow.withdraw(code, NOON) is None


def test_withdrawing_leaves_other_units_alone(db):
    study = make_study(topics=2)
    one, other = ada(study), Person(study, "ben")
    other.complete()
    flow.withdraw(one.complete(), one.now)
    assert data(other.assignment) == (8, 8)
    assert (Judgment.objects.count(), Visit.objects.count()) == (8, 8)


def test_an_account_deleted_on_request_takes_nothing_else(study):
    person = dora(study)
    person.complete()
    PlatformAccount.objects.all().delete()
    assert person.assignment.completion_code
    assert data(person.assignment) == (8, 8)
