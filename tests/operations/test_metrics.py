"""Numbers for Prometheus, and rules that name no other."""

import re
import subprocess
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from pathlib import Path

import pytest
from django.test import Client
from django.urls import get_resolver
from prometheus_client.parser import text_string_to_metric_families

from judging.models import Tick
from operations.backup import dumping
from operations.health import background, catalogue
from tests.factory.completed import busy_study
from tests.faults.site import running
from tests.operations.rules import choices, rules
from web import clock

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def afresh(monkeypatch, settings) -> None:
    settings.METRICS = True
    monkeypatch.setattr(catalogue, "_latest", None)
    monkeypatch.setattr(background, "listeners", lambda: {"io": [], "compute": []})


def families(client: Client) -> dict[str, list]:
    answer = client.get("/metrics")
    assert answer.status_code == 200
    found = text_string_to_metric_families(answer.content.decode())
    return {family.name: family.samples for family in found}


def test_requests_are_counted_by_view_and_never_by_address() -> None:
    client = Client()
    for address in ("/", "/study/planted-slug/", "/planted-nowhere/", "/healthz"):
        client.get(address)
    client.generic("PLANTED", "/")
    found = families(client)
    counted = [sample.labels for sample in found["magnitudes_requests"]]
    assert {labels["view"] for labels in counted} >= {"home", "study", "none"}
    assert {labels["method"] for labels in counted} >= {"GET", "other"}
    assert "planted" not in str(found).lower()
    assert found["magnitudes_request_seconds"]


def test_gauges_are_current() -> None:
    study = busy_study()
    Tick.objects.update_or_create(name=Tick.EXPIRY, defaults={"ran_at": clock.now()})
    found = families(Client())
    states = {s.labels["part"]: s.value for s in found["magnitudes_part_state"]}
    assert states["database"] == 0
    assert states["workers"] == 2
    units = {s.labels["state"]: s.value for s in found["magnitudes_units"]}
    assert units.keys() == {"free", "in progress", "completed"}
    assert sum(units.values()) == study.units.count()
    assert {s.labels["queue"] for s in found["magnitudes_queue_tasks"]} >= {"io", "compute"}


def test_it_is_off_unless_asked_for_and_for_this_machine_alone(settings) -> None:
    assert Client(REMOTE_ADDR="203.0.113.7").get("/metrics").status_code == 401
    assert Client().get("/metrics", headers={"X-Forwarded-For": "127.0.0.1"}).status_code == 401
    settings.METRICS = False
    assert Client().get("/metrics").status_code == 404


def test_rules_and_their_page_name_what_there_is() -> None:
    """A rule that asks for a part that has another name would never say anything."""
    busy_study()
    for name in (Tick.EXPIRY, Tick.RANKINGS, dumping.TICK):
        Tick.objects.update_or_create(name=name, defaults={"ran_at": clock.now()})
    Client().get("/")
    samples = [sample for of_one in families(Client()).values() for sample in of_one]
    page = (ROOT / "docs/operations/metrics.md").read_text()
    names = {sample.name for sample in samples}
    used = {name for rule in rules() for name in re.findall(r"magnitudes_\w+", rule["expr"])}
    assert used
    assert used <= names
    published = {re.sub(r"_(bucket|sum|count|created)$", "", name) for name in names}
    described = re.findall(r"^\| `(magnitudes_\w+)`", page, re.M)
    assert published - {"magnitudes_requests"} == set(described)

    views = {name for name in get_resolver().reverse_dict if isinstance(name, str)}
    known = {"view": views, "status": {str(status.value) for status in HTTPStatus}}
    for label in ("part", "tick", "which", "queue"):
        known[label] = {sample.labels[label] for sample in samples if label in sample.labels}
    assert known["part"] == {check.name for check in catalogue.CHECKS}
    assert all(f"`{name}`" in page for name in (*known["tick"], *known["which"]))
    known["job"] = set(re.findall(r"job_name: (\w+)", page))
    labels = {sample.name: sample.labels.keys() for sample in samples} | {"up": {"job"}}
    chosen = list(choices())
    assert {choice.label for choice in chosen} >= {"part", "tick", "which", "view", "status"}
    for choice in chosen:
        assert choice.label in labels[choice.metric], choice
        for value in choice.values:
            assert any(re.fullmatch(value, name) for name in known[choice.label]), choice


COUNT = """
from django.conf import settings
settings.configure(METRICS=True)
from operations.request_metrics import requests, seconds
requests.labels("study", "GET", 200).inc({times})
seconds.labels("study").observe(0.02)
"""


def test_what_several_processes_count_is_added_up(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    for times in (2, 3):
        subprocess.run([sys.executable, "-c", COUNT.format(times=times)], cwd=ROOT, check=True)
    counted = families(Client())
    (total,) = counted["magnitudes_requests"]
    assert (total.labels, total.value) == ({"view": "study", "method": "GET", "status": "200"}, 5)
    (count,) = [s for s in counted["magnitudes_request_seconds"] if s.name.endswith("_count")]
    assert count.value == 2


@pytest.mark.whole
def test_each_web_process_tells_of_all(tmp_path: Path, monkeypatch) -> None:
    """There are two, and each answers as often as the other, more or less."""
    monkeypatch.setenv("METRICS", "on")
    with running(tmp_path / "var") as site:

        def get(address: str) -> str:
            with urllib.request.urlopen(f"{site.address}{address}", timeout=60) as answer:
                return answer.read().decode()

        def counted() -> float:
            found = text_string_to_metric_families(get("/metrics"))
            samples = [sample for family in found for sample in family.samples]
            return sum(
                sample.value
                for sample in samples
                if sample.name == "magnitudes_requests_total"
                and sample.labels["view"] == "account_login"
            )

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(get, ["/login/"] * 80))  # nobody else asks for that
            assert set(pool.map(lambda _: counted(), range(40))) == {80}
