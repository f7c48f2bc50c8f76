from django.db import models
from django.utils.translation import gettext_lazy

from judging.models.assignment import Assignment
from judging.models.study import PooledDocument

MAX_NOTE_LENGTH = 1000  # characters


class DocumentNote(models.Model):
    """A worker's note on what is wrong with a document, deleted with the judgment."""

    class Kind(models.TextChoices):
        BROKEN = "broken", gettext_lazy("The text is cut off or broken")
        EMPTY = "empty", gettext_lazy("There is hardly any text")
        LANGUAGE = "language", gettext_lazy("It is in another language")
        UPSETTING = "upsetting", gettext_lazy("It is upsetting")
        OTHER = "other", gettext_lazy("Something else")

    assignment = models.ForeignKey(  # "note_once_a_page" is its index
        Assignment, on_delete=models.CASCADE, related_name="notes", db_index=False
    )
    position = models.PositiveSmallIntegerField()
    document = models.ForeignKey(PooledDocument, on_delete=models.CASCADE, related_name="notes")
    kind = models.CharField(max_length=9, choices=Kind)
    text = models.TextField(blank=True)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["assignment", "position"], name="note_once_a_page"),
        ]

    def __str__(self) -> str:
        return f"page {self.position} of {self.assignment_id}: {self.kind}"
