"""Calls of Prolific's API that cost money.

Each is saved before it is sent and cleared after; where no answer comes, the next sync settles it.
So a crash, or a button pressed twice, does nothing twice.
"""

from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

from django.db import transaction

from web import clock
from workspace.models import ProlificStudy
from workspace.recruiting.api import RemoteStudy
from workspace.recruiting.faults import CannotRecruit, Refused

PendingCall = ProlificStudy.PendingCall
WAIT = "Prolific has not answered the last question yet: check again soon."


@contextmanager
def calling(
    recruiting: ProlificStudy,
    call: PendingCall,
    check: Callable[[ProlificStudy], None],
    places: int = 0,
    cost: int = 0,
) -> Any:
    """Save a call before it is sent; clear it if Prolific refuses.

    Without an answer it stays, until `settle_pending_call` has read its outcome.
    """
    with transaction.atomic():
        locked = ProlificStudy.objects.locked().select_related("study", "connection")
        row = locked.get(pk=recruiting.pk)
        if row.asked:
            raise CannotRecruit(WAIT)
        check(row)
        row.asked, row.asked_places, row.asked_cost = call, places, cost
        row.asked_at = clock.now()
        row.save()
    try:
        yield row
    except Refused:
        clear_call(row)
        raise


def clear_call(recruiting: ProlificStudy, **changes: Any) -> None:
    """Save the changes and clear the call, unless another one was saved meanwhile."""
    no_call = {"asked": PendingCall.NOTHING, "asked_at": None, "asked_places": 0, "asked_cost": 0}
    rows = ProlificStudy.objects.filter(
        pk=recruiting.pk, asked=recruiting.asked, asked_at=recruiting.asked_at
    )
    if rows.update(**no_call, **changes):
        recruiting.refresh_from_db()


def store_remote(recruiting: ProlificStudy, remote: RemoteStudy, cost: int | None = None) -> None:
    """Save the study as Prolific has it. cost: of its places; None: as before."""
    clear_call(
        recruiting,
        prolific_id=remote.prolific_id,
        status=remote.status[:20],
        places=remote.places,
        reward=remote.reward,
        currency=remote.currency[:3] or recruiting.study.currency,
        places_cost=recruiting.places_cost if cost is None else cost,
        there_read_at=clock.now(),
    )
