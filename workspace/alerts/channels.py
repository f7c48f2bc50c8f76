"""The channels of alerts; each change is recorded in the study's trail, without secrets."""

import secrets
from collections.abc import Iterable
from hashlib import sha256

from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.models import User
from judging.models import Study
from judging.studies.faults import BadStudy, Fault
from judging.studies.trail import record
from workspace.alerts import webhooks
from workspace.alerts.public_hosts import NotPublic, Resolve, public_address, resolved
from workspace.alerts.sending import of_channel
from workspace.models import AlertSettings
from workspace.models.alerting import Channel, Sending

MAX_URL_LENGTH: int = AlertSettings._meta.get_field("webhook_url").max_length  # type: ignore[assignment]


def settings_of(study: Study) -> AlertSettings | None:
    return AlertSettings.objects.filter(study=study).first()


def mail_recipients(study: Study) -> "QuerySet[User]":
    """Members of the team with an e-mail address: nobody else is written to."""
    members = User.objects.filter(memberships__study=study.team_study_id, is_active=True)
    return members.exclude(email="").order_by("username")


def set_channels(
    study: Study,
    by: User,
    site: str,
    mail_to: Iterable[User],
    webhook_url: str,
    resolve: Resolve = resolved,
) -> str:
    """Set who is mailed, and the webhook; returns the secret of a new webhook, else ""."""
    chosen = sorted(mail_to, key=lambda user: user.username)
    recipient_ids = set(mail_recipients(study).values_list("pk", flat=True))
    strangers = [user.username for user in chosen if user.pk not in recipient_ids]
    if strangers:
        raise BadStudy(Fault(("mail_to",), _not_recipients(strangers)))
    if webhook_url:
        try:
            public_address(webhook_url, resolve)
        except NotPublic as fault:
            raise BadStudy(Fault(("webhook_url",), str(fault))) from fault
    with transaction.atomic():
        row = _locked(study, site)
        before = _as_dict(row)
        secret = ""
        if webhook_url != row.webhook_url:
            secret = webhooks.new_secret() if webhook_url else ""
            row.webhook_url, row.secret = webhook_url, secret
            _cancel_waiting(row, Channel.WEBHOOK)
        row.site = site
        row.save()
        row.mail_to.set(chosen)
        if not chosen:
            _cancel_waiting(row, Channel.MAIL)
        changes = {
            name: [before[name], now] for name, now in _as_dict(row).items() if now != before[name]
        }
        if changes:
            record(study, by, "changed alerts", changes=changes)
    return secret


def renew_secret(study: Study, by: User) -> str:
    with transaction.atomic():
        row = _locked_or_none(study)
        if row is None or not row.webhook_url:
            raise BadStudy("There is no webhook: say its address first.")
        secret = row.secret = webhooks.new_secret()
        row.save(update_fields=["secret"])
        record(study, by, "renewed the secret of alerts")
    return secret


def open_feed(study: Study, by: User, site: str) -> str:
    """Returns a new token; the address before is void."""
    token = secrets.token_urlsafe(32)
    with transaction.atomic():
        row = _locked(study, site)
        row.feed_digest = digest_of(token)
        row.save(update_fields=["feed_digest"])
        record(study, by, "opened a feed of alerts")
    return token


def close_feed(study: Study, by: User) -> None:
    with transaction.atomic():
        row = _locked_or_none(study)
        if row and row.feed_digest:
            row.feed_digest = ""
            row.save(update_fields=["feed_digest"])
            record(study, by, "closed the feed of alerts")


def site_of(request: HttpRequest) -> str:
    """Without a slash at the end."""
    return request.build_absolute_uri("/").rstrip("/")


def digest_of(token: str) -> str:
    """The digest of a feed's token, which is stored instead of it."""
    return sha256(token.encode()).hexdigest()


def _locked_or_none(study: Study) -> AlertSettings | None:
    return AlertSettings.objects.select_for_update(no_key=True).filter(study=study).first()


def _locked(study: Study, site: str) -> AlertSettings:
    AlertSettings.objects.bulk_create(
        [AlertSettings(study=study, site=site)], ignore_conflicts=True
    )
    return AlertSettings.objects.select_for_update(no_key=True).get(study=study)


def _cancel_waiting(row: AlertSettings, channel: Channel) -> None:
    waiting = of_channel(row, channel).filter(state=Sending.WAITING)
    waiting.update(state=Sending.FAILED, fault="It was to go elsewhere, which is no longer chosen.")


def _as_dict(row: AlertSettings) -> dict[str, object]:
    """As the trail has them: of a webhook only the host, as its path may be secret."""
    host = webhooks.host_of(row.webhook_url)[0] if row.webhook_url else ""
    names = list(row.mail_to.order_by("username").values_list("username", flat=True))
    return {"mail_to": names, "webhook": host}


def _not_recipients(names: list[str]) -> str:
    return f"{', '.join(names)}: only those of the team who have an e-mail address can be chosen."
