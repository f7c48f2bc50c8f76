from datetime import UTC, datetime

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from judging.models import PlatformAccount
from web import clock
from web.findings import Finding, degraded, down, ok
from web.health import UNMIGRATED, database_fault

FULL = 0.8  # of the connections that PostgreSQL allows
MAX_CLOCK_OFFSET = 5.0  # seconds; no time is wrong by it, as all are PostgreSQL's
IN_USE = """
    SELECT (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
        current_setting('max_connections')::int
        - current_setting('superuser_reserved_connections')::int
"""


def database() -> Finding:
    if fault := database_fault():
        hint = "Look whether PostgreSQL runs, whether its disk is full, and at the end of its log."
        return down(
            f"{fault[0].upper()}{fault[1:]}.",
            "manage.py migrate" if fault == UNMIGRATED else hint,
        )
    return ok("Answers, and can be written to.")


def connections_in_use() -> tuple[int, int]:
    """The connections of all clients, and their limit."""
    with connection.cursor() as cursor:
        cursor.execute(IN_USE)
        used, limit = cursor.fetchone()
    return used, limit


def connections() -> Finding:
    used, limit = connections_in_use()
    sentence = f"{used} of {limit} connections in use."
    if used > FULL * limit:
        return degraded(
            sentence, "Raise max_connections of PostgreSQL, or put PgBouncer before it."
        )
    return ok(sentence)


def clock_offset() -> float:
    """The seconds by which this machine's clock is ahead of PostgreSQL's."""
    before = datetime.now(UTC)
    theirs = clock.now()
    after = datetime.now(UTC)
    return (before + (after - before) / 2 - theirs).total_seconds()


def clocks() -> Finding:
    offset = clock_offset()
    if abs(offset) > MAX_CLOCK_OFFSET:
        return degraded(
            f"This machine's clock is {abs(offset):,.0f} s "
            f"{'ahead of' if offset > 0 else 'behind'} PostgreSQL's.",
            "Let both machines take their time from the network (chrony, systemd-timesyncd).",
        )
    return ok("This machine's clock agrees with PostgreSQL's.")


def limits() -> Finding:
    """Whether the time-outs of this process are in effect."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT name, setting::int FROM pg_settings WHERE name = ANY(%s)",
            [list(settings.DATABASE_LIMITS)],
        )
        others = dict(set(cursor.fetchall()) - set(settings.DATABASE_LIMITS.items()))
    if others:
        differing = ", ".join(f"{name} = {others[name]}" for name in sorted(others))
        return degraded(
            f"PostgreSQL does not end what takes too long as it should: {differing} here.",
            "Run manage.py migrate, which sets the limits of pages; those of tasks a pooler of "
            "connections sets when a session begins (connect_query), as deploy/pgbouncer.ini does: "
            + "; ".join(
                f"SET {name} = {limit}" for name, limit in settings.DATABASE_LIMITS.items()
            ),
        )
    return ok("PostgreSQL ends what takes too long.")


def keys() -> Finding:
    """Whether this process has the keys, without which no new worker can begin."""
    try:
        PlatformAccount._meta.get_field("external_id").validate_key()
    except ImproperlyConfigured:
        return down(
            "Platforms' ids are encrypted by another key than this process has.",
            "Give every process the same ENCRYPTION_KEY, with those of the past behind the first.",
        )
    return ok("This process has the keys by which platforms' ids are encrypted.")
