"""Rows of a model by statements that are put together once.

Django compiles each statement anew, which takes longer than PostgreSQL takes to run it. These are
for the few that a worker waits for on every page; everything else is a QuerySet.
"""

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, TypeAlias, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection
from django.db.models import Field, Model

ModelT = TypeVar("ModelT", bound=Model)
Fields: TypeAlias = "tuple[Field[Any, Any], ...]"


@lru_cache
def columns(model: type[Model], alias: str) -> str:
    """All of a table, for a SELECT whose rows are given to `instance`."""
    return ", ".join(f'{alias}."{field.column}"' for field in _fields(model))


@lru_cache
def _fields(model: type[Model]) -> Fields:
    return tuple(model._meta.concrete_fields)


@lru_cache
def _names(model: type[Model]) -> list[str]:
    return [field.attname for field in _fields(model)]


def instance(model: type[ModelT], values: Sequence[Any]) -> ModelT:
    """values: of all columns; none of them may be of a kind that Django converts."""
    return model.from_db(DEFAULT_DB_ALIAS, _names(model), values)


class _Waiting(threading.local):
    statements: list[str] | None = None  # None: none waits
    parameters: list[Any]


_waiting = _Waiting()


@contextmanager
def sent_together() -> Iterator[None]:
    """Send what is executed within in one message, with the next `select` or in the end.

    A QuerySet that is evaluated before that sees nothing of it.
    """
    _waiting.statements, _waiting.parameters = [], []
    try:
        yield
        statements, parameters = _waiting.statements, _waiting.parameters
    finally:
        _waiting.statements = None
    if statements:
        execute("; ".join(statements), *parameters)


def select(statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
    if _waiting.statements:
        statement = "; ".join([*_waiting.statements, statement])
        parameters = (*_waiting.parameters, *parameters)
        _waiting.statements, _waiting.parameters = [], []
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return cursor.fetchall()


def execute(statement: str, *parameters: Any) -> None:
    if _waiting.statements is not None:
        _waiting.statements.append(statement)
        _waiting.parameters += parameters
        return
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)


def save(row: Model) -> None:
    """What `row.save()` does, without signals; the key of a new row stays unknown."""
    if row.pk is None:
        statement, fields = _insert(type(row))
        execute(statement, *_values(row, fields))
    else:
        update(row, [field.name for field in _fields(type(row)) if not field.primary_key])


def update(row: Model, names: Iterable[str]) -> None:
    """What `row.save(update_fields=names)` does for a row that is locked, without signals."""
    statement, fields = _update(type(row), frozenset(names))
    execute(statement, *_values(row, fields), row.pk)


@lru_cache
def _update(model: type[Model], names: frozenset[str]) -> tuple[str, Fields]:
    fields = tuple(field for field in _fields(model) if field.name in names)
    assignments = ", ".join(f'"{field.column}" = %s' for field in fields)
    key = model._meta.pk.column
    return f'UPDATE "{model._meta.db_table}" SET {assignments} WHERE "{key}" = %s', fields


@lru_cache
def _insert(model: type[Model]) -> tuple[str, Fields]:
    key = model._meta.pk
    fields = tuple(field for field in _fields(model) if field != key)
    names = ", ".join(f'"{field.column}"' for field in fields)
    places = ", ".join(["%s"] * len(fields))
    table = model._meta.db_table
    return f'INSERT INTO "{table}" ({names}) VALUES ({places})', fields


def _values(row: Model, fields: Fields) -> list[Any]:
    return [
        field.get_db_prep_save(getattr(row, field.attname), connection=connection)
        for field in fields
    ]
