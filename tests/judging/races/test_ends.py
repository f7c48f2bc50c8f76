"""Two ways in which a unit ends, at once: it ends in one of them."""

import pytest

from judging import flow
from judging.models import (
    Judgment,
    Study,
)
from tests.cast import Person, ada, carl
from tests.database import at_once
from tests.factory import NOON, make_study
from tests.judging.invariants import broken
from tests.judging.races.racing import FEW, ROUNDS, finished, overdue, race, rounds_of

pytestmark = pytest.mark.django_db(transaction=True)


def test_finish_against_the_tick():
    race(finished, Person.finish, overdue, {"completed", "expired"}, FEW)


def test_a_failing_finish_against_the_tick():
    race(carl, Person.finish, overdue, {"revising", "expired"}, FEW)


def test_finish_against_leaving():
    race(finished, Person.finish, lambda p: p.leave, {"completed", "left"}, FEW)


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


def test_leaving_against_the_tick():
    race(finished, Person.leave, overdue, {"left", "expired"})


def test_the_answer_against_the_tick():
    def asked(study: Study) -> Person:
        person = ada(study)
        person.begin()
        person.practise()
        person.read()
        return person

    race(asked, Person.answer, overdue, {"judging", "expired"})


def test_withdrawing_against_admission():
    study = make_study(documents=8, redundancy=1)
    done = ada(study)
    code = done.complete()
    for _ in rounds_of(ROUNDS):
        at_once(lambda: flow.withdraw(code, NOON), Person(study, "ben").begin)
        assert done.assignment.state == "withdrawn"
        assert broken() == []
