"""Analyses are computed when somebody looks, kept until the data change, and found by a task."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from evaluation import analyses, results
from evaluation.analyses.analysis import Analysis, OnProgress
from evaluation.cache import stored
from evaluation.models import CachedAnalysis
from evaluation.pipeline import evaluate
from evaluation.presentation.parts import Result
from evaluation.study.data import StudyData
from judging.collections.importing import import_collection
from judging.models import Study
from judging.studies.configuration.changing import change_settings
from magnitudes.scaling import ScalingError
from tests.database import there_for_all
from tests.factory.completed import complete, judged_study
from web.background import work

pytestmark = pytest.mark.django_db
NOW = timezone.now()
Analyse = Callable[[StudyData, OnProgress], Result]


@pytest.fixture(scope="module")
def judged(django_db_setup: None, django_db_blocker: Any) -> Iterator[Study]:
    with there_for_all(django_db_blocker):
        study, _ = judged_study(1, topics=2, units=3)
        evaluate(study)
        yield study


@pytest.fixture
def study(judged: Study, db: None) -> Study:
    return judged


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Have the analyses that a test names, and no others."""

    def use(**given: Analyse) -> None:
        made = {name: Analysis(name, f"{name}?", do) for name, do in given.items()}
        for module in (analyses, stored):
            monkeypatch.setattr(module, "ANALYSES", made)

    return use


def units(data: StudyData, tell: OnProgress) -> Result:
    return Result([f"{len(data.units)} units"])


def look(study: Study, name: str = "units", at: Any = NOW) -> stored.CachedResult:
    (found,) = stored.get_or_request(study, [name], "reference", at)
    return found


def test_it_is_computed_once_for_whoever_looks(study: Study, put: Callable[..., None]) -> None:
    calls = []

    def counted(data: StudyData, tell: OnProgress) -> Result:
        calls.append(len(data.units))
        return units(data, tell)

    put(units=counted)
    first = look(study)
    assert (first.waits, first.current, first.row.result) == (True, False, None)
    assert look(study).waits
    assert stored.bring_up_to_date() == 1
    found = look(study)
    assert (found.waits, found.current) == (False, True)
    assert found.row.result is not None
    assert found.row.result["says"] == ["3 units"]
    assert found.row.result["crowd"] == "people"
    assert stored.bring_up_to_date() == 0
    assert calls == [3]


def test_new_judgments_make_it_old_but_not_at_once(study: Study, put: Callable[..., None]) -> None:
    put(units=units)
    look(study)
    stored.bring_up_to_date()
    complete(study, "one more")
    evaluate(study)
    found = look(study, at=timezone.now())
    assert (found.current, found.waits) == (False, False)
    assert found.row.result is not None
    found = look(study, at=timezone.now() + stored.FRESH + timedelta(seconds=1))
    assert (found.current, found.waits) == (False, True)
    assert found.row.result["says"] == ["3 units"]  # shown meanwhile
    stored.bring_up_to_date()
    found = look(study)
    assert found.current
    assert found.row.result["says"] == ["4 units"]


@pytest.mark.parametrize(
    "setting",
    [
        {"platform_fee": "0.77"},
        {"title": "Another title"},
        {"contact": "somebody@example.org"},
        {"payment": "0.35"},
        {"currency": "EUR"},
        {"minimum_seconds": 7},
        {"long_visit_minutes": 3},
        {"most_failed_finishes": 2},
        {"redundancy": 4},
    ],
    ids=lambda setting: next(iter(setting)),
)
def test_any_setting_that_changes_makes_it_old(
    study: Study, put: Callable[..., None], setting: dict[str, Any]
) -> None:
    put(units=units)
    look(study)
    stored.bring_up_to_date()
    assert look(study).current
    Study.objects.filter(pk=study.pk).update(**setting)
    assert not look(study).current
    found = look(study, at=timezone.now() + stored.FRESH + timedelta(seconds=1))
    assert found.waits


def test_a_fee_makes_what_enough_says_of_costs_old(study: Study) -> None:
    """By the verb that researchers use, and the card's own analysis."""

    def enough() -> stored.CachedResult:
        (found,) = stored.get_or_request(study, ["enough"], "reference", timezone.now())
        return found

    enough()
    stored.bring_up_to_date()
    assert enough().current
    change_settings(study.slug, {"platform_fee": "0.77"}, None)
    assert not enough().current


