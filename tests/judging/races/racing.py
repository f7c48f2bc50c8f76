"""What races are run with."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import connection, transaction

from judging import flow
from judging.models import (
    Participant,
    Study,
    Tick,
)
from tests.cast import Person, ada
from tests.database import at_once
from tests.factory import make_study
from tests.judging.invariants import broken

ROUNDS = 6
FEW = 3  # rounds, where almost every one shows it if rows are not locked


def rounds_of(number: int) -> Iterator[int]:
    """So many rounds, each of which begins with the rows that are there now."""
    models = apps.get_app_config("judging").get_models(include_auto_created=True)
    tables = [model._meta.db_table for model in models]
    with connection.cursor() as cursor:
        full = [table for table in tables if _rows(cursor, f'SELECT FROM "{table}" LIMIT 1')]
        for table in full:
            _drop(cursor, table)
            cursor.execute(f'CREATE UNLOGGED TABLE "before_{table}" AS TABLE "{table}"')
        try:
            for turn in range(number):
                if turn:
                    _put_back(cursor, tables, full)
                yield turn
        finally:
            for table in full:
                _drop(cursor, table)


def _put_back(cursor: Any, tables: list[str], full: list[str]) -> None:
    with transaction.atomic():
        cursor.execute("; ".join(f'DELETE FROM "{table}"' for table in tables))
        for table in full:
            cursor.execute(f'INSERT INTO "{table}" OVERRIDING SYSTEM VALUE TABLE "before_{table}"')


def _drop(cursor: Any, table: str) -> None:
    cursor.execute(f'DROP TABLE IF EXISTS "before_{table}"')


def _rows(cursor: Any, query: str) -> int:
    cursor.execute(query)
    return int(cursor.rowcount)


def race(
    prepare: Callable,
    action: Callable,
    against: Callable,
    allowed: set[str],
    rounds: int = ROUNDS,
) -> None:
    """Both at once, in many rounds, and in both orders of starting."""
    person = prepare(make_study())
    for turn in rounds_of(rounds):
        other = against(person)
        both = [lambda: action(person), other]
        at_once(*(both if turn % 2 else reversed(both)))
        assert person.assignment.state in allowed
        assert broken() == []


def overdue(person: Person) -> Callable:
    """A tick that finds them late."""
    moment = person.now + timedelta(hours=2)
    Tick.objects.update_or_create(
        name="expiry", defaults={"ran_at": moment - timedelta(seconds=settings.TICK_SECONDS)}
    )
    return lambda: flow.expire_overdue(moment)


def finished(study: Study) -> Person:
    """Somebody who only has to press Finish."""
    return ada(study).come_to_the_end()


def list_participants(study: Study, ids: list[str]) -> list[Person]:
    """People whose ids are on the study's list; what vouches for them is that alone."""
    Participant.objects.bulk_create(Participant(study=study, external_id=i) for i in ids)
    return [Person(study, f"device of {i}", platform="sona", external_id=i) for i in ids]
