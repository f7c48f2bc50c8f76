"""Leases: locks for work that only one process of the site may do at a time.

A lease is a row that a conditional update claims and a thread renews. `SECONDS` after its holder
has died, another may claim it. Times are PostgreSQL's, as the clocks of hosts may differ. Nothing
depends on a session of PostgreSQL, as a pooler may give each transaction another one.
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
RENEWAL_SECONDS = 5.0  # seconds between two renewals


class LeaseLost(Exception):
    """The lease expired while its holder was suspended; another process may have it."""


class _Renewer(threading.Thread):
    """Renews a lease over its own connection until it is stopped."""

    def __init__(self, name: str, holder: UUID) -> None:
        super().__init__(name=f"lease {name}", daemon=True)
        self.lease, self.holder = name, holder
        self.lost, self._stopping = threading.Event(), threading.Event()
        self._connection = connection.copy()
        self._connection.inc_thread_sharing()  # created here, used in the thread

    def run(self) -> None:
        connections[DEFAULT_DB_ALIAS] = self._connection
        try:
            while not self._stopping.wait(RENEWAL_SECONDS):
                # Where the database is away for a while, nobody else can claim the lease either.
                try:
                    if not _rows(self.lease, self.holder).update(until=_new_end()):
                        self.lost.set()
                        return
                except Error:
                    self._connection.close()
        finally:
            self._connection.close()

    def stop(self) -> None:
        self._stopping.set()
        if self.is_alive():
            self.join(RENEWAL_SECONDS)


_current: ContextVar[_Renewer | None] = ContextVar("current_lease", default=None)


@contextmanager
def lease(name: str) -> Iterator[bool]:
    """Claim a lease and hold it within; yields False where another process has it.

    A lease claimed within a transaction is not renewed: nobody else can see it.
    """
    holder = uuid4()
    if not _claim(name, holder):
        yield False
        return
    renewer = _Renewer(name, holder)
    token = _current.set(renewer)
    if not connection.in_atomic_block:
        renewer.start()
    try:
        yield True
    finally:
        renewer.stop()
        _current.reset(token)
        with suppress(Error):  # it runs out by itself
            _rows(name, holder).delete()


def check_lease() -> None:
    if (renewer := _current.get()) and renewer.lost.is_set():
        raise LeaseLost(renewer.lease)


def lock_lease_until_commit() -> None:
    """As `check_lease`; nobody else can then claim the lease until the transaction ends."""
    renewer = _current.get()
    if renewer and not _rows(renewer.lease, renewer.holder).select_for_update().exists():
        raise LeaseLost(renewer.lease)


def active_leases(prefix: str) -> list[str]:
    """Without the prefix."""
    names = Lease.objects.filter(name__startswith=prefix, until__gt=Now())
    return [name.removeprefix(prefix) for name in names.values_list("name", flat=True)]


def _claim(name: str, holder: UUID) -> bool:
    # A lease that ends later than any can is from before PostgreSQL's clock was set back.
    longest = timedelta(seconds=2 * SECONDS)  # as much again for clocks that are being set
    latest = Func(function="clock_timestamp", output_field=DateTimeField()) + longest
    expired = Lease.objects.filter(Q(until__lte=Now()) | Q(until__gt=latest), name=name)
    if expired.update(holder=holder, until=_new_end()):
        return True
    Lease.objects.bulk_create(
        [Lease(name=name, holder=holder, until=_new_end())], ignore_conflicts=True
    )
    return _rows(name, holder).exists()


def _rows(name: str, holder: UUID):  # type: ignore[no-untyped-def]
    return Lease.objects.filter(name=name, holder=holder)


def _new_end():  # type: ignore[no-untyped-def]
    return Now() + timedelta(seconds=SECONDS)
