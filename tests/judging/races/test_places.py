"""Many workers at once after the places that a study's limits leave."""

from collections import Counter

import pytest

from judging.flow.admission import NoWork
from tests.cast import crowd
from tests.database import at_once
from tests.factory import make_study
from tests.judging.invariants import broken
from tests.judging.races.racing import FEW, list_participants

pytestmark = pytest.mark.django_db(transaction=True)


def test_many_workers_after_five_places():
    study = make_study(redundancy=12, most_workers=5, minimum_seconds=0)  # 24 units
    people = crowd(study, 24)
    assert Counter(at_once(*(p.begin for p in people))) == {None: 5, NoWork.LATER: 19}
    at_once(*(person.complete for person in people if person.worker))
    late = [person for person in people if not person.worker][:8]
    assert Counter(at_once(*(p.begin for p in late))) == {NoWork.FULL: 8}


@pytest.mark.parametrize("quota", ["newcomers_an_hour", "newcomers_a_day"])
def test_many_at_a_quota(quota):
    study = make_study(redundancy=12, **{quota: 4})
    people = crowd(study, 24)
    assert Counter(at_once(*(p.begin for p in people))) == {None: 4, NoWork.QUOTA: 20}


def test_places_that_come_back_are_given_once():
    """Four leave while twelve come, some of them those who leave."""
    for _ in range(FEW):
        study = make_study(topics=3, redundancy=12, most_workers=4)
        people = crowd(study, 12)
        for person in people[:4]:
            person.begin()
        at_once(*(p.leave for p in people[:4]), *(p.begin for p in people))
        assert broken() == []


def test_visitors_cannot_take_all_places_before_somebody_on_the_list_comes():
    study = make_study(redundancy=12, most_workers=8)
    visitors = crowd(study, 24, verified=False)
    assert Counter(at_once(*(v.begin for v in visitors))) == {None: 4, NoWork.LATER: 20}
    listed = list_participants(study, ["1001", "1002"])
    assert [person.begin() for person in listed] == [None, None]
