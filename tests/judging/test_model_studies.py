"""A study that a language model judges is about another one, and takes nobody."""

import random
from http import HTTPStatus

import pytest
from django.db import IntegrityError, transaction

from crowd.people import CannotSimulate, check_takes_artificial_workers
from crowd.world import read
from evaluation.pipeline import evaluate
from evaluation.publishing.exports import qrels
from judging import flow
from judging.flow.admission import Arrival, NoWork
from judging.flow.model_units import ModelJudgment, record_model_unit
from judging.models import Role, Study
from judging.states import NotPermitted
from judging.studies.configuration.changing import change_settings
from judging.studies.configuration.missing import missing_for_people
from judging.studies.configuration.participants import clear_participants
from judging.studies.faults import BadStudy
from judging.studies.rehearsal import CannotRehearse, rehearse
from tests.desks import desk_of
from tests.factory import NOON, later, make_study
from tests.factory.runs import add_runs, random_runs
from tests.judging.invariants import broken
from workspace.places import places_of

pytestmark = pytest.mark.django_db


def model_study(**settings: object) -> Study:
    about = make_study()
    study = make_study(**{"payment": 0, "minimum_seconds": 0, **settings})
    Study.objects.filter(pk=study.pk).update(crowd=Study.Crowd.MODEL, about=about)
    study.refresh_from_db()
    return study


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"crowd": "people"}, "about_of_a_model"),
        ({"payment": 1}, "model_is_not_paid"),
        ({"demo": True}, "demo_takes_both_and_pays_nothing"),
    ],
)
def test_it_is_about_another_and_pays_nothing(changes: dict[str, object], name: str) -> None:
    study = model_study()
    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        Study.objects.filter(pk=study.pk).update(**changes)


def test_it_outlives_the_study_that_it_is_about() -> None:
    study = model_study()
    assert study.about is not None
    study.about.delete()
    study.refresh_from_db()
    assert (study.about, study.mark) == (None, "model")


@pytest.mark.parametrize("simulated", [False, True])
def test_nobody_may_enter(simulated: bool) -> None:
    study = model_study()
    arrival = Arrival("somebody", simulated=simulated)
    assert flow.admit(study, arrival, NOON) == (None, NoWork.OTHERS)
    assert not study.takes_people
    with pytest.raises(CannotSimulate, match="takes nobody"):
        check_takes_artificial_workers(read(study, 1))


def test_nothing_is_asked_about_people() -> None:
    study = model_study(opened=False)
    assert missing_for_people(study) == []
    with pytest.raises(CannotRehearse, match="takes no people"):
        rehearse(study, None)
    with pytest.raises(BadStudy, match="takes no people"):
        clear_participants(study, None)


@pytest.mark.parametrize("settings", [{"payment": "0.20"}, {"demo": True}])
def test_its_settings_cannot_pay_it(settings: dict[str, object]) -> None:
    study = model_study(opened=False)
    with pytest.raises(BadStudy, match="a language model judges this study"):
        change_settings(study.slug, settings, None)


def judge_all(study: Study) -> None:
    """The relevant anchor gets 100; of the second unit the irrelevant one, too."""
    for unit in study.units.order_by("pk"):
        documents = list(unit.documents.order_by("pk"))
        best = {"h_k": 100.0, "n_k": 100.0 if unit.number == 2 else 1.0}
        scores = [best.get(each.role, 10.0) for each in documents]
        judged = [
            ModelJudgment(each.pk, 0.5, f"{score:g}", score, score, "Because.")
            for each, score in zip(documents, scores, strict=True)
        ]
        name = f"model-{unit.number}"
        assert record_model_unit(unit, name, judged, NOON, later(5))
        assert record_model_unit(unit, name, judged, NOON, later(6)) is None


def test_people_are_never_written_as_a_model() -> None:
    study = make_study()
    with pytest.raises(NotPermitted, match="No language model judges"):
        judge_all(study)


def test_its_pages_open_and_its_files_are_marked() -> None:
    study = model_study()
    add_runs(study, random_runs(study, random.Random(3)))
    judge_all(study)
    evaluate(study)
    assert broken() == []
    assert study.file_name("qrels", "txt") == f"{study.slug}-model-qrels.txt"
    assert {row["iteration"] for row in qrels(study).rows} == {"model"}
    owner = desk_of(study)
    for place in places_of(study, Role.OWNER, ""):
        for page in place.pages:
            if not page.why_not:
                answer = owner.get(page.url, follow=True)
                assert answer.status_code == HTTPStatus.OK, page.name
                assert "A language model, not people, judges" in answer.content.decode(), page.name
