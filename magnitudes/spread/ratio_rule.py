"""Whether workers assign numbers as ratios: the rule of section 9.2.

Source: Maddalena, Mizzaro, Scholer and Turpin (ACM TOIS 35(3), 2017), section 9.2: "each relevance
score must have a ratio with at least one previously assigned score that has at most two significant
figures". 4,806 of their 7,059 units follow it with two figures, 3,591 with one.
"""

import unicodedata
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from math import lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.scaling.groups import by_size, chunks
from magnitudes.spread import SpreadError

FIGURES = (1, 2, 3)
SMALL = 2**31  # two numbers below have a product that is a 64-bit integer
LARGE = 2**63
STROKES = "/⁄∕"


def follows_ratios(
    numerators: ArrayLike, denominators: ArrayLike, figures: int
) -> NDArray[np.bool_]:
    """Which units keep to ratios of few significant figures.

    A unit follows the rule if each score after its first stands to some earlier score of the unit
    in a ratio, current / earlier, whose decimal expansion ends and has at most `figures`
    significant figures. 3 / 2 = 1.5 has two, 100 has one, 0.05 has one; 1 / 3 does not end.
    76 / 54 = 1.407... fails.

    Parameters:
        numerators, denominators: shape (units, unit_size), whole numbers above 0: the scores as
            exact fractions, in the order in which they were given. Integer arrays; or arrays of
            Python's whole numbers, which may have any size.
        figures: 1, 2 or 3.

    Returns:
        Shape (units,). A unit of one score follows the rule. The fractions need not be in lowest
        terms.

    A million scores take a few seconds, a unit with numbers of 2^31 and more some microseconds in
    addition. What exceeds 64 bits is computed with Python's integers.

    Raises:
        SpreadError: arrays of different or other shape, of numbers that are not whole or not
            above 0; other `figures`.

    >>> follows_ratios([[2, 3], [54, 76], [1, 1]], [[1, 1], [1, 1], [1, 3]], figures=2)
    array([ True, False, False])
    >>> follows_ratios([[10, 15, 20]], [[1, 1, 1]], figures=1)
    array([False])
    """
    over, under = _validate(numerators, denominators, figures)
    small = ((over < SMALL) & (under < SMALL)).all(axis=1)
    result = np.ones(len(over), dtype=bool)
    result[small] = _of_small(over[small].astype(np.int64), under[small].astype(np.int64), figures)
    if not small.all():
        wholes = [*map(_as_wholes, over[~small].tolist(), under[~small].tolist())]
        result[~small] = _of_wholes(wholes, figures)
    return result


def _of_small(over: NDArray[np.int64], under: NDArray[np.int64], figures: int) -> NDArray[np.bool_]:
    units, size = over.shape
    if size < 2:
        return np.ones(units, dtype=bool)
    later, earlier = np.tril_indices(size, -1)  # every pair, by the later score
    first_pairs = np.searchsorted(later, np.arange(1, size))
    result = np.empty(units, dtype=bool)
    for part in chunks(units, 2 * len(later)):
        n, d = over[part], under[part]
        few = _has_few_figures(n[:, later] * d[:, earlier], d[:, later] * n[:, earlier], figures)
        result[part] = np.logical_or.reduceat(few, first_pairs, axis=1).all(axis=1)
    return result


