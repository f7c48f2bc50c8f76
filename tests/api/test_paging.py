"""Long lists in pages: nothing missed, nothing doubled, whatever comes or goes meanwhile."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from evaluation.pipeline import evaluate
from judging import flow
from judging.models import Assignment, CheckFailure, Study
from tests.cast import Person
from tests.factory import make_study
from tests.factory.completed import complete, judged_study

pytestmark = pytest.mark.django_db
KEYS = {
    "units/": lambda row: (row["unit"], row["worker"]),
    "judgments/": lambda row: (row["unit"], row["doc_id"]),
    "failures/": lambda row: (row["unit"], row["worker"], row["check"], row["attempt"]),
    "completions/": lambda row: row["code"],
}


def page_by_page(client: Client, address: str, meanwhile: Any = lambda: None) -> list[Any]:
    """All rows of a list, with something done after each page."""
    rows = []
    while address:
        response = client.get(address)
        assert response.status_code == 200
        page = response.json()
        assert set(page) == {"next", "previous", "results"}
        rows += page["results"]
        meanwhile()
        address = page["next"]
    return rows


@pytest.mark.parametrize("path", KEYS)
@pytest.mark.parametrize("size", [2, 7])
def test_pages_hold_every_row_once_in_the_same_order(
    researcher: Client, study: Study, path: str, size: int
) -> None:
    address = f"/api/v1/studies/{study.slug}/{path}"
    whole = researcher.get(address).json()["results"]
    assert len(whole) >= 3
    assert page_by_page(researcher, f"{address}?page_size={size}") == whole
    assert len({KEYS[path](row) for row in whole}) == len(whole)


def test_pages_lead_back_as_well(researcher: Client, study: Study) -> None:
    address = f"/api/v1/studies/{study.slug}/judgments/?page_size=5"
    first = researcher.get(address).json()
    second = researcher.get(first["next"]).json()
    assert first["previous"] is None
    assert researcher.get(second["previous"]).json()["results"] == first["results"]


@pytest.mark.parametrize("path", ["units/", "judgments/", "completions/"])
def test_units_completed_between_two_pages_shift_nothing(researcher: Client, path: str) -> None:
    study, _ = judged_study(1, topics=2, units=3, runs=0)
    early = Person(study, "early").come_to_the_end()
    complete(study, "after")
    evaluate(study)
    address = f"/api/v1/studies/{study.slug}/{path}"
    before = [KEYS[path](row) for row in researcher.get(address).json()["results"]]
    later = iter(["one", "two"])

    def work_goes_on() -> None:
        if early.assignment.state != "completed":
            early.finish()
        elif name := next(later, None):
            complete(study, name)

    found = [
        KEYS[path](row) for row in page_by_page(researcher, f"{address}?page_size=2", work_goes_on)
    ]
    assert len(found) == len(set(found))
    assert [key for key in found if key in before] == before
    assert {key for key in found if key not in before} <= {
        KEYS[path](row) for row in researcher.get(address).json()["results"]
    }


def test_failures_that_come_between_two_pages_come_last(researcher: Client) -> None:
    study = make_study(redundancy=12)
    for number in range(3):
        person = Person(study, f"worker-{number}")
        person.begin()
        person.practise(1, 1, 1)
    more = iter(range(3, 5))

    def one_more() -> None:
        if (number := next(more, None)) is not None:
            person = Person(study, f"worker-{number}")
            person.begin()
            person.practise(1, 1, 1)

    address = f"/api/v1/studies/{study.slug}/failures/?page_size=2"
    found = [row["worker"] for row in page_by_page(researcher, address, one_more)]
    assert found == [f"worker-{number}" for number in range(len(found))]
    assert len(found) >= 4


def test_units_withdrawn_between_two_pages_hide_no_other(researcher: Client) -> None:
    study, _ = judged_study(1, topics=2, units=4, runs=0)
    address = f"/api/v1/studies/{study.slug}/judgments/?page_size=3"
    codes = iter(study.assignments.order_by("id").values_list("completion_code", flat=True)[:2])
    stay = set(study.assignments.order_by("-id").values_list("worker__pseudonym", flat=True)[:2])

    def withdraw() -> None:
        if code := next(codes, None):
            flow.withdraw(code, timezone.now())

    found = [row for row in page_by_page(researcher, address, withdraw) if row["worker"] in stay]
    assert len(found) == len({KEYS["judgments/"](row) for row in found}) == 16


def test_pages_are_of_a_hundred_and_of_a_thousand_at_most(researcher: Client) -> None:
    study = make_study()
    person = Person(study, "carl")
    person.begin()
    CheckFailure.objects.bulk_create(
        CheckFailure(assignment=person.assignment, check_name="time", at=person.now, attempt=n)
        for n in range(1200)
    )
    address = f"/api/v1/studies/{study.slug}/failures/"
    assert len(researcher.get(address).json()["results"]) == 100
    assert len(researcher.get(f"{address}?page_size=1000").json()["results"]) == 1000
    assert researcher.get(f"{address}?page_size=1001").status_code == 400
    assert len(page_by_page(researcher, f"{address}?page_size=500")) == 1200


def test_collections_and_studies_come_in_pages_too(researcher: Client) -> None:
    studies = [make_study(opened=False) for _ in range(3)]
    found = page_by_page(researcher, "/api/v1/studies/?page_size=2")[-3:]
    assert [row["slug"] for row in found] == [study.slug for study in studies]
    found = page_by_page(researcher, "/api/v1/collections/?page_size=2")[-3:]
    assert [row["slug"] for row in found] == [study.collection.slug for study in studies]


def test_judgments_of_one_topic_and_of_one_worker(researcher: Client, study: Study) -> None:
    address = f"/api/v1/studies/{study.slug}/judgments/"
    whole = researcher.get(address).json()["results"]
    topics, workers = range(401, 405), {row["worker"] for row in whole}
    assert len(workers) > 1
    asked = [("query_id", str(topic)) for topic in topics] + [("worker", who) for who in workers]
    for name, value in asked:
        rows = page_by_page(researcher, f"{address}?{name}={value}&page_size=5")
        assert rows == [row for row in whole if row[name] == value]


def test_a_list_is_of_its_study_alone(researcher: Client) -> None:
    one, _ = judged_study(1, units=2, runs=0)
    other, _ = judged_study(2, units=1, runs=0)
    for path, count in (("units/", 2), ("judgments/", 16), ("completions/", 2)):
        rows = researcher.get(f"/api/v1/studies/{one.slug}/{path}").json()["results"]
        assert len(rows) == count
    assert Assignment.objects.filter(study=other).count() == 1
