"""What a run will cost: tokens counted on the texts, each request with all that came before it."""

import json
from collections.abc import Sequence
from typing import TypedDict

from django.db.models import Q, Sum

from crowd.language_model.conversations import judge, units_of
from crowd.language_model.prompts import BYTES_PER_TOKEN, Message, number_of_bytes
from crowd.models import ModelRun
from judging.models import Unit

SAMPLE = 20  # units whose texts are read
REASON = "x" * 120  # of a few words
NO_CHANGES = '{"changes": {}}'


class Estimate(TypedDict):
    """Of the units that are left, by the run's pace if the endpoint keeps up.

    is_measured: scaled by what the endpoint has counted so far.
    """

    units: int
    requests: int
    tokens_in: int
    tokens_out: int
    cost: float
    minutes: float
    is_measured: bool


def estimate(run: ModelRun) -> Estimate:
    """Invalid answers, which are asked for again, come on top until some units are through."""
    units, left = _sample(run, Q(assignments=None))
    _, done = _sample(run, Q(assignments__isnull=False))
    counted = run.answers.filter(unit__in=done).aggregate(Sum("tokens_in"), Sum("tokens_out"))
    tokens = []
    for of_left, of_done, measured in zip(
        _tokens(run, left), _tokens(run, done), counted.values(), strict=True
    ):
        times = units / len(left) if left else 0
        tokens.append(of_left * times * (measured / of_done if measured else 1))
    requests = units * (run.study.unit_size + 1)
    return {
        "units": units,
        "requests": requests,
        "tokens_in": round(tokens[0]),
        "tokens_out": round(tokens[1]),
        "cost": float(run.price(*tokens)),
        "minutes": requests / run.requests_per_minute,
        "is_measured": bool(done),
    }


def _sample(run: ModelRun, condition: Q) -> tuple[int, list[Unit]]:
    """How many units there are, and some of them, evenly from all topics."""
    keys = list(run.study.units.filter(condition).order_by("pk").values_list("pk", flat=True))
    step = -(-len(keys) // SAMPLE) or 1
    return len(keys), list(units_of(run).filter(pk__in=keys[::step]))


def _tokens(run: ModelRun, units: Sequence[Unit]) -> tuple[float, float]:
    """Sent and answered, in the conversations with a model that says little."""
    study, n_bytes = run.study, [0, 0]
    level = {"level": study.levels[0]} if study.is_graded else {"number": 100}
    answer = json.dumps({**level, "reason": REASON})

    def ask(messages: list[Message]) -> str:
        text = NO_CHANGES if len(messages) > 2 * study.unit_size else answer
        n_bytes[0] += number_of_bytes(messages)
        n_bytes[1] += len(text)
        return text

    for unit in units:
        judge(unit, run.seed, ask)
    return n_bytes[0] / BYTES_PER_TOKEN, n_bytes[1] / BYTES_PER_TOKEN
