"""What is wrong is told by part, to whoever may know it."""

import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client

from accounts.models import User
from judging.models import RecordEntry, Tick
from operations.health import background, backups, catalogue, database, disk
from operations.health.catalogue import Check, run_checks
from tests.factory import make_study
from tests.factory.completed import complete
from web import clock
from web.findings import State
from web.queues import redis

TOKEN = "a-token-of-this-test"
ELSEWHERE = {"REMOTE_ADDR": "203.0.113.7"}
FORWARDED = ("X-Forwarded-For", "X-Forwarded-Proto", "Forwarded", "Via", "X-Real-IP")

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def afresh(monkeypatch) -> None:
    """Nothing is known from the test before; workers, of whom there are none, are not awaited."""
    monkeypatch.setattr(catalogue, "_latest", None)
    monkeypatch.setattr(background, "listeners", lambda: dict.fromkeys(settings.TASKS_OF_QUEUES))


def ticked(**ages: float) -> None:
    Tick.objects.all().delete()
    for name, age in ages.items():
        Tick.objects.create(name=name, ran_at=clock.now() - timedelta(seconds=age))


def states() -> dict[str, State]:
    return {check.name: found.state for check, found in run_checks().parts}


def test_this_machine_gets_the_status_by_any_host_without_a_redirect(settings) -> None:
    settings.SECURE_SSL_REDIRECT = True
    ticked(expiry=1, rankings=1)
    answer = Client().get("/status", headers={"Host": "10.0.0.7:8000"})
    assert answer.status_code == 200
    said = answer.json()
    assert said["parts"]["database"] == {
        "state": "ok",
        "says": "Answers, and can be written to.",
        "mend": "",
    }
    assert [part for part, told in said["parts"].items() if told["state"] != "ok"] == ["workers"]
    assert said["state"] == "degraded"
    assert "no-store" in answer["Cache-Control"]
    assert not answer.cookies


def test_lines_of_text_are_to_be_had() -> None:
    ticked(expiry=1, rankings=1)
    answer = Client().get("/status", headers={"Accept": "text/plain"})
    lines = answer.content.decode().splitlines()
    assert lines[0] == "degraded"
    assert any(line.startswith("ok        redis") for line in lines)
    assert any("No worker answers for io, compute. Start `python" in line for line in lines)


def test_workers_are_asked_what_they_listen_to(monkeypatch) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(background, "ANSWER_SECONDS", 0.01)
    assert background.listeners() == {"io": [], "compute": []}


def test_every_part_is_described() -> None:
    page = (Path(settings.BASE_DIR) / "docs/operations/watching.md").read_text()
    assert re.findall(r"^\| `(\w+)` \|", page, re.M) == [check.name for check in catalogue.CHECKS]


def test_strangers_learn_nothing(settings) -> None:
    settings.STATUS_TOKEN = TOKEN
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": TOKEN}):
        answer = Client(**ELSEWHERE).get("/status", headers=headers)
        assert answer.status_code == 401
        assert b"database" not in answer.content
    shown = {"Authorization": f"Bearer {TOKEN}"}
    assert Client(**ELSEWHERE).get("/status", headers=shown).status_code == 200
    assert Client(**ELSEWHERE).post("/status", headers=shown).status_code == 405
    settings.STATUS_TOKEN = ""
    assert (
        Client(**ELSEWHERE).get("/status", headers={"Authorization": "Bearer "}).status_code == 401
    )


@pytest.mark.parametrize("trusted", [True, False])
@pytest.mark.parametrize("header", FORWARDED)
def test_what_a_proxy_of_this_machine_hands_on_is_not_from_it(header, trusted, settings) -> None:
    """Be the proxy trusted or not, whose headers are thrown away."""
    settings.TRUSTED_PROXIES = settings.TRUSTED_PROXIES if trusted else []
    assert Client().get("/status", headers={header: "127.0.0.1"}).status_code == 401


def test_missing_ticks_are_reported() -> None:
    ticked(expiry=1, rankings=1)
    assert states()["expiry"] == states()["rankings"] == State.OK
    ticked(expiry=100, rankings=100)
    by_name = states()
    assert (by_name["expiry"], by_name["rankings"]) == (State.DOWN, State.DEGRADED)
    ticked()
    by_name = states()
    assert by_name["expiry"] == by_name["rankings"] == State.OK, "they had nothing to do yet"


def test_a_full_or_missing_redis_is_reported(settings) -> None:
    with redis() as client:
        client.config_set("maxmemory", 1)
    try:
        assert "Takes nothing" in background.redis().sentence
    finally:
        with redis() as client:
            client.config_set("maxmemory", 0)
    assert background.redis().state == State.OK


