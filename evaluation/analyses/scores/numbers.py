"""Which numbers workers use: as ratios or not, how round, how extreme (paper, 6.1.1 and 9.2).

**Shows** how many units keep to ratios of one, two, three significant figures; the most frequent
numbers and their kinds; and every topic-document pair and unit whose scores differ by a factor of
10,000 or more, with score as typed, worker, unit and justification of its smallest and its largest.

**Computed**: numbers are exact, as typed: 1/3 is a third. A unit counts if each score after the
first, divided by some earlier score of the unit, is a terminating decimal with at most that many
significant figures. Pairs are compared by normalised scores. The 150 pairs, and units, with the
largest factors are listed.

**Source**: sections 6.1.1 and 9.2.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np

from evaluation.analyses.analysis import OnProgress, analysis
from evaluation.analyses.scores import extremes
from evaluation.presentation import plots, published
from evaluation.presentation.frame import ROWS, Column, Frame
from evaluation.presentation.parts import Figure, Result, Table, percent
from evaluation.study.applies_to import magnitude
from evaluation.study.data import StudyData
from evaluation.study.shares_of_units import of_workers
from magnitudes.files.words import count
from magnitudes.spread.ratio_rule import Typed, written

FIGURES, MOST_USED = (1, 2, 3), 20
TITLE_OF_RULE = "Units that keep to ratios of few significant figures"
NOTE_OF_RULE = (
    "A unit counts if each of its scores after the first, over some earlier score of the unit, is "
    "a decimal that ends and has at most so many significant figures. Scores are taken as typed: "
    "1/3 is a third. The paper does not give three figures."
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


@analysis("Do workers use numbers as ratios, and how extreme are they?", applies_to=magnitude)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """The ratio rule, the numbers that are used most, and the pairs and units farthest apart."""
    if not data.judgments.scores.size:
        return Result(["No unit is completed yet: there is no number."])
    numbers, rules, used = data.judgments.typed, _rules(data), _used(data)
    on_progress(0.5)
    ratios = extremes.within_pairs(data), extremes.within_units(data)
    return Result(
        [*_sentences(rules, used, numbers), extremes.sentence(*ratios)],
        [
            rules.table("rule", TITLE_OF_RULE, NOTE_OF_RULE, source="section 9.2"),
            _most_used(used),
            _kinds(numbers),
            *extremes.parts(data, *ratios),
        ],
        _shares(data),
    )


def _rules(data: StudyData) -> Frame:
    """Units that keep to ratios of so many significant figures, and their share in the paper."""
    typed, of_units = data.judgments.typed, data.judgments.units
    kept = np.array([int(typed.ratios_followed(of_units, n).sum()) for n in FIGURES])
    in_paper = published.values("ratio_rule")
    return Frame.of(
        figures=Column(FIGURES, "significant figures"),
        units=kept,
        of=Column([len(data.units)] * len(FIGURES), "of units"),
        share=kept / len(data.units),
        share_in_paper=Column([in_paper.get(str(n)) for n in FIGURES], "share in the paper"),
    )


def _shares(data: StudyData) -> dict[str, float]:
    """Of units that keep to one significant figure, and to two."""
    typed, of_units = data.judgments.typed, data.judgments.units
    shares: dict[str, float] = {}
    for name, figures in (("one_figure", 1), ("two_figures", 2)):
        shares |= of_workers(name, typed.ratios_followed(of_units, figures), data.units.workers)
    return shares


def _used(data: StudyData) -> Frame:
    """The numbers typed most often, and by how many workers; of equal ones the smallest first."""
    numbers, n_workers = data.judgments.typed, len(data.workers)
    counts = np.bincount(numbers.codes)
    by_worker = np.unique(numbers.codes * n_workers + data.judgments.workers) // n_workers
    most = np.lexsort((np.arange(len(counts)), -counts))[:MOST_USED]
    return Frame.of(
        number=[written(numbers.numbers[code]) for code in most],
        scores=counts[most],
        share=counts[most] / len(numbers.codes),
        workers=np.bincount(by_worker)[most],
    )


def _sentences(rules: Frame, used: Frame, typed: Typed) -> Iterator[str]:
    one_figure, two_figures, _ = map(percent, rules["share"])
    yield (
        f"{one_figure} of {count(int(rules['of'][0]), 'unit keeps', 'units keep')} to ratios of "
        f"one significant figure, {two_figures} to at most two "
        + published.quote("(the paper: {ratio_rule.1:.0%} and {ratio_rule.2:.0%}). ")
        + "2 and 300 times are ratios of one figure."
    )
    most = percent(used["scores"][:5].sum() / len(typed.codes))
    five = f"; the five used most are {most} of all scores" if len(typed.numbers) > 5 else ""
    yield f"Workers used {count(len(typed.numbers), 'different number')}{five}."


def _most_used(used: Frame) -> Figure:
    most, share = used["number"][0], used["share"][0]
    across = plots.axis("share", "share of all scores", domain=(0, share), percent=True)
    names = plots.names("number", used["number"].tolist())
    return used.figure(
        "most-used",
        f"The number used most is {most}: {percent(share, 1)} of all scores",
        f"The {len(used)} numbers that were typed most often. Look for numbers that are not round "
        "among them. The data also say how many workers used each.",
        plots.sized(
            plots.mark("rect", ROWS, x=across, y=names, size=14, named=True), 17 * len(used)
        ),
        label="{number}: {scores:,} scores, {share:.1%}",
        source="section 4.2",
    )


def _kinds(numbers: Typed) -> Table:
    """How many different numbers, and how many scores, are of a kind."""
    counts = np.bincount(numbers.codes)
    kinds = [[holds(value) for value in numbers.numbers] for holds in KINDS.values()]
    as_fraction = numbers.codes[numbers.as_fractions]
    different = [*(sum(which) for which in kinds), len(np.unique(as_fraction))]
    scores = np.array([*(counts[which].sum() for which in kinds), len(as_fraction)])
    return Frame.of(
        numbers=[*KINDS, "written as a fraction"],
        different=Column(different, "different numbers"),
        scores=scores,
        share=scores / counts.sum(),
    ).table(
        "kinds",
        f"Kinds of numbers among {count(int(counts.sum()), 'score')}",
        "A number may be of more than one kind.",
    )
