"""What a study's team does while workers come and finish."""

from threading import Event

import pytest

from judging import completed
from judging.flow import admission
from judging.flow.admission import NoWork
from judging.models import (
    Assignment,
)
from judging.studies.conduct import stages
from judging.studies.conduct.batches import add_batch
from judging.studies.conduct.closing import close_study
from judging.studies.conduct.exclusion import exclude
from tests.cast import Person, ada, crowd
from tests.database import at_once
from tests.factory import make_study
from tests.judging.races.racing import FEW

pytestmark = pytest.mark.django_db(transaction=True)


def test_closing_waits_for_an_admission_and_then_nobody_comes_in(study, monkeypatch):
    inside, go_on, closed = Event(), Event(), Event()
    claim = admission.claim

    def slowly(*args):
        inside.set()
        assert go_on.wait(30)
        return claim(*args)

    monkeypatch.setattr("judging.flow.admission.claim", slowly)

    def close():
        assert inside.wait(30)
        close_study(study.slug)
        closed.set()

    def watch():
        assert inside.wait(30)
        too_early = closed.wait(0.3)
        go_on.set()
        assert closed.wait(30)
        return too_early

    no_work, _, too_early = at_once(ada(study).begin, close, watch)
    assert (no_work, too_early) == (None, False)
    assert Person(study, "ben").begin() == NoWork.CLOSED  # `study` is as it was read before


@pytest.mark.parametrize("_", range(FEW))
def test_pausing_while_workers_come(study, _):
    """Whoever came before has a unit, and nobody begins one after."""
    people = crowd(study, 6)
    reasons = at_once(*(p.begin for p in people), lambda: stages.pause(study, None) and None)
    assert set(reasons) <= {None, NoWork.PAUSED, NoWork.LATER}
    held = Assignment.objects.live().count()
    assert held == reasons[:-1].count(None)
    assert Person(study, "late").begin() == NoWork.PAUSED


@pytest.mark.parametrize("_", range(FEW))
def test_somebody_is_excluded_while_they_finish(study, _):
    """Whichever is first, their topic is evaluated anew, without them."""
    worker = ada(study).come_to_the_end()
    assert worker.worker
    at_once(worker.finish, lambda: exclude(worker.worker, "pasted", None))
    topic = study.topics.get()
    assert (worker.assignment.state, topic.revision) == ("completed", 2)
    assert not completed.judgments(topic.pk).assignments.size


@pytest.mark.parametrize("_", range(FEW))
def test_a_batch_is_added_twice_while_workers_come(_):
    study = make_study(redundancy=1)
    people = crowd(study, 5)

    def add():
        return add_batch(study, None, 1, None, number=1).pk

    *said, first, second = at_once(*(p.begin for p in people), add, add)
    assert first == second
    assert study.units.count() == 4
    assert set(said) <= {None, NoWork.LATER}
    assert sum(p.begin() is None for p in people) == 4  # who has a unit keeps it
