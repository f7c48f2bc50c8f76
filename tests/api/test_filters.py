"""Lists by what is asked for: filters and orders by name, and 400 for any other."""

from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from judging.models import CheckFailure, Collection, Study
from tests.api.conftest import Get
from tests.api.test_paging import page_by_page
from tests.factory import make_study
from tests.factory.completed import complete
from workspace.models import ImportJob

pytestmark = pytest.mark.django_db


def slugs(client: Client, address: str) -> list[str]:
    return [row["slug"] for row in page_by_page(client, f"/api/v1/{address}")]


@pytest.fixture
def three(db: None) -> list[Study]:
    """Two open studies and a draft, whose titles are the other way round."""
    made = [make_study(opened=number < 2) for number in range(3)]
    for study, title in zip(made, ("Lamps C", "Lamps B", "Chairs A"), strict=True):
        Study.objects.filter(pk=study.pk).update(title=title)
    return made


def test_studies_by_stage_collection_and_title(researcher: Client, three: list[Study]) -> None:
    names = [study.slug for study in three]
    other = f"studies/?collection={three[1].collection.slug}"
    assert slugs(researcher, "studies/?stage=draft") == names[2:]
    assert slugs(researcher, other) == [names[1]]
    assert slugs(researcher, f"{other}&stage=draft") == []
    assert slugs(researcher, "studies/?title=lAMPS") == names[:2]


@pytest.mark.parametrize("size", [1, 2, 100])
def test_studies_in_an_order(researcher: Client, three: list[Study], size: int) -> None:
    names = [study.slug for study in three]
    for ordering, expected in (
        ("created_at", names),
        ("-created_at", names[::-1]),
        ("title", names[::-1]),
        ("-title", names),
        ("slug", sorted(names)),
        ("-slug", sorted(names)[::-1]),
    ):
        address = f"studies/?ordering={ordering}&page_size={size}"
        assert slugs(researcher, address) == expected, ordering


def test_studies_with_one_title_are_all_listed_once(researcher: Client, three: list[Study]) -> None:
    Study.objects.update(title="The same")
    found = slugs(researcher, "studies/?ordering=title&page_size=1")
    assert sorted(found) == sorted(study.slug for study in three)


def test_collections_by_name_and_in_an_order(researcher: Client) -> None:
    for name in ("sea-b", "sea-a", "land"):
        Collection.objects.create(slug=name)
    assert slugs(researcher, "collections/?slug=SEA") == ["sea-b", "sea-a"]
    assert slugs(researcher, "collections/?slug=sea&ordering=slug&page_size=1") == [
        "sea-a",
        "sea-b",
    ]
    assert slugs(researcher, "collections/?ordering=-created_at") == ["land", "sea-a", "sea-b"]


def test_imports_by_state_kind_and_collection(researcher: Client) -> None:
    rosa = User.objects.get(username="rosa")
    for number, (state, what) in enumerate(
        [("done", "collection"), ("failed", "collection"), ("done", "archive")]
    ):
        ImportJob.objects.create(
            owner=rosa,
            state=state,
            what=what,
            collection=f"sea-{number}",
            asked_at=timezone.now(),
            ended_at=timezone.now(),
            fault="wrong" if state == "failed" else "",
        )

    def found(asked: str) -> list[str]:
        return [row["collection"] for row in page_by_page(researcher, f"/api/v1/imports/{asked}")]

    assert found("?state=done") == ["sea-0", "sea-2"]
    assert found("?state=done&what=archive") == ["sea-2"]
    assert found("?collection=sea-1") == ["sea-1"]
    assert found("?ordering=-asked_at&page_size=2") == ["sea-2", "sea-1", "sea-0"]


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
    ],
)
def test_other_names_and_values_are_refused(
    researcher: Client, address: str, name: str, expected: str
) -> None:
    response = researcher.get(f"/api/v1/{address}")
    assert response.status_code == 400
    assert expected in response.json()["errors"][name][0]


def test_a_cursor_is_of_the_order_that_it_was_made_in(
    researcher: Client, three: list[Study]
) -> None:
    first = researcher.get("/api/v1/studies/?ordering=title&page_size=1").json()
    other = first["next"].replace("ordering=title", "ordering=created_at")
    assert researcher.get(other).status_code == 404
    nul = quote("cD0A")  # p= and a character that no text holds
    assert researcher.get(f"/api/v1/studies/?ordering=title&cursor={nul}").status_code == 404


def test_a_row_of_studies_has_its_progress(researcher: Client, study: Study) -> None:
    draft = make_study(opened=False)
    rows = {row["slug"]: row for row in researcher.get("/api/v1/studies/").json()["results"]}
    progress = researcher.get(f"/api/v1/studies/{study.slug}/progress/").json()
    assert progress.pop("evaluated_units") is not None
    assert rows[study.slug]["progress"] == progress
    assert rows[study.slug]["progress"]["completed"] > 0
    assert rows[draft.slug]["progress"]["completed"] == 0
    alone = researcher.get(f"/api/v1/studies/{study.slug}/").json()
    assert {**alone, "progress": progress} == rows[study.slug]


def test_failures_of_one_check_and_until_a_moment(get: Get, study: Study) -> None:
    whole = get("failures/")["results"]
    checks = {row["check"] for row in whole}
    assert len(checks) > 1
    for check in CheckFailure.Check.values:
        rows = get("failures/", check=check)["results"]
        assert rows == [row for row in whole if row["check"] == check]
    middle = max(row["at"] for row in whole)
    before, after = get("failures/", until=middle)["results"], get("failures/", since=middle)
    assert before
    assert sorted(map(str, before + after["results"])) == sorted(map(str, whole))


def test_an_unknown_check_is_refused(researcher: Client, study: Study) -> None:
    response = researcher.get(f"/api/v1/studies/{study.slug}/failures/?check=seconds")
    assert response.status_code == 400
    assert "expected one of lines, question, anchors, time" in response.json()["detail"]


@pytest.mark.parametrize(
    ("path", "at"),
    [
        ("units/", "active_at"),
        ("completions/", "completed_at"),
        ("payments/", "state_at"),
        ("judgments/", None),
    ],
)
def test_since_and_until_part_every_list(get: Get, study: Study, path: str, at: str | None) -> None:
    complete(study, "much-later", at=timezone.now() + timedelta(days=1))
    whole = get(path)["results"]
    moment = timezone.now() + timedelta(hours=1)
    before, after = (
        get(path, **{name: moment.isoformat()})["results"] for name in ("until", "since")
    )
    assert before
    assert after
    assert sorted(map(str, before + after)) == sorted(map(str, whole))
    if at:
        assert max(row[at] for row in before) < moment.isoformat() <= min(row[at] for row in after)


def test_the_monitor_has_its_lights(get: Get, study: Study) -> None:
    lights = get("monitor/")["lights"]
    assert [each["light"] for each in lights] == ["flow", "checks", "workers", "anchors"]
    machine = get("monitor/")["machine"]
    assert [each["light"] for each in machine] == ["web", "background worker", "clock", "rankings"]
    for light in lights + machine:
        assert light["colour"] in {"green", "amber", "red", "grey"}
        assert light["sentence"].endswith(".")
        assert light["word"] in {"good", "look", "wrong", "not yet", "at rest"}


def test_the_lights_say_what_the_page_says(
    get: Get, study: Study, at_desk: Client, settings: Any
) -> None:
    page = at_desk.get(f"/studies/{study.slug}/monitor/").content.decode()
    lights = get("monitor/")["lights"]
    for sentence in (each["sentence"] for each in lights if "ago" not in each["sentence"]):
        assert sentence.rstrip(".") in page
