"""What the sessions of PostgreSQL hold that should end with each transaction."""

from django.db import connection

from tests.database import at_once

ASKED = 12  # times, one after the other: all four sessions of a pool have their turn
# What each session says is there, by its kind.
HELD = {
    # Those of a transaction end with it, though they are said to be of the session ever after.
    "settings": "SELECT name || ' = ' || setting FROM pg_settings"
    " WHERE source = 'session' AND NOT starts_with(name, 'transaction_')",
    "advisory locks": "SELECT objid FROM pg_locks JOIN pg_database ON database = pg_database.oid"
    " WHERE locktype = 'advisory' AND datname = current_database()",
    "cursors": "SELECT name FROM pg_cursors WHERE is_holdable",
    # That one is of tests.judging.invariants.
    "prepared statements": "SELECT name FROM pg_prepared_statements WHERE name <> 'broken'",
    "channels": "SELECT pg_listening_channels()",
    "temporary tables": "SELECT relname FROM pg_class WHERE relpersistence = 't' AND relkind = 'r'",
    "transactions": "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
    " AND state LIKE 'idle in transaction%' AND pid <> pg_backend_pid()",
}


def sessions_there() -> int:
    """How many sessions a pool has, once several have been wanted at the same time."""
    at_once(*[_sleep] * 4)
    return len(answers("SELECT pg_backend_pid()"))


def answers(question: str) -> set[str]:
    """What some sessions of PostgreSQL answer, one after the other."""
    said = set()
    for _ in range(ASKED):
        with connection.cursor() as cursor:
            cursor.execute(question)
            said.update(str(row[0]) for row in cursor.fetchall())
    return said


def held_in_sessions() -> dict[str, set[str]]:
    return {kind: answers(question) for kind, question in HELD.items()}


def _sleep() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(1)")
