from datetime import datetime

from django.db import connection


def now() -> datetime:
    """The time by PostgreSQL's clock, in UTC; it advances within a transaction.

    Django's Now() needs a table, and is the time at which the statement began.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        return cursor.fetchone()[0]
