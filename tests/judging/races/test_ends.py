"""Two ways in which a unit ends, at once: it ends in one of them."""

from threading import Event

import pytest

from judging import flow
from judging.models import (
    Assignment,
    Judgment,
    Study,
    Tick,
)
from tests.cast import Person, ada, carl, crowd
from tests.database import at_once
from tests.factory import NOON, later, make_study
from tests.judging.invariants import broken
from tests.judging.races.racing import FEW, ROUNDS, finished, overdue, race, rounds_of

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_failing_finish_against_the_tick():
    race(carl, Person.finish, overdue, {"revising", "expired"}, FEW)


def test_a_judgment_against_the_tick():
    """Acknowledged, it is there; expired, nothing is."""
    person = finished(make_study())
    token = person.assignment.token
    for turn in rounds_of(ROUNDS):
        both = [lambda: person.next(2, "77", token=token), overdue(person)]
        said = at_once(*(both if turn % 2 else reversed(both)))
        acknowledged = said[0 if turn % 2 else 1].position is not None
        kept = Judgment.objects.filter(assignment=person.assignment, score=77).exists()
        assert kept == (person.assignment.state == "judging")
        assert acknowledged or not kept
        assert broken() == []


def test_finish_against_the_next_set():
    """The next set begins after the first was passed, and so at its topic, or not yet."""
    study = make_study(topics=2, documents=8, redundancy=ROUNDS, practice="once per worker")
    for turn in range(FEW):
        person = Person(study, f"p{turn}").come_to_the_end()
        at_once(person.finish, Person(study, person.name).begin)
        assert person.begin() is None
        assert person.assignment.state == "topic"
        assert person.worker.assignments.count() == 2
        assert broken() == []


def test_opening_a_page_against_leaving():
    race(finished, lambda p: p.open(3), lambda p: p.leave, {"left"}, FEW)


def test_the_answer_against_the_tick():
    def asked(study: Study) -> Person:
        return ada(study).come_to("topic")

    race(asked, Person.answer, overdue, {"judging", "expired"})


def test_withdrawing_against_admission():
    study = make_study(documents=8, redundancy=1)
    done = ada(study)
    code = done.complete()
    for _ in rounds_of(ROUNDS):
        at_once(lambda: flow.withdraw(code, NOON), Person(study, "ben").begin)
        assert done.assignment.state == "withdrawn"
        assert broken() == []


# --- ticks ----------------------------------------------------------------------------------------
def test_many_ticks_at_once_expire_each_once():
    study = make_study(redundancy=4)
    people = crowd(study, 8)
    for person in people:
        person.begin()
    tick = overdue(people[0])
    assert sum(at_once(*[tick] * 6)) == 8
    assert Assignment.objects.filter(state="expired").count() == 8


def test_many_ticks_after_an_outage_move_deadlines_once(study):
    person = ada(study)
    person.begin()
    flow.expire_overdue(later(0))
    at_once(*[lambda: flow.expire_overdue(later(7200))] * 6)
    assert person.assignment.state == "practice"
    assert person.assignment.deadline_at == later(600 + 7200)


def test_the_first_ticks_ever_at_once(study):
    for _ in range(ROUNDS):
        Tick.objects.all().delete()
        assert at_once(*[lambda: flow.expire_overdue(NOON)] * 4) == [0] * 4
        assert Tick.objects.count() == 1


def test_the_tick_passes_over_who_is_being_served(study, monkeypatch):
    """It does not wait for a worker's form, and the form counts."""
    person = finished(study)
    tick, inside, go_on = overdue(person), Event(), Event()
    decide = flow.finishing._apply_checks

    def slowly(*args):
        inside.set()
        assert go_on.wait(30)
        decide(*args)

    monkeypatch.setattr("judging.flow.finishing._apply_checks", slowly)

    def tick_meanwhile():
        assert inside.wait(30)
        try:
            return tick()
        finally:
            go_on.set()

    _, expired = at_once(person.finish, tick_meanwhile)
    assert expired == 0
    assert person.assignment.state == "completed"
