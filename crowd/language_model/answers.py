"""What is read from a model's answers: a JSON object of just the form that was asked for."""

import json
from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from judging.flow.submission_checks import MAX_JUSTIFICATION_LENGTH
from judging.numbers import MAX_LENGTH, MAX_SCORE, MIN_SCORE


class Invalid(ValueError):
    """An answer cannot be used; the message says why, to the model."""


class Score(NamedTuple):
    text: str
    value: float


class Answer(NamedTuple):
    score: Score
    reason: str


def read_answer(text: str, levels: Sequence[str]) -> Answer:
    """levels: none of magnitudes. Raises Invalid."""
    name = "level" if levels else "number"
    answer = _object(text, name, "reason")
    reason = answer["reason"].strip() if type(answer["reason"]) is str else ""
    if not 1 <= len(reason) <= MAX_JUSTIFICATION_LENGTH or not _is_storable(reason):
        raise Invalid(f"expected a reason of 1 to {MAX_JUSTIFICATION_LENGTH:,} characters.")
    return Answer(_score(answer[name], levels), reason)


def read_changes(text: str, levels: Sequence[str], judged: Collection[int]) -> dict[int, Score]:
    """By position; judged: the positions that have a score. Raises Invalid."""
    changes = _object(text, "changes")["changes"]
    positions = {str(position): position for position in judged}
    if type(changes) is not dict or not changes.keys() <= positions.keys():
        raise Invalid(f"expected changes of documents out of {', '.join(positions)}.")
    return {positions[name]: _score(value, levels) for name, value in changes.items()}


def _object(text: str, *names: str) -> dict[str, Any]:
    """An object that has these names alone; numbers are as they were written."""
    try:
        answer = json.loads(text, parse_int=Decimal, parse_float=Decimal, parse_constant=str)
    except (ValueError, ArithmeticError, RecursionError) as fault:
        raise Invalid("it is not JSON alone.") from fault
    if type(answer) is not dict or answer.keys() != set(names):
        raise Invalid(f"expected a JSON object with {' and '.join(names)}, and nothing else.")
    return answer


def _is_storable(text: str) -> bool:
    """PostgreSQL has no zero character, and no half of a surrogate pair."""
    return "\0" not in text and text.encode(errors="replace").decode() == text


def _score(value: Any, levels: Sequence[str]) -> Score:
    if levels:
        if type(value) is not str or value not in levels:
            raise Invalid(f"expected one of the levels {', '.join(levels)}.")
        return Score(value, float(levels.index(value)))
    text, number = str(value), float(value) if type(value) is Decimal else 0.0
    if not MIN_SCORE <= number <= MAX_SCORE or len(text) > MAX_LENGTH:
        raise Invalid(f"expected a number above zero, from {MIN_SCORE:g} to {MAX_SCORE:g}.")
    return Score(text, number)
