"""What was computed, and from what. Values of many pairs or runs are kept as arrays."""

import json
from typing import Any

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Func, Q

from judging.models import PooledDocument, Study, StudyTopic
from web.background.work import RequestedWork

EXACT_DIGITS = 16  # from here on no double holds every whole number


class Evaluation(models.Model):
    """The published evaluation of a study. Replaced as a whole, in one transaction."""

    study = models.OneToOneField(Study, on_delete=models.CASCADE)
    number = models.PositiveBigIntegerField(help_text="Raised with each publication.")
    normalisation = models.CharField(max_length=12)
    aggregation = models.CharField(max_length=12)
    collection_revision = models.PositiveBigIntegerField()
    code_version = models.CharField(max_length=40)
    runs = ArrayField(models.BigIntegerField(), help_text="Keys of runs, by name.")
    tags = ArrayField(models.TextField(), help_text="Names of these runs.")
    topics = models.PositiveIntegerField(help_text="Those with a completed unit.")
    units = models.PositiveIntegerField()
    judgments = models.PositiveIntegerField()
    computed_at = models.DateTimeField()
    interim = models.CharField(
        max_length=100, blank=True, help_text="What heads claims about systems; empty: nothing."
    )

    def __str__(self) -> str:
        return f"evaluation {self.number} of {self.study_id}"


class TopicEvaluation(models.Model):
    """The scores of one topic, normalised and aggregated, and the units they come from."""

    study_topic = models.OneToOneField(StudyTopic, on_delete=models.CASCADE)
    evaluation = models.ForeignKey(Evaluation, on_delete=models.CASCADE, related_name="topic_set")
    revision = models.PositiveBigIntegerField()
    gamma = models.FloatField(null=True, help_text="Geometric mean of the topic's raw scores.")
    assignments = ArrayField(models.BigIntegerField(), help_text="In order of completion.")
    gamma_u = ArrayField(models.FloatField(), help_text="By assignment.")
    normalised = ArrayField(models.FloatField(), help_text="By assignment, then page.")
    documents = ArrayField(models.BigIntegerField(), help_text="The judged ones, by key.")
    gains = ArrayField(models.FloatField(), help_text="By document.")
    counts = ArrayField(models.IntegerField(), help_text="Scores behind each gain.")
    # Beside the arrays, which are stored apart and would be read whole for their length.
    units = models.GeneratedField(
        expression=Func(F("assignments"), function="cardinality"),
        output_field=models.IntegerField(),
        db_persist=True,
    )
    judgments = models.GeneratedField(
        expression=Func(F("normalised"), function="cardinality"),
        output_field=models.IntegerField(),
        db_persist=True,
    )

    def __str__(self) -> str:
        return f"topic {self.study_topic_id} at revision {self.revision}"


class Ranking(models.Model):
    """One measure of all runs on all topics with a completed unit, and the systems by its mean."""

    evaluation = models.ForeignKey(Evaluation, on_delete=models.CASCADE, related_name="rankings")
    measure = models.CharField(max_length=100)
    query_ids = ArrayField(models.TextField(), help_text="The topics.")
    values = ArrayField(ArrayField(models.FloatField()), help_text="By topic, then run.")
    judged = ArrayField(
        ArrayField(models.FloatField(null=True)),
        help_text="Share judged at the cutoff, by topic and run; null: topic missing.",
    )
    means = ArrayField(models.FloatField(), help_text="By run.")
    lows = ArrayField(models.FloatField(null=True), help_text="Null with fewer than two topics.")
    highs = ArrayField(models.FloatField(null=True))
    ranks = ArrayField(models.IntegerField(), help_text="Ties share the smallest.")
    shares = ArrayField(models.FloatField(null=True), help_text="Mean share judged at the cutoff.")
    missing = ArrayField(models.IntegerField(), help_text="Topics without a list, scored 0.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["evaluation", "measure"], name="ranking_once"),
        ]

    def __str__(self) -> str:
        return f"{self.measure} in {self.evaluation_id}"


class Numbers(json.JSONDecoder):
    """Reads numbers as they were: PostgreSQL gives 1e+20 back as a whole number with 21 digits."""

    def __init__(self, **given: Any) -> None:
        super().__init__(parse_int=_number, **given)


def _number(text: str) -> float:
    return int(text) if len(text) < EXACT_DIGITS else float(text)


