from itertools import zip_longest

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_noop

from judging.levels import MAX_DESCRIPTION_LENGTH

MAX_TEXT_LENGTH = 20_000  # characters
# Of our own texts that workers read: one more with every release that changes them.
TEXTS_VERSION = 1
# What a consent text says if pasting is recorded.
PASTING_IS_RECORDED = gettext_noop(
    "We record how many characters you paste into a page, and for how many seconds it is hidden "
    "from view. We do not record keystrokes."
)


class Wording(models.Model):
    """What workers read and agree to, as plain paragraphs; empty: our text."""

    class ConsentBy(models.TextChoices):
        BUTTON = "button", "By the button that begins"
        CHECKBOX = "checkbox", "By a box to tick before that button"

    introduction = models.TextField(
        blank=True,
        max_length=MAX_TEXT_LENGTH,
        help_text="What the study is about, as the first thing that workers read.",
    )
    practice_instructions = models.TextField(
        "practice with lines",
        blank=True,
        max_length=MAX_TEXT_LENGTH,
        help_text="How to give numbers to lines. That the numbers must rise with the lengths is "
        "said below it in any case.",
    )
    instructions = models.TextField(
        "how to judge",
        blank=True,
        max_length=MAX_TEXT_LENGTH,
        help_text="What to judge documents by. The levels of a graded scale, and what the pages "
        "do, stand below it in any case.",
    )
    levels: list[str]  # that are described; a field of the study

    level_descriptions = ArrayField(
        models.CharField(max_length=MAX_DESCRIPTION_LENGTH),
        verbose_name="what each level means",
        blank=True,
        default=list,
        help_text="A sentence for each, one a line, the lowest first, shown with the level "
        "wherever workers choose; leave blank for the names alone.",
    )
    consent = models.TextField(
        "what workers agree to",
        blank=True,
        max_length=MAX_TEXT_LENGTH,
        help_text="Who runs it, what for, how long it takes, what is recorded, for how long, and "
        "what is published. A blank line begins a paragraph.",
    )
    consent_by = models.CharField(
        "how workers agree",
        max_length=8,
        choices=ConsentBy,
        default=ConsentBy.BUTTON,
        help_text="By the button “I agree, begin” alone, or by ticking a box first.",
    )

    class Meta:
        abstract = True
        constraints = [
            models.CheckConstraint(
                condition=Q(consent_by__in=["button", "checkbox"]), name="consent_by_known"
            ),
            models.CheckConstraint(
                condition=Q(level_descriptions__len=0)
                | Q(level_descriptions__len=F("levels__len")),
                name="a_sentence_for_each_level",
                violation_error_message=(
                    "What each level means: expected a sentence for each level, or none."
                ),
            ),
        ]

    @property
    def custom_texts(self) -> list[str]:
        """What its team wrote of the instructions; nothing where all are ours."""
        texts = [self.introduction, self.practice_instructions, self.instructions]
        return [*texts, *self.level_descriptions] if any(texts) or self.level_descriptions else []

    @property
    def described_levels(self) -> list[tuple[str, str]]:
        return list(zip_longest(self.levels, self.level_descriptions, fillvalue=""))

    @property
    def has_consent_box(self) -> bool:
        return self.consent_by == self.ConsentBy.CHECKBOX
