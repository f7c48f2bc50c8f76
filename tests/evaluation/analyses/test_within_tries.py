"""Every analysis can be asked of the units alone that were completed within some tries."""

import numpy as np
import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from evaluation.analyses import ANALYSES
from evaluation.analyses.question import BadQuestion, Question, question
from evaluation.cache import stored
from evaluation.pipeline import evaluate
from evaluation.study.data import load
from evaluation.study.topics import rescaled
from judging.models import Assignment, Study
from judging.states import State
from tests.factory import make_study
from tests.factory.completed import judged_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    """Eight units on two topics: two were completed at the second try, one at the third."""
    study, _ = judged_study(3, topics=2, units=8)
    done = Assignment.objects.filter(study=study, state=State.COMPLETED).order_by("pk")
    for key, failed in zip(done.values_list("pk", flat=True)[:3], (1, 1, 2), strict=True):
        done.filter(pk=key).update(failed_finishes=failed)
    evaluate(study)
    return study


def test_gains_are_of_the_units_that_are_left(study: Study) -> None:
    everything = load(study)
    assert [len(load(study, tries=tries).units) for tries in (1, 2, 3)] == [5, 7, 8]
    at_once = {topic.query_id: topic for topic in load(study, tries=1).topics}
    for topic in everything.topics:
        units = topic.failed == 0
        if units.any():
            some = at_once[topic.query_id]
            np.testing.assert_allclose(some.gains, rescaled(topic, units).gains)
            np.testing.assert_array_equal(some.assignments, topic.assignments[units])
    Assignment.objects.filter(study=study).update(failed_finishes=1)
    assert load(study, tries=1).topics == []


def test_an_analysis_is_computed_of_them(study: Study) -> None:
    """Also where none are left."""
    for failed, units in ((0, 5), (9, 0)):
        Assignment.objects.filter(study=study, failed_finishes=0).update(failed_finishes=failed)
        data = load(study, tries=1)
        for name in ("order", "labels", "workers"):
            assert ANALYSES[name].of(data, asked=Question(tries="1"))["units"] == units


def test_it_is_kept_beside_the_usual(study: Study, client: Client) -> None:
    client.force_login(User.objects.create_user("rita", is_superuser=True))
    asked = {"order": question(study, (), {"tries": "01"})}
    assert asked["order"].tries == "1"
    for _ in range(2):
        usual, some = (
            stored.get_or_request(study, ["order"], "reference", timezone.now(), which)[0].row
            for which in ({}, asked)
        )
        stored.bring_up_to_date()
    assert usual.result is not None
    assert some.result is not None
    assert (usual.result["units"], some.result["units"]) == (8, 5)
    page = client.get(f"/studies/{study.slug}/method/order/?tries=1").content.decode()
    assert "within 1 press of Finish" in page
    told = client.get(f"/api/v1/studies/{study.slug}/analyses/order/?tries=1").json()
    assert (told["units"], told["asked"]["tries"]) == (5, "1")
    wrong = client.get(f"/studies/{study.slug}/method/order/?tries=0").content.decode()
    assert "expected a whole number from 1 to 999" in wrong


def test_tries_that_cannot_be() -> None:
    study = make_study()
    for bad in ("0", "x", "-1", "1.5", "1000", "9" * 30, "²"):
        with pytest.raises(BadQuestion, match="whole number"):
            question(study, (), {"tries": bad})
    study.crowd = Study.Crowd.IMPORTED
    with pytest.raises(BadQuestion, match="no question"):
        question(study, (), {"tries": "1"})
