"""Whoever watches a process is answered before anything else is done."""

import socket
import time

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from web import health
from web.models import HealthProbe

BUSY = 3  # seconds that a busy machine may take beside; libpq would wait for ten
PROBE_TABLE = ("/healthz", "/readyz", "/health/")


def test_a_process_says_that_it_answers_without_asking_anybody(settings):
    """No database: a test that may not use one would fail."""
    settings.SECURE_SSL_REDIRECT = True
    answer = Client().get("/healthz", headers={"Host": "10.0.0.7:8000"})
    assert (answer.status_code, answer.content) == (200, b"ok")
    assert answer["Cache-Control"] == "no-store"
    assert not answer.cookies


@pytest.mark.parametrize("address", ["/readyz", "/health/"])
@pytest.mark.django_db(transaction=True)
def test_it_is_ready_while_the_database_works(address, settings):
    settings.SECURE_SSL_REDIRECT = True
    answer = Client().get(address, headers={"Host": "10.0.0.7:8000"})
    assert (answer.status_code, answer.content) == (200, b"ok")


@pytest.mark.django_db(transaction=True)
def test_to_ask_leaves_nothing_in_the_catalogue():
    """A table made for each question has rows there, which vacuum must clear."""

    def changes():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_stat_force_next_flush(), pg_stat_clear_snapshot()")
            cursor.execute(
                "SELECT sum(n_tup_ins) FROM pg_stat_sys_tables "
                "WHERE relname IN ('pg_class', 'pg_attribute', 'pg_type')"
            )
            return int(cursor.fetchone()[0])

    assert health._probe() == ""
    time.sleep(1.5)  # until the statistics of what is over are there
    before = changes()
    for _ in range(3):
        assert health._probe() == ""
    time.sleep(1.5)
    assert changes() == before
    assert HealthProbe._meta.db_table == health.PROBE_TABLE
    assert not HealthProbe.objects.exists()


@pytest.mark.parametrize("address", PROBE_TABLE)
def test_a_probe_is_read_and_nothing_else(address):
    for method in ("POST", "TRACE", "DELETE"):
        assert Client().generic(method, address).status_code == 405


def test_who_asks_does_not_wait_for_a_database_that_is_slow(monkeypatch):
    """And those who ask meanwhile start no second check."""
    asked, go_on = [], health.threading.Event()

    def slow():
        asked.append(1)
        go_on.wait(60)
        return ""

    monkeypatch.setattr(health, "_probe", slow)
    monkeypatch.setattr(health, "_latest", None)
    monkeypatch.setattr(health, "TIMEOUT", 0.05)
    try:
        assert [health.database_fault() for _ in range(5)] == [health.SLOW] * 5
        assert len(asked) == 1
    finally:
        go_on.set()
    assert health._latest.done.wait(60)
    assert health.database_fault() == ""


@pytest.mark.parametrize("address", ["/readyz", "/health/"])
@pytest.mark.django_db(transaction=True)
def test_it_says_within_a_second_that_the_database_does_not_answer(address, monkeypatch):
    """It takes the connection, and says nothing, as one that was stopped."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setitem(connection.settings_dict, "HOST", "127.0.0.1")
        monkeypatch.setitem(connection.settings_dict, "PORT", silent.getsockname()[1])
        monkeypatch.setattr(health, "_latest", None)
        began = time.monotonic()
        answer = Client().get(address)
        seconds = time.monotonic() - began
    assert (answer.status_code, answer.content) == (503, health.SLOW.encode())
    assert seconds >= 1
    assert seconds < 1 + BUSY
    assert health._latest.done.wait(60)  # whoever asked is gone before the settings are back


@pytest.mark.django_db(transaction=True)
def test_it_is_not_ready_before_the_tables_are_those_of_this_version(monkeypatch):
    """Once they are, it asks no more: later ones belong to a release after this one."""
    monkeypatch.setattr(health, "_had_all_tables", False)
    recorder = MigrationRecorder(connection)
    recorder.record_unapplied("accounts", "0001_winter_2026")
    try:
        assert health._probe() == health.UNMIGRATED
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE django_migrations RENAME TO others")
        try:
            assert health._probe() == health.UNMIGRATED
        finally:
            with connection.cursor() as cursor:
                cursor.execute("ALTER TABLE others RENAME TO django_migrations")
    finally:
        recorder.record_applied("accounts", "0001_winter_2026")
    recorder.record_applied("accounts", "0999_later")
    assert health._probe() == ""
    recorder.record_unapplied("accounts", "0999_later")
    assert health._had_all_tables
