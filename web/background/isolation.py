import logging
from collections.abc import Callable, Iterable
from typing import TypeVar

from celery.exceptions import SoftTimeLimitExceeded
from django.db import connection

from web.background import leases
from web.background.deadlines import check_deadline

Row = TypeVar("Row")
log = logging.getLogger(__name__)


def for_each(rows: Iterable[Row], work: Callable[[Row], int], what: str) -> int:
    """Do some work for each row; returns the sum of what `work` returns.

    A failure is logged with the row and `what`, and does not stop the others.

    Raises:
        SoftTimeLimitExceeded, LeaseLost: the time is up, or another process goes on with it.
        Exception: that of the work, if the database is unavailable: no other row would succeed.
    """
    done = 0
    for row in rows:
        check_deadline()
        try:
            done += work(row)
        except (SoftTimeLimitExceeded, leases.LeaseLost):
            raise
        except Exception:
            if not connection.is_usable():
                raise
            log.exception("%s failed: %s", what, row)
    return done
