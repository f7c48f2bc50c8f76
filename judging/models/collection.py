"""Ids compare by bytes (collation "C"), so that PostgreSQL and NumPy break ties alike."""

from typing import Any

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Coalesce, Now
from django.utils.safestring import SafeString, mark_safe

from accounts.models import Visitor
from magnitudes.files.parsing.fields import LANGUAGE, LARGEST_MAGNITUDE, LONGEST_LANGUAGE
from web.bounds import between, bounded


def id_field(**options: Any) -> models.CharField:
    return models.CharField(max_length=255, db_collation="C", **options)


def language_field(
    help_text: str = "A tag, as pt-BR; empty: not said.", **options: Any
) -> models.CharField:
    return models.CharField(
        max_length=LONGEST_LANGUAGE,
        blank=True,
        validators=[RegexValidator(LANGUAGE, "Expected a language tag, as en or pt-BR.")],
        help_text=help_text,
        **options,
    )


def _number_of(model: Any) -> Coalesce:
    rows = model.objects.filter(collection=models.OuterRef("pk")).order_by().values("collection")
    return Coalesce(models.Subquery(rows.annotate(n=models.Count("pk")).values("n")), 0)


class CollectionQuerySet(models.QuerySet["Collection"]):
    def seen_by(self, user: Visitor) -> "CollectionQuerySet":
        if not user.is_authenticated:
            return self.none()
        if user.is_superuser:
            return self
        own = Q(owner=user) | Q(shared_with=user) | Q(studies__memberships__user=user)
        return self.filter(pk__in=Collection.objects.filter(own).values("pk"))

    def counted(self) -> "CollectionQuerySet":
        parts = (Topic, Document, Run, LabelSet)
        names = ("topic_count", "document_count", "run_count", "label_set_count")
        return self.annotate(**dict(zip(names, map(_number_of, parts), strict=True)))


class Collection(models.Model):
    slug = models.SlugField(unique=True)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="collections",
        help_text="Nobody: admins alone see it, unless it is shared.",
    )
    shared_with = models.ManyToManyField(
        settings.AUTH_USER_MODEL, blank=True, related_name="shared_collections"
    )
    free_to_share = models.BooleanField(
        default=False, help_text="Its texts may be published with a study."
    )
    # Raised when its runs change: rankings are then out of date.
    revision = models.PositiveBigIntegerField(default=0, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = CollectionQuerySet.as_manager()

    def __str__(self) -> str:
        return self.slug

    def may_change(self, user: Visitor) -> bool:
        return user.is_authenticated and (user.is_superuser or self.owner_id == user.pk)


class Topic(models.Model):
    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="topics")
    query_id = id_field()
    title = models.TextField()
    description = models.TextField(blank=True)
    narrative = models.TextField(blank=True)
    language = language_field()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "query_id"], name="topic_once"),
        ]

    def __str__(self) -> str:
        return f"{self.query_id} {self.title}"


class DocumentText(models.Model):
    doc_id = id_field()
    title = models.TextField(blank=True)
    text = models.TextField(help_text="As it was imported.")
    is_html = models.BooleanField(default=False)
    language = language_field()
    words = models.PositiveIntegerField(help_text="Words of title and text.")
    cleaned = models.TextField(blank=True, help_text="The text as HTML that is safe to show.")
    cleaner = models.PositiveSmallIntegerField(help_text="Version of what cleaned it.")

    class Meta:
        abstract = True


class StagedDocument(DocumentText):
    """A document that an import has read, and not yet moved; the table is unlogged."""

    import_key = models.UUIDField(help_text="Of one import's documents.")
    staged_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return self.doc_id


class Document(DocumentText):
    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="documents")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "doc_id"], name="document_once"),
        ]

    def __str__(self) -> str:
        return self.doc_id

    @property
    def html(self) -> SafeString:
        return mark_safe(self.cleaned)  # noqa: S308 - cleaned when it was imported


class Vocabulary(models.Model):
    """The documents that runs and pools name on a topic; a document's code is its place here.

    A code never changes: what comes later is added at the end.
    """

    topic = models.OneToOneField(Topic, on_delete=models.CASCADE, primary_key=True)
    doc_ids = models.BinaryField(help_text="UTF-8, one id a line.")

    def __str__(self) -> str:
        return f"vocabulary of {self.topic_id}"


class Run(models.Model):
    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="runs")
    tag = id_field()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["collection", "tag"], name="run_once")]

    def __str__(self) -> str:
        return self.tag


class RankedList(models.Model):
    """One run's list for one topic, in evaluation order (score descending, then id descending).

    Three packed columns of equal count: little-endian int32 codes into the topic's vocabulary,
    int32 rank fields as written, float64 scores.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="lists")
    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="lists")
    codes = models.BinaryField()
    ranks = models.BinaryField()
    scores = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["topic", "run"], name="list_once"),
        ]

    def __str__(self) -> str:
        return f"{self.run_id} on {self.topic_id}"


class LabelSet(models.Model):
    """Reference labels that go by one name; a file replaces its set."""

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="label_sets")
    name = id_field(default="reference")
    digest = models.CharField(
        max_length=64, blank=True, editable=False, help_text="Of its labels: tells two apart."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "name"], name="label_set_once"),
        ]

    def __str__(self) -> str:
        return self.name


@bounded
class Label(models.Model):
    label_set = models.ForeignKey(LabelSet, on_delete=models.CASCADE, related_name="labels")
    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="labels")
    doc_id = id_field()
    level = models.FloatField(validators=between(-LARGEST_MAGNITUDE, LARGEST_MAGNITUDE))

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["label_set", "topic", "doc_id"], name="label_once"),
        ]

    def __str__(self) -> str:
        return f"{self.doc_id}: {self.level:g}"
