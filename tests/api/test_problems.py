"""Errors are problem details (RFC 9457), whatever the error."""

from itertools import product
from typing import Any

import pytest
from django.test import Client, RequestFactory
from rest_framework.exceptions import ValidationError

from accounts.models import Token, User
from accounts.tokens import make_token
from evaluation.pipeline import evaluate
from judging.models import Membership, Role
from tests.factory import make_study
from tests.factory.completed import judged_study
from web.rest.problems import as_problem

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def study(for_all):
    study, _ = judged_study(1, topics=1, units=1)
    evaluate(study)
    return study


def problem(client: Client, address: str, status: int, method: str = "get") -> dict[str, Any]:
    """The problem that is answered, which has all its members."""
    response = getattr(client, method)(address)
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/problem+json"
    said: dict[str, Any] = response.json()
    assert set(said) - {"errors", "faults"} == {"type", "title", "status", "detail"}
    assert said["type"] == "about:blank"
    assert said["status"] == status
    assert said["title"]
    assert said["detail"]
    assert not said["title"].endswith(".")
    return said


@pytest.mark.parametrize(
    ("path", "detail"),
    [
        ("rankings/?measure=NDCG@10", "there is no NDCG; there are AP, Bpref, ERR, GAP, "),
        ("rankings/?measure=", "not of the form Name(option=value)@cutoff"),
        ("rankings/?measure=nDCG@0", "a cutoff is a rank, from 1"),
        ("rankings/?measure=nDCG@ten", "not of the form"),
        ("rankings/?measure=nDCG(dcg='no')@10", "dcg must be one of 'log2', 'jk'"),
        ("rankings/?measure=nDCG(depth=3)", "nDCG has no option depth; it has dcg"),
        ("rankings/?measure=ERR(largest=-1)@10", "largest must be a finite number above 0"),
        ("rankings/?measure=ERR(largest=0.001)@10", "above the largest"),
        ("rankings/?measure=ERR(largest=0.001,unit='n_k')@10", "above the largest"),
        ("rankings/?measure=" + "n" * 300, "not of the form"),
        ("rankings/?measure=%00", "Null characters are not allowed"),
        ("qrels/?file_format=xml", "“xml”: expected one of trec, csv, jsonl"),
        ("qrels/?normalisation=mean", "“mean”: expected one of geometric, median, midrange"),
        ("qrels/?aggregation=", "“”: expected one of median, geometric, arithmetic"),
        ("qrels/?for=print", "“print”: expected one of spreadsheet"),
        ("qrels/?levels=1", "expected a whole number from 2 to 127"),
        ("qrels/?levels=128", "expected a whole number from 2 to 127"),
        ("qrels/?levels=2.5", "expected a whole number from 2 to 127"),
        ("qrels/?levels=3&integers=10", "ask for one of them"),
        ("qrels/?integers=0", "the factor 0 is not a number above 0"),
        ("qrels/?integers=nan", "A valid number is required"),
        ("qrels/?integers=many", "valid number"),
        ("qrels/?integers=1e30", "readers of whole numbers take 1,000,000 at most"),
        ("qrels/?integers=1e-9", "is rounded to 0"),
        ("judgments/?query_id=nowhere", "expected one of 401"),
        ("judgments/?worker=nobody", "this study has no such worker"),
        ("judgments/?file_format=csv", "no such parameter here"),
    ],
)
def test_a_parameter_that_is_wrong_is_named(researcher, study, path, detail):
    said = problem(researcher, f"/api/v1/studies/{study.slug}/{path}", 400)
    name = path.split("?")[1].split("=")[0]
    assert said["detail"].startswith(f"{name}: ")
    assert detail in said["detail"]
    sentence = said["detail"].removeprefix(f"{name}: ")
    assert said["errors"] == {name: [sentence]}
    assert said["faults"] == [{"parameter": name, "detail": sentence}]


def test_any_cutoff_will_do(get):
    for measure in ("nDCG@99999999999999999999999", "ERR@1000000000", "nDCG@9"):
        assert get("rankings/", measure=measure)["measure"] == measure


def test_401_and_403(stranger, outsider, study):
    assert problem(stranger, "/api/v1/studies/", 401)["detail"] == (
        "Authentication credentials were not provided."
    )
    Membership.objects.create(study=study, user=User.objects.get(), role=Role.VIEWER)
    refused = problem(outsider, f"/api/v1/studies/{study.slug}/completions/", 403)
    assert refused["title"] == "You do not have permission to perform this action"
    assert "ask an owner" in refused["detail"]


def test_a_study_that_is_not_there(researcher):
    for path in ("", "progress/", "units/", "judgments/", "qrels/", "rankings/"):
        said = problem(researcher, f"/api/v1/studies/nowhere/{path}", 404)
        assert "no such study" in said["detail"]


def test_an_address_that_is_not_there(researcher, stranger):
    for address in (
        *("/api/v1/", "/api/v1/users/", "/api/v1/users", "/api/v2/studies/", "/api/nothing"),
        *("/api/v1/studies/a.b/", "/api/v1/studies/x/units/3/", "/api/v1/%00", "/api/v1/é/"),
    ):
        for client, method in product((researcher, stranger), ("get", "post", "delete")):
            said = problem(client, address, 404, method)
            assert "/api/docs/ lists what there is" in said["detail"]
    for method in ("get", "post", "delete"):
        said = problem(researcher, "/api/v1/studies/demo", 404, method)
        assert said["detail"].endswith("addresses end in a slash, as /api/v1/studies/demo/")


