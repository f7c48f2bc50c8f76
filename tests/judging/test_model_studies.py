"""A study that a language model judges is about another one, and takes nobody."""

import pytest
from django.db import IntegrityError, transaction

from crowd.people import CannotSimulate, check_takes_artificial_workers
from crowd.world import read
from judging import flow
from judging.flow.admission import Arrival, NoWork
from judging.models import Study
from judging.studies.configuration.changing import change_settings
from judging.studies.configuration.missing import missing_for_people
from judging.studies.configuration.participants import clear_participants
from judging.studies.faults import BadStudy
from judging.studies.rehearsal import CannotRehearse, rehearse
from tests.factory import NOON, make_study

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


def test_its_files_are_marked() -> None:
    study = model_study()
    assert study.file_name("qrels", "txt") == f"{study.slug}-model-qrels.txt"
