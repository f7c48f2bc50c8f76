"""Whole tables by token, and which rows of a list are asked for."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from evaluation import exports
from judging.models import Study

pytestmark = pytest.mark.django_db
Get = Callable[..., Any]


def body(response: Any) -> str:
    return b"".join(response).decode()


def test_every_table_is_the_file_of_the_page(researcher: Client, at_desk: Client, study: Study):
    listed = researcher.get(f"/api/v1/studies/{study.slug}/files/").json()
    assert {(row["table"], row["file_format"]) for row in listed} == {
        (table, written) for table, export in exports.EXPORTS.items() for written in export.formats
    }
    for row in listed:
        page = f"/studies/{study.slug}/{row['table']}.{row['file_format']}"
        wanted = body(at_desk.get(page))
        assert len(wanted) > 50
        by_token = researcher.get(row["url"])
        assert body(by_token) == wanted
        assert row["file_format"].replace("trec", "txt") in by_token["Content-Disposition"]
        again = researcher.get(row["url"], headers={"If-None-Match": by_token["ETag"]})
        assert again.status_code == 304
        assert body(researcher.get(page)) == wanted, "a token works at the page's address too"


def test_a_token_without_right_gets_a_problem_at_the_page_s_address(outsider: Client, study: Study):
    answer = outsider.get(f"/studies/{study.slug}/judgments.csv")
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("table1.csv?gains=linear", 400, "gains: is for qrels and rankings alone"),
        ("qrels.csv?measure=AP", 400, "measure: is for rankings alone"),
        ("rankings.csv?measure=XY", 400, "there is no XY"),
        ("qrels.csv?normalisation=mean", 400, "expected one of"),
        ("table1.trec", 404, "is written as csv or jsonl"),
        ("nothing.csv", 404, "There is no table nothing"),
    ],
)
def test_a_file_that_there_is_not(researcher: Client, study: Study, path, status, said):
    answer = researcher.get(f"/api/v1/studies/{study.slug}/files/{path}")
    assert answer.status_code == status
    assert said in answer.json()["detail"]


def rows(get: Get, path: str, **asked: str) -> list[dict[str, Any]]:
    return get(path, page_size=1000, **asked)["results"]


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("judgments/", ("query_id", "worker", "doc_id")),
        ("units/", ("query_id", "worker", "state")),
        ("failures/", ("query_id", "worker")),
    ],
)
def test_rows_that_fit_what_is_asked_for(get: Get, path: str, fields: tuple[str, ...]):
    everything = rows(get, path)
    for name in fields:
        values = {row[name] for row in everything}
        for value in sorted(values)[:3]:
            assert rows(get, path, **{name: value}) == [r for r in everything if r[name] == value]


@pytest.mark.parametrize(
    ("path", "moment"),
    [("units/", "active_at"), ("failures/", "at"), ("completions/", "completed_at")],
)
def test_rows_since_a_moment(get: Get, path: str, moment: str):
    everything = rows(get, path)
    middle = sorted(row[moment] for row in everything)[len(everything) // 2]
    assert rows(get, path, since=middle) == [r for r in everything if r[moment] >= middle]
    assert rows(get, path, since="2999-01-01T00:00:00Z") == []


def test_judgments_since_their_unit_was_completed(get: Get):
    units = {row["unit"]: row for row in rows(get, "units/") if row["state"] == "completed"}
    last = max(row["finished_at"] for row in units.values())
    since = rows(get, "judgments/", since=last)
    assert {row["unit"] for row in since} == {
        name for name, row in units.items() if row["finished_at"] == last
    }


def test_no_moment(researcher: Client, study: Study):
    answer = researcher.get(f"/api/v1/studies/{study.slug}/units/?since=yesterday")
    assert answer.json()["faults"] == [
        {"parameter": "since", "detail": "expected a moment like 2026-11-22T12:00:00Z"}
    ]
