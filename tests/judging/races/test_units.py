"""Many workers at once after few units: each unit goes to one of them."""

from collections import Counter
from functools import partial

import pytest

from judging import flow
from judging.flow.admission import Arrival, NoWork
from judging.models import (
    Assignment,
    Study,
    StudyTopic,
    Unit,
)
from tests.cast import ada, crowd
from tests.database import at_once
from tests.factory import NOON, SCALES, make_study
from tests.judging.invariants import broken
from tests.judging.races.racing import FEW, list_participants

pytestmark = pytest.mark.django_db(transaction=True)


def test_people_and_artificial_workers_come_at_once():
    for _ in range(FEW):
        study = make_study(redundancy=4)
        arrivals = [Arrival(f"{n}", simulated=bool(n % 2)) for n in range(6)]

        def come(arrival: Arrival, study: Study = study):
            return flow.admit(Study.objects.get(pk=study.pk), arrival, NOON)[1]

        said = at_once(*(partial(come, arrival) for arrival in arrivals))
        taken = {a.simulated for a, no_work in zip(arrivals, said, strict=True) if not no_work}
        assert len(taken) == 1
        assert Counter(said) == {None: 3, NoWork.OTHERS: 3}


def test_sixty_four_workers_after_eight_units():
    study = make_study(redundancy=4)
    assert Unit.objects.count() == 8
    people = crowd(study, 64)
    said = Counter(at_once(*(p.begin for p in people)))
    assert said == {None: 8, NoWork.LATER: 56}
    held = Assignment.objects.filter(state="practice").values_list("unit", flat=True)
    assert len(set(held)) == 8
    assert not Unit.objects.filter(free=True).exists()


def test_the_last_unit_is_wanted_by_all():
    for _ in range(FEW):
        study = make_study(documents=8, redundancy=1)
        said = Counter(at_once(*(p.begin for p in crowd(study, 12))))
        assert said == {None: 1, NoWork.LATER: 11}


def test_units_that_return_go_to_others_at_once():
    """Eight leave while eight come: nobody who comes takes a unit that is still held."""
    study = make_study(redundancy=4)
    people = crowd(study, 16)
    for person in people[:8]:
        person.begin()
    tokens = [p.assignment.token for p in people[:8]]
    at_once(
        *(lambda token=token: flow.leave(token, NOON) for token in tokens),
        *(p.begin for p in people[8:]),
    )
    assert broken() == []
    for person in people[8:]:
        assert person.begin() is None
    assert not Unit.objects.filter(free=True).exists()


@pytest.mark.parametrize("scale", SCALES)
def test_many_workers_go_the_whole_way_at_once(scale):
    study = make_study(redundancy=4, minimum_seconds=0, **scale)
    people = crowd(study, 8)
    codes = at_once(*(p.complete for p in people))
    assert len(set(codes)) == 8
    assert StudyTopic.objects.get().revision == 8
    assert ada(study).begin() == NoWork.FINAL


def test_visitors_cannot_take_all_units_before_somebody_on_the_list_comes():
    study = make_study(redundancy=12)
    assert Unit.objects.filter(study=study).count() == 24
    visitors = crowd(study, 24, verified=False)
    assert Counter(at_once(*(v.begin for v in visitors))) == {None: 12, NoWork.LATER: 12}
    (listed,) = list_participants(study, ["1001"])
    assert listed.begin() is None


def test_all_units_go_to_those_on_the_list():
    study = make_study(redundancy=12)
    people = list_participants(study, [str(number) for number in range(24)])
    assert at_once(*(person.begin for person in people)) == [None] * 24
