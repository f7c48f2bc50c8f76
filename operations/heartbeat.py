import logging

from celery import shared_task
from django.conf import settings
from django.core.cache import cache

from operations.health import background, database
from web.findings import State
from web.lazy import httpx

SECONDS = 5.0
CLAIM = "heartbeat"
CLAIM_SECONDS = 45  # less than between two beats, more than one takes

log = logging.getLogger(__name__)


@shared_task
def heartbeat() -> bool:
    """Call HEARTBEAT_URL if all is well, unless another process does; returns whether it was
    called."""
    if not settings.HEARTBEAT_URL or not is_well():
        return False
    if not cache.add(CLAIM, 1, CLAIM_SECONDS):
        return False
    try:
        # The body of the response is not read.
        with httpx.stream(
            "GET", settings.HEARTBEAT_URL, timeout=SECONDS, follow_redirects=False
        ) as answer:
            if answer.is_success:
                return True
            log.warning("HEARTBEAT_URL answered %d", answer.status_code)
    except (httpx.HTTPError, httpx.InvalidURL) as fault:
        log.warning("HEARTBEAT_URL could not be called: %s", fault)
    return False


def is_well() -> bool:
    return all(part().state != State.DOWN for part in (database.database, background.expiry))
