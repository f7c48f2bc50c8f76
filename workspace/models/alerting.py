from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from judging.models import Study
from web.encryption import EncryptedField

MAX_SENTENCE = 500
MAX_FAULT = 300


class AlertSettings(models.Model):
    """Not a part of the study: may change at any time. Of the feed's token a digest is stored."""

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="alert_settings")
    mail_to = models.ManyToManyField(
        settings.AUTH_USER_MODEL, related_name="+", help_text="Those of the team who have mail."
    )
    webhook_url = models.CharField(max_length=500, blank=True)
    secret = EncryptedField(row=("study_id",))
    feed_digest = models.CharField(max_length=64, blank=True)
    site = models.CharField(max_length=200, help_text="How the site was called by who set it up.")

    class Meta:
        verbose_name_plural = "alert settings"
        constraints = [
            models.CheckConstraint(
                condition=Q(webhook_url="", secret="") | (~Q(webhook_url="") & ~Q(secret="")),
                name="webhook_is_signed",
            ),
            models.UniqueConstraint(
                fields=["feed_digest"], condition=~Q(feed_digest=""), name="feed_of_one_study"
            ),
        ]

    def __str__(self) -> str:
        return f"alerts of {self.study}"


class Alert(models.Model):
    """A light that turned wrong, and perhaps right again."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="alerts")
    light = models.CharField(max_length=20, help_text="Its name: Flow, Anchors.")
    sentence = models.CharField(max_length=MAX_SENTENCE, help_text="What it said as it turned.")
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)
    closing = models.CharField(
        max_length=MAX_SENTENCE, blank=True, help_text="What it said as it turned back."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "light"],
                condition=Q(closed_at=None),
                name="one_open_alert_of_a_light",
            ),
            models.CheckConstraint(
                condition=Q(closed_at=None) | Q(closed_at__gte=F("opened_at")),
                name="alert_closes_after_it_opens",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.light}: {self.sentence}"


class Change(models.TextChoices):
    OPENED = "opened"
    CLOSED = "closed"


class Channel(models.TextChoices):
    MAIL = "mail"
    WEBHOOK = "webhook"


class Sending(models.TextChoices):
    WAITING = "waiting"
    SENT = "sent"
    FAILED = "failed"


class AlertMessage(models.Model):
    """One change of an alert for one channel; several are sent in one e-mail or request."""

    key = models.UUIDField(default=uuid4, unique=True, help_text="By which a receiver knows it.")
    alert = models.ForeignKey(Alert, on_delete=models.CASCADE, related_name="messages")
    change = models.CharField(max_length=6, choices=Change)
    channel = models.CharField(max_length=7, choices=Channel)
    state = models.CharField(max_length=7, choices=Sending, default=Sending.WAITING)
    tries = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField(help_text="Not to be sent before.")
    sent_at = models.DateTimeField(null=True)
    fault = models.CharField(max_length=MAX_FAULT, blank=True, help_text="Of the last try.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["alert", "change", "channel"], name="each_change_is_told_once"
            ),
            models.CheckConstraint(
                condition=Q(state="sent", sent_at__isnull=False)
                | (Q(state__in=["waiting", "failed"], sent_at=None)),
                name="message_has_a_time_if_sent",
            ),
        ]
        indexes = [
            models.Index(
                fields=["due_at"], condition=Q(state="waiting"), name="messages_to_be_sent"
            )
        ]

    def __str__(self) -> str:
        return f"{self.alert} {self.change} by {self.channel}: {self.state}"
