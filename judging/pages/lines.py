"""Numbers are decimals: a template writes them with the mark of the page's language."""

import math
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any

from judging.models import Assignment

DIGITS = 3  # of a ratio, where they suffice to differ from 1 and for its whole part
MAX_DIGITS = 17  # of a float


def drawn(attempt: Assignment) -> dict[str, Any]:
    scores = map(as_typed, attempt.line_scores)
    lines = list(zip(attempt.lines, scores, strict=False))
    return {"drawn": lines} if lines else {}


def ratios(attempt: Assignment) -> dict[str, Any]:
    """For every line but the first: its number, how many times the score before, that line."""
    steps = enumerate(pairwise(attempt.line_scores), 2)
    return {"ratios": [(n, ratio_of(score, before), n - 1) for n, (before, score) in steps]}


def ratio_of(score: float, before: float) -> Decimal:
    """A ratio of two different scores, with at least three digits, and as many as differ from 1.

    >>> ratio_of(10.114, 10.046), ratio_of(1.0001, 1)
    (Decimal('1.01'), Decimal('1.0001'))
    """
    ratio = score / before
    digits = max(DIGITS, math.floor(math.log10(ratio)) + 1)
    written = (Decimal(f"{ratio:.{n}g}") for n in range(digits, max(digits, MAX_DIGITS) + 1))
    return next((each for each in written if each != 1), Decimal(1))


def as_typed(score: float) -> Decimal:
    """A score with the digits that people type."""
    return Decimal(f"{score:.12g}")


def last_as_typed(scores: Sequence[float]) -> str:
    return f"{as_typed(scores[-1]):f}" if scores else ""
