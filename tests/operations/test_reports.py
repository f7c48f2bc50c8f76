"""Errors and signs of life reach a double elsewhere, without anything that was typed."""

import gzip
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from django.core.cache import cache
from django.db import connection

from judging.models import Tick
from operations.heartbeat import heartbeat
from web import clock, health

PLANTED = "planted-9f3b"
SCRIPT = f"""
import django, logging
django.setup()
class User:
    is_authenticated, pk = True, 7
def fail(typed):
    try:
        {{}}[typed]
    except KeyError as fault:
        raise ValueError(typed) from fault
for _ in range(3):
    try:
        fail("{PLANTED}")
    except ValueError as fault:
        logging.getLogger("judging").exception("it fails for %s: %s", User(), fault)
import sentry_sdk
sentry_sdk.flush(30)
for handler in logging.getLogger().handlers:
    if hasattr(handler, "sending"):
        handler.sending.join(30)
"""


class Double(ThreadingHTTPServer):
    """Keeps what it is sent, and answers with `status`."""

    status = 200

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[str] = []
        self.bodies: list[bytes] = []


class Handler(BaseHTTPRequestHandler):
    server: Double

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        self.send_response(self.server.status)
        self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        packed = self.headers.get("Content-Encoding") == "gzip"
        self.server.bodies.append(gzip.decompress(body) if packed else body)
        self.do_GET()

    def log_message(self, *said: object) -> None:
        pass


@pytest.fixture
def elsewhere() -> Iterator[Double]:
    double = Double()
    serving = threading.Thread(target=double.serve_forever)
    serving.start()
    yield double
    double.shutdown()
    serving.join()
    double.server_close()


def run(**variables: str) -> None:
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", **variables}
    subprocess.run([sys.executable, "-c", SCRIPT], env=environment, check=True, capture_output=True)


def test_a_service_gets_kinds_and_places(elsewhere: Double) -> None:
    run(ERRORS_DSN=f"http://key@127.0.0.1:{elsewhere.server_port}/1")
    assert set(elsewhere.asked) == {"/api/1/envelope/"}
    said = b"".join(elsewhere.bodies).decode()
    assert PLANTED not in said
    event = json.loads(elsewhere.bodies[0].splitlines()[2])
    assert event["logentry"]["formatted"] == "it fails for user 7: ValueError"
    kinds = [fault["type"] for fault in event["exception"]["values"]]
    assert kinds == ["KeyError", "ValueError"]
    assert event["exception"]["values"][1]["stacktrace"]["frames"][-1]["function"] == "fail"
    assert event.keys().isdisjoint({"request", "user", "breadcrumbs", "extra", "modules"})
    assert not event["server_name"]


def test_an_error_is_emailed_once_as_it_is_logged(tmp_path: Path) -> None:
    run(
        EMAIL_URL=f"filemail:///{tmp_path}",
        EMAIL_FROM="site@example.org",
        ERRORS_TO="rosa@example.org",
    )
    (email,) = [file.read_text() for file in tmp_path.iterdir()]
    assert email.count("Subject: [Magnitudes] ERROR: it fails for user 7: ValueError") == 1
    assert "To: rosa@example.org" in email
    assert "in fail" in email
    assert PLANTED not in email


@pytest.fixture
def beating(elsewhere: Double, db: None, settings) -> Double:
    settings.HEARTBEAT_URL = f"http://127.0.0.1:{elsewhere.server_port}/beat"
    cache.delete("heartbeat")
    Tick.objects.update_or_create(name=Tick.EXPIRY, defaults={"ran_at": clock.now()})
    return elsewhere


def test_a_sign_of_life_and_one_at_a_time(beating: Double) -> None:
    assert heartbeat()
    assert not heartbeat()
    assert beating.asked == ["/beat"]


def test_no_sign_of_life_when_nothing_expires_any_more(beating: Double, settings) -> None:
    Tick.objects.update(ran_at=clock.now() - timedelta(minutes=2))
    assert not heartbeat()
    assert beating.asked == []
    settings.HEARTBEAT_URL = ""
    assert not heartbeat()


def test_no_heartbeat_while_the_database_is_read_only(beating: Double, monkeypatch) -> None:
    """It answers, and the last tick is of a moment ago."""
    usual = connection.settings_dict["OPTIONS"]
    read_only = f"{usual.get('options', '')} -c default_transaction_read_only=on"
    with monkeypatch.context() as patch:
        patch.setitem(usual, "options", read_only)
        patch.setattr(health, "_latest", None)
        assert not heartbeat()
        assert health.database_fault() == "the database cannot be written to"
    assert beating.asked == []
    monkeypatch.setattr(health, "_latest", None)
    assert heartbeat()


def test_a_redirect_is_not_followed(beating: Double) -> None:
    beating.status = 302
    assert not heartbeat()
    assert beating.asked == ["/beat"]
