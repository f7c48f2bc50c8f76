from datetime import datetime

from judging.flow.admission import CONSENT_SETTINGS, consent_version
from judging.models import Study, Worker


def consent_changed_at(study: Study, worker: Worker) -> datetime | None:
    """None: the texts that they agreed to are the same."""
    if worker.consented_at is None or worker.consent_version == consent_version(study):
        return None
    changes = study.trail.filter(
        at__gt=worker.consented_at, details__changes__has_any_keys=CONSENT_SETTINGS
    )
    return changes.order_by("-at").values_list("at", flat=True).first()