CURSORS = (
    "nonsense",
    "cD1hYmM=",  # p=abc
    "cD0x",  # p=1, which is one
    "cD05OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk=",  # p=9999999999999999999999999
    "cD0lMDA=",  # p=%00
    "bz05OTk5OTk5OTk5OTk5",  # o=999999999999
    "%FF",
)


@pytest.mark.parametrize("path", ["units/", "judgments/", "completions/", "failures/"])
def test_a_cursor_or_a_page_size_that_is_none(researcher, study, path):
    below = f"/api/v1/studies/{study.slug}/{path}"
    for cursor in CURSORS:
        address = f"{below}?cursor={cursor}"
        response = researcher.get(address)
        if response.status_code != 200:
            assert problem(researcher, address, 404)["detail"] == "Invalid cursor"
        else:
            assert response.json()["results"] == [] or cursor == "cD0x"
    for size in ("0", "-1", "abc", "1.5", "", "999999999999999999999"):
        said = problem(researcher, f"{below}?page_size={size}", 400)
        assert said["detail"] == "page_size: expected a whole number from 1 to 1000"


EVERY_ADDRESS = {
    "collections/": "cursor, page_size, ordering, slug",
    "studies/": "cursor, page_size, ordering, stage, collection, title",
    "studies/{}/": "none",
    "studies/{}/progress/": "none",
    "studies/{}/units/": "cursor, page_size, query_id, worker, since, until, state",
    "studies/{}/failures/": "cursor, page_size, query_id, worker, since, until, check",
    "studies/{}/completions/": "cursor, page_size, query_id, worker, since, until",
    "studies/{}/judgments/": "cursor, page_size, query_id, worker, since, until, doc_id",
    "studies/{}/qrels/": "normalisation, aggregation, gains, integers, levels, file_format, for",
    "studies/{}/files/": "none",
    "studies/{}/files/table1.csv": (
        "normalisation, aggregation, gains, integers, levels, measure, for"
    ),
    "studies/{}/crowdkit/": "file_format, for",
    "studies/{}/rankings/": "measure, gains",
    "studies/{}/analyses/": "labels",
    "studies/{}/analyses/spread/": "labels, measure, gains, reader, first, tries",
    "studies/{}/analyses/spread/ratios/": (
        "labels, measure, gains, reader, first, tries, file_format, for"
    ),
}


@pytest.mark.parametrize("path", EVERY_ADDRESS)
def test_a_parameter_that_there_is_not_is_refused(researcher, study, path):
    said = problem(researcher, f"/api/v1/{path.format(study.slug)}?mesure=AP", 400)
    there = "there are " + EVERY_ADDRESS[path]
    assert said["errors"] == {"mesure": [f"no such parameter here; {there}"]}


def test_a_method_that_is_not_allowed(researcher):
    study = make_study()
    for path in ("collections/", f"studies/{study.slug}/units/", f"studies/{study.slug}/rankings/"):
        said = problem(researcher, f"/api/v1/{path}", 405, "post")
        assert said["detail"] == 'Method "POST" not allowed.'
        assert said["title"] == "Method not allowed"


def test_a_file_is_sent_whatever_kind_is_asked_for_and_there_is_no_html(researcher, study):
    address = f"/api/v1/studies/{study.slug}/qrels/"
    for accept in ("text/csv", "text/plain", "application/x-ndjson", "*/*"):
        response = researcher.get(address, headers={"Accept": accept})
        assert response.status_code == 200
        assert response["Content-Type"] == "text/plain; charset=utf-8"
    response = researcher.get("/api/v1/studies/", headers={"Accept": "text/html"})
    assert response.status_code == 406
    assert response["Content-Type"] == "application/problem+json"
    browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
    assert researcher.get("/api/v1/studies/", headers={"Accept": browser}).status_code == 200


def test_a_form_without_a_token_of_its_own(at_desk):
    """A log-in by cookie is held to Django's check against forged requests."""
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = at_desk.cookies
    assert "CSRF" in problem(strict, "/api/v1/studies/", 403, "post")["detail"]


def test_faults_of_a_body_point_to_their_place():
    sentences = {
        "title": ["too long"],
        "topics": {"a/b~": {"h_k": ["not in the pool", "empty"]}},
        "levels": [{}, {"name": ["missing"]}],
        "non_field_errors": ["too much"],
    }
    request = RequestFactory().post("/")
    answer = as_problem(ValidationError(sentences), {"request": request})
    assert answer.data["errors"] == sentences
    assert [(fault["pointer"], fault["detail"]) for fault in answer.data["faults"]] == [
        ("#/title", "too long"),
        ("#/topics/a~1b~0/h_k", "not in the pool"),
        ("#/topics/a~1b~0/h_k", "empty"),
        ("#/levels/1/name", "missing"),
        ("#", "too much"),
    ]


@pytest.mark.parametrize("word", ["Token", "token", "Bearer", "bearer"])
def test_a_token_comes_after_token_or_bearer(db, word):
    secret = make_token(User.objects.create_user("tom"), "script", Token.Scope.READ, days=1)
    good = Client(headers={"Authorization": f"{word} {secret}"}).get("/api/v1/studies/")
    assert good.status_code == 200
    bad = Client(headers={"Authorization": f"{word} {secret[:-1]}x"}).get("/api/v1/studies/")
    assert bad.status_code == 401
    assert bad["WWW-Authenticate"] == word.capitalize()
