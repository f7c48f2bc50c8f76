"""Databases beside the one of the tests: a site that is saved, and empty ones to restore into."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, connections

from tests.database import queries_go_to

ROWS = """
    SELECT md5(coalesce(string_agg(line, E'\n' ORDER BY line), '')) FROM (
        SELECT row::text AS line FROM "{table}" AS row) AS lines
"""
# Without keys, digests of keys and moments, which are others each time.
COMPARABLE = """
    SELECT md5(coalesce(string_agg(line, E'\n' ORDER BY line), '')) FROM (
        SELECT (to_jsonb(row) - %s)::text AS line FROM "{table}" AS row) AS lines
"""
VOLATILE_COLUMNS = """
    SELECT array_agg(a.attname::text) FROM pg_attribute AS a WHERE a.attrelid = %s::regclass AND (
        a.attname IN ('id', 'digest') OR a.atttypid IN ('timestamptz'::regtype, 'uuid'::regtype)
        OR EXISTS (SELECT FROM pg_constraint AS c
            WHERE c.conrelid = a.attrelid AND c.contype = 'f' AND a.attnum = ANY(c.conkey)))
"""
SCHEMA = (
    """SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
        a.attstorage, pg_get_expr(d.adbin, d.adrelid), c.reloptions
    FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
    LEFT JOIN pg_attrdef AS d ON d.adrelid = c.oid AND d.adnum = a.attnum
    WHERE c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped
    ORDER BY 1, a.attname""",
    """SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid), convalidated
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2""",
    """SELECT pg_get_indexdef(indexrelid), indisvalid FROM pg_index
    WHERE indrelid::regclass::text !~ '^pg_' ORDER BY 1""",
)
# Computed anew from the judgments by a restore, with keys and moments of their own.
COMPUTED = {"evaluation_evaluation", "evaluation_topicevaluation", "evaluation_ranking"}
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
        digests = {}
        for table in _tables(cursor):
            if table not in left_out:
                cursor.execute(ROWS.format(table=table))
                digests[table] = cursor.fetchone()[0]
    return digests


def alike(*tables: str) -> dict[str, str]:
    """What tables hold but for keys and moments, as a digest of the rows; no names: all tables."""
    with connection.cursor() as cursor:
        digests = {}
        for table in tables or _tables(cursor):
            cursor.execute(VOLATILE_COLUMNS, [f'"{table}"'])
            own = cursor.fetchone()[0] or []
            cursor.execute(COMPARABLE.format(table=table), [own])
            digests[table] = cursor.fetchone()[0]
    return digests


def _tables(cursor: Any) -> list[str]:
    cursor.execute(TABLES)
    return [name for (name,) in cursor.fetchall()]


def schema() -> list[Any]:
    """Tables, constraints and indexes; not the order of columns."""
    with connection.cursor() as cursor:
        found = []
        for question in SCHEMA:
            cursor.execute(question)
            found += cursor.fetchall()
    return found
