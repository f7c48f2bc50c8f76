"""Ways with the database that several tests need."""

import random
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Literal
from unittest import mock

import pytest
from django.apps import apps
from django.db import connection, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.test import TransactionTestCase

MOST_AT_ONCE = 72
# Whether tests commit what they do, as they do behind a pooler, and then delete it.
COMMITTED = False


def once_a_module(fixture_name: str, config: pytest.Config) -> Literal["function", "module"]:
    """The scope of a fixture that is made by `there_for_all`, but where tests delete all rows."""
    return "function" if COMMITTED else "module"


def delete_rows(_case: TransactionTestCase | None = None) -> None:
    """Delete what judging has written; references are looked at when all are gone."""
    with transaction.atomic(), connection.cursor() as cursor:
        apps_of_rows = (apps.get_app_config(name) for name in ("crowd", "judging"))
        for model in (m for app in apps_of_rows for m in app.get_models(include_auto_created=True)):
            cursor.execute(f'DELETE FROM "{model._meta.db_table}"')


@contextmanager
def there_for_all(django_db_blocker: Any) -> Iterator[None]:
    """What is made within is there for all tests of a module, and then gone."""
    if COMMITTED:
        with django_db_blocker.unblock():
            yield
        return
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


@contextmanager
def copied_database() -> Iterator[Callable[[], AbstractContextManager[None]]]:
    """Another database, as empty as the one of the tests is: what is made there stays there.

    Ask for it while no transaction is open. Within what is called, all queries go there.
    """
    connection.close()
    usual = connection.settings_dict["NAME"]
    connection.creation.clone_test_db("elsewhere", verbosity=0, keepdb=False)

    yield lambda: queries_go_to(f"{usual}_elsewhere")
    with connection._nodb_cursor() as cursor:
        cursor.execute(f'DROP DATABASE "{usual}_elsewhere"')


@contextmanager
def drawn_by(seed: int) -> Iterator[None]:
    """Units, and the order of their pages, come from a seed: the same study every time."""
    rng = random.Random(seed)
    with connection.cursor() as cursor:
        cursor.execute("SELECT setseed(%s)", [1 / (1 + seed)])
    with mock.patch.object(random, "SystemRandom", return_value=rng):
        yield


class Threads:
    """Threads with a connection each, which stay open until all are closed."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(MOST_AT_ONCE)
        self._connections: list[BaseDatabaseWrapper] = []

    def at_once(self, actions: Sequence[Callable[[], Any]]) -> list[Any]:
        """What each action returned, all having begun at the same moment."""
        start = threading.Barrier(len(actions))
        results = [self._pool.submit(self._run, start, action) for action in actions]
        wait(results)
        return [result.result() for result in results]

    def _run(self, start: threading.Barrier, action: Callable[[], Any]) -> Any:
        own = connections["default"]
        if own not in self._connections:
            own.inc_thread_sharing()  # it is closed by another
            self._connections.append(own)
        own.ensure_connection()
        start.wait(30)
        return action()

    def close(self) -> None:
        self._pool.shutdown()
        for own in self._connections:
            own.close()


_kept: list[Threads] = []


def at_once(*actions: Callable[[], Any]) -> list[Any]:
    """What each action returned, all begun at the same moment, on connections of their own."""
    if not _kept:
        with kept_connections():
            return at_once(*actions)
    return _kept[-1].at_once(actions)


@contextmanager
def kept_connections() -> Iterator[None]:
    """Within, the connections of `at_once` stay open: to make one costs more than many a race."""
    _kept.append(Threads())
    try:
        yield
    finally:
        _kept.pop().close()


class Elsewhere(threading.Thread):
    """Something done over another connection, at the same time."""

    def __init__(self, do: Callable[[], Any]) -> None:
        super().__init__(daemon=True)
        self.do = do
        self.start()

    def run(self) -> None:
        try:
            self.answer = self.do()
        except Exception as fault:
            self.answer = fault
        finally:
            connection.close()

    def result(self) -> Any:
        self.join(20)
        assert not self.is_alive(), "it waits for ever"
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@contextmanager
def queries_go_to(name: str) -> Iterator[None]:
    """Within, all queries of this thread go to another database."""
    here = connections["default"]
    there = connections.create_connection("default")
    there.settings_dict = {**here.settings_dict, "NAME": name}
    connections["default"] = there
    try:
        yield
    finally:
        there.close()
        connections["default"] = here


@contextmanager
def changes_refused(table: str, condition: str, *, on: str = "DELETE") -> Iterator[None]:
    """Within, PostgreSQL refuses to change some rows.

    Args:
        condition: of a row, which SQL calls OLD, or NEW where it is inserted.
        on: what is refused: DELETE, INSERT or UPDATE.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'refused'; END $$"
        )
        cursor.execute(
            f"CREATE TRIGGER refuse BEFORE {on} ON {table} FOR EACH ROW WHEN ({condition}) "
            "EXECUTE FUNCTION refuse()"
        )
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP FUNCTION refuse CASCADE")
