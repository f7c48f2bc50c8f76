"""Changes of alerts as an e-mail, and as the body of a webhook."""

import json
from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid5

from django.core.mail import EmailMessage

from judging.models import Study
from web.templatetags.times import in_utc
from workspace.models import AlertMessage
from workspace.models.alerting import Change

CHANGES = {Change.OPENED: "Opened", Change.CLOSED: "Over"}
NAMESPACE = UUID("6f4a61a5-98e5-4a0e-9c3f-5f6f2f0f7d11")  # of the keys of messages
MAX_SUBJECT = 200


def message_key(messages: Sequence[AlertMessage]) -> str:
    """The key of a message: the same for the same changes."""
    return str(uuid5(NAMESPACE, " ".join(sorted(str(message.key) for message in messages))))


def as_json(study: Study, address: str, messages: Sequence[AlertMessage]) -> bytes:
    """The body of a webhook; nothing in it tells who judges."""
    body = {
        "type": "alerts",
        "study": {"slug": study.slug, "title": study.title, "address": address},
        "changes": [_change(message) for message in messages],
    }
    return json.dumps(body, ensure_ascii=False).encode()


def as_mail(
    study: Study, address: str, to_end: str, messages: Sequence[AlertMessage], to: Sequence[str]
) -> EmailMessage:
    """One e-mail to all, by blind copy.

    Args:
        address: of the study's monitor. to_end: where alerts are set up.
    """
    lines = [
        f"{CHANGES[Change(message.change)]}, {in_utc(_at(message))}: {_sentence(message)}"
        for message in messages
    ]
    ways = (f"The monitor: {address}", f"Letters come at most once an hour; to end them: {to_end}")
    return EmailMessage(
        subject=" ".join(f"{study.title}: {_sentence(messages[-1])}".split())[:MAX_SUBJECT],
        body="\n\n".join((*lines, *ways)),
        bcc=list(to),
        headers={"Auto-Submitted": "auto-generated"},
    )


def _change(message: AlertMessage) -> dict[str, Any]:
    return {
        "id": str(message.key),
        "alert": message.alert_id,
        "light": message.alert.light.lower(),
        "change": message.change,
        "at": _at(message).isoformat(),
        "sentence": _sentence(message),
    }


def _at(message: AlertMessage) -> Any:
    alert = message.alert
    return alert.opened_at if message.change == Change.OPENED else alert.closed_at


def _sentence(message: AlertMessage) -> str:
    alert = message.alert
    return alert.sentence if message.change == Change.OPENED else alert.closing