def test_a_setting_that_changes_after_the_version_was_taken_is_in_no_older_result(
    study: Study, put: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The row's study was read before; what is computed has the settings of today."""
    put(fee=lambda data, tell: Result([f"a fee of {data.study.platform_fee:.2f}"]))
    look(study, "fee")
    taken = stored.versions

    def versions(of: Study) -> dict[str, str]:
        Study.objects.filter(pk=study.pk).update(platform_fee="0.77")
        return taken(of)

    monkeypatch.setattr(stored, "versions", versions)
    stored.bring_up_to_date()
    found = look(study, "fee")
    assert found.current
    assert found.row.result is not None
    assert found.row.result["says"] == ["a fee of 0.77"]


def test_other_code_makes_it_old(
    study: Study, put: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    put(units=units)
    look(study)
    stored.bring_up_to_date()
    assert look(study).current
    monkeypatch.setattr(results, "VERSION", "0.2.0+other")
    assert not look(study).current


def test_other_labels_make_it_old_and_the_same_do_not(
    study: Study, put: Callable[..., None], tmp_path: Any
) -> None:
    put(units=units)
    topic = study.topics.first()
    assert topic is not None
    for level, current in ((1, False), (1, True), (2, False)):
        (tmp_path / "labels").write_text(f"{topic.topic.query_id} 0 {topic.h_k} {level}\n")
        import_collection(study.collection.slug, qrels={"reference": [tmp_path / "labels"]})
        assert look(study, at=timezone.now() + timedelta(hours=1)).current is current
        stored.bring_up_to_date()


def test_each_label_set_has_its_own(study: Study, put: Callable[..., None]) -> None:
    put(units=units)
    stored.get_or_request(study, ["units"], "reference", NOW)
    stored.get_or_request(study, ["units"], "other", NOW)
    assert stored.bring_up_to_date() == 2
    assert CachedAnalysis.objects.filter(study=study, result__isnull=False).count() == 2


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        (ScalingError("value 0 is not positive"), "value 0 is not positive"),
        (KeyError("x"), "It ended with an error, which the worker's log has: KeyError."),
    ],
)
def test_what_fails_says_so_holds_up_no_other_and_is_not_tried_again(
    study: Study, put: Callable[..., None], raised: Exception, said: str
) -> None:
    def fail(data: StudyData, tell: OnProgress) -> Result:
        raise raised

    put(fails=fail, units=units)
    stored.get_or_request(study, ["fails", "units"], "reference", NOW)
    assert stored.bring_up_to_date() == 2
    failed = look(study, "fails")
    assert (failed.waits, failed.row.fault, failed.row.result) == (False, said, None)
    assert look(study).row.result is not None


def test_what_kills_its_worker_is_given_up(study: Study, put: Callable[..., None]) -> None:
    class KilledError(BaseException):
        """As a worker ends: no handler of errors sees it."""

    def die(data: StudyData, tell: OnProgress) -> Result:
        raise KilledError

    put(dies=die)
    look(study, "dies")
    for _ in range(work.MAX_TRIES):
        with pytest.raises(KilledError):
            stored.bring_up_to_date()
        assert look(study, "dies").waits
    assert stored.bring_up_to_date() == 1
    assert "interrupted" in look(study, "dies").row.fault


def test_progress_is_seen_meanwhile(study: Study, put: Callable[..., None]) -> None:
    seen = []

    def slow(data: StudyData, tell: OnProgress) -> Result:
        tell(0.25)
        seen.append(look(study).row.progress)
        return Result(["done"])

    put(units=slow)
    look(study)
    stored.bring_up_to_date()
    assert seen == [0.25]


def test_what_cannot_be_read_is_given_up_and_holds_up_no_other_study(
    study: Study, put: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    class KilledError(BaseException):
        """As a worker ends: no handler of errors sees it."""

    def die(*given: object, **named: object) -> StudyData:
        raise KilledError

    put(units=units)
    look(study)
    monkeypatch.setattr(stored, "load", die)
    for _ in range(work.MAX_TRIES):
        with pytest.raises(KilledError):
            stored.bring_up_to_date()
    stored.bring_up_to_date()
    assert "interrupted" in look(study).row.fault
    assert not look(study).waits


def test_an_older_result_outlives_a_failure(study: Study, put: Callable[..., None]) -> None:
    put(units=units)
    look(study)
    stored.bring_up_to_date()

    def fail(data: StudyData, tell: OnProgress) -> Result:
        raise ScalingError("no more")

    put(units=fail)
    complete(study, "one more")
    evaluate(study)
    look(study, at=timezone.now() + timedelta(hours=1))
    stored.bring_up_to_date()
    found = look(study).row
    assert found.fault == "no more"
    assert found.result is not None
    assert found.result["says"] == ["3 units"]


def test_a_study_that_goes_meanwhile(study: Study, put: Callable[..., None]) -> None:
    def remove(data: StudyData, tell: OnProgress) -> Result:
        CachedAnalysis.objects.filter(study=study).delete()
        return Result(["gone"])

    put(first=remove, second=units)
    stored.get_or_request(study, ["first", "second"], "reference", NOW)
    assert stored.bring_up_to_date() == 1
