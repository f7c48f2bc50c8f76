"""Ways with the database that several tests need."""

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from django.db import connection, transaction


@contextmanager
def there_for_all(django_db_blocker: Any) -> Iterator[None]:
    """What is made within is there for all tests of a module, and then gone."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


@contextmanager
def drawn_by(seed: int) -> Iterator[None]:
    """Units, and the order of their pages, come from a seed: the same study every time."""
    rng = random.Random(seed)
    with connection.cursor() as cursor:
        cursor.execute("SELECT setseed(%s)", [1 / (1 + seed)])
    with mock.patch.object(random, "SystemRandom", return_value=rng):
        yield


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
