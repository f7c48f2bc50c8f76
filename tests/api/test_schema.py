"""The API's description of itself: valid, complete, and true."""

import re
import time
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import URLResolver, get_resolver
from django.utils import timezone
from jsonschema import Draft202012Validator

from crowd.models import ModelRun
from evaluation.cache import stored
from evaluation.report.jobs import ask_report
from judging.models import PlanJob
from tests.api.conftest import description
from tests.database import at_once, kept_connections
from tests.factory import make_study
from web.rest.schema_view import rendered_schema
from workspace.models import ProlificConnection, ProlificStudy
from workspace.planning.forecast_jobs import request_forecast

pytestmark = pytest.mark.django_db


def test_the_description_is_valid_and_made_without_a_warning(capsys):
    out = StringIO()
    call_command("spectacular", "--validate", "--fail-on-warn", stdout=out)
    assert out.getvalue().startswith("openapi: 3.")
    assert capsys.readouterr().err == ""


@pytest.fixture
def schema(db):
    return description()


def patterns(of: Any = None, before: str = "") -> Iterator[str]:
    """Every address of the site, its variables in braces."""
    for entry in (of or get_resolver()).url_patterns:
        address = before + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", str(entry.pattern))
        if isinstance(entry, URLResolver):
            yield from patterns(entry, address)
        else:
            yield f"/{address}"


def test_it_lists_every_address_in_a_part_and_with_a_sentence(schema):
    there = {address for address in patterns() if address.startswith("/api/v1/")}
    assert set(schema["paths"]) == there
    parts = [part["name"] for part in schema["tags"]]
    operations = [each for methods in schema["paths"].values() for each in methods.values()]
    assert {tag for each in operations for tag in each["tags"]} == set(parts)
    for each in operations:
        assert len(each["tags"]) == 1
        assert each["summary"].endswith("."), each["summary"]
        assert each["description"].replace("\n", " ").startswith(each["summary"])


def test_it_names_the_parameters_and_their_values(schema):
    def parameters(path):
        given = schema["paths"][f"/api/v1/studies/{{slug}}/{path}"]["get"]["parameters"]
        return {parameter["name"]: parameter["schema"] for parameter in given}

    qrels = parameters("qrels/")
    assert set(qrels["file_format"]["enum"]) == {"trec", "csv", "jsonl"}
    assert set(qrels["aggregation"]["enum"]) == {"median", "geometric", "arithmetic"}
    assert len(qrels["normalisation"]["enum"]) == 5
    assert "measure" in parameters("rankings/")
    assert {"cursor", "page_size"} <= set(parameters("judgments/"))


def test_every_parameter_has_a_text_and_every_refusal_is_a_problem(schema):
    for path, operations in schema["paths"].items():
        for method, operation in operations.items():
            assert all(parameter["description"] for parameter in operation["parameters"]), path
            assert operation["security"] == [{"tokenAuth": []}, {"cookieAuth": []}]
            refusals = {"400", "401", "403", "404", "406", "429"}
            if method not in ("get", "head"):
                refusals |= {"409", "413", "415", "422"}
            for status in refusals:
                (kind,) = operation["responses"][status]["content"].items()
                assert kind[0] == "application/problem+json"
                assert kind[1]["schema"] == {"$ref": "#/components/schemas/Problem"}


def test_what_is_answered_is_what_is_described(researcher, study, schema, settings):
    settings.MODEL_ENDPOINTS = {"ours": "https://models.example/v1"}
    amounts = dict.fromkeys(("seed", "price_in", "price_out", "max_cost"), 1)
    run = ModelRun.objects.create(study=make_study(), endpoint="ours", model="m", **amounts)
    exact = as_json_schema(schema)
    stored.get_or_request(study, ["spread"], "reference", timezone.now())
    stored.bring_up_to_date()
    request_forecast(study, None)
    PlanJob.objects.create(study=study, asked_at=timezone.now())
    ask_report(study, None, "reference")
    there = {"workspace_id": "w", "title": "Lab", "token": "x", "made_at": timezone.now()}
    ProlificStudy.objects.create(study=study, connection=ProlificConnection.objects.create(**there))
    for path, operations in exact["paths"].items():
        if "get" not in operations or "{key}" in path:
            continue
        answers = operations["get"]["responses"]["200"]["content"]
        if "application/json" not in answers or "/config/" in path:
            continue
        slug = study.collection.slug if "/collections/" in path else study.slug
        slug = run.study.slug if "/model-run/" in path else slug
        response = researcher.get(path.format(slug=slug, name="spread", query_id="401"))
        described = {**answers["application/json"]["schema"], "components": exact["components"]}
        faults = list(Draft202012Validator(described).iter_errors(response.json()))
        assert not faults, (path, faults)


