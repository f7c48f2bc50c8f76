from typing import Self

from django.db import models
from django.db.models import Q

from judging.models.study import MAX_LEVELS, PooledDocument, StudyTopic
from judging.models.worker import Worker
from judging.numbers import MAX_SCORE, MIN_SCORE
from magnitudes.files.parsing.fields import LONGEST_ID
from web.bounds import between, bounded, whole_between

GIVEN = Q(level__isnull=False) | Q(score__isnull=False)


class OpinionQuerySet(models.QuerySet["Opinion"]):
    def given(self) -> Self:
        """Those that are a level or a magnitude: others stand for none."""
        return self.filter(GIVEN)


@bounded
class Opinion(models.Model):
    """One label or magnitude of one pair by one worker, who may have given several.

    Rows are in the order in which they were read, which stands for the order in time.
    """

    study_topic = models.ForeignKey(StudyTopic, on_delete=models.CASCADE, related_name="opinions")
    document = models.ForeignKey(PooledDocument, on_delete=models.CASCADE)
    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="opinions")
    level = models.PositiveSmallIntegerField(
        null=True,
        validators=whole_between(0, MAX_LEVELS - 1),
        help_text="From 0, the lowest; none where the label is not of the scale.",
    )
    score = models.FloatField(
        null=True,
        validators=between(MIN_SCORE, MAX_SCORE),
        help_text="A magnitude, where the study's scale is that.",
    )
    group = models.CharField(
        max_length=LONGEST_ID,
        blank=True,
        help_text="A worker's magnitudes in one group on one topic are on one scale.",
    )
    aspect = models.CharField(max_length=40, blank=True, help_text="As snippet or page.")
    occasion = models.CharField(
        max_length=40, blank=True, help_text="Where one came several times."
    )

    objects = OpinionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(score__isnull=True) | Q(level__isnull=True),
                name="opinion_on_one_scale",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.level if self.score is None else self.score} for {self.document_id}"
