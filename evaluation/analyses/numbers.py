"""Which numbers workers use: as ratios or not, how round, how extreme (paper, 6.1.1 and 9.2)."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from evaluation.analyses import plots
from evaluation.analyses.data import StudyData
from evaluation.analyses.extremes import extremes
from evaluation.analyses.parts import Analysed, Figure, Table, Tell, percent
from evaluation.analyses.typed import Typed, typed, written
from trec.words import count

FIGURES = (1, 2, 3)
PAPER = {1: (3591, 7059), 2: (4806, 7059)}
MOST_USED = 20


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """The ratio rule, the numbers that are used most, and the pairs and units farthest apart."""
    if not data.raw.size:
        return Analysed(["No unit is completed yet: there is no number."])
    given = typed(data)
    followed = [int(given.ratios_followed(data.study.unit_size, n).sum()) for n in FIGURES]
    shares = [n / data.units for n in followed]
    tell(0.5)
    said, extreme_parts = extremes(data)
    return Analysed(
        [
            f"In {percent(shares[0])} of {count(data.units, 'unit')} each score after the first "
            "stands to an earlier one in a ratio of one significant figure, as 2 or 300 times; in "
            f"{percent(shares[1])} in one of at most two figures. The paper found 51% and 68% of "
            "7,059.",
            _used(given),
            said,
        ],
        [_rule(followed, data.units), _most_used(data, given), _kinds(given), *extreme_parts],
        {"one_figure": shares[0], "two_figures": shares[1]},
    )


def _used(given: Typed) -> str:
    counts = np.sort(np.bincount(given.codes))[::-1]
    said = f"Workers used {count(len(counts), 'different number')}"
    if len(counts) <= 5:
        return f"{said}."
    return (
        f"{said}; the five used most are {percent(counts[:5].sum() / counts.sum())} of all scores."
    )


def _rule(followed: list[int], units: int) -> Table:
    paper = [PAPER.get(figures) for figures in FIGURES]
    return Table(
        "rule",
        "Units that keep to ratios of few significant figures",
        ("figures", "units", "of", "share", "share_in_paper"),
        [
            (figures, n, units, n / units, found[0] / found[1] if found else None)
            for figures, n, found in zip(FIGURES, followed, paper, strict=True)
        ],
        (
            "A unit counts if each of its scores after the first, over some earlier score of the "
            "unit, is a decimal that ends and has at most so many significant figures. Scores are "
            "taken as typed: 1/3 is a third. The paper does not give three figures.",
        ),
        "section 9.2",
    )


def _most_used(data: StudyData, given: Typed) -> Figure:
    counts = np.bincount(given.codes)
    order = np.lexsort((np.arange(len(counts)), -counts))[:MOST_USED]
    used = np.unique(given.codes * len(data.workers) + data.worker_of) // len(data.workers)
    workers = np.bincount(used)
    rows = [
        (written(given.numbers[code]), int(counts[code]), share, int(workers[code]))
        for code, share in zip(order.tolist(), counts[order] / len(given.codes), strict=True)
    ]
    names = [row[0] for row in rows]
    bars = plots.on("numbers").mark_bar(color=plots.MARK, aria=False)
    across = plots.x("share", "share of all scores", domain=(0, rows[0][2]), format="%")
    return Figure(
        "most-used",
        f"The number used most is {names[0]}: {percent(rows[0][2], 1)} of all scores",
        f"The {len(rows)} numbers that were typed most often. Look for numbers that are not round "
        "among them. The data also say how many workers used each.",
        plots.sized(bars.encode(x=across, y=plots.down("number", names)), 17 * len(rows)),
        {"numbers": [{"number": row[0], "share": row[2]} for row in rows]},
        ("number", "scores", "share", "workers"),
        rows,
        "section 4.2",
    )


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


def _kinds(given: Typed) -> Table:
    counts = np.bincount(given.codes)
    rows = []
    for name, holds in KINDS.items():
        which = np.array([holds(value) for value in given.numbers])
        rows.append((name, int(which.sum()), int(counts[which].sum())))
    strokes = given.as_fractions
    rows.append(("written as a fraction", len(np.unique(given.codes[strokes])), int(strokes.sum())))
    return Table(
        "kinds",
        f"Kinds of numbers among {count(len(given.codes), 'score')}",
        ("numbers", "different", "scores", "share"),
        [(*row, row[2] / len(given.codes)) for row in rows],
        ("A number may be of more than one kind.",),
    )
