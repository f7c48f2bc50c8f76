"""Leases: what one process at a time may be at, on all hosts of the site.

A lease is a row. It is claimed by a conditional update, and renewed by a thread while its holder is
at work. A holder that dies no longer renews it, and `SECONDS` later another may claim it. All times
are PostgreSQL's, so hosts may differ in theirs. Nothing of it belongs to a session of PostgreSQL:
a pooler may give every transaction another one.

A holder that stands still for longer than its lease learns of it where it calls `insist`.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from datetime import timedelta
from uuid import UUID, uuid4

from django.db import DEFAULT_DB_ALIAS, Error, connection, connections
from django.db.models import DateTimeField, Func, Q
from django.db.models.functions import Now

from web.models import Lease

SECONDS = 20.0
RENEWED = 5.0  # seconds between two renewals


class Lost(Exception):
    """The lease ran out while its holder stood still, and another process may have it."""


class _Keeper(threading.Thread):
    """Renews a lease, over a connection of its own, until it is told to stop."""

    def __init__(self, name: str, holder: UUID) -> None:
        super().__init__(name=f"lease {name}", daemon=True)
        self.lease, self.holder = name, holder
        self.lost, self._over = threading.Event(), threading.Event()
        self._connection = connection.copy()
        self._connection.inc_thread_sharing()  # it is made here, and used in the thread

    def run(self) -> None:
        connections[DEFAULT_DB_ALIAS] = self._connection
        try:
            while not self._over.wait(RENEWED):
                # Where the database is away for a while, nobody else can claim the lease either.
                try:
                    if not _of(self.lease, self.holder).update(until=_from_now()):
                        self.lost.set()
                        return
                except Error:
                    self._connection.close()
        finally:
            self._connection.close()

    def stop(self) -> None:
        self._over.set()
        if self.is_alive():
            self.join(RENEWED)


_kept: ContextVar[_Keeper | None] = ContextVar("kept", default=None)


@contextmanager
def held(name: str) -> Iterator[bool]:
    """Whether nobody else is at some work; within, nobody else will be.

    A lease that is claimed within a transaction is not renewed: nobody else can see it.
    """
    holder = uuid4()
    if not _claim(name, holder):
        yield False
        return
    keeper = _Keeper(name, holder)
    token = _kept.set(keeper)
    if not connection.in_atomic_block:
        keeper.start()
    try:
        yield True
    finally:
        keeper.stop()
        _kept.reset(token)
        with suppress(Error):  # it runs out by itself
            _of(name, holder).delete()


def insist() -> None:
    """Raise Lost if what is done here is done under a lease that is lost."""
    if (keeper := _kept.get()) and keeper.lost.is_set():
        raise Lost(keeper.lease)


def insist_until_committed() -> None:
    """As `insist`, in a transaction; until its end nobody else can claim the lease.

    Raises:
        Lost: another process has it, or may have it.
    """
    keeper = _kept.get()
    if keeper and not _of(keeper.lease, keeper.holder).select_for_update().exists():
        raise Lost(keeper.lease)


def holds(prefix: str) -> list[str]:
    """What follows a prefix in the names of the leases that are held now."""
    names = Lease.objects.filter(name__startswith=prefix, until__gt=Now())
    return [name.removeprefix(prefix) for name in names.values_list("name", flat=True)]


def _claim(name: str, holder: UUID) -> bool:
    # One that lasts for longer than any may is of a time before PostgreSQL's clock was set back.
    latest = Func(function="clock_timestamp", output_field=DateTimeField()) + _longest()
    over = Lease.objects.filter(Q(until__lte=Now()) | Q(until__gt=latest), name=name)
    if over.update(holder=holder, until=_from_now()):
        return True
    Lease.objects.bulk_create(
        [Lease(name=name, holder=holder, until=_from_now())], ignore_conflicts=True
    )
    return _of(name, holder).exists()


def _of(name: str, holder: UUID):  # type: ignore[no-untyped-def]
    return Lease.objects.filter(name=name, holder=holder)


def _longest() -> timedelta:
    return timedelta(seconds=2 * SECONDS)  # its own, and as much for clocks that are being set


def _from_now():  # type: ignore[no-untyped-def]
    return Now() + timedelta(seconds=SECONDS)
