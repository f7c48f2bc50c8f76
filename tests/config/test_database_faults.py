"""What happens when PostgreSQL stands still, takes too long, fails, or cannot write."""

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager

import psycopg2
import pytest
from django.conf import settings
from django.db import DataError, IntegrityError, OperationalError, connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from embedded import sharing
from embedded.postgres import DATABASE, PORT, USER
from judging.models import Collection
from web.health import PROBE_TABLE, UNMIGRATED

from .helpers import processes, until
from .test_server import TIMEOUT, Server

SHORT = {
    "lock_timeout": 100,
    "statement_timeout": 300,
    "idle_in_transaction_session_timeout": 100,
}
SECRET = "planted"
WELL = 503, UNMIGRATED  # the site has no tables, and says so once nothing worse is wrong


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    var_dir = tmp_path_factory.mktemp("var")
    server = Server(var_dir, "--workers=1", settings="tests.config.stalled_site")
    yield server
    assert server.stop() == 0


def postmaster(server: Server) -> int:
    file = server.log.parent / "postgres" / "postmaster.pid"
    return int(file.read_text().split()[0])


@contextmanager
def standing_still(server: Server) -> Iterator[None]:
    head = postmaster(server)
    stopped = [head, *processes("", parent=head)]
    for process in stopped:
        os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in stopped:
            os.kill(process, signal.SIGCONT)


def seconds_of(site: Server, path: str, answer: tuple[int, str]) -> float:
    begun = time.monotonic()
    assert site.ask("GET", path) == answer
    return time.monotonic() - begun


def test_a_suspended_database_is_reported(site: Server) -> None:
    """Pages wait for it on the connections that are there, and the others are refused."""
    with ThreadPoolExecutor(8) as clients:
        for _ in range(3):  # until all threads have a connection
            list(clients.map(lambda _: site.ask("GET", "/ask/"), range(8)))
        with standing_still(site):
            asked = [clients.submit(site.ask, "GET", "/ask/") for _ in range(8)]
            until(lambda: sum(page.done() for page in asked) == 6, TIMEOUT)
            for _ in range(5):
                assert seconds_of(site, "/healthz", (200, "ok")) < 1
                assert seconds_of(site, "/readyz", (503, "the database does not answer")) < 3
            status, page = site.ask("GET", "/ask/")
            assert status == 503
            assert "not available just now" in page
            status, problem = site.ask("GET", "/api/ask/")
            assert status == 503
            assert '"status": 503' in problem
        assert until(lambda: site.ask("GET", "/ask/") == (200, "asked"), TIMEOUT) < 5
        assert [page.result() for page in asked].count((200, "asked")) == 2
    until(lambda: site.ask("GET", "/health/") == WELL, TIMEOUT)


def run(server: Server, statement: str) -> None:
    """Run a statement in the database of the site, whatever it refuses to others."""
    folder = sharing.socket_folder(server.log.parent)
    place = {"host": str(folder), "port": PORT, "dbname": DATABASE, "user": USER}
    session = psycopg2.connect(**place, options="-c default_transaction_read_only=off")
    session.autocommit = True
    with closing(session), session.cursor() as cursor:
        cursor.execute(statement)


def test_a_read_only_database_is_reported(site: Server) -> None:
    """Read-only, as some servers make themselves before the disk is full."""
    until(lambda: site.ask("GET", "/health/") == WELL, TIMEOUT)
    run(site, f"CREATE TABLE {PROBE_TABLE} (id serial, page bytea)")
    run(site, f"ALTER DATABASE {DATABASE} SET default_transaction_read_only = on")
    said = (503, "the database cannot be written to")
    until(lambda: site.ask("GET", "/health/") == said, TIMEOUT)
    run(site, f"ALTER DATABASE {DATABASE} RESET default_transaction_read_only")
    until(lambda: site.ask("GET", "/health/") == WELL, TIMEOUT)


@contextmanager
def impatient() -> Iterator[BaseDatabaseWrapper]:
    other = connection.copy()
    options = " ".join(f"-c {name}={milliseconds}" for name, milliseconds in SHORT.items())
    other.settings_dict = {**other.settings_dict, "OPTIONS": {"options": options}}
    with closing(other):
        yield other


@pytest.mark.django_db(transaction=True)
def test_a_statement_has_its_time() -> None:
    told = pytest.raises(OperationalError, match="statement timeout")
    with impatient() as other, other.cursor() as cursor, told:
        cursor.execute("SELECT pg_sleep(60)")


@pytest.mark.django_db(transaction=True)
def test_who_waits_for_a_lock_has_their_time() -> None:
    with transaction.atomic(), impatient() as other, other.cursor() as cursor:
        with connection.cursor() as holder:
            holder.execute("LOCK TABLE judging_collection")
        with pytest.raises(OperationalError, match="lock timeout"):
            cursor.execute("SELECT count(*) FROM judging_collection")


@pytest.mark.django_db(transaction=True)
def test_a_transaction_in_which_nothing_happens_is_ended() -> None:
    sessions = "SELECT count(*) FROM pg_stat_activity WHERE pid = %s"
    with impatient() as other:
        other.set_autocommit(False)
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            (process,) = cursor.fetchone()
        with connection.cursor() as cursor:

            def is_gone() -> bool:
                cursor.execute(sessions, [process])
                return cursor.fetchone() == (0,)

            until(is_gone, TIMEOUT)


@pytest.mark.django_db(transaction=True)
def test_what_people_wrote_is_not_in_the_log_of_the_database() -> None:
    log = settings.VAR_DIR / "log" / "postgres.log"
    before = len(log.read_bytes())
    Collection.objects.create(slug=SECRET)
    with pytest.raises(IntegrityError):
        Collection.objects.create(slug=SECRET)
    with connection.cursor() as cursor, pytest.raises(DataError):
        cursor.execute("SELECT 1 / (length(%s) - %s)", [SECRET, len(SECRET)])
    said = log.read_bytes()[before:].decode()
    assert "division by zero" in said
    assert SECRET not in said


@pytest.mark.django_db(transaction=True)
def test_pages_have_the_limits_of_the_role() -> None:
    """A pooler hands on nothing that a process asks for when it connects."""
    plain = connection.copy()
    plain.settings_dict = {**plain.settings_dict, "OPTIONS": {}}
    with closing(plain), plain.cursor() as cursor:
        cursor.execute(
            "SELECT name, setting::int FROM pg_settings WHERE name = ANY(%s)", [list(SHORT)]
        )
        assert dict(cursor.fetchall()) == settings.DATABASE_LIMITS_OF["web"]
