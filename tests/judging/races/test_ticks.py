"""Many ticks at once, and a tick while a worker is served."""

from threading import Event

import pytest

from judging import flow
from judging.models import (
    Assignment,
    Tick,
)
from tests.cast import ada, crowd
from tests.database import at_once
from tests.factory import NOON, later, make_study
from tests.judging.races.racing import ROUNDS, finished, overdue

pytestmark = pytest.mark.django_db(transaction=True)


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
