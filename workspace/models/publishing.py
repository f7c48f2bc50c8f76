from datetime import datetime
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.urls import reverse

from evaluation.models import Numbers
from judging.flow.ending import WITHDRAWAL_ACTIONS
from judging.models import Study, TrailEntry
from web.bounds import bounded, whole_between

MAX_VERSIONS = 1_000
MAX_RELEASE = 32 * 2**20  # bytes


class PublishedPageQuerySet(models.QuerySet["PublishedPage"]):
    def public(self) -> "PublishedPageQuerySet":
        return self.filter(withdrawn_at=None).exclude(self._contradicted())

    def contradicted(self) -> "PublishedPageQuerySet":
        """Public ones with something in them that may not be shown any more."""
        return self.filter(self._contradicted(), withdrawn_at=None)

    def withdraw(self, now: datetime) -> int:
        """Delete what public ones hold; their addresses say that they were withdrawn."""
        keys = list(self.filter(withdrawn_at=None).values_list("pk", flat=True))
        pages = PublishedPage.objects.filter(pk__in=keys, withdrawn_at=None)
        return pages.update(withdrawn_at=now, release=b"", content={})

    @staticmethod
    def _contradicted() -> Q:
        """Answers were withdrawn since, or texts are not free to share any more."""
        withdrawals = TrailEntry.objects.filter(
            study=OuterRef("study"),
            action__in=WITHDRAWAL_ACTIONS.values(),
            at__gte=OuterRef("published_at"),
        )
        return Exists(withdrawals) | Q(has_texts=True, study__collection__free_to_share=False)


@bounded
class PublishedPage(models.Model):
    """A release of a study that everybody can read, and what its page says: frozen.

    content: see `workspace.publishing.published_pages.content`.
    """

    key = models.UUIDField(unique=True, default=uuid4, editable=False)
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="published_pages")
    version = models.PositiveSmallIntegerField(validators=whole_between(1, MAX_VERSIONS))
    content = models.JSONField(decoder=Numbers)
    release = models.BinaryField(help_text="The zip; empty once withdrawn.")
    has_texts = models.BooleanField(help_text="Whether texts of the collection are in it.")
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    published_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True)

    objects = PublishedPageQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "version"], name="published_version_once"),
            models.CheckConstraint(
                condition=Q(withdrawn_at=None) ^ Q(release=b""), name="withdrawn_page_is_empty"
            ),
        ]

    def __str__(self) -> str:
        return f"version {self.version} of {self.study}"

    @property
    def path(self) -> str:
        return reverse("public-page", args=[self.key])
