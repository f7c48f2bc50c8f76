from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from django.db import models
from django.db.models import Q

from judging.platforms import PLATFORMS, Completion, Platform, platform_of, platforms_taking
from web.bounds import between, whole_between

MAX_QUESTION_TRIES = 3  # of four options: with one more everybody would pass
MAX_MINUTES = 10_080  # a week
MAX_AMOUNT = Decimal("99999.99")  # of money, whatever the currency
MIN_ATTEMPTS = 2  # who fails for the first time may begin again


def optional_between(lowest: int, highest: int) -> dict[str, Any]:
    """The options of a whole number that may be left out."""
    return {"null": True, "blank": True, "validators": whole_between(lowest, highest)}


def _names(platforms: Iterable[Platform]) -> list[str]:
    return [platform.name for platform in platforms]


def _titles(platforms: Iterable[Platform]) -> str:
    return " and ".join(platform.title for platform in platforms)


SCREENING, RETURNING = platforms_taking("screen_out_code"), platforms_taking("return_code")
PAYING_EACH = [platform for platform in PLATFORMS.values() if not platform.pays_once]


class Recruiting(models.Model):
    """An empty setting is the platform's default."""

    class Platforms(models.TextChoices):
        SEVERAL = "", "None, or several"
        PROLIFIC = "prolific", "Prolific"
        CONNECT = "connect", "Connect (CloudResearch)"
        SONA = "sona", "SONA"
        LINKS = "links", "Links that you hand out"

    class Further(models.TextChoices):
        USUAL = "", "The platform’s usual"
        PAID = "paid", "Another, paid as the first"
        BONUS = "bonus", "Another, paid as a bonus"
        NONE = "none", "None: one unit for each person"

    platform = models.CharField(
        "participant platform",
        max_length=8,
        choices=Platforms,
        default=Platforms.SEVERAL,
        blank=True,
        help_text="Where the people come from: it determines the link that you enter there "
        "and how they go back.",
    )
    completion_code = models.CharField(
        max_length=64,
        blank=True,
        help_text="Of the study on Prolific, or of the project on Connect where it has no "
        "redirect: by it the platform knows that somebody is done.",
    )
    completion_address = models.CharField(
        "address to go back to",
        max_length=500,
        blank=True,
        help_text="Connect’s redirect address, or SONA’s client-side completion URL, as they are "
        "shown there.",
    )
    screen_out_code = models.CharField(
        "code for a paid screen-out",
        max_length=64,
        blank=True,
        help_text="On Prolific alone, and only if its study has one: for those who have begun and"
        " may not go on. If left blank, they are asked to return their submission.",
    )
    screen_out_reward = models.DecimalField(
        "reward for a screen-out",
        max_digits=8,
        decimal_places=2,
        null=True,
        blank=True,
        validators=between(Decimal("0.01"), MAX_AMOUNT),
        help_text="What that code pays on Prolific, as those who get it are told.",
    )
    return_code = models.CharField(
        "code for a return",
        max_length=64,
        blank=True,
        help_text="On Prolific alone, and only if its study has one: Prolific then asks whoever "
        "leaves or cannot go on to return the submission. If left blank, the page asks.",
    )
    further_units = models.CharField(
        "after the first unit",
        max_length=5,
        choices=Further,
        default=Further.USUAL,
        blank=True,
        help_text="A platform pays a submission once, so there is no other unit, or one for a "
        "bonus. Elsewhere others are paid as the first, as in the paper.",
    )
    submission_minutes = models.PositiveIntegerField(
        "minutes for a submission",
        **optional_between(1, MAX_MINUTES),
        help_text="The platform’s maximum time: whoever goes on for a bonus is told when to be "
        "back.",
    )
    question_tries = models.PositiveSmallIntegerField(
        "answers to the question on the topic",
        **optional_between(1, MAX_QUESTION_TRIES),
        help_text="A wrong one ends the unit, or is asked for once more. Leave blank for 2 on "
        "Prolific, else 1.",
    )
    attempts = models.PositiveSmallIntegerField(
        "maximum failures of practice or question",
        **optional_between(MIN_ATTEMPTS, 1_000),
        help_text="Whoever has failed this often gets no further unit; leave blank for no limit.",
    )

    class Meta:
        abstract = True
        constraints = [
            models.CheckConstraint(
                condition=Q(platform__in=["", *PLATFORMS]), name="platform_known"
            ),
            models.CheckConstraint(
                condition=Q(further_units__in=["", "bonus", "none"])
                | Q(further_units="paid", platform__in=["", *_names(PAYING_EACH)]),
                name="submission_pays_once",
                violation_error_message=(
                    "further_units: this platform pays a submission once; expected none or bonus."
                ),
            ),
            models.CheckConstraint(
                condition=Q(screen_out_code="", screen_out_reward__isnull=True)
                | (
                    ~Q(screen_out_code="")
                    & Q(screen_out_reward__isnull=False, screen_out_reward__gt=0)
                    & Q(platform__in=_names(SCREENING))
                ),
                name="screen_out_pays",
                violation_error_message=(
                    "screen_out_code: expected with a screen_out_reward above zero, on "
                    f"{_titles(SCREENING)}."
                ),
            ),
            models.CheckConstraint(
                condition=Q(return_code="") | Q(platform__in=_names(RETURNING)),
                name="return_is_asked_for",
                violation_error_message=(
                    f"return_code: only {_titles(RETURNING)} takes one; leave it empty."
                ),
            ),
        ]

    @property
    def from_platform(self) -> Platform:
        return platform_of(self.platform)

    @property
    def completion(self) -> Completion:
        return Completion(self.completion_code, self.completion_address)

    @property
    def screen_out(self) -> Completion:
        """For whoever may not go on and is paid for it."""
        return Completion(self.screen_out_code)

    @property
    def returning(self) -> Completion:
        """For whoever is to return the submission, if the platform asks for that."""
        return Completion(self.return_code)

    @property
    def further(self) -> str:
        """One of `Further`, never empty."""
        usual = self.Further.NONE if self.from_platform.pays_once else self.Further.PAID
        return self.further_units or usual

    @property
    def tries_at_question(self) -> int:
        return self.question_tries or self.from_platform.question_tries
