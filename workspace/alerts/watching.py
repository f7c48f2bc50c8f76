"""Opens an alert when a status light turns wrong, and closes it when it no longer is: once each."""

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from judging.models import Study
from web.background.work import for_each
from web.findings import Finding, State
from workspace.models import Alert, AlertMessage, AlertSettings
from workspace.models.alerting import MAX_SENTENCE, Change, Channel


def watch(now: datetime) -> int:
    """Check each study whose alerts go somewhere; returns how many alerts opened or closed."""
    studies = list(watched())
    if not studies:
        return 0
    # Takes more than a second and 60 MB, which most sites never need.
    from judging.monitoring.watch import lights

    def check(study: Study) -> int:
        status = lights(study, now)
        return update_alerts(study, (status.flow, status.anchors), now)

    return for_each(studies, check, "looking at the lights of a study")


def watched() -> Iterable[Study]:
    with_channels = AlertSettings.objects.filter(
        ~Q(webhook_url="") | ~Q(feed_digest="") | Q(mail_to__isnull=False)
    )
    still_open = Alert.objects.filter(closed_at=None)
    either = Q(pk__in=with_channels.values("study")) | Q(pk__in=still_open.values("study"))
    return Study.objects.exclude(stage=Study.Stage.DRAFT).filter(either).order_by("pk")


def is_wrong(light: Finding) -> bool:
    """Whether somebody should hear of it: it is red, or nobody has come for long."""
    return light.state == State.DOWN or (light.name == "Flow" and light.is_wrong)


def update_alerts(study: Study, lights: Iterable[Finding], now: datetime) -> int:
    """Open and close alerts of a study by its lights; returns how many were opened or closed.

    Another process that checks at the same time waits, and then has nothing to do.
    """
    seen = {light.name: light for light in lights}
    with transaction.atomic():
        rows = AlertSettings.objects.select_for_update(of=("self",), no_key=True)
        row = rows.filter(study=study).first()
        if row is None:
            return 0
        alerts = {alert.light: alert for alert in Alert.objects.filter(study=study, closed_at=None)}
        opened = [
            Alert.objects.create(
                study=study,
                light=light.name,
                sentence=light.sentence[:MAX_SENTENCE],
                opened_at=now,
            )
            for light in seen.values()
            if is_wrong(light) and light.name not in alerts
        ]
        closed = [
            alert for name, alert in alerts.items() if name in seen and not is_wrong(seen[name])
        ]
        for alert in closed:
            alert.closed_at = max(now, alert.opened_at)
            alert.closing = seen[alert.light].sentence[:MAX_SENTENCE]
            alert.save(update_fields=["closed_at", "closing"])
        _queue_messages(row, opened, Change.OPENED, now)
        _queue_messages(row, closed, Change.CLOSED, now)
    return len(opened) + len(closed)


def _queue_messages(row: AlertSettings, alerts: list[Alert], change: Change, now: datetime) -> None:
    channels = [Channel.WEBHOOK] if row.webhook_url else []
    if row.mail_to.exists():
        channels.append(Channel.MAIL)
    AlertMessage.objects.bulk_create(
        AlertMessage(alert=alert, change=change, channel=channel, due_at=now)
        for alert in alerts
        for channel in channels
    )
