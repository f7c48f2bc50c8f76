"""A change of a table beside somebody who reads it."""

import threading
from collections.abc import Iterator

import pytest
from django.db import OperationalError, connection, transaction

from operations.upgrading.patience import patiently


@pytest.fixture
def table(transactional_db: None) -> Iterator[str]:
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE in_use (id integer)")
    yield "in_use"
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE in_use")


def change(table: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL lock_timeout = '100ms'")
        cursor.execute(f"ALTER TABLE {table} ADD COLUMN more integer")


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


def test_a_change_is_made_once_nobody_reads_the_table(table: str) -> None:
    reader = Reader(table)
    reader.start()
    reader.reads.wait(60)
    told: list[str] = []

    def tell(message: str) -> None:
        told.append(message)
        with connection.cursor() as cursor:  # others come through between two tries
            cursor.execute(f"SELECT * FROM {table}")
        if len(told) == 2:
            reader.may_end.set()
            reader.join()

    patiently(lambda: change(table), tell, pauses=[0.0])
    assert told == ["A table is in use; nobody waits for this. Trying again in 0 s."] * 2
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT more FROM {table}")


def test_in_the_end_it_says_what_kept_it(table: str) -> None:
    reader = Reader(table)
    reader.start()
    reader.reads.wait(60)
    try:
        with pytest.raises(OperationalError, match="lock timeout"):
            patiently(lambda: change(table), lambda message: None, pauses=[0.0], tries=2)
    finally:
        reader.may_end.set()
        reader.join()


def test_other_faults_are_not_tried_again(transactional_db: None) -> None:
    def ask() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    with pytest.raises(OperationalError):
        patiently(ask, pytest.fail, pauses=[0.0])
    connection.close()
