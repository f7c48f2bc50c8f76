"""What a run will cost: tokens counted on the texts, each request with all that came before it."""

from dataclasses import dataclass
from decimal import Decimal
from functools import reduce
from operator import add
from typing import Any

from django.db.models import Count, F, Func, IntegerField, Sum

from crowd.language_model import prompts
from crowd.language_model.asking import BYTES_PER_TOKEN
from crowd.language_model.prompts import Page
from crowd.models import ModelRun
from judging.models import UnitDocument

ANSWER_TOKENS = 40  # of a number and a reason in a few words
CHANGES_TOKENS = 20  # of the look back


@dataclass(frozen=True)
class Estimate:
    """Of the units that are left. is_measured: scaled by what the endpoint has counted so far."""

    units: int
    requests: int
    tokens_in: int
    tokens_out: int
    cost: Decimal
    minutes: float  # at the run's pace, if the endpoint keeps up
    is_measured: bool


@dataclass(frozen=True)
class _Tokens:
    units: int
    requests: int
    sent: float
    answered: float


def estimate(run: ModelRun) -> Estimate:
    """Invalid answers, which are asked for again, come on top until some units are through."""
    left, done = _tokens(run, assignments=None), _tokens(run, assignments__isnull=False)
    sent, answered = left.sent, left.answered
    if done.units:
        judged = run.answers.filter(unit__assignments__isnull=False)
        counted = judged.aggregate(sent=Sum("tokens_in"), answered=Sum("tokens_out"))
        sent *= counted["sent"] / done.sent
        answered *= counted["answered"] / done.answered
    return Estimate(
        left.units,
        left.requests,
        round(sent),
        round(answered),
        run.price(sent, answered),
        left.requests / run.requests_per_minute,
        is_measured=bool(done.units),
    )


def _tokens(run: ModelRun, **units: Any) -> _Tokens:
    """By the bytes of texts. Of a unit's n documents one stands in (n + 3) / 2 requests on average.

    That is its own, all later ones and the look back, in an order that is drawn.
    """
    study = run.study
    topic, document = "unit__study_topic__topic", "document__document"
    texts = {
        "topics": (f"{topic}__title", f"{topic}__description", f"{topic}__narrative"),
        "documents": (f"{document}__title", f"{document}__text"),
    }
    of_units = UnitDocument.objects.filter(unit__in=study.units.filter(**units))
    sums = of_units.aggregate(
        units=Count("unit", distinct=True),
        **{name: Sum(reduce(add, map(_bytes, fields))) for name, fields in texts.items()},
    )
    n, number = study.unit_size, sums["units"]
    frame = len(prompts.document_turn(Page("", ""), n, n)) * n
    each: float = (n + 1) * len(prompts.system(study).encode())
    each += (n + 3) / 2 * frame + (n + 1) / 2 * n * ANSWER_TOKENS * BYTES_PER_TOKEN
    each += len(prompts.look_back(study, ["100"] * n).encode())
    topics = (n + 1) / n * (sums["topics"] or 0)  # a unit has a row for each document
    sent = number * each + topics + (n + 3) / 2 * (sums["documents"] or 0)
    answered = number * (n * ANSWER_TOKENS + CHANGES_TOKENS)
    return _Tokens(number, number * (n + 1), sent / BYTES_PER_TOKEN, answered)


def _bytes(field: str) -> Any:
    return Func(F(field), function="octet_length", output_field=IntegerField())
