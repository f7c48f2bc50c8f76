"""The clock of all times: the database's, so that several hosts agree."""

from datetime import datetime

from django.db import connection


def now() -> datetime:
    """The moment by PostgreSQL's clock, in UTC; also within a transaction it goes on.

    The ORM knows only the time at which a statement of a table began, so this asks by itself.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        return cursor.fetchone()[0]
