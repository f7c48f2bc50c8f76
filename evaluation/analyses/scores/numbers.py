"""Which numbers workers use: as ratios or not, how round, how extreme (paper, 6.1.1 and 9.2)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from evaluation.analyses.analysis import Analysis
from evaluation.analyses.scores import extremes
from evaluation.presentation import plots, published
from evaluation.presentation.parts import Analysed, Figure, Table, Tell, drawn, percent
from evaluation.study.data import Ints, StudyData
from evaluation.study.fits import magnitude
from magnitudes.files.words import count
from magnitudes.spread.ratio_rule import Typed, written

FIGURES = (1, 2, 3)
MOST_USED = 20


def _figures(value: Fraction) -> int:
    """The digits of a decimal that ends from its first to its last that is not 0; else 0.

    >>> [_figures(Fraction(text)) for text in ("200", "0.015", "101", "1/3")]
    [1, 2, 3, 0]
    """
    under, whole = value.denominator, value.numerator
    for prime in (2, 5):
        while under % prime == 0:
            under //= prime
            whole *= 10 // prime
    return len(str(whole).rstrip("0")) if under == 1 else 0


KINDS: dict[str, Callable[[Fraction], bool]] = {
    "whole numbers": lambda value: value.denominator == 1,
    "below 1": lambda value: value < 1,
    "one significant figure": lambda value: _figures(value) == 1,
    "two significant figures": lambda value: _figures(value) == 2,
    "three or more": lambda value: _figures(value) > 2,
    "decimals without end": lambda value: _figures(value) == 0,
}


class Rule(NamedTuple):
    """Units that keep to ratios of so many significant figures, and their share in the paper."""

    figures: int
    units: int
    of: int
    share: float
    share_in_paper: float | None


class Used(NamedTuple):
    """How often a number was typed, and by how many workers."""

    number: str
    scores: int
    share: float
    workers: int


class Kind(NamedTuple):
    """How many different numbers, and how many scores, are of a kind."""

    numbers: str
    different: int
    scores: int
    share: float


@dataclass(frozen=True)
class Found:
    """The ratio rule, the numbers that are used most, first, and kinds of numbers."""

    rules: list[Rule]
    used: list[Used]
    different: int  # numbers
    scores: int
    kinds: list[Kind]


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """The ratio rule, the numbers that are used most, and the pairs and units farthest apart."""
    if not data.judgments.scores.size:
        return Analysed(["No unit is completed yet: there is no number."])
    found = compute(data)
    tell(0.5)
    far = extremes.compute(data)
    one_figure, two_figures, _ = (rule.share for rule in found.rules)
    return Analysed(
        [*says(found), extremes.says(far)],
        [_rules(found), _most_used(found), _kinds_of(found), *extremes.parts(far)],
        {"one_figure": one_figure, "two_figures": two_figures},
    )


def compute(data: StudyData) -> Found:
    numbers = data.judgments.typed
    counts = np.bincount(numbers.codes)
    return Found(
        [_rule(data, numbers, figures) for figures in FIGURES],
        _used(data, numbers, counts),
        len(counts),
        len(numbers.codes),
        [*_kinds(numbers, counts)],
    )


def _rule(data: StudyData, numbers: Typed, figures: int) -> Rule:
    units = int(numbers.ratios_followed(data.judgments.units, figures).sum())
    return Rule(
        figures,
        units,
        len(data.units),
        units / len(data.units),
        published.values("ratio_rule").get(str(figures)),
    )


def _used(data: StudyData, numbers: Typed, counts: Ints) -> list[Used]:
    """The numbers that are used most; of equal ones the smallest first."""
    order = np.lexsort((np.arange(len(counts)), -counts))[:MOST_USED].tolist()
    by_worker = np.unique(numbers.codes * len(data.workers) + data.judgments.workers) // len(
        data.workers
    )
    workers = np.bincount(by_worker)
    return [
        Used(
            written(numbers.numbers[code]),
            int(counts[code]),
            float(counts[code] / len(numbers.codes)),
            int(workers[code]),
        )
        for code in order
    ]


def _kinds(numbers: Typed, counts: Ints) -> Iterator[Kind]:
    scores = len(numbers.codes)
    for name, holds in KINDS.items():
        which = np.array([holds(value) for value in numbers.numbers])
        n = int(counts[which].sum())
        yield Kind(name, int(which.sum()), n, n / scores)
    strokes = numbers.as_fractions
    n = int(strokes.sum())
    yield Kind("written as a fraction", len(np.unique(numbers.codes[strokes])), n, n / scores)


def says(found: Found) -> Iterator[str]:
    one_figure, two_figures, _ = (percent(rule.share) for rule in found.rules)
    yield (
        f"{one_figure} of {count(found.rules[0].of, 'unit keeps', 'units keep')} to ratios of one "
        f"significant figure, {two_figures} to at most two "
        + published.quote("(the paper: {ratio_rule.1:.0%} and {ratio_rule.2:.0%}). ")
        + "2 and 300 times are ratios of one figure."
    )
    different = f"Workers used {count(found.different, 'different number')}"
    if found.different <= 5:
        yield f"{different}."
    else:
        most = sum(row.scores for row in found.used[:5])
        yield f"{different}; the five used most are {percent(most / found.scores)} of all scores."


def _rules(found: Found) -> Table:
    return Table(
        "rule",
        "Units that keep to ratios of few significant figures",
        Rule,
        found.rules,
        (
            "A unit counts if each of its scores after the first, over some earlier score of the "
            "unit, is a decimal that ends and has at most so many significant figures. Scores are "
            "taken as typed: 1/3 is a third. The paper does not give three figures.",
        ),
        "section 9.2",
    )


def _most_used(found: Found) -> Figure:
    rows = found.used
    most = rows[0]
    across = plots.axis("share", "share of all scores", domain=(0, most.share), percent=True)
    names = plots.names("number", [row.number for row in rows])
    chart = plots.mark("rect", "numbers", x=across, y=names, size=14)
    return Figure(
        "most-used",
        f"The number used most is {most.number}: {percent(most.share, 1)} of all scores",
        f"The {len(rows)} numbers that were typed most often. Look for numbers that are not round "
        "among them. The data also say how many workers used each.",
        plots.sized(chart, 17 * len(rows)),
        {"numbers": drawn(rows, "number share")},
        Used,
        rows,
        "section 4.2",
    )


def _kinds_of(found: Found) -> Table:
    return Table(
        "kinds",
        f"Kinds of numbers among {count(found.scores, 'score')}",
        Kind,
        found.kinds,
        ("A number may be of more than one kind.",),
    )


ANALYSIS = Analysis(
    "numbers",
    "Do workers use numbers as ratios, and how extreme are they?",
    analyse,
    fits=magnitude,
)
