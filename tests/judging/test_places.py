"""How many people a study takes, in all and within an hour or a day."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging import flow
from judging.flow.admission import Arrival, NoWork, admit
from judging.flow.offer import when_to_return
from judging.flow.places import Entrant, Limit
from judging.flow.standing import read_standing
from judging.models import Worker
from tests.cast import Person, crowd
from tests.factory import NOON, later, make_study

HOUR, DAY = 3600, 24 * 3600


def begin(person: Person, at: float = 0) -> NoWork | None:
    person.now = later(at)
    return person.begin()


# --- in all -----------------------------------------------------------------------------------
def test_no_more_people_than_the_study_takes(db):
    study = make_study(redundancy=4, most_workers=2)
    ada, ben, carl = crowd(study, 3)
    assert [ada.begin(), ben.begin(), carl.begin()] == [None, None, NoWork.LATER]
    ada.complete()
    assert carl.begin() == NoWork.LATER  # Ben may still give his place back
    ben.complete()
    assert carl.begin() == NoWork.FULL
    assert not Worker.objects.filter(pseudonym=carl.name).exists()


@pytest.mark.parametrize("how", ["leaves", "fails", "expires"])
def test_a_place_comes_back(db, how):
    study = make_study(redundancy=4, most_workers=1)
    ada, ben = crowd(study, 2)
    ada.begin()
    if how == "leaves":
        ada.leave()
    elif how == "fails":
        ada.practise(1, 1, 1)
    else:
        study.assignments.update(deadline_at=later(-1))
        assert flow.expire_overdue(later(0)) == 1
    assert begin(ben, 61) is None
    assert begin(ada, 62) == NoWork.LATER  # it is Ben's now


def test_who_is_paid_keeps_the_place(db):
    study = make_study(topics=3, most_workers=1)
    ada, ben = crowd(study, 2)
    code = ada.complete()
    flow.withdraw(code, ada.now)
    assert ben.begin() == NoWork.FULL
    assert ada.begin() is None
    ada.leave()
    assert ada.begin() is None


def test_artificial_workers_have_places_but_no_quota(db):
    """They keep a time of their own."""
    study = make_study(most_workers=2, newcomers_a_day=1, redundancy=4)
    robots = [Arrival(name, simulated=True) for name in ("a", "b", "c")]
    assert [admit(study, robot, NOON)[1] for robot in robots] == [None, None, NoWork.LATER]


# --- within an hour or a day ------------------------------------------------------------------
def test_so_many_newcomers_an_hour(db):
    study = make_study(redundancy=6, newcomers_an_hour=2)
    people = crowd(study, 5)
    assert begin(people[0], 0) is None
    assert begin(people[1], 600) is None
    assert begin(people[2], 1200) == NoWork.QUOTA
    assert when_to_return(read_standing(study, None), NoWork.QUOTA, later(1200)) == later(HOUR)
    assert begin(people[2], HOUR - 1) == NoWork.QUOTA
    assert begin(people[2], HOUR) is None
    assert begin(people[3], HOUR) == NoWork.QUOTA
    assert begin(people[3], HOUR + 600) is None


def test_the_stricter_of_two_quotas_says_when(db):
    study = make_study(redundancy=6, newcomers_an_hour=1, newcomers_a_day=2)
    people = crowd(study, 3)
    begin(people[0], 0)
    assert begin(people[1], HOUR) is None
    assert begin(people[2], 2 * HOUR) == NoWork.QUOTA
    assert when_to_return(read_standing(study, None), NoWork.QUOTA, later(HOUR)) == later(DAY)
    assert begin(people[2], DAY) is None


def test_who_begins_again_is_a_newcomer_but_who_is_in_is_none(db):
    study = make_study(topics=2, redundancy=6, newcomers_a_day=1)
    ada, ben = crowd(study, 2)
    begin(ada)
    ada.complete()
    assert ada.begin() is None  # a second unit
    assert begin(ben, 600) == NoWork.QUOTA
    assert begin(ben, DAY) is None
    ben.leave()
    assert begin(ben, DAY + 60) is None


# --- who is not verified ----------------------------------------------------------------------
@pytest.mark.parametrize("limit", ["most_workers", "newcomers_an_hour", "newcomers_a_day"])
def test_visitors_hold_half_of_the_places_until_their_first_document(db, limit):
    study = make_study(redundancy=12, **{limit: 8})  # 24 units
    visitors = crowd(study, 6, verified=False)
    assert [v.begin() for v in visitors] == [None] * 4 + [NoWork.LATER] * 2
    assert Person(study, "known", verified=True).begin() is None
    for step in (Person.practise, Person.read, Person.answer, lambda visitor: visitor.open(1)):
        step(visitors[0])
        assert visitors[4].begin() == NoWork.LATER
    visitors[0].wait(20).next(1)
    assert visitors[4].begin() == NoWork.LATER  # 6 places are open, 3 of them held
    visitors[1].practise(1, 1, 1)
    assert visitors[4].begin() is None


# --- when to come again -----------------------------------------------------------------------
def test_the_earliest_deadline_of_a_unit_that_one_could_have(db):
    study = make_study(topics=2, documents=8, redundancy=1, practice_minutes=10, expiry_minutes=30)
    ada, ben = crowd(study, 2)
    begin(ada)
    begin(ben, 300)
    assert when_to_return(read_standing(study, None), NoWork.LATER, later(300)) == later(600)
    ada.complete()
    standing = read_standing(study, ada.worker)
    assert when_to_return(standing, NoWork.LATER, later(300)) == later(900)
    assert when_to_return(standing, NoWork.LATER, later(900)) is None  # overdue
    assert when_to_return(read_standing(study, None), NoWork.FINAL, NOON) is None


# --- the rule alone ---------------------------------------------------------------------------
@given(
    most=st.integers(1, 5),
    minutes=st.lists(st.integers(0, 600), max_size=12),
    window=st.sampled_from([60, 300]),
)
def test_the_next_place_is_the_first_moment_with_one(most, minutes, window):
    """Minute by minute, against the limit itself."""
    limit = Limit(most, timedelta(minutes=window))
    entrants = [Entrant(later(60 * minute), False, False, False) for minute in minutes]
    now = later(60 * 600)
    counted = limit.counted(entrants, now)
    at = limit.next_place(counted)
    if len(counted) < most:
        assert at is None
        return
    assert at is not None
    assert at > now
    assert len(limit.counted(entrants, at)) < most
    assert len(limit.counted(entrants, at - timedelta(seconds=1))) >= most
