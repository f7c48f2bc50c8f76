"""Work that is requested on a page and done by a task, with a few tries and stored progress.

Each request is a row with its state, tries, progress and fault. A process that dies leaves the row
as it is, and the next one continues with it.
"""

import logging
import time
from collections.abc import Callable
from typing import Any, TypeVar

from django.db import InterfaceError, OperationalError, models
from django.db.models import F, QuerySet

from web.background import leases

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
    """The latest request for some work; a new request begins it again.

    Fields of subclasses: `asked_at`, `state`, `tries` since then, `progress` as a share, and
    `fault`, the reason for a failure.
    """

    class Meta:
        abstract = True

    def if_current(self) -> QuerySet[Any]:
        """The row, unless there is a newer request."""
        rows: QuerySet[Any] = type(self)._default_manager.filter(pk=self.pk)
        return rows.filter(asked_at=self.asked_at)  # type: ignore[attr-defined]

    def begin(self, state: str, **more: Any) -> None:
        """Count a try, beforehand as it may end the process."""
        self.if_current().update(state=state, tries=F("tries") + 1, progress=0.0, **more)

    def save_progress(self, share: float) -> None:
        """Store the share that is done.

        Raises:
            Superseded: there is a newer request, or the row is gone.
        """
        if not self.if_current().update(progress=share):
            raise Superseded

    def end(self, state: str, fault: str, /, **outcome: Any) -> None:
        self.if_current().update(state=state, fault=fault, **{"progress": 0.0, **outcome})


def one_by_one(lease: str, next_row: Callable[[], Row | None], work: Callable[[Row], int]) -> int:
    """Work through requests in turn, unless another process does; returns how many were done.

    Args:
        lease: the name of the lease.
        next_row: finds the next request; None: there is none.
        work: does one, after which `next_row` must no longer find it; returns how many it did.
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
    """The result of some work and ""; or None and the fault as a sentence for people.

    Args:
        tries: how often it was begun before. After `MAX_TRIES` it is given up.
        refusals: errors whose messages are such sentences. Others are logged.
        name: of the work, for the log.

    Raises:
        Superseded, LeaseLost, OperationalError, InterfaceError: it is outdated, another process
            does it, or the database is unavailable: then the next tick tries again.
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
    """A function that passes progress on to `save`, at most every PROGRESS_SECONDS.

    Raises:
        LeaseLost: another process goes on with the work.
    """
    last = 0.0

    def report(share: float) -> None:
        nonlocal last
        if time.monotonic() - last > PROGRESS_SECONDS:
            last = time.monotonic()
            leases.check_lease()
            save(share)

    return report
