"""PostgreSQL: does it do its work, has it connections left, and does its clock agree with ours?"""

from datetime import UTC, datetime

from django.conf import settings
from django.db import connection

from operations.health.finding import Check, Finding, degraded, down, well
from web import clock
from web.health import UNMIGRATED, database_fault

FULL = 0.8  # of the connections that PostgreSQL allows
MOST_APART = 5.0  # seconds between two clocks; times are all PostgreSQL's, so none is wrong by it
IN_USE = """
    SELECT (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
        current_setting('max_connections')::int
        - current_setting('superuser_reserved_connections')::int
"""


def database() -> Finding:
    """Whether it can be reached, and written to."""
    if fault := database_fault():
        look = "Look whether PostgreSQL runs, whether its disk is full, and at the end of its log."
        return down(
            f"{fault[0].upper()}{fault[1:]}.", "manage.py migrate" if fault == UNMIGRATED else look
        )
    return well("Answers, and can be written to.")


def connections_in_use() -> tuple[int, int]:
    """Connections of all its clients, and how many it allows."""
    with connection.cursor() as cursor:
        cursor.execute(IN_USE)
        used, most = cursor.fetchone()
    return used, most


def connections() -> Finding:
    """Whether there are enough left."""
    used, most = connections_in_use()
    says = f"{used} of {most} connections in use."
    if used > FULL * most:
        return degraded(says, "Raise max_connections of PostgreSQL, or put PgBouncer before it.")
    return well(says)


def seconds_apart() -> float:
    """By how much this machine's clock is ahead of PostgreSQL's; to the time an answer takes."""
    before = datetime.now(UTC)
    theirs = clock.now()
    after = datetime.now(UTC)
    return (before + (after - before) / 2 - theirs).total_seconds()


def clocks() -> Finding:
    """Whether this machine's clock and PostgreSQL's agree."""
    apart = seconds_apart()
    if abs(apart) > MOST_APART:
        return degraded(
            f"This machine's clock is {abs(apart):,.0f} s "
            f"{'ahead of' if apart > 0 else 'behind'} PostgreSQL's.",
            "Let both machines take their time from the network (chrony, systemd-timesyncd).",
        )
    return well("This machine's clock agrees with PostgreSQL's.")


def limits() -> Finding:
    """Whether PostgreSQL ends what takes too long, as this process asked it to."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT name, setting::int FROM pg_settings WHERE name = ANY(%s)",
            [list(settings.DATABASE_LIMITS)],
        )
        others = dict(set(cursor.fetchall()) - set(settings.DATABASE_LIMITS.items()))
    if others:
        known = ", ".join(f"{name} = {others[name]}" for name in sorted(others))
        return degraded(
            f"PostgreSQL does not end what takes too long as it should: {known} here.",
            "Let the pooler of connections set it when a session begins (connect_query), as "
            "ops/pgbouncer.ini does: "
            + "; ".join(f"SET {name} = {most}" for name, most in settings.DATABASE_LIMITS.items()),
        )
    return well("PostgreSQL ends what takes too long.")


CHECKS = (
    Check("database", "Database", database, is_vital=True),
    Check("connections", "Connections", connections, needs="database"),
    Check("limits", "Limits of statements", limits, needs="database"),
    Check("clock", "Clocks", clocks, needs="database"),
)
