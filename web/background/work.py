"""Work that a page requests and a task does, with a few tries and stored progress.

If a process dies, the row of the request stays as it is, and the next process continues with it.
"""

import logging
import time
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Self, TypeVar

from celery.exceptions import SoftTimeLimitExceeded
from django.db import InterfaceError, OperationalError, connection, models
from django.db.models import F, QuerySet

from web.background import leases
from web.background.deadlines import check_deadline

T = TypeVar("T")
Row = TypeVar("Row")
log = logging.getLogger(__name__)

MAX_TRIES = 3
INTERRUPTED = f"It was begun {MAX_TRIES} times and interrupted each time."
FAILED = "It ended with an error, which the worker's log has: {}."
PROGRESS_SECONDS = 0.5  # between two writes of progress
COMPUTING = "computing"  # the lease of long computations: one at a time on the site


class Superseded(Exception):
    """The work is outdated: there is a newer request, or its study is gone."""


class RequestedWork(models.Model):
    """Subclasses have `asked_at`, `state`, `tries` since then, `progress` (0 to 1) and `fault`."""

    UNFINISHED: ClassVar[tuple[str, ...]]  # states

    class Meta:
        abstract = True

    @classmethod
    def unfinished(cls) -> QuerySet[Self]:
        rows: QuerySet[Self] = cls._default_manager.filter(state__in=cls.UNFINISHED)
        return rows

    def if_current(self) -> QuerySet[Any]:
        rows: QuerySet[Any] = type(self)._default_manager.filter(pk=self.pk)
        return rows.filter(asked_at=self.asked_at)  # type: ignore[attr-defined]

    def begin(self, state: str, **more: Any) -> None:
        """Count a try, beforehand as it may end the process."""
        self.if_current().update(state=state, tries=F("tries") + 1, progress=0.0, **more)

    def save_progress(self, share: float) -> None:
        if not self.if_current().update(progress=share):
            raise Superseded

    def end(self, state: str, fault: str, /, **outcome: Any) -> None:
        self.if_current().update(state=state, fault=fault, **{"progress": 0.0, **outcome})


def one_by_one(lease: str, next_row: Callable[[], Row | None], work: Callable[[Row], int]) -> int:
    """Do requests in turn, unless another process does; returns how many were done.

    Args:
        next_row: finds the next request, or None. It must no longer find one that `work` has done.
        work: returns how many it did.
    """
    done = 0
    if next_row() is None:
        return 0
    with leases.lease(lease) as acquired:
        try:
            while acquired and (row := next_row()) is not None:
                done += work(row)
        except leases.LeaseLost:
            log.warning("another process goes on with %s, as this one stood still", lease)
    return done


def attempt(
    tries: int, work: Callable[[], T], refusals: tuple[type[Exception], ...], name: str
) -> tuple[T | None, str]:
    """The result of some work and "", or None and a sentence on what went wrong.

    Args:
        tries: earlier ones. After `MAX_TRIES` the work is given up.
        refusals: errors whose messages are such sentences. Others are logged.

    Raises:
        Superseded, LeaseLost, OperationalError, InterfaceError: the next tick tries again.
    """
    if tries >= MAX_TRIES:
        return None, INTERRUPTED
    try:
        return work(), ""
    except (Superseded, leases.LeaseLost, OperationalError, InterfaceError):
        raise
    except refusals as refusal:
        return None, str(refusal)
    except Exception as fault:
        log.exception("%s", name)
        return None, FAILED.format(type(fault).__name__)


def throttled_progress(save: Callable[[float], object]) -> Callable[[float], None]:
    """A function that passes progress on at most every PROGRESS_SECONDS; it checks the lease."""
    last = 0.0

    def report(share: float) -> None:
        nonlocal last
        if time.monotonic() - last > PROGRESS_SECONDS:
            last = time.monotonic()
            leases.check_lease()
            save(share)

    return report


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
