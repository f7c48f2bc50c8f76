"""What was computed, and from what. Values of many pairs or runs are kept as arrays."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Func

from judging.models import Study, StudyTopic


class Evaluation(models.Model):
    """The published evaluation of a study. Replaced as a whole, in one transaction."""

    study = models.OneToOneField(Study, on_delete=models.CASCADE)
    number = models.PositiveBigIntegerField(help_text="Raised with each publication.")
    normalisation = models.CharField(max_length=12)
    aggregation = models.CharField(max_length=12)
    collection_revision = models.PositiveBigIntegerField()
    code_version = models.CharField(max_length=40)
    runs = ArrayField(models.BigIntegerField(), help_text="Keys of runs, by name.")
    topics = models.PositiveIntegerField(help_text="Those with a completed unit.")
    units = models.PositiveIntegerField()
    judgments = models.PositiveIntegerField()
    computed_at = models.DateTimeField()

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


class TopicScores(models.Model):
    """One measure of all runs on one topic."""

    topic_evaluation = models.ForeignKey(
        TopicEvaluation, on_delete=models.CASCADE, related_name="scores"
    )
    measure = models.CharField(max_length=100)
    values = ArrayField(models.FloatField(), help_text="By run.")
    judged = ArrayField(
        models.FloatField(null=True), help_text="Share judged at the cutoff; null: topic missing."
    )

    class Meta:
        verbose_name_plural = "topic scores"
        constraints = [
            models.UniqueConstraint(fields=["topic_evaluation", "measure"], name="scores_once"),
        ]

    def __str__(self) -> str:
        return f"{self.measure} on {self.topic_evaluation_id}"


class Ranking(models.Model):
    """The systems by the mean of one measure, with its 95% interval over topics."""

    evaluation = models.ForeignKey(Evaluation, on_delete=models.CASCADE, related_name="rankings")
    measure = models.CharField(max_length=100)
    means = ArrayField(models.FloatField(), help_text="By run.")
    lows = ArrayField(models.FloatField(null=True), help_text="Null with fewer than two topics.")
    highs = ArrayField(models.FloatField(null=True))
    ranks = ArrayField(models.IntegerField(), help_text="Ties share the smallest.")
    judged = ArrayField(models.FloatField(null=True), help_text="Mean share judged at the cutoff.")
    missing = ArrayField(models.IntegerField(), help_text="Topics without a list, scored 0.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["evaluation", "measure"], name="ranking_once"),
        ]

    def __str__(self) -> str:
        return f"{self.measure} in {self.evaluation_id}"
