"""The site behind PgBouncer, which gives each transaction another session of PostgreSQL."""

from collections.abc import Iterator

import httpx
import pytest
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import connection
from django.utils import timezone

from crowd import through_flow, world
from crowd.people import Crowd
from evaluation.cache import stored
from evaluation.publishing import exports
from evaluation.tasks import bring_up_to_date
from judging.flow.ending import own_clock
from judging.models import Judgment
from judging.tasks import tick
from operations.health import database
from tests.config.pooler import PROGRAM, pooler, written
from tests.config.sessions import answers, held_in_sessions, sessions_there
from tests.database import Elsewhere
from tests.factory import OPTIONS, make_study
from tests.http_worker import HttpWorker, Seen
from tests.judging.invariants import broken
from web import health
from web.background.leases import lease
from web.findings import State


def test_limits_of_tasks_are_those_of_the_settings() -> None:
    written_options = written()["databases"]["magnitudes"]
    for limit, most in settings.DATABASE_LIMITS_OF["tasks and commands"].items():
        assert f"SET {limit} = {most}" in written_options


@pytest.mark.django_db
def test_a_limit_that_the_pooler_drops_is_reported() -> None:
    assert database.limits().state == State.OK
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 0")
    found = database.limits()
    assert found.state == State.DEGRADED
    assert "statement_timeout = 0 here" in found.sentence
    assert f"SET statement_timeout = {settings.DATABASE_LIMITS['statement_timeout']}" in found.mend


@pytest.fixture
def pooled(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    server = connection.settings_dict
    with pooler(server, settings.VAR_DIR, "magnitudes_web") as port:
        connection.close()
        pooled = {"HOST": "127.0.0.1", "PORT": str(port), "DISABLE_SERVER_SIDE_CURSORS": True}
        for name, value in pooled.items():
            monkeypatch.setitem(server, name, value)
        assert sessions_there() == 4, "sessions take turns"
        yield
        connection.close()
        monkeypatch.undo()


def score(seen: Seen) -> str:
    return {"D401-003": "90", "D401-000": "1"}.get(seen.text.split()[1], f"{10 + seen.position}")


@pytest.mark.skipif(not PROGRAM, reason="Debian's pgbouncer is not installed")
@pytest.mark.nightly
def test_everything_works_and_leaves_nothing_in_a_session(pooled: None) -> None:
    at_first = held_in_sessions()
    study = make_study(payment=0, minimum_seconds=0)
    worker = HttpWorker("http://localhost", study.slug, score, lambda question, given: OPTIONS[0])
    worker.http = httpx.Client(
        base_url="http://localhost",
        follow_redirects=True,
        transport=httpx.WSGITransport(app=get_wsgi_application()),
    )
    with worker:
        assert worker.complete()
    crowded = make_study(topics=2, redundancy=4)
    through_flow.run(Crowd(world.read(crowded, 1)), 3, timezone.now(), lambda done: None)
    with own_clock(study):
        tick()
    for judged in (study, crowded):
        bring_up_to_date()
        names = ["spread", "rankings"]
        stored.get_or_request(judged, names, "reference", timezone.now())
        assert stored.bring_up_to_date() == len(names)
        assert all(
            not looked.row.fault
            for looked in stored.get_or_request(judged, names, "reference", timezone.now())
        )
        count = Judgment.objects.filter(assignment__study=judged).count()
        lines = list(exports.file(judged, "judgments", "csv").lines)
        assert len(lines) == count + 1 > 8
    with lease("work") as acquired:
        assert acquired
        assert not Elsewhere(lambda: lease("work").__enter__()).result()
    assert [health._probe() for _ in range(6)] == [""] * 6
    assert broken() == []
    assert held_in_sessions() == at_first
    for question, expected in (
        ("SHOW synchronous_commit", "on"),
        ("SHOW statement_timeout", "15s"),
        ("SHOW lock_timeout", "5s"),
        ("SHOW TimeZone", "UTC"),
        ("SHOW transaction_isolation", "read committed"),
    ):
        assert answers(question) == {expected}, question
