"""Scores as workers meant them: 1/3 is a third, not its nearest double."""

import unicodedata
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.analyses.study.data import Ints, StudyData
from evaluation.spread.ratio_rule import follows_ratios
from judging.numbers import NotAScore, exact_score

LARGE = 2**63
STROKES = "/⁄∕"


class Typed(NamedTuple):
    """The distinct numbers that were typed, ascending, and which of them each judgment has."""

    numbers: list[Fraction]
    codes: Ints  # (judgments,)
    as_fractions: NDArray[np.bool_]  # (judgments,): typed with a fraction stroke

    def ratios_followed(self, unit_size: int, figures: int) -> NDArray[np.bool_]:
        """Which units keep to ratios of so many significant figures; see `follows_ratios`."""
        of = self.codes.reshape(-1, unit_size)
        parts = [
            [number.numerator for number in self.numbers],
            [number.denominator for number in self.numbers],
        ]
        fits = max(map(max, parts), default=0) < LARGE
        over, under = (np.array(part, dtype=np.int64 if fits else object)[of] for part in parts)
        return follows_ratios(over, under, figures)


def typed(data: StudyData) -> Typed:
    """What was typed, each distinct text read once.

    A text that is no score by today's rules stands for the number that was stored.
    """
    texts = data.texts.tolist()
    stored = dict(zip(texts, data.raw.tolist(), strict=True))
    exact = {text: _exact(text, score) for text, score in stored.items()}
    numbers = sorted(set(exact.values()))
    place = {number: code for code, number in enumerate(numbers)}
    code_of = {text: (place[number], _has_stroke(text)) for text, number in exact.items()}
    both = np.array([code_of[text] for text in texts], dtype=np.int64).reshape(-1, 2)
    return Typed(numbers, both[:, 0], both[:, 1].astype(bool))


def _exact(text: str, score: float) -> Fraction:
    try:
        return exact_score(text)
    except NotAScore:
        return Fraction(repr(score))


def _has_stroke(text: str) -> bool:
    """Whether it is a fraction: 1/2, or ½."""
    return any(stroke in unicodedata.normalize("NFKC", text) for stroke in STROKES)


def written(number: Fraction) -> str:
    """A number for reading: a decimal if one is exact, else a fraction.

    >>> written(Fraction(1, 8)), written(Fraction(200)), written(Fraction(1, 3))
    ('0.125', '200', '1/3')
    """
    for decimal in (f"{float(number):.6g}", repr(float(number))):
        if Fraction(decimal) == number:
            return decimal
    return str(number)
