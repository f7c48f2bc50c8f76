"""Opens an alert when a light turns wrong, and closes it when it no longer is: each once."""

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from judging.models import Study
from judging.monitoring.glance.light import Colour, Light
from web.background.isolation import for_each
from workspace.models import Alert, AlertMessage, AlertSettings
from workspace.models.alerting import LONGEST_SENTENCE, Change, Channel


def watch(now: datetime) -> int:
    """Look at every study whose alerts go somewhere; how many alerts were opened or closed."""
    studies = list(watched())
    if not studies:
        return 0
    # Takes more than a second and 60 MB, which most sites never need.
    from judging.monitoring.lights import lights

    def look(study: Study) -> int:
        shown = lights(study, now)
        return bring_up_to_date(study, (shown.flow, shown.anchors), now)

    return for_each(studies, look, "looking at the lights of a study")


def watched() -> Iterable[Study]:
    """The studies that somebody wants to hear of, and those of which an alert is open."""
    wanted = AlertSettings.objects.filter(
        ~Q(webhook_url="") | ~Q(feed_digest="") | Q(mail_to__isnull=False)
    )
    still_open = Alert.objects.filter(closed_at=None)
    either = Q(pk__in=wanted.values("study")) | Q(pk__in=still_open.values("study"))
    return Study.objects.exclude(stage=Study.Stage.DRAFT).filter(either).order_by("pk")


def is_wrong(light: Light) -> bool:
    """Whether somebody should hear of a light: it is red, or nobody has come for long."""
    return light.colour == Colour.RED or (light.name == "Flow" and light.colour == Colour.AMBER)


def bring_up_to_date(study: Study, shown: Iterable[Light], now: datetime) -> int:
    """Let the open alerts of a study be those of some lights; how many were opened or closed.

    Whoever else looks at the same time waits, and then finds it done.
    """
    seen = {light.name: light for light in shown}
    with transaction.atomic():
        rows = AlertSettings.objects.select_for_update(of=("self",), no_key=True)
        row = rows.filter(study=study).first()
        if row is None:
            return 0
        there = {alert.light: alert for alert in Alert.objects.filter(study=study, closed_at=None)}
        opened = [
            Alert.objects.create(
                study=study,
                light=light.name,
                sentence=light.sentence[:LONGEST_SENTENCE],
                opened_at=now,
            )
            for light in seen.values()
            if is_wrong(light) and light.name not in there
        ]
        closed = [
            alert for name, alert in there.items() if name in seen and not is_wrong(seen[name])
        ]
        for alert in closed:
            alert.closed_at = max(now, alert.opened_at)
            alert.closing = seen[alert.light].sentence[:LONGEST_SENTENCE]
            alert.save(update_fields=["closed_at", "closing"])
        _tell(row, opened, Change.OPENED, now)
        _tell(row, closed, Change.CLOSED, now)
    return len(opened) + len(closed)


def _tell(row: AlertSettings, alerts: list[Alert], change: Change, now: datetime) -> None:
    """Note what is to be told, by the channels that are chosen now."""
    channels = [Channel.WEBHOOK] if row.webhook_url else []
    if row.mail_to.exists():
        channels.append(Channel.MAIL)
    AlertMessage.objects.bulk_create(
        AlertMessage(alert=alert, change=change, channel=channel, due_at=now)
        for alert in alerts
        for channel in channels
    )
