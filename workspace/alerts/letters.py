"""What is told of alerts: the same changes as a mail, and as the body of a webhook."""

import json
from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid5

from django.core.mail import EmailMessage

from judging.models import Study
from web.templatetags.times import in_utc
from workspace.models import AlertMessage
from workspace.models.alerting import Change

WORDS = {Change.OPENED: "Opened", Change.CLOSED: "Over"}
SPACE = UUID("6f4a61a5-98e5-4a0e-9c3f-5f6f2f0f7d11")  # in which keys of letters are drawn
LONGEST_SUBJECT = 200


def key_of(messages: Sequence[AlertMessage]) -> str:
    """The key of a letter: the same as long as it says the same."""
    return str(uuid5(SPACE, " ".join(sorted(str(message.key) for message in messages))))


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
    """One letter to all, none of whom sees who else has it.

    Args:
        address: of the study's monitor. to_end: where alerts are set up.
    """
    lines = [
        f"{WORDS[Change(message.change)]}, {in_utc(_at(message))}: {_says(message)}"
        for message in messages
    ]
    ways = (f"The monitor: {address}", f"Letters come at most once an hour; to end them: {to_end}")
    return EmailMessage(
        subject=" ".join(f"{study.title}: {_says(messages[-1])}".split())[:LONGEST_SUBJECT],
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
        "sentence": _says(message),
    }


def _at(message: AlertMessage) -> Any:
    alert = message.alert
    return alert.opened_at if message.change == Change.OPENED else alert.closed_at


def _says(message: AlertMessage) -> str:
    alert = message.alert
    return alert.sentence if message.change == Change.OPENED else alert.closing
