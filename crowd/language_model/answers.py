"""What is read from a model's answers: a JSON object of just the form that was asked for."""

import json
from collections.abc import Collection, Sequence
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


class _Number(str):
    """A number as it was written."""


def read_answer(text: str, levels: Sequence[str]) -> Answer:
    """levels: none of magnitudes. Raises Invalid."""
    name = "level" if levels else "number"
    answer = _object(text)
    if set(answer) != {name, "reason"}:
        raise Invalid(f'expected "{name}" and "reason", and nothing else.')
    reason = answer["reason"]
    if type(reason) is not str or not 1 <= len(reason.strip()) <= MAX_JUSTIFICATION_LENGTH:
        raise Invalid(f"expected a reason of 1 to {MAX_JUSTIFICATION_LENGTH:,} characters.")
    return Answer(_score(answer[name], levels), reason.strip())


def read_changes(text: str, levels: Sequence[str], judged: Collection[int]) -> dict[int, Score]:
    """By position; judged: the positions that have a score. Raises Invalid."""
    answer = _object(text)
    changes = answer.get("changes")
    if set(answer) != {"changes"} or type(changes) is not dict:
        raise Invalid('expected "changes", and nothing else.')
    positions = {str(position): position for position in judged}
    if unknown := [name for name in changes if name not in positions]:
        raise Invalid(f"document {unknown[0][:20]} has no answer that could change.")
    return {positions[name]: _score(value, levels) for name, value in changes.items()}


def _object(text: str) -> dict[str, Any]:
    try:
        answer = json.loads(
            text.strip(), parse_int=_Number, parse_float=_Number, parse_constant=_Number
        )
        json.dumps(answer, ensure_ascii=False).encode()  # no half of a surrogate pair
    except (ValueError, RecursionError) as fault:
        raise Invalid("it is not JSON alone.") from fault
    if type(answer) is not dict or "\0" in "".join(_texts(answer)):
        raise Invalid("it is not a JSON object.")
    return answer


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for part in value.items() for each in part for text in _texts(each)]
    return [value] if isinstance(value, str) else []


def _score(value: Any, levels: Sequence[str]) -> Score:
    if levels:
        if type(value) is not str or value not in levels:
            raise Invalid(f"expected one of the levels {', '.join(levels)}.")
        return Score(value, float(levels.index(value)))
    number = float(value) if isinstance(value, _Number) else 0.0
    if not MIN_SCORE <= number <= MAX_SCORE or len(value) > MAX_LENGTH:
        raise Invalid(f"expected a number above zero, from {MIN_SCORE:g} to {MAX_SCORE:g}.")
    return Score(str(value), number)