def test_waiting_tasks_are_reported() -> None:
    with redis() as client:
        client.rpush("compute", *("x" for _ in range(101)))
    try:
        found = background.queues()
        assert found.state == State.DEGRADED
        # Other tests may have left some there.
        assert re.search(r"\b1\d\d in compute\b", found.sentence), found.sentence
    finally:
        with redis() as client:
            client.delete("compute")


def test_exhausted_connections_are_reported(monkeypatch) -> None:
    used, most = database.connections_in_use()
    assert 0 < used < most
    monkeypatch.setattr(database, "FULL", used / most / 2)
    assert database.connections().state == State.DEGRADED


def test_differing_clocks_are_reported(monkeypatch) -> None:
    assert abs(database.clock_offset()) < database.MAX_CLOCK_OFFSET
    ahead = clock.now() + timedelta(minutes=2)
    monkeypatch.setattr(clock, "now", lambda: ahead)
    assert "behind PostgreSQL's" in database.clocks().sentence


def test_a_full_disk_and_a_read_only_folder_are_reported(monkeypatch, settings) -> None:
    assert disk.disk().state == State.OK
    monkeypatch.setattr(disk, "LOW_SPACE", (10**18, 1.1))
    assert disk.disk().state == State.DEGRADED
    settings.UPLOAD_DIR = "/proc/self"
    found = disk.disk()
    assert found.state == State.DOWN
    assert found.sentence.startswith("UPLOAD_DIR cannot be written to")


@pytest.mark.django_db(transaction=True)
def test_other_parts_are_reported_without_the_database(monkeypatch, settings) -> None:
    monkeypatch.setattr(database, "database_fault", lambda: "the database does not answer")
    connection.close()
    settings.STATUS_TOKEN = TOKEN
    answer = Client().get("/status")
    assert answer.status_code == 503
    said = json.loads(answer.content)
    assert said["state"] == "down"
    assert said["parts"]["redis"]["state"] == "ok"
    assert said["parts"]["rankings"]["says"] == "Not known while database is down."


def test_others_are_answered_while_a_check_waits(monkeypatch) -> None:
    monkeypatch.setattr(catalogue, "MAX_WAIT", 0.05)
    monkeypatch.setattr(database, "database_fault", lambda: "the database does not answer")
    with catalogue._guard:
        said = Client().get("/status").json()
    assert said["state"] == "down"
    assert said["parts"]["database"]["says"].startswith("The database does not answer")
    assert said["parts"]["redis"]["says"] == "Not known: the checks take more than 0.05 s."


def test_a_failing_check_is_reported_and_stops_no_other(monkeypatch) -> None:
    broken = Check("broken", "Broken", lambda: 1 / 0)
    monkeypatch.setattr(catalogue, "CHECKS", (broken, Check("disk", "Disk", disk.disk)))
    (_, first), (_, second) = run_checks().parts
    assert first.sentence == "Could not be asked: ZeroDivisionError."
    assert second.state == State.OK


def test_the_page_is_for_admins_alone() -> None:
    ticked(expiry=1, rankings=100)
    address = "/operations/"
    assert Client().get(address).url == f"/login/?next={address}"
    otto, rita = (
        User.objects.create_user(name, is_staff=True, is_superuser=name == "rita")
        for name in ("otto", "rita")
    )
    client = Client()
    client.force_login(otto)
    assert client.get(address).status_code == 403
    assert b'href="/operations/"' not in client.get("/studies/").content
    client.force_login(rita)
    page = client.get(address).content.decode()
    assert "2 parts of the site need attention: Workers, Rankings" in page
    assert page.index("No worker answers") < page.index("Answers, and can be written to.")
    assert 'href="/operations/" aria-current="page"' in page


def test_backups_are_asked_for_once_people_have_judged(settings) -> None:
    ticked()
    assert states()["backups"] == "ok"
    complete(make_study(), "ada")
    assert states()["backups"] == "degraded"
    ticked(backup=47 * 3600)
    assert states()["backups"] == "ok"
    settings.BACKUP_HOURS = 6
    assert states()["backups"] == "degraded"
    assert backups.backups().mend == backups.CHECK_LOG


def test_an_unwritten_record_is_reported() -> None:
    assert states()["record"] == "ok"
    entry = RecordEntry.objects.create(kind="deleted", details={})
    assert states()["record"] == "ok"
    RecordEntry.objects.filter(pk=entry.pk).update(at=clock.now() - timedelta(minutes=5))
    assert states()["record"] == "degraded"
    RecordEntry.objects.update(written_at=clock.now())
    assert states()["record"] == "ok"
