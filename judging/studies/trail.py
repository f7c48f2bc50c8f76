from accounts.models import User
from judging.models import Study, TrailEntry
from web import clock


def record(study: Study, by: User | None, action: str, **details: object) -> None:
    """by: None is a command; action: past tense, as `opened`; details: JSON, no platform's id."""
    TrailEntry.objects.create(study=study, at=clock.now(), by=by, action=action, details=details)
