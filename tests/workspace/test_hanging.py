"""Servers of others that never answer: an overdue unit is free within seconds all the same."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta

import pytest
from django.conf import settings
from django.db import connection

from accounts.models import User
from judging.models import Assignment
from tests.cast import Person
from tests.config.helpers import until
from tests.doubles.prolific import prolific
from tests.factory import make_study
from tests.workspace.recruiting.conftest import on_prolific, publish
from web import clock
from web.findings import Finding, State
from workspace.alerts import channels, watching
from workspace.models import AlertMessage, ProlificStudy

WEBHOOKS = 4
LIGHT = Finding(State.DOWN, "Stopped: no form for 19 min.", name="Flow")
# The worker as ever, but on the database of the tests, and with webhooks of this machine.
WORKER = """
from functools import partial
from config import settings
settings.DATABASES["default"]["NAME"] = {name!r}
import django
django.setup()
from config import worker
from workspace.alerts import webhooks
webhooks.send = partial(webhooks.send, resolve=lambda url: "127.0.0.1")
worker.main("io")
"""


@contextmanager
def worker(**variables: str) -> Iterator[None]:
    """The worker of what waits."""
    code = WORKER.format(name=connection.settings_dict["NAME"])
    process = subprocess.Popen(
        [sys.executable, "-c", code, "io"],
        cwd=settings.BASE_DIR,
        env={**os.environ, "TICK_SECONDS": "0.5", **variables},
        start_new_session=True,
    )
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.mark.django_db(transaction=True)
def test_a_unit_expires_while_webhooks_and_a_platform_hang():
    rosa = User.objects.create_user("rosa")
    with prolific() as there, pytest.MonkeyPatch.context() as patch:
        patch.setattr(settings, "PROLIFIC_API_URL", there.address)
        publish(on_prolific(rosa, "CDONE"), rosa)
    ProlificStudy.objects.update(read_at=None)
    with (
        socket.create_server(("127.0.0.1", 0)) as platform,  # they take connections, and no more
        socket.create_server(("127.0.0.1", 0), backlog=99) as hooks,
    ):
        port = hooks.getsockname()[1]
        for _ in range(WEBHOOKS):
            study = make_study()
            study.memberships.create(user=rosa, role="owner")
            url = f"https://hooks.example:{port}/"
            channels.set_channels(
                study, rosa, "https://judge.example", [], url, lambda *_: ["93.184.215.14"]
            )
            watching.update_alerts(study, [LIGHT], clock.now())
        person = Person(make_study(expiry_minutes=5), "otto", now=clock.now())
        assert person.begin() is None
        with worker(PROLIFIC_API_URL=f"http://127.0.0.1:{platform.getsockname()[1]}"):
            platform.settimeout(60)
            with platform.accept()[0]:  # and says nothing
                until(AlertMessage.objects.filter(tries=1).exists, 60)
                Assignment.objects.update(deadline_at=clock.now() - timedelta(seconds=1))
                until(lambda: person.assignment.state == "expired", 5)
                assert AlertMessage.objects.filter(tries=0).exists(), "others still wait"
                assert ProlificStudy.objects.filter(read_at=None).exists()
