from pathlib import Path
from typing import Any
from uuid import NAMESPACE_OID, UUID, uuid4, uuid5

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from judging.models import Collection
from magnitudes.files.containers.archives import StoredFile
from magnitudes.files.kinds import Kind
from web.background.work import RequestedWork
from web.bounds import bounded, whole_between

KINDS = [(kind.value, kind.value.capitalize()) for kind in Kind]


class ImportJob(RequestedWork):
    class What(models.TextChoices):
        COLLECTION = "collection", "Files of a collection"
        OPINIONS = "opinions", "Opinions from elsewhere, as a study"
        DATASET = "dataset", "A data set of the ir_datasets library"
        ARCHIVE = "archive", "An archive of a study"

    class State(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    UNFINISHED = (State.WAITING, State.RUNNING)

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="import_jobs"
    )
    what = models.CharField(max_length=10, choices=What, default=What.COLLECTION)
    collection = models.SlugField(help_text="Made if there is none.")
    into = models.ForeignKey(
        Collection, on_delete=models.SET_NULL, null=True, help_text="Under whatever name it has."
    )
    options = models.JSONField(default=dict)
    files = models.JSONField(default=list, help_text="Name, size, kind and digest of each.")
    state = models.CharField(max_length=7, choices=State, default=State.WAITING)
    tries = models.PositiveSmallIntegerField(default=0, help_text="How often it was begun.")
    progress = models.FloatField(default=0, help_text="Share of the bytes that have been read.")
    reading = models.CharField(max_length=255, blank=True, help_text="The file that is read.")
    result = models.JSONField(null=True)
    fault = models.TextField(blank=True)
    fault_file = models.CharField(max_length=400, blank=True)
    fault_line = models.PositiveBigIntegerField(null=True)
    asked_at = models.DateTimeField()
    begun_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "running", "done", "failed"]),
                name="import_state_known",
            ),
            models.CheckConstraint(
                condition=Q(what__in=["collection", "opinions", "dataset", "archive"]),
                name="import_what_known",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["done", "failed"], ended_at__isnull=False)
                | Q(state__in=["waiting", "running"], ended_at__isnull=True),
                name="import_ended_at_a_time",
            ),
            models.CheckConstraint(
                condition=Q(progress__gte=0, progress__lte=1), name="import_progress_is_a_share"
            ),
        ]
        indexes = [
            models.Index(
                fields=["id"],
                condition=Q(state__in=["waiting", "running"]),
                name="imports_to_be_done",
            )
        ]

    def __str__(self) -> str:
        return f"import {self.pk} into {self.collection}"

    def staging_key(self, former: int) -> UUID:
        """The key under which a try stages its documents. former: the tries before it."""
        return uuid5(NAMESPACE_OID, f"import {self.pk}, try {former}")

    @property
    def is_over(self) -> bool:
        return self.state in (self.State.DONE, self.State.FAILED)

    @property
    def percent(self) -> int:
        return int(100 * self.progress)


@bounded
class Upload(models.Model):
    """A file that is sent a piece at a time, to a file in UPLOAD_DIR."""

    key = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="uploads"
    )
    name = models.CharField(max_length=255, help_text="As its owner calls it.")
    encoding = models.CharField(max_length=40, blank=True, help_text="Empty: UTF-8.")
    size = models.PositiveBigIntegerField(
        validators=whole_between(1, 2**43), help_text="Bytes of the whole file."
    )
    received = models.PositiveBigIntegerField(default=0, help_text="Bytes that are stored.")
    kind = models.CharField(
        max_length=9, choices=KINDS, blank=True, help_text="What its beginning looks like."
    )
    job = models.ForeignKey(ImportJob, on_delete=models.SET_NULL, null=True, related_name="uploads")
    begun_at = models.DateTimeField()
    touched_at = models.DateTimeField(db_index=True, help_text="When bytes came last.")
    ended_at = models.DateTimeField(null=True, help_text="When it was whole.")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(received__lte=F("size")), name="upload_within_its_size"
            ),
            models.CheckConstraint(
                condition=Q(ended_at__isnull=True, received__lt=F("size"))
                | Q(ended_at__isnull=False, received=F("size")),
                name="upload_ended_when_whole",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def path(self) -> Path:
        return Path(settings.UPLOAD_DIR) / self.key.hex

    @property
    def stored(self) -> StoredFile:
        return StoredFile(self.path, self.name, self.encoding)

    @property
    def percent(self) -> int:
        return int(100 * self.received / self.size)

    @property
    def about(self) -> dict[str, Any]:
        return {"upload": str(self.key), "name": self.name, "size": self.size}
