"""Numbers for Prometheus, and rules that name no other."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from judging.models import Tick
from operations.health import catalogue
from operations.health.parts import background
from operations.metrics import of_requests
from tests.factory.completed import busy_study
from web import clock

ROOT = Path(__file__).parents[2]
RULES = ROOT / "ops" / "alerts.rules.yml"

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def afresh(monkeypatch, settings) -> None:
    settings.METRICS = True
    monkeypatch.setattr(catalogue, "_latest", None)
    monkeypatch.setattr(background, "ANSWER_SECONDS", 0.01)


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


def test_the_site_is_told_as_it_is_now() -> None:
    study = busy_study()
    Tick.objects.update_or_create(name=Tick.EXPIRY, defaults={"ran_at": clock.now()})
    found = families(Client())
    states = {s.labels["part"]: s.value for s in found["magnitudes_part_state"]}
    assert states["database"] == 0
    assert states["workers"] == 2
    units = {s.labels["state"]: s.value for s in found["magnitudes_units"]}
    assert units.keys() == {"free", "in hand", "completed"}
    assert sum(units.values()) == study.units.count()
    assert {s.labels["queue"] for s in found["magnitudes_queue_tasks"]} >= {"celery", "imports"}


def test_it_is_off_unless_asked_for_and_for_this_machine_alone(settings) -> None:
    assert Client(REMOTE_ADDR="203.0.113.7").get("/metrics").status_code == 401
    assert Client().get("/metrics", headers={"X-Forwarded-For": "127.0.0.1"}).status_code == 401
    settings.METRICS = False
    assert Client().get("/metrics").status_code == 404


def test_rules_name_what_there_is() -> None:
    busy_study()
    Client().get("/")
    Tick.objects.update_or_create(name=Tick.EXPIRY, defaults={"ran_at": clock.now()})
    names = {sample.name for samples in families(Client()).values() for sample in samples}
    (group,) = yaml.safe_load(RULES.read_text())["groups"]
    used = {name for rule in group["rules"] for name in re.findall(r"magnitudes_\w+", rule["expr"])}
    assert used
    assert used <= names
    assert all(rule["annotations"].keys() == {"summary", "mend"} for rule in group["rules"])
    described = re.findall(
        r"^\| `(magnitudes_\w+)`", (ROOT / "docs/operations/metrics.md").read_text(), re.M
    )
    published = {re.sub(r"_(bucket|sum|count|created)$", "", name) for name in names}
    assert published - {"magnitudes_requests"} == set(described)
    assert of_requests.NO_VIEW == "none"


@pytest.mark.skipif(not shutil.which("promtool"), reason="needs promtool, of Debian's prometheus")
def test_prometheus_understands_the_rules() -> None:
    subprocess.run(["promtool", "check", "rules", RULES], check=True)
