"""Long lists: by filters and orders, and in pages that miss and double nothing meanwhile."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from evaluation.pipeline import evaluate
from judging import flow
from judging.models import CheckFailure, Collection, Study
from tests.api.conftest import Get
from tests.cast import Person
from tests.factory import make_study
from tests.factory.completed import complete, judged_study
from workspace.models import ImportJob

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


def slugs(client: Client, address: str, names: Sequence[str]) -> list[str]:
    """Those of a list that are among some names."""
    found = [row["slug"] for row in page_by_page(client, f"/api/v1/{address}")]
    return [slug for slug in found if slug in names]


# --- pages ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("path", KEYS)
def test_pages_hold_every_row_once_in_the_same_order(researcher, study, path):
    address = f"/api/v1/studies/{study.slug}/{path}"
    whole = researcher.get(address).json()["results"]
    assert len(whole) >= 3
    for size in (2, 7):
        assert page_by_page(researcher, f"{address}?page_size={size}") == whole
    assert len({KEYS[path](row) for row in whole}) == len(whole)


def test_pages_lead_back_as_well(researcher, study):
    address = f"/api/v1/studies/{study.slug}/judgments/?page_size=5"
    first = researcher.get(address).json()
    second = researcher.get(first["next"]).json()
    assert first["previous"] is None
    assert researcher.get(second["previous"]).json()["results"] == first["results"]


@pytest.mark.parametrize("path", ["units/", "judgments/", "completions/"])
def test_units_completed_between_two_pages_shift_nothing(researcher, path):
    study, _ = judged_study(1, topics=2, units=3, runs=0)
    early = Person(study, "early").come_to_the_end()
    complete(study, "after")
    evaluate(study)
    address, later = f"/api/v1/studies/{study.slug}/{path}", iter(["one", "two"])

    def work_goes_on():
        if early.assignment.state != "completed":
            early.finish()
        elif name := next(later, None):
            complete(study, name)

    def keys(rows):
        return [KEYS[path](row) for row in rows]

    before = keys(researcher.get(address).json()["results"])
    found = keys(page_by_page(researcher, f"{address}?page_size=2", work_goes_on))
    assert len(found) == len(set(found))
    assert [key for key in found if key in before] == before
    assert set(found) <= {*before, *keys(researcher.get(address).json()["results"])}


def test_failures_that_come_between_two_pages_come_last(researcher):
    study = make_study(redundancy=12)
    people = (Person(study, f"worker-{number}") for number in range(5))

    def one_more():
        if person := next(people, None):
            person.begin()
            person.practise(1, 1, 1)

    for _ in range(3):
        one_more()
    address = f"/api/v1/studies/{study.slug}/failures/?page_size=2"
    found = [row["worker"] for row in page_by_page(researcher, address, one_more)]
    assert found == [f"worker-{number}" for number in range(len(found))]
    assert len(found) >= 4


def test_units_withdrawn_between_two_pages_hide_no_other(researcher):
    study, _ = judged_study(1, topics=2, units=4, runs=0)
    address = f"/api/v1/studies/{study.slug}/judgments/?page_size=3"
    codes = iter(study.assignments.order_by("id").values_list("completion_code", flat=True)[:2])
    stay = set(study.assignments.order_by("-id").values_list("worker__pseudonym", flat=True)[:2])

    def withdraw():
        if code := next(codes, None):
            flow.withdraw(code, timezone.now())

    found = [row for row in page_by_page(researcher, address, withdraw) if row["worker"] in stay]
    assert len(found) == len({KEYS["judgments/"](row) for row in found}) == 16


def test_pages_are_of_a_hundred_and_of_a_thousand_at_most(researcher):
    person = Person(make_study(), "carl")
    person.begin()
    CheckFailure.objects.bulk_create(
        CheckFailure(assignment=person.assignment, check_name="time", at=person.now, attempt=n)
        for n in range(1200)
    )
    address = f"/api/v1/studies/{person.study.slug}/failures/"
    assert len(researcher.get(address).json()["results"]) == 100
    assert len(researcher.get(f"{address}?page_size=1000").json()["results"]) == 1000
    assert researcher.get(f"{address}?page_size=1001").status_code == 400
    assert len(page_by_page(researcher, f"{address}?page_size=500")) == 1200


def test_a_list_is_of_its_study_alone(researcher):
    one, _ = judged_study(1, units=2, runs=0)
    judged_study(2, units=1, runs=0)
    for path, count in (("units/", 2), ("judgments/", 16), ("completions/", 2)):
        rows = researcher.get(f"/api/v1/studies/{one.slug}/{path}").json()["results"]
        assert len(rows) == count


# --- filters and orders ---------------------------------------------------------------------------
@pytest.fixture
def three(db):
    """Two open studies and a draft, whose titles are the other way round."""
    made = [make_study(opened=number < 2) for number in range(3)]
    for study, title in zip(made, ("Lamps C", "Lamps B", "Chairs A"), strict=True):
        Study.objects.filter(pk=study.pk).update(title=title)
    return made


def test_studies_by_stage_collection_and_title_and_in_an_order(researcher, three):
    names = [study.slug for study in three]
    other = f"collection={three[1].collection.slug}"
    for asked, expected in (
        ("stage=draft", names[2:]),
        (other, [names[1]]),
        (f"{other}&stage=draft", []),
        ("title=lAMPS", names[:2]),
    ):
        assert slugs(researcher, f"studies/?{asked}", names) == expected, asked
    orders = {"created_at": names, "title": names[::-1], "slug": sorted(names)}
    for size in (1, 2, 100):
        for name, expected in orders.items():
            for ordering, rows in ((name, expected), (f"-{name}", expected[::-1])):
                address = f"studies/?ordering={ordering}&page_size={size}"
                assert slugs(researcher, address, names) == rows, address
    Study.objects.update(title="The same")
    assert sorted(slugs(researcher, "studies/?ordering=title&page_size=1", names)) == sorted(names)


def test_a_cursor_is_of_the_order_that_it_was_made_in(researcher, three):
    first = researcher.get("/api/v1/studies/?ordering=title&page_size=1").json()
    other = first["next"].replace("ordering=title", "ordering=created_at")
    assert researcher.get(other).status_code == 404
    nul = quote("cD0A")  # p= and a character that no text holds
    assert researcher.get(f"/api/v1/studies/?ordering=title&cursor={nul}").status_code == 404


def test_collections_by_name_and_in_an_order(researcher):
    names = ("sea-b", "sea-a", "land")
    for name in names:
        Collection.objects.create(slug=name)
    for asked, expected in (
        ("slug=SEA", ["sea-b", "sea-a"]),
        ("slug=sea&ordering=slug&page_size=1", ["sea-a", "sea-b"]),
        ("ordering=-created_at&page_size=2", ["land", "sea-a", "sea-b"]),
    ):
        assert slugs(researcher, f"collections/?{asked}", names) == expected


def test_imports_by_state_kind_and_collection(researcher):
    kinds = [("done", "collection"), ("failed", "collection"), ("done", "archive")]
    for number, (state, what) in enumerate(kinds):
        ImportJob.objects.create(
            owner=User.objects.get(username="rosa"),
            state=state,
            what=what,
            collection=f"sea-{number}",
            asked_at=timezone.now(),
            ended_at=timezone.now(),
            fault="wrong" if state == "failed" else "",
        )
    for asked, expected in (
        ("state=done", ["sea-0", "sea-2"]),
        ("state=done&what=archive", ["sea-2"]),
        ("collection=sea-1", ["sea-1"]),
        ("ordering=-asked_at&page_size=2", ["sea-2", "sea-1", "sea-0"]),
    ):
        found = page_by_page(researcher, f"/api/v1/imports/?{asked}")
        assert [row["collection"] for row in found] == expected


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("judgments/", ("query_id", "worker", "doc_id")),
        ("units/", ("query_id", "worker", "state")),
        ("failures/", ("query_id", "worker", "check")),
    ],
)
def test_rows_that_fit_what_is_asked_for(get, researcher, study, path, fields):
    address, everything = f"/api/v1/studies/{study.slug}/{path}", get(path)["results"]
    for name in fields:
        values = {row[name] for row in everything}
        assert len(values) > 1
        for value in sorted(values)[:4]:
            rows = page_by_page(researcher, f"{address}?{name}={value}&page_size=5")
            assert rows == [row for row in everything if row[name] == value]


@pytest.mark.parametrize(
    ("path", "at"),
    [
        ("units/", "active_at"),
        ("failures/", "at"),
        ("completions/", "completed_at"),
        ("payments/", "state_at"),
        ("judgments/", None),  # by when their unit was completed
    ],
)
def test_since_and_until_part_every_list(get: Get, study: Study, path: str, at: str | None) -> None:
    complete(study, "much-later", at=timezone.now() + timedelta(days=1))
    ends = {row["unit"]: row["finished_at"] for row in get("units/")["results"]}

    def moment(row):
        return row[at] if at else ends[row["unit"]]

    whole = get(path)["results"]
    latest = max(map(moment, whole))
    before = [row for row in whole if moment(row) < latest]
    assert before
    assert get(path, until=latest)["results"] == before
    assert get(path, since=latest)["results"] == [row for row in whole if moment(row) == latest]
    assert get(path, since="2999-01-01T00:00:00Z")["results"] == []


@pytest.mark.parametrize(
    ("address", "name", "expected"),
    [
        ("studies/?stage=closd", "stage", "expected one of draft, open"),
        ("studies/?collection=nowhere", "collection", "you see no such collection"),
        ("studies/?ordering=payment", "ordering", "expected one of created_at"),
        ("studies/?state=open", "state", "there are cursor, page_size, ordering, stage"),
        ("studies/?title=%00", "title", "Null characters"),
        ("collections/?title=sea", "title", "there are cursor, page_size, ordering, slug"),
        ("imports/?state=over", "state", "expected one of waiting"),
        ("imports/?ordering=state", "ordering", "expected one of asked_at"),
        ("studies/{}/units/?since=yesterday", "since", "expected a moment like 2026-11-22T12:00"),
        ("studies/{}/failures/?check=seconds", "check", "one of lines, question, anchors, time"),
    ],
)
def test_other_names_and_values_are_refused(researcher, study, address, name, expected):
    response = researcher.get(f"/api/v1/{address.format(study.slug)}")
    assert response.status_code == 400
    assert expected in response.json()["errors"][name][0]
    assert response.json()["faults"][0]["parameter"] == name


def test_a_row_of_studies_has_its_progress(researcher, study, get):
    draft = make_study(opened=False)
    rows = {row["slug"]: row for row in researcher.get("/api/v1/studies/").json()["results"]}
    progress = get("progress/")
    assert progress.pop("evaluated_units") is not None
    assert rows[study.slug]["progress"] == progress
    assert rows[study.slug]["progress"]["completed"] > 0
    assert rows[draft.slug]["progress"]["completed"] == 0
    assert {**get(""), "progress": progress} == rows[study.slug]
