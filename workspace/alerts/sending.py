"""Sends messages of alerts: at most one an hour by each channel of a study.

A message is sent once or, after a crash before that is stored, twice: each change in it has an id
by which a receiver can drop the second.
"""

import json
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from smtplib import SMTPException
from typing import Any
from uuid import UUID, uuid5

from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import F, Max, QuerySet
from django.db.models.expressions import Combinable
from django.urls import reverse

from web.background.leases import lease
from web.background.work import for_each
from web.encryption import CannotDecrypt
from web.templatetags.times import in_utc
from workspace.alerts import webhooks
from workspace.alerts.webhooks import NotSent
from workspace.models import Alert, AlertMessage, AlertSettings
from workspace.models.alerting import MAX_FAULT, Change, Channel, Sending

Messages = Sequence[AlertMessage]
HOUR = timedelta(hours=1)
UNANSWERED = "It was sent, and no answer has come yet."
MAX_TRIES = 8  # after 1, 2, 4 minutes and so on, at most an hour: some four hours in all
CHANGES = {Change.OPENED: "Opened", Change.CLOSED: "Over"}
NAMESPACE = UUID("6f4a61a5-98e5-4a0e-9c3f-5f6f2f0f7d11")  # of the keys of messages
MAX_SUBJECT = 200


def due_messages(now: datetime | Combinable) -> "QuerySet[AlertMessage]":
    return AlertMessage.objects.filter(state=Sending.WAITING, due_at__lte=now)


def send_due(now: datetime) -> int:
    """Unless another process does; returns how many messages were sent."""
    due = due_messages(now)
    rows = AlertSettings.objects.filter(study__in=due.values("alert__study"))

    def send(row: AlertSettings) -> int:
        return sum(_send(row, channel, now) for channel in Channel)

    if not due.exists():
        return 0
    with lease("alerts") as acquired:
        return for_each(rows.select_related("study"), send, "sending") if acquired else 0


def of_channel(row: AlertSettings, channel: Channel) -> "QuerySet[AlertMessage]":
    alerts = Alert.objects.filter(study=row.study_id).values("pk")
    return AlertMessage.objects.filter(alert__in=alerts, channel=channel)


def _send(row: AlertSettings, channel: Channel, now: datetime) -> bool:
    """Send one message with all changes that wait; returns whether it was sent.

    A try is counted before it is made: it may end this process.
    """
    of_study = of_channel(row, channel)
    last = of_study.aggregate(at=Max("sent_at"))["at"]
    if last and now - last < HOUR:
        return False
    waiting = of_study.filter(state=Sending.WAITING)
    waiting.filter(tries__gte=MAX_TRIES).update(state=Sending.FAILED)  # the last was cut off
    messages = list(waiting.select_related("alert").order_by("pk"))
    if not any(message.due_at <= now for message in messages):
        return False
    rows = AlertMessage.objects.filter(pk__in=[message.pk for message in messages])
    later = now + min(timedelta(minutes=2 ** max(message.tries for message in messages)), HOUR)
    rows.update(tries=F("tries") + 1, due_at=later, fault=UNANSWERED)
    try:
        SENDERS[channel](row, messages, now)
    except NotSent as fault:
        _fail(rows, str(fault))
        return False
    except Exception as fault:
        _fail(rows, f"It ended with an error, which the worker's log has: {type(fault).__name__}.")
        raise
    rows.update(state=Sending.SENT, sent_at=now, fault="")
    return True


def _fail(rows: "QuerySet[AlertMessage]", fault: str) -> None:
    rows.update(fault=fault[:MAX_FAULT])
    rows.filter(tries__gte=MAX_TRIES).update(state=Sending.FAILED)


def address_of(row: AlertSettings, page: str = "monitor") -> str:
    return row.site + reverse(page, args=[row.study.slug])


def _by_webhook(row: AlertSettings, messages: Messages, now: datetime) -> None:
    study = {"slug": row.study.slug, "title": row.study.title, "address": address_of(row)}
    changes = [_change(message) for message in messages]  # they do not reveal who judges
    body = json.dumps({"type": "alerts", "study": study, "changes": changes}, ensure_ascii=False)
    try:
        secret = row.secret
    except CannotDecrypt as fault:
        raise NotSent("No key of this site opens its secret: make a new one.") from fault
    webhooks.send(row.webhook_url, secret, _message_key(messages), body.encode(), now)


def _by_mail(row: AlertSettings, messages: Messages, now: datetime) -> None:
    if not settings.EMAIL_URL:
        raise NotSent("The site has no mail server.")
    chosen = row.mail_to.filter(is_active=True, memberships__study=row.study.team_study_id)
    addresses = [user.email for user in chosen.distinct() if user.email]
    if not addresses:
        raise NotSent("Nobody who is chosen is in the team and has an e-mail address.")
    lines = [
        f"{CHANGES[Change(message.change)]}, {in_utc(_at(message))}: {_sentence(message)}"
        for message in messages
    ]
    lines.append(f"The monitor: {address_of(row)}")
    lines.append(f"You get at most one e-mail an hour. To stop them: {address_of(row, 'alerts')}")
    subject = f"{row.study.title}: {_sentence(messages[-1])}"
    email = EmailMessage(
        subject=" ".join(subject.split())[:MAX_SUBJECT],
        body="\n\n".join(lines),
        bcc=addresses,
        headers={"Auto-Submitted": "auto-generated"},
    )
    try:
        email.send()
    except (SMTPException, OSError) as fault:
        raise NotSent(f"The mail server did not take it: {fault}.") from fault


SENDERS: dict[Channel, Callable[[AlertSettings, Messages, datetime], None]] = {
    Channel.MAIL: _by_mail,
    Channel.WEBHOOK: _by_webhook,
}


def _message_key(messages: Messages) -> str:
    """The same for the same changes."""
    return str(uuid5(NAMESPACE, " ".join(sorted(str(message.key) for message in messages))))


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
