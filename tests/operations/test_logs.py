"""Errors are provoked with what a person might have typed, and no log has it."""

import json
import logging
import re
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO

import pytest
from celery import shared_task
from django.conf import settings as ours
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import path

from accounts.models import User
from config.celery import app
from web.logs.lines import JsonFormatter, LineFormatter
from web.logs.redaction import exception_name, redacted_trace

PLANTED = "planted-9f3b"

pytestmark = pytest.mark.django_db(transaction=True)


def fail(request: HttpRequest, word: str) -> HttpResponse:
    """Everything a request may bring goes into the error."""
    try:
        User.objects.create_user(PLANTED)
        with transaction.atomic():
            User.objects.create_user(PLANTED)
    except IntegrityError as fault:
        raise ValueError(f"{request.POST} {request.GET} {request.META}") from fault
    return HttpResponse()


urlpatterns = [path("typed/<str:word>/", fail)]
handler500 = "web.views.server_error"


@pytest.fixture(params=[LineFormatter, JsonFormatter])
def written(request: pytest.FixtureRequest) -> Iterator[StringIO]:
    stream = StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(request.param())
    root = logging.getLogger()
    root.addHandler(handler)
    yield stream
    root.removeHandler(handler)


@override_settings(ROOT_URLCONF="tests.operations.test_logs")
def test_an_error_of_a_page_is_logged_without_what_was_typed(written: StringIO) -> None:
    client = Client(raise_request_exception=False, headers={"User-Agent": PLANTED})
    client.cookies["kept"] = PLANTED
    address = f"/typed/{PLANTED}/?PROLIFIC_PID={PLANTED}"
    answer = client.post(address, {"reason": PLANTED}, REMOTE_ADDR="203.0.113.7")
    assert answer.status_code == 500
    client.get(f"/nowhere/{PLANTED}")
    client.get("/", headers={"Host": f"{PLANTED}.example"})
    said = written.getvalue()
    assert PLANTED not in said
    assert "203.0.113.7" not in said
    assert "500 at /typed/<str:word>/" in said
    assert "test_logs.py" in said
    assert "UniqueViolation (23505, accounts_user, accounts_user_username_key)" in said
    assert "refused as suspicious: DisallowedHost" in said
    assert answer["X-Request-ID"] in said


@shared_task
def failing(word: str) -> None:
    raise ValueError(word)


def test_an_error_of_a_task_is_logged_without_what_it_was_given(written: StringIO) -> None:
    result = app.tasks[failing.name].apply(args=[PLANTED])
    assert result.failed()
    said = written.getvalue()
    assert PLANTED not in said
    assert "test_logs.py" in said
    assert f"{failing.name} raised unexpected" in said
    assert result.id in said


def test_who_is_logged_in_is_a_number(written: StringIO) -> None:
    user = User.objects.create_user(PLANTED)
    logging.getLogger("judging").warning("%s deleted a study: %s", user, ValueError(PLANTED))
    assert f"user {user.pk} deleted a study: ValueError" in written.getvalue()
    assert PLANTED not in written.getvalue()


def test_a_task_that_nobody_knows_is_logged_without_what_it_was_given(written: StringIO) -> None:
    said = "Received unregistered task of type %s.\n%s"
    logging.getLogger("celery.worker.consumer").error(said, KeyError(PLANTED), PLANTED)
    assert "unregistered task of type KeyError." in written.getvalue()
    assert PLANTED not in written.getvalue()


def test_an_object_a_line() -> None:
    record = logging.LogRecord("x", logging.ERROR, "", 0, "two\nlines", None, None)
    line = JsonFormatter().format(record)
    assert "\n" not in line
    assert (
        json.loads(line).items()
        >= {"level": "ERROR", "logger": "x", "message": "two\nlines"}.items()
    )
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", json.loads(line)["time"])


def test_causes_that_go_round_end() -> None:
    first, second = ValueError(PLANTED), KeyError(PLANTED)
    first.__cause__, second.__cause__ = second, first
    assert redacted_trace(first) == "ValueError\ncaused by:\nKeyError"
    assert exception_name(first) == "ValueError"


@pytest.mark.parametrize(
    ("trusted", "given", "kept"),
    [
        (True, "of-the-proxy-1", True),
        (True, "short", False),
        (True, "with spaces in it", False),
        (False, "of-a-stranger-1", False),
    ],
)
def test_a_name_of_a_request_is_believed_of_a_trusted_proxy(trusted, given, kept, settings) -> None:
    settings.TRUSTED_PROXIES = ours.TRUSTED_PROXIES if trusted else []
    answer = Client().get("/healthz", headers={"X-Request-ID": given})
    assert (answer["X-Request-ID"] == given) == kept
    assert len(answer["X-Request-ID"]) >= 8


def test_celery_writes_as_the_settings_say() -> None:
    """In a process of its own, as the one that tests has handlers of pytest's."""
    script = (
        "import logging; from config.celery import app; "
        "app.log.setup(loglevel='INFO', redirect_stdouts=False, colorize=False); "
        "logging.getLogger('celery.app.trace').error('x %(exc)s', {'exc': 'typed'}, "
        "exc_info=ValueError('typed'), extra={'data': {'name': 'a.task'}})"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "task a.task failed" in run.stderr
    assert "typed" not in run.stderr
