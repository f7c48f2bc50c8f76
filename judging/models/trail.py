from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from judging.models.study import Study


class TrailEntry(models.Model):
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="trail")
    at = models.DateTimeField()
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        help_text="Nobody: a command on the machine.",
    )
    action = models.CharField(max_length=40, help_text="What was done, as a verb: opened.")
    details = models.JSONField(default=dict, help_text="What it was done to, and how.")

    class Meta:
        verbose_name_plural = "trail"
        indexes = [models.Index(fields=["study", "-at", "-id"], name="newest_changes")]

    def __str__(self) -> str:
        return f"{self.at:%c} {self.by or 'command'}: {self.action}"


class RecordEntry(models.Model):
    """Something that a restored backup must not undo, by internal keys and no platform's ids.

    It is made in the transaction that it logs, so that a backup has either both or neither.
    """

    class Kind(models.TextChoices):
        EARNED = "earned", "A unit earned a payment"
        DECIDED = "decided", "Payments were approved, paid, refused or owed again"
        WITHDRAWN = "withdrawn", "The answers of a unit were deleted"
        DELETED = "deleted", "Rows were deleted for good"

    key = models.UUIDField(default=uuid4, unique=True)
    at = models.DateTimeField(db_default=Now())
    kind = models.CharField(max_length=10, choices=Kind)
    details = models.JSONField()
    written_at = models.DateTimeField(null=True, help_text="Since when it is outside as well.")

    class Meta:
        verbose_name_plural = "record entries"
        indexes = [
            models.Index(fields=["id"], condition=Q(written_at=None), name="record_to_write")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"
