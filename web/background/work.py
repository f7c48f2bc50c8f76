"""What is asked for on a page is done by a task, tried a few times, and its progress noted.

Each kind of work is a row that somebody asked for: its state, how often it was begun, how far it is
and why it failed stand on it. A process that dies leaves the row as it is; the next finds it.
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

TRIES = 3
INTERRUPTED = f"It was begun {TRIES} times and interrupted each time."
FAILED = "It ended with an error, which the worker's log has: {}."
PAUSE = 0.5  # seconds between two notes of progress
COMPUTING = "computing"  # the lease of what takes a processor for long: one at a time on the site


class Superseded(Exception):
    """Something else was asked for than what is being done, or its study is gone."""


class AskedFor(models.Model):
    """A row for what somebody asked for last, with these fields; who asks again begins it anew.

    `asked_at`, `state`, `tries`: how often it was begun since, `progress`: the share that is done,
    `fault`: why it failed.
    """

    class Meta:
        abstract = True

    def as_asked(self) -> QuerySet[Any]:
        """The row, as long as nobody has asked for something else."""
        rows: QuerySet[Any] = type(self)._default_manager.filter(pk=self.pk)
        return rows.filter(asked_at=self.asked_at)  # type: ignore[attr-defined]

    def begin(self, state: str, **more: Any) -> None:
        """Count a try: beforehand, as it may end the process."""
        self.as_asked().update(state=state, tries=F("tries") + 1, progress=0.0, **more)

    def note(self, share: float) -> None:
        """Write down the share that is done.

        Raises:
            Superseded: somebody has asked for something else, or the row is gone.
        """
        if not self.as_asked().update(progress=share):
            raise Superseded

    def end(self, state: str, fault: str, /, **outcome: Any) -> None:
        """Write down what came of it."""
        self.as_asked().update(state=state, fault=fault, **{"progress": 0.0, **outcome})


def one_by_one(lease: str, first: Callable[[], Row | None], do: Callable[[Row], int]) -> int:
    """Do what was asked for, the first first, unless another process is at it; how much was done.

    Args:
        lease: the name of the lease under which it is done.
        first: finds what is to be done next; None: nothing.
        do: does one, and tells how many that were. Its row must be wanted no longer then.
    """
    done = 0
    if first() is None:
        return 0
    with leases.held(lease) as is_alone:
        try:
            while is_alone and (row := first()) is not None:
                done += do(row)
        except leases.Lost:
            log.warning("another process goes on with %s, as this one stood still", lease)
    return done


def attempt(
    tries: int, work: Callable[[], T], refusals: tuple[type[Exception], ...], name: str
) -> tuple[T | None, str]:
    """What some work brings; or None, and why in words for people.

    Args:
        tries: how often it was begun before. After `TRIES` it is given up.
        refusals: errors whose messages are such words. Others are logged.
        name: of the work, for the log.

    Raises:
        Superseded, Lost, OperationalError, InterfaceError: it is not wanted, is another's, or the
            database went away: then the next tick tries again.
    """
    if tries >= TRIES:
        return None, INTERRUPTED
    try:
        return work(), ""
    except (Superseded, leases.Lost, OperationalError, InterfaceError):
        raise
    except refusals as refusal:
        return None, str(refusal)
    except Exception as fault:
        log.exception("%s", name)
        return None, FAILED.format(type(fault).__name__)


def noting(note: Callable[[float], object]) -> Callable[[float], None]:
    """Tells how far some work is, now and then. note: writes a share down.

    Raises:
        Lost: another process goes on with the work.
    """
    last = 0.0

    def tell(share: float) -> None:
        nonlocal last
        if time.monotonic() - last > PAUSE:
            last = time.monotonic()
            leases.insist()
            note(share)

    return tell
