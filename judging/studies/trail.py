"""The trail of a study: who changed what, and when."""

from accounts.models import User
from judging.models import Study, TrailEntry
from web import clock


def record(study: Study, by: User | None, action: str, **details: object) -> None:
    """Log that somebody (None: a command) did something to a study.

    Args:
        action: a verb in the past, as in `opened`.
        details: what it was done to, and how: values that JSON can hold, none a platform's id.
    """
    TrailEntry.objects.create(study=study, at=clock.now(), by=by, action=action, details=details)
