"""Opinions: labels that several people gave the same documents elsewhere, brought in by import."""

from django.db import models
from django.db.models import Q

from judging.models.study import MOST_LEVELS, PooledDocument, StudyTopic
from judging.models.worker import Worker


class Opinion(models.Model):
    """One label of one pair by one worker. The same worker may have given several.

    Rows are in the order in which they were read, which stands for the order in time.
    """

    study_topic = models.ForeignKey(StudyTopic, on_delete=models.CASCADE, related_name="opinions")
    document = models.ForeignKey(PooledDocument, on_delete=models.CASCADE)
    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="opinions")
    level = models.PositiveSmallIntegerField(
        null=True, help_text="From 0, the lowest; none where the label is not of the scale."
    )
    aspect = models.CharField(max_length=40, blank=True, help_text="As snippet or page.")
    occasion = models.CharField(
        max_length=40, blank=True, help_text="Where one came several times."
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(level__isnull=True) | Q(level__lt=MOST_LEVELS), name="level_on_a_scale"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.level} for {self.document_id}"