def as_json_schema(node: Any) -> Any:
    """OpenAPI 3.0 in the words of JSON Schema; objects have their properties and no others."""
    if isinstance(node, list):
        return [as_json_schema(inner) for inner in node]
    if not isinstance(node, dict):
        return node
    made = {name: as_json_schema(inner) for name, inner in node.items()}
    if isinstance(made.get("properties"), dict) and made.get("type") == "object":
        made |= {"additionalProperties": False, "required": list(made["properties"])}
    if made.pop("nullable", False):
        return {"anyOf": [made, {"type": "null"}]}
    return made


def test_the_page_of_documentation_loads_nothing_from_elsewhere(researcher):
    page = researcher.get("/api/docs/")
    assert page.status_code == 200
    text = page.content.decode()
    addresses = re.findall(r"""(?:src|href)=["']([^"']+)["']""", text)
    assert len(addresses) >= 3
    script = researcher.get("/api/docs/?script=").content.decode()
    for said in (text, script):
        assert not re.findall(r"https?://(?!testserver)[\w.]+", said)
    for address in addresses:
        assert address.startswith(("/", "#")), address
    policy = page["Content-Security-Policy"]
    assert "http" not in policy
    assert "'unsafe-eval'" not in policy
    assert not re.search(r"script-src[^;]*unsafe-inline", policy)
    assert "<script>" not in text


def headers_of(operation: Any, status: str) -> set[str]:
    return set(operation["responses"][status].get("headers", {}))


def test_headers_of_answers_are_described(schema):
    operations = {
        (path, method): operation
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    }
    conditional = [each for each in operations.values() if "304" in each["responses"]]
    assert len(conditional) >= 5
    for each in conditional:
        assert "ETag" in headers_of(each, "200"), each["operationId"]
    for below in ("qrels/", "files/{table}.{file_format}"):
        of_gains = operations[f"/api/v1/studies/{{slug}}/{below}", "get"]
        assert headers_of(of_gains, "200") >= {"Remarks", "Level-Gains", "Trec-Eval-Gains"}
    for path in ("", "opinions/", "archive/", "dataset/"):
        asked = operations[f"/api/v1/imports/{path}", "post"]
        assert headers_of(asked, "202") >= {"Location", "Idempotency-Replayed"}


def test_no_answer_has_a_header_that_is_not_described(schema, researcher, study):
    usual = {"Content-Type", "Content-Length", "Content-Disposition", "Vary", "Allow"}
    for path in ("qrels/", "qrels/?levels=3", "qrels/?integers=10", "rankings/", "crowdkit/"):
        response = researcher.get(f"/api/v1/studies/{study.slug}/{path}")
        address = f"/api/v1/studies/{{slug}}/{path.partition('?')[0]}"
        described = headers_of(schema["paths"][address]["get"], "200")
        own = {
            name
            for name in response.headers.keys() - usual
            if not name.startswith(("X-", "Content-Security", "Cross-Origin", "Referrer"))
        }
        assert own - described - {"Cache-Control", "Permissions-Policy"} == set(), path


ASKERS = 32


@pytest.mark.parametrize("file_format", ["json", "yaml"])
def test_many_who_ask_at_once_all_get_the_same(file_format):
    """In a process that has not made it yet."""
    rendered_schema.cache_clear()

    def ask():
        answer = Client().get(f"/api/schema/?format={file_format}")
        return answer.status_code, answer.content

    with kept_connections():
        answers = at_once(*[ask] * ASKERS)
    assert {status for status, _ in answers} == {200}
    assert len({content for _, content in answers}) == 1


def test_it_is_made_once_and_whoever_has_it_already_gets_no_second_copy():
    first = Client().get("/api/schema/")
    again = Client().get("/api/schema/", headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert Client().get("/api/schema/?format=json")["ETag"] != first["ETag"]
    began = time.process_time()
    for _ in range(20):
        assert Client().get("/api/schema/").status_code == 200
    assert time.process_time() - began < 1, "each alone takes half a second to make"


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        ("*/*", "application/vnd.oai.openapi"),
        ("application/json", "application/json"),
        ("application/json,*/*;q=0.1", "application/json"),
        ("application/yaml", "application/yaml"),
        ("application/vnd.oai.openapi+json", "application/vnd.oai.openapi+json"),
    ],
)
def test_it_comes_as_one_asks_for_it(accept, expected):
    answer = Client().get("/api/schema/", headers={"Accept": accept})
    assert answer["Content-Type"].partition(";")[0] == expected
    assert "Accept" in answer["Vary"]


def test_it_does_not_come_otherwise():
    assert Client().get("/api/schema/", headers={"Accept": "text/csv"}).status_code == 406
    assert Client().get("/api/schema/?format=csv").status_code == 404
    assert Client().post("/api/schema/").status_code == 405
