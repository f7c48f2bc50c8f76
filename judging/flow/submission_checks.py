import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.formats import get_format
from django.utils.functional import lazy
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy

from judging.levels import parse_level
from judging.numbers import InvalidScore, parse_score
from web.words import Grouped, Words

MAX_JUSTIFICATION_LENGTH = 2000
WHY_THIS_LEVEL = gettext_lazy("Say in a few words why you chose this level.")
WHY_THIS_NUMBER = gettext_lazy("Say in a few words why you gave this number.")
SHORTEN = gettext_lazy("Shorten your reason to {most} characters; it has {length}.")


@dataclass(frozen=True)
class Submission:
    """One document's form; the score as typed, or a level by its number from 0.

    shown_version: None: unknown, and not too old; confirmed: the score that the page asked about.
    """

    position: int
    score_text: str
    justification: str
    visible_seconds: float | None = None
    hidden_seconds: float | None = None
    pasted_characters: int | None = None
    shown_version: int | None = None
    confirmed: str = ""


def error_message(refusal: InvalidScore) -> Words:
    with_mark = lazy(lambda number: number.replace(".", get_format("DECIMAL_SEPARATOR")), str)
    values = {
        name: with_mark(value) if name in refusal.NUMBERS else value
        for name, value in refusal.values.items()
    }
    return format_lazy(gettext_lazy(refusal.message), **values)


def check_submission(
    submission: Submission, levels: Sequence[str]
) -> tuple[float | None, dict[str, Words]]:
    """The score, if there is one, and errors by field; levels: none if it is a magnitude."""
    errors: dict[str, Words] = {}
    score = None
    typed = submission.score_text
    try:
        score = parse_level(typed, levels) if levels else parse_score(typed, submission.confirmed)
    except InvalidScore as refusal:
        errors["score"] = error_message(refusal)
    words = submission.justification.strip()
    if not any(unicodedata.category(char) != "Cf" and not char.isspace() for char in words):
        errors["justification"] = WHY_THIS_LEVEL if levels else WHY_THIS_NUMBER
    elif len(words) > MAX_JUSTIFICATION_LENGTH:
        errors["justification"] = format_lazy(
            SHORTEN, most=Grouped(MAX_JUSTIFICATION_LENGTH), length=Grouped(len(words))
        )
    return score, errors