def _as_wholes(over: list[int], under: list[int]) -> list[int]:
    """The scores of a unit times one factor, which makes them whole and leaves their ratios."""
    factor = lcm(*under)
    return [n * (factor // d) for n, d in zip(over, under, strict=True)]


def _of_wholes(units: list[list[int]], figures: int) -> NDArray[np.bool_]:
    fits = np.array([max(unit) < LARGE for unit in units])
    result = np.empty(len(units), dtype=bool)
    if fits.any():
        whole = np.array([unit for unit in units if max(unit) < LARGE], dtype=np.int64)
        result[fits] = _of_small(whole, np.ones_like(whole), figures)
    result[~fits] = [_exactly(unit, figures) for unit in units if max(unit) >= LARGE]
    return result


def _has_few_figures(
    over: NDArray[np.int64], under: NDArray[np.int64], figures: int
) -> NDArray[np.bool_]:
    """Whether over / under is m · 10^k, m below 10^figures.

    All such fractions that 64 bits hold are known. Their quotients are farther apart than a
    rounding error, so that a quotient finds the only one that it may be; whether it is that one is
    then decided in whole numbers.
    """
    common = np.gcd(over, under)
    over, under = over // common, under // common
    known_over, known_under, borders = _round_fractions(figures)
    nearest = np.searchsorted(borders, over / under)
    result: NDArray[np.bool_] = (over == known_over[nearest]) & (under == known_under[nearest])
    return result


@cache
def _round_fractions(
    figures: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """All m · 10^k in lowest terms, m below 10^figures, ascending; and borders between them."""
    numbers = [m for m in range(1, 10**figures) if m % 10]
    fractions = [m * Fraction(10) ** k for m in numbers for k in range(-24, 19)]
    fits = sorted(f for f in fractions if max(f.numerator, f.denominator) < LARGE)
    over = np.array([f.numerator for f in fits], dtype=np.int64)
    under = np.array([f.denominator for f in fits], dtype=np.int64)
    quotients = over / under
    return over, under, (quotients[1:] + quotients[:-1]) / 2


def _exactly(scores: Sequence[int], figures: int) -> bool:
    return all(
        any(_few_figures(Fraction(later, earlier), figures) for earlier in scores[:place])
        for place, later in enumerate(scores)
        if place
    )


def _few_figures(ratio: Fraction, figures: int) -> bool:
    """`_has_few_figures`, of numbers of any size."""
    over, under = ratio.numerator, ratio.denominator
    for prime in (2, 5):
        while under % prime == 0:
            under //= prime
            over *= 10 // prime
    while over % 10 == 0:
        over //= 10
    return under == 1 and over < 10**figures


def _validate(
    numerators: ArrayLike, denominators: ArrayLike, figures: int
) -> tuple[NDArray[Any], NDArray[Any]]:
    over, under = np.asarray(numerators), np.asarray(denominators)
    if over.ndim != 2 or over.shape != under.shape:
        raise SpreadError(
            "numerators and denominators must both have the shape (units, unit size), "
            f"not {over.shape}, {under.shape}"
        )
    if figures not in FIGURES:
        raise SpreadError(f"significant figures are {', '.join(map(str, FIGURES))}, not {figures}")
    for parts in (over, under):
        whole = parts.dtype.kind in "iu" or (
            parts.dtype.kind == "O" and all(isinstance(part, int) for part in parts.flat)
        )
        if parts.size and not (whole and (parts > 0).all()):
            raise SpreadError("numerators and denominators must be whole numbers above 0")
    return over, under


class Typed(NamedTuple):
    """The distinct numbers that were typed, ascending, and which of them each score is."""

    numbers: list[Fraction]
    codes: NDArray[np.int64]  # (scores,)
    as_fractions: NDArray[np.bool_]  # (scores,): typed with a fraction stroke

    def ratios_followed(self, units: NDArray[np.int64], figures: int) -> NDArray[np.bool_]:
        """Which units keep to ratios of so many significant figures; see `follows_ratios`.

        units: (scores,), the unit of each, from 0, in the order in which they were given; every
        unit has a score.
        """
        parts = [
            [number.numerator for number in self.numbers],
            [number.denominator for number in self.numbers],
        ]
        fits = max(map(max, parts), default=0) < LARGE
        kind = np.int64 if fits else object
        over, under = (np.array(part, dtype=kind)[self.codes] for part in parts)
        followed = np.ones(units.max(initial=-1) + 1, dtype=bool)
        for places in by_size(units):
            rows = units[places[:, 0]]
            followed[rows] = follows_ratios(over[places], under[places], figures)
        return followed


def typed(
    texts: NDArray[np.object_],
    scores: NDArray[np.float64],
    exact_number: Callable[[str], Fraction],
) -> Typed:
    """Scores as workers meant them: 1/3 is a third, not its nearest double.

    Parameters:
        texts, scores: shape (n,), what was typed, and the number that was stored for it. A text
            that is no score by today's rules stands for the latter.
        exact_number: the number that a text means; it raises ValueError where it means none.

    Raises:
        ValueError: they are not equally many.

    >>> texts = np.array(["1/2", ".5", "3"], dtype=object)
    >>> numbers = typed(texts, np.array([0.5, 0.5, 3]), Fraction)
    >>> [str(number) for number in numbers.numbers], numbers.codes
    (['1/2', '3'], array([0, 0, 1]))
    """
    stored = dict(zip(texts.tolist(), scores.tolist(), strict=True))  # each text is read once
    exact = {text: _exact(exact_number, text, score) for text, score in stored.items()}
    numbers = sorted(set(exact.values()))
    places = {number: place for place, number in enumerate(numbers)}
    read = {text: (places[number], _has_stroke(text)) for text, number in exact.items()}
    columns = np.array([read[text] for text in texts.tolist()], dtype=np.int64).reshape(-1, 2)
    return Typed(numbers, columns[:, 0], columns[:, 1].astype(bool))


def _exact(exact_number: Callable[[str], Fraction], text: str, score: float) -> Fraction:
    try:
        return exact_number(text)
    except ValueError:
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