class CachedAnalysis(models.Model):
    """One analysis of a study with one set of labels, kept until the data change."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="analyses")
    name = models.CharField(max_length=40)
    label_set = models.CharField(max_length=255)
    asked = models.CharField(
        max_length=800, blank=True, help_text="Another measure, other gains; as in an address."
    )
    wanted_at = models.DateTimeField(null=True, help_text="Asked for, and not computed since.")
    tries = models.PositiveSmallIntegerField(default=0, help_text="Begun since it was asked for.")
    reads = models.PositiveSmallIntegerField(default=0, help_text="Data begun to be read for it.")
    progress = models.FloatField(default=0, help_text="Share done of what is being computed.")
    version = models.CharField(max_length=200, blank=True, help_text="Of data and code.")
    result = models.JSONField(null=True, decoder=Numbers, help_text="Long tables are cut.")
    whole = models.JSONField(null=True, decoder=Numbers, help_text="All rows of what is cut.")
    others = ArrayField(
        models.BigIntegerField(),
        default=list,
        help_text="Keys of the other studies that the result was computed from.",
    )
    finding = models.TextField(blank=True, help_text="What it says, in a sentence.")
    titles = models.JSONField(default=dict, help_text="Of figures and tables, by name.")
    numbers = models.JSONField(default=dict, decoder=Numbers, help_text="Of the result, by name.")
    thumbnails = models.JSONField(default=dict, help_text="Small pictures of figures, by name.")
    fault = models.TextField(blank=True)
    tried_at = models.DateTimeField(null=True, help_text="When this last ended, well or not.")
    computed_at = models.DateTimeField(null=True)
    seconds = models.FloatField(null=True)

    class Meta:
        verbose_name_plural = "cached analyses"
        constraints = [
            models.UniqueConstraint(
                fields=["study", "name", "label_set", "asked"], name="analysis_once"
            ),
            models.CheckConstraint(
                condition=Q(computed_at__isnull=True, seconds__isnull=True)
                | Q(computed_at__isnull=False, seconds__isnull=False),
                name="computed_took_a_time",
            ),
        ]
        indexes = [
            models.Index(
                fields=["wanted_at"], condition=Q(wanted_at__isnull=False), name="analyses_wanted"
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.study_id}"


class WrittenReport(RequestedWork):
    """The report of a study that was asked for last, as a zip archive.

    Until it is done, `archive` is that of the one before, if there was one.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        WRITING = "writing"
        DONE = "done"
        FAILED = "failed"

    UNFINISHED = (State.WAITING, State.WRITING)

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="report")
    label_set = models.CharField(max_length=255)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    asked_at = models.DateTimeField()
    state = models.CharField(max_length=7, choices=State, default=State.WAITING)
    tries = models.PositiveSmallIntegerField(default=0, help_text="Begun since it was asked for.")
    progress = models.FloatField(default=0, help_text="Share done of what is being written.")
    fault = models.TextField(blank=True, help_text="Why the last one could not be written.")
    archive = models.BinaryField(null=True, help_text="Deleted some days after it was made.")
    size = models.PositiveIntegerField(default=0, help_text="Bytes of the archive.")
    files = models.PositiveIntegerField(default=0, help_text="In the archive.")
    missing = ArrayField(
        models.CharField(max_length=40), default=list, help_text="Analyses that failed."
    )
    version = models.CharField(max_length=64, blank=True, help_text="Of data and code.")
    others = ArrayField(
        models.BigIntegerField(),
        default=list,
        help_text="Keys of the other studies that it tells of.",
    )
    made_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "writing", "done", "failed"]),
                name="report_state_known",
            ),
            models.CheckConstraint(
                condition=Q(progress__gte=0, progress__lte=1), name="report_progress_is_a_share"
            ),
            models.CheckConstraint(
                condition=Q(state="failed") ^ Q(fault=""), name="report_fault_if_failed"
            ),
            models.CheckConstraint(
                condition=Q(archive__isnull=True, size=0)
                | Q(archive__isnull=False, size__gt=0, made_at__isnull=False),
                name="report_archive_has_a_size",
            ),
        ]

    def __str__(self) -> str:
        return f"report of {self.study}"


class Verdict(models.Model):
    """What a researcher found where crowd and labels differ most."""

    class Finding(models.TextChoices):
        LABELS = "labels", "the labels are wrong"
        CROWD = "crowd", "the crowd is wrong"
        TOPIC = "topic", "the topic is ambiguous"

    document = models.ForeignKey(PooledDocument, on_delete=models.CASCADE)
    label_set = models.CharField(max_length=255)
    finding = models.CharField(max_length=6, choices=Finding)
    note = models.TextField(blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["document", "label_set"], name="verdict_once"),
            models.CheckConstraint(
                condition=Q(finding__in=["labels", "crowd", "topic"]), name="finding_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.document_id}: {self.finding}"
