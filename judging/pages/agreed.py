"""What a worker agreed to, and whether it reads otherwise by now."""

from datetime import datetime

from judging.flow.admission import CONSENT_SETTINGS, consent_version
from judging.models import Study, Worker


def changed_since(study: Study, worker: Worker) -> datetime | None:
    """When what a worker agreed to was last changed after that; None: it is as it was."""
    if worker.consented_at is None or worker.consent_version == consent_version(study):
        return None
    changes = study.trail.filter(
        at__gt=worker.consented_at, details__changes__has_any_keys=CONSENT_SETTINGS
    )
    return changes.order_by("-at").values_list("at", flat=True).first()
