"""`migrate` beside somebody who reads the table that is to be changed."""

import io
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.commands import migrate as django_migrate
from django.db import OperationalError, connection, transaction

from accounts.models import User
from operations.management.commands import migrate


@pytest.fixture
def table(transactional_db: None) -> Iterator[str]:
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE in_use (id integer)")
    yield "in_use"
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE in_use")


@pytest.fixture
def _adds_a_column(monkeypatch: pytest.MonkeyPatch) -> None:
    def handle(*_: Any, **__: Any) -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '100ms'")
            cursor.execute("ALTER TABLE in_use ADD COLUMN more integer")

    monkeypatch.setattr(django_migrate.Command, "handle", handle)
    monkeypatch.setattr(migrate, "PAUSE", 0.0)


class Reader(threading.Thread):
    """Reads a table in a transaction, until told to end it."""

    def __init__(self, table: str) -> None:
        super().__init__()
        self.table = table
        self.reads, self.may_end = threading.Event(), threading.Event()

    def run(self) -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"SELECT * FROM {self.table}")
            self.reads.set()
            self.may_end.wait(60)
        connection.close()


@pytest.fixture
def reader(table: str) -> Iterator[Reader]:
    reader = Reader(table)
    reader.start()
    reader.reads.wait(60)
    yield reader
    reader.may_end.set()
    reader.join()


@pytest.mark.usefixtures("_adds_a_column")
def test_a_change_is_made_once_nobody_reads_the_table(
    table: str, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []

    def others_come_through(seconds: float) -> None:
        pauses.append(seconds)
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT * FROM {table}")
        if len(pauses) == 2:
            reader.may_end.set()
            reader.join()

    monkeypatch.setattr(migrate, "time", SimpleNamespace(sleep=others_come_through))
    messages = io.StringIO()
    call_command("migrate", stderr=messages)
    assert messages.getvalue().count("A table is in use; nobody waits for this.") == 2
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT more FROM {table}")


@pytest.mark.usefixtures("_adds_a_column", "reader")
def test_in_the_end_it_says_what_kept_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrate, "MAX_TRIES", 2)
    with pytest.raises(OperationalError, match="lock timeout"):
        call_command("migrate", stderr=io.StringIO())


def test_other_faults_are_not_tried_again(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def handle(*_: Any, **__: Any) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    monkeypatch.setattr(django_migrate.Command, "handle", handle)
    monkeypatch.setattr(migrate, "time", SimpleNamespace(sleep=pytest.fail))
    with pytest.raises(OperationalError):
        call_command("migrate")
    connection.close()


def test_the_first_admin_is_made_once(
    db: None, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(django_migrate.Command, "handle", lambda *_, **__: None)
    settings.ADMIN_NAME, settings.ADMIN_PASSWORD = "ada", "correct horse"
    call_command("migrate", stdout=io.StringIO())
    assert User.objects.get(is_superuser=True).check_password("correct horse")
    settings.ADMIN_NAME = "eve"
    call_command("migrate", stdout=io.StringIO())
    assert [*User.objects.filter(is_superuser=True).values_list("username", flat=True)] == ["ada"]
