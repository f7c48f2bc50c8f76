"""Tasks that compute are requested when they have something to do."""

from datetime import timedelta

import pytest
from django.utils import timezone

from evaluation.models import CachedAnalysis, WrittenReport
from evaluation.pipeline import evaluate
from evaluation.waiting import REPORT_RETENTION
from judging.models import Assignment, PlanJob, RecordEntry, Study
from tests.cast import Person
from tests.factory.completed import complete, judged_study
from web.queues import MAX_WAITING, redis
from workspace import io_tasks
from workspace.models import Forecast

NOW = timezone.now()


@pytest.fixture
def requested(db: None, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of tasks that have been requested."""
    names: list[str] = []
    monkeypatch.setattr(io_tasks.current_app, "send_task", names.append)
    return names


@pytest.fixture
def study(requested: list[str]) -> Study:
    study, _ = judged_study()
    evaluate(study)
    RecordEntry.objects.update(written_at=NOW)
    return study


def test_at_rest_no_task_is_requested(study: Study, requested: list[str]) -> None:
    assert io_tasks.find_work() == requested == []


def test_a_completed_unit_is_ranked_and_recorded(study: Study, requested: list[str]) -> None:
    complete(study, "somebody else")
    assert io_tasks.find_work() == requested
    assert set(requested) == {
        "evaluation.tasks.bring_up_to_date",
        "operations.record.tasks.write_record",
    }


def test_an_overdue_unit_is_ended(study: Study, requested: list[str]) -> None:
    # Of this moment: what the module took for now may be older than the first document's limit.
    person = Person(study, "somebody else", now=timezone.now())
    assert person.begin() is None
    RecordEntry.objects.update(written_at=NOW)
    assert io_tasks.find_work() == []
    Assignment.objects.live().update(deadline_at=NOW - timedelta(seconds=1))
    assert io_tasks.find_work() == requested == ["judging.tasks.tick"]


def test_what_people_request_is_computed(study: Study, requested: list[str]) -> None:
    CachedAnalysis.objects.create(study=study, name="order", label_set="", wanted_at=NOW)
    WrittenReport.objects.create(study=study, label_set="", asked_at=NOW)
    PlanJob.objects.create(study=study, asked_at=NOW)
    Forecast.objects.create(study=study, asked_at=NOW, replications=20, seed=1)
    assert io_tasks.find_work() == requested
    assert [name.rpartition(".")[2] for name in requested] == [
        *("analyse", "write_reports", "plan", "forecast")
    ]


def test_an_old_report_is_deleted(study: Study, requested: list[str]) -> None:
    made = {"made_at": NOW - REPORT_RETENTION - timedelta(hours=1), "archive": b"old", "size": 3}
    report = {"label_set": "", "asked_at": NOW, "state": WrittenReport.State.DONE}
    WrittenReport.objects.create(study=study, **report, **made)
    assert io_tasks.find_work() == requested == ["evaluation.tasks.write_reports"]


def test_a_queue_without_a_worker_does_not_grow(study: Study, requested: list[str]) -> None:
    complete(study, "somebody else")
    RecordEntry.objects.update(written_at=NOW)
    with redis() as client:
        client.rpush("compute", *["a task"] * MAX_WAITING)
        try:
            assert io_tasks.find_work() == requested == []
        finally:
            client.delete("compute")
