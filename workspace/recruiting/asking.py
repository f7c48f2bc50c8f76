"""Before and after Prolific is asked for something that costs money.

Each step is written down before Prolific is asked and settled after; where no answer comes, the
next reading settles it. So a crash, or a button pressed twice, does nothing twice.
"""

from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

from django.db import transaction

from web import clock
from workspace.models import ProlificStudy
from workspace.recruiting.api import StudyThere
from workspace.recruiting.faults import CannotRecruit, Refused

Asked = ProlificStudy.Asked
WAIT = "Prolific has not answered the last question yet: look again soon."


@contextmanager
def asking(
    recruiting: ProlificStudy,
    what: Asked,
    may: Callable[[ProlificStudy], None],
    places: int = 0,
    cost: int = 0,
) -> Any:
    """Write down what Prolific is about to be asked; take it away if it refuses.

    Where it does not answer, what was asked stays, until `settle` has read what became of it.
    """
    with transaction.atomic():
        locked = ProlificStudy.objects.locked().select_related("study", "connection")
        row = locked.get(pk=recruiting.pk)
        if row.asked:
            raise CannotRecruit(WAIT)
        may(row)
        row.asked, row.asked_places, row.asked_cost = what, places, cost
        row.asked_at = clock.now()
        row.save()
    try:
        yield row
    except Refused:
        forget_asked(row)
        raise


def forget_asked(recruiting: ProlificStudy) -> None:
    """Prolific does not do it: all is as it was."""
    _answered(recruiting)


def _answered(recruiting: ProlificStudy, **changes: Any) -> None:
    """Keep what has changed; what was asked is answered.

    Unless something else was asked meanwhile: then this is no answer to it.
    """
    nothing = {"asked": Asked.NOTHING, "asked_at": None, "asked_places": 0, "asked_cost": 0}
    rows = ProlificStudy.objects.filter(
        pk=recruiting.pk, asked=recruiting.asked, asked_at=recruiting.asked_at
    )
    if rows.update(**nothing, **changes):
        recruiting.refresh_from_db()


def take_over(recruiting: ProlificStudy, there: StudyThere, cost: int | None = None) -> None:
    """Keep what Prolific says of the study. cost: of its places; None: as before."""
    _answered(
        recruiting,
        prolific_id=there.prolific_id,
        status=there.status[:20],
        places=there.places,
        reward=there.reward,
        currency=there.currency[:3] or recruiting.study.currency,
        places_cost=recruiting.places_cost if cost is None else cost,
        there_read_at=clock.now(),
    )
