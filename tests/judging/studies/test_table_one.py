"""Table I of a study, and the figures that stand beside it."""

import math
from datetime import timedelta
from decimal import Decimal

import pytest

from evaluation.publishing import exports
from judging import flow
from judging.models import (
    Assignment,
    Study,
    Topic,
)
from judging.studies import table_one
from tests.cast import Person
from tests.factory import NOON, make_study
from tests.factory.completed import complete

pytestmark = pytest.mark.django_db


def finished(study: Study, name: str, *, backs: int = 0, failures: int = 0) -> Person:
    """Somebody completes a unit after so many back steps and failed finishes."""
    person = Person(study, name, scores={"h_k": "0.5"} if failures else {}).come_to_documents()
    person.judge_up_to(3)
    for _ in range(backs):
        person.do("wait 20, back 3, open 2, next 2, open 3")
    person.judge_up_to(8).wait(20)
    for _ in range(failures):
        person.do("finish, resume, open 8")
    last = person.position_of("h_k") if failures else 8
    person.scores = {}
    person.do(f"open {last}, finish {last}")
    assert person.assignment.state == "completed"
    return person


def test_table1_counts_completed_units_by_back_steps_and_failed_finishes() -> None:
    study = make_study(topics=2, documents=20, redundancy=2)  # six units a topic
    expected = {
        query_id: {
            "topic": query_id,
            "documents": 20,
            "units": 6,
            "completed": 0,
            "h_k": f"D{query_id}-003",
            "n_k": f"D{query_id}-000",
            **{f"{what}_{n}": 0 for what in ("back", "fail") for n in ("0", "1", "2plus")},
            "batch_units": 0,
            "batch_completed": 0,
            "excluded": 0,
            "paid_not_counted": 0,
        }
        for query_id in ("401", "402")
    }
    assert table_one.table1(study) == list(expected.values())
    steps = [(0, 0), (0, 1), (1, 0), (2, 0), (3, 2), (0, 3), (0, 0)]
    for number, (backs, failures) in enumerate(steps):
        person = finished(study, f"worker-{number}", backs=backs, failures=failures)
        row = expected[person.assignment.study_topic.topic.query_id]
        row["completed"] += 1
        row[f"back_{'2plus' if backs > 1 else backs}"] += 1
        row[f"fail_{'2plus' if failures > 1 else failures}"] += 1
    # Neither a unit in progress nor a withdrawn one counts.
    Person(study, "busy").come_to_the_end()
    gone = finished(study, "gone", backs=2)
    flow.withdraw(str(gone.assignment.completion_code), NOON)
    found = table_one.table1(study)
    assert found == list(expected.values())
    total = table_one.total(found)
    assert (total["documents"], total["units"], total["completed"]) == (40, 12, 7)
    assert (total["back_0"], total["back_1"], total["back_2plus"]) == (4, 1, 2)
    assert (total["fail_0"], total["fail_1"], total["fail_2plus"]) == (4, 1, 2)
    Topic.objects.filter(query_id="401").update(query_id="1000")
    assert [row["topic"] for row in table_one.table1(study)] == ["402", "1000"]
    assert [row["topic"] for row in exports.table1(study)] == ["1000", "402"]


# --- pay ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("has_unit", [False, True])
def test_pay_of_a_study_without_a_unit_or_of_one_that_took_no_time(has_unit: bool) -> None:
    study = make_study(minimum_hourly_pay=9)
    if has_unit:
        complete(study, "ada")
        Assignment.objects.update(started_at=NOON, finished_at=NOON)
    pay = table_one.pay(study)
    assert pay.total == pytest.approx(1.2 * has_unit)
    assert math.isnan(pay.per_hour)
    assert math.isnan(pay.per_document) is not has_unit
    assert not pay.too_low


def test_pay_in_total_for_a_document_and_an_hour() -> None:
    study = make_study(
        payment=Decimal("0.50"), platform_fee=Decimal("0.25"), minimum_hourly_pay=Decimal("5.01")
    )
    for number, minutes in enumerate((3, 6, 60)):
        person = complete(study, f"worker-{number}")
        Assignment.objects.filter(pk=person.assignment.pk).update(
            started_at=NOON, finished_at=NOON + timedelta(minutes=minutes)
        )
    # What was withdrawn stays paid; what was left or is in progress is not.
    flow.withdraw(str(person.assignment.completion_code), NOON)
    Person(study, "busy").come_to_documents()
    pay = table_one.pay(study)
    assert pay.total == pytest.approx(3 * 0.50 * 1.25)
    assert pay.per_document == pytest.approx(3 * 0.50 * 1.25 / 14)
    assert pay.per_hour == pytest.approx(0.50 * 10)  # six minutes, the fee not with the worker
    assert pay.too_low
    study.minimum_hourly_pay = Decimal(5)
    assert not table_one.pay(study).too_low


def test_units_of_each_worker() -> None:
    study = make_study(topics=3)
    for name in ("ada", "ben", "ada"):
        complete(study, name)
    Person(study, "carl").come_to_documents()
    assert list(table_one.workers(study)) == [
        {"worker__pseudonym": "ada", "units": 2},
        {"worker__pseudonym": "ben", "units": 1},
    ]
