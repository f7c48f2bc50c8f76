"""Databases beside the one of the tests: a site that is saved, and empty ones to restore into."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, connections

from tests.database import queries_go_to

ROWS = """
    SELECT md5(coalesce(string_agg(line, E'\n' ORDER BY line), '')) FROM (
        SELECT row::text AS line FROM "{table}" AS row) AS lines
"""
TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename"


@contextmanager
def database(name: str, template: str = "template0") -> Iterator[None]:
    """Within, all queries of this thread go to a new database; then it is gone."""
    here = connections["default"]
    if not here.in_atomic_block:
        here.close()  # a template may have nobody in it
    name = f"{here.settings_dict['NAME']}_{name}"
    drop = f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'
    _do(drop, f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
    try:
        with queries_go_to(name):
            yield
    finally:
        _do(drop)


def _do(*statements: str) -> None:
    with connection._nodb_cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def content(*left_out: str) -> dict[str, str]:
    """What each table holds, as a digest of its rows."""
    with connection.cursor() as cursor:
        cursor.execute(TABLES)
        tables = [name for (name,) in cursor.fetchall() if name not in left_out]
        digests = {}
        for table in tables:
            cursor.execute(ROWS.format(table=table))
            digests[table] = cursor.fetchone()[0]
    return digests
