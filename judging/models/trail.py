from django.conf import settings
from django.db import models

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
