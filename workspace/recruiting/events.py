"""Events that Prolific sends: believed if signed, written down once, and answered at once.

What an event says is not acted on: it only tells which submission is to be read, in the background.
"""

import json
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from web import clock
from web.text import storable
from workspace.models import ProlificConnection, ProlificEvent
from workspace.models.recruiting import AN_ID
from workspace.recruiting.connecting import EVENT, is_signed, unseal
from workspace.recruiting.faults import CannotRecruit

OLDEST = timedelta(minutes=5)  # of a signature; each try of Prolific's has a new one
KEPT = timedelta(days=7)  # Prolific tries for a day
LONGEST_EVENT_ID = 100
NOT_BELIEVED, UNREADABLE = 403, 400


@csrf_exempt
@require_POST
def prolific_events(request: HttpRequest, key: UUID) -> HttpResponse:
    """Take an event from Prolific; 403 unless it is signed, 400 if it is none."""
    connection = ProlificConnection.objects.filter(key=key).first()
    if connection is None or not _is_believed(connection, request, clock.now()):
        return HttpResponse(status=NOT_BELIEVED)
    told = told_by(request.body)
    if told is None:
        return HttpResponse(status=UNREADABLE)
    kind, submission = told
    event_id = storable(request.headers.get("X-Event-ID", ""))[:LONGEST_EVENT_ID]
    if kind == EVENT and event_id and is_an_id(submission):
        write_down(connection, event_id, submission, clock.now())
    return HttpResponse(status=204)


def told_by(body: bytes) -> tuple[Any, Any] | None:
    """The kind of an event, and the submission that it is about; None: it is none."""
    try:
        event = json.loads(body)
        return event["event_type"], event["resource_id"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _is_believed(connection: ProlificConnection, request: HttpRequest, now: datetime) -> bool:
    timestamp = request.headers.get("X-Prolific-Request-Timestamp", "")
    signature = request.headers.get("X-Prolific-Request-Signature", "")
    if not connection.sealed_secret or not _is_recent(timestamp, now):
        return False
    try:
        secret = unseal(connection.sealed_secret)
    except CannotRecruit:
        return False
    return is_signed(secret, timestamp, request.body, signature)


def _is_recent(timestamp: str, now: datetime) -> bool:
    try:
        return abs(now.timestamp() - float(timestamp)) <= OLDEST.total_seconds()
    except ValueError:
        return False


def is_an_id(value: object) -> bool:
    """Whether something may be an id of Prolific's."""
    return isinstance(value, str) and value.isalnum() and value.isascii() and len(value) <= AN_ID


def write_down(
    connection: ProlificConnection, event_id: str, submission: str, now: datetime
) -> None:
    """Have a submission read; an event that came before changes nothing."""
    event = ProlificEvent(  # type: ignore[misc]  # a property
        connection=connection, event_id=event_id, external_id=submission, came_at=now
    )
    ProlificEvent.objects.bulk_create([event], ignore_conflicts=True)


def forget_events(now: datetime) -> int:
    """Delete events that cannot come again; returns how many."""
    return ProlificEvent.objects.filter(came_at__lt=now - KEPT).exclude(handled_at=None).delete()[0]
