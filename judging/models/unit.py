from django.db import models
from django.db.models import F, Q, Value
from django.db.models.functions import Cast, Concat

from judging.models.study import MAX_SEED, PooledDocument, Study, StudyTopic
from judging.models.worker import Worker
from web.bounds import bounded, whole_between


class UnitQuerySet(models.QuerySet["Unit"]):
    def free(self) -> "UnitQuerySet":
        return self.filter(free=True)

    def open_to(self, worker: Worker | None) -> "UnitQuerySet":
        """Those that this worker has not had, on topics not barred for them; None: a newcomer."""
        if worker is None:
            return self
        attempts = worker.assignments
        return self.exclude(pk__in=attempts.values("unit")).exclude(
            study_topic__in=attempts.filter(barred=True).values("study_topic")
        )

    def free_for(self, worker: Worker | None) -> "UnitQuerySet":
        return self.free().open_to(worker)


@bounded
class Batch(models.Model):
    """Units that were added to a study after its plan, to have more judges."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="batches")
    number = models.PositiveIntegerField(help_text="From 1 within the study.")
    seed = models.BigIntegerField(
        validators=whole_between(0, MAX_SEED), help_text="Of the draw of its units."
    )
    redundancy = models.PositiveSmallIntegerField(
        validators=whole_between(1, 100), help_text="More judgments for each document."
    )
    # Topics as keys, each with the ids of the documents that were chosen, or none for all.
    chosen = models.JSONField(default=dict)
    made_at = models.DateTimeField()
    after_ranking = models.BooleanField(
        default=False, help_text="A ranking of systems was visible when it was ordered."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="batch_number_once"),
        ]

    def __str__(self) -> str:
        return f"batch {self.number} of {self.study}"


class Unit(models.Model):
    study = models.ForeignKey(  # "units_of_study" is its index
        Study, on_delete=models.CASCADE, related_name="units", db_index=False
    )
    study_topic = models.ForeignKey(  # "unit_number_once" is its index
        StudyTopic, on_delete=models.CASCADE, related_name="units", db_index=False
    )
    number = models.PositiveIntegerField(help_text="From 1 within the topic.")
    batch = models.ForeignKey(
        Batch,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="units",
        help_text="None: the unit is of the study's plan.",
    )
    # No assignment occupies it. Stored beside the assignments so that a draw locks one row.
    free = models.BooleanField(default=True)
    documents = models.ManyToManyField(PooledDocument, through="UnitDocument")

    objects = UnitQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study_topic", "number"], name="unit_number_once"),
        ]
        indexes = [
            models.Index(
                fields=["study", "study_topic"], condition=Q(free=True), name="free_units"
            ),
            models.Index(fields=["study", "id"], name="units_of_study"),
        ]

    def __str__(self) -> str:
        return f"{self.study_topic.topic.query_id}-{self.number}"


def unit_name(path: str = "") -> Concat:
    """The name of a unit, topic and number, for queries; `path` leads to its assignment."""
    return Concat(
        F(f"{path}study_topic__topic__query_id"),
        Value("-"),
        Cast(f"{path}unit__number", models.CharField()),
    )


class UnitDocument(models.Model):
    unit = models.ForeignKey(Unit, on_delete=models.CASCADE)
    document = models.ForeignKey(PooledDocument, on_delete=models.RESTRICT)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["unit", "document"], name="document_once_a_unit"),
        ]

    def __str__(self) -> str:
        return f"{self.document_id} in {self.unit_id}"
