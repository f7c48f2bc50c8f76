"""Events that Prolific sends: accepted if signed, saved once, and answered at once.

They are not acted on: each only names a submission that the next sync reads.
"""

import json
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from web import clock
from web.encryption import CannotDecrypt
from web.text import storable
from workspace.models import ProlificConnection, ProlificEvent
from workspace.models.recruiting import MAX_ID
from workspace.recruiting.connecting import EVENT, is_signed

MAX_AGE = timedelta(minutes=5)  # of a signature; each retry has a new one
RETENTION = timedelta(days=7)  # Prolific retries for a day
MAX_EVENT_ID_LENGTH = 100
FORBIDDEN, BAD_REQUEST = 403, 400


@csrf_exempt
@require_POST
def prolific_events(request: HttpRequest, key: UUID) -> HttpResponse:
    """403 unless it is signed, 400 if it is malformed."""
    connection = ProlificConnection.objects.filter(key=key).first()
    if connection is None or not _is_authentic(connection, request, clock.now()):
        return HttpResponse(status=FORBIDDEN)
    event = parse_event(request.body)
    if event is None:
        return HttpResponse(status=BAD_REQUEST)
    kind, submission = event
    event_id = storable(request.headers.get("X-Event-ID", ""))[:MAX_EVENT_ID_LENGTH]
    if kind == EVENT and event_id and is_valid_id(submission):
        save_event(connection, event_id, submission, clock.now())
    return HttpResponse(status=204)


def parse_event(body: bytes) -> tuple[Any, Any] | None:
    try:
        event = json.loads(body)
        return event["event_type"], event["resource_id"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _is_authentic(connection: ProlificConnection, request: HttpRequest, now: datetime) -> bool:
    timestamp = request.headers.get("X-Prolific-Request-Timestamp", "")
    signature = request.headers.get("X-Prolific-Request-Signature", "")
    try:
        secret, age = connection.secret, abs(now.timestamp() - float(timestamp))
    except (CannotDecrypt, ValueError):
        return False
    is_recent = bool(secret) and age <= MAX_AGE.total_seconds()
    return is_recent and is_signed(secret, timestamp, request.body, signature)


def is_valid_id(value: object) -> bool:
    return isinstance(value, str) and value.isalnum() and value.isascii() and len(value) <= MAX_ID


def save_event(
    connection: ProlificConnection, event_id: str, submission: str, now: datetime
) -> None:
    """An event that came before is ignored."""
    event = ProlificEvent(
        connection=connection, event_id=event_id, submission_id=submission, came_at=now
    )
    ProlificEvent.objects.bulk_create([event], ignore_conflicts=True)


def purge_events(now: datetime) -> int:
    """Delete events that cannot come again; returns how many."""
    old = ProlificEvent.objects.filter(came_at__lt=now - RETENTION)
    return old.exclude(handled_at=None).delete()[0]
