"""One judge's order of documents, measured by another's labels.

Demeester and others (WSDM 2014), section 6.1, Table 2. A part of the analysis `robustness`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from evaluation.presentation import plots, published
from evaluation.presentation.parts import Figure, Table, amount, drawn, number
from evaluation.study.levels import best_two, first_two, source, two_judges, why_not
from magnitudes.agreement.opinions import Opinions
from magnitudes.comparison import ComparisonError
from magnitudes.comparison.judge_robustness import judge_robustness
from magnitudes.files.words import count

PAIR, FIRST = "two judges", "two labels"
WHOSE = {PAIR: "the two judges who share most documents", FIRST: "two labels of each document"}
KINDS = {PAIR: ("circle", plots.MARK), FIRST: ("diamond", plots.OTHER)}
PAPER = published.values("mutual"), published.values("mutual_sd")
FIELDS = ("measure", "labels_of", "mean", "sd")  # of a Value, in the figure


class Value(NamedTuple):
    """A measure of one judge's order by another's labels, over topics.

    without_top_level: topics in which the reference has no document of the top level.
    """

    measure: str
    labels_of: str
    topics: int
    without_top_level: int
    mean: float
    sd: float

    @property
    def half(self) -> float:
        """Half the length of its line in the figure."""
        return 0.0 if np.isnan(self.sd) else self.sd


class Judged(NamedTuple):
    """The values by whose the two labels are; shared: documents of both, in the mean of topics."""

    labels_of: str
    shared: float
    values: list[Value]

    @property
    def known(self) -> list[Value]:
        return [value for value in self.values if not np.isnan(value.mean)]


@dataclass(frozen=True)
class Found:
    """What could be measured; `fault`: why something could not, or empty."""

    judged: list[Judged]
    fault: str

    @property
    def values(self) -> list[Value]:
        return [value for judged in self.judged for value in judged.values]

    def numbers(self) -> dict[str, float]:
        return {f"{value.measure} of {value.labels_of}": value.mean for value in self.values}


def compute(opinions: Opinions) -> Found:
    if why_not(opinions):
        return Found([], "without the anchors no document has the opinions of two judges")
    judged, fault = [], ""
    for labels_of, two in ((PAIR, best_two(opinions).opinions), (FIRST, first_two(opinions))):
        try:
            judged.append(_judged(labels_of, two))
        except ComparisonError:
            fault = "weights come from other topics than the measured one, and there is but one"
    return Found(judged, fault)


def _judged(labels_of: str, two: Opinions) -> Judged:
    """Judge 1's order by judge 0's labels.

    Raises:
        ComparisonError: there is only one topic.
    """
    items = two_judges(two)
    topics = np.unique(two.topic_of_item[items])
    best = two.of_judge(0) == two.n_levels - 1
    empty = len(topics) - len(np.unique(two.topic_of_item[items & best]))
    robustness = judge_robustness(two, 0, 1)
    columns = (robustness.names, robustness.mean.tolist(), robustness.sd.tolist())
    values = [
        Value(name, labels_of, len(robustness.topics), empty, mean, sd)
        for name, mean, sd in zip(*columns, strict=True)
    ]
    return Judged(labels_of, float(items.sum() / len(topics)), values)


def says(found: Found) -> Iterator[str]:
    for judged in found.judged:
        yield _says(judged)
    if found.judged:
        yield published.quote(
            "The paper has AP {mutual.AP}, GAP(1/3) {mutual.GAP(1/3)} and nDCG(1/3, log2) "
            "{mutual.nDCG(1/3, log2)}, of two experts who judged all results of {judged_twice} "
            "topics."
        )
    if found.fault:
        yield f"Measures of one judge by another cannot be had: {found.fault}."


def _says(judged: Judged) -> str:
    best, worst = (pick(judged.known, key=lambda value: value.mean) for pick in (max, min))
    empty = (
        f" In {count(worst.without_top_level, 'topic')} the reference has no document of the top "
        "level, and AP is 0."
        if worst.without_top_level
        else ""
    )
    return (
        f"Of {WHOSE[judged.labels_of]} ({amount(judged.shared, 'document')} in the mean of "
        f"{count(worst.topics, 'topic')}), {worst.measure} is {number(worst.mean)} and "
        f"{best.measure} {number(best.mean)}.{empty}"
    )


def parts(found: Found) -> list[Figure | Table]:
    """All figures and tables."""
    return [_figure(found), _table(found)] if found.judged else []


def _brief(measure: str) -> str:
    """A measure without its weights and discount."""
    return measure.split("(")[0]


def _figure(found: Found) -> Figure:
    rows = [value for judged in found.judged for value in judged.known]
    main = max(found.judged, key=lambda judged: judged.shared)
    lowest, highest = (pick(main.known, key=lambda value: value.mean) for pick in (min, max))
    order = list(dict.fromkeys(row.measure for row in rows))
    chart = plots.intervals_of_kinds(
        "measures",
        "mean",
        "mean over topics",
        plots.names("measure", order),
        "of",
        KINDS,
        domain=(0, 1),
    )
    return Figure(
        "measures",
        "By another judge's labels one judge's order of documents has "
        f"{_brief(lowest.measure)} {number(lowest.mean)} and {_brief(highest.measure)} "
        f"{number(highest.mean)}",
        "Means over topics, with one standard deviation as far as it lies within 0 and 1.",
        plots.sized(chart, 30 * len(order), plots.WIDTH - 130),
        {"measures": [_mark(row) for row in rows]},
        FIELDS,
        list(map(attrgetter(*FIELDS), rows)),
        source("Table 2"),
        reading="Documents are ordered by the second judge's levels and measured by the first "
        "one's; all would be 1 if judges agreed. Measures that are high and vary little depend "
        "least on who judged.",
    )


def _mark(row: Value) -> dict[str, str | float]:
    """A dot, and a line of one standard deviation that stays within 0 and 1."""
    ends = {"low": max(row.mean - row.half, 0.0), "high": min(row.mean + row.half, 1.0)}
    return drawn([row], "measure mean", _tooltip, of="labels_of")[0] | ends


def _tooltip(row: Value) -> str:
    return f"{row.measure}, {row.labels_of}: {row.mean:.2f} ± {row.half:.2f}"


def _table(found: Found) -> Table:
    rows = [(*value, *(paper.get(value.measure) for paper in PAPER)) for value in found.values]
    return Table(
        "robustness",
        "One judge's order, measured by another's labels",
        (*Value._fields, "paper's_mean", "paper's_sd"),
        rows,
        (
            f"{PAIR}: those who share most documents of a topic. {FIRST}: the first label of each "
            "document, and the next one by somebody else. The first judge's labels are the "
            "reference, the second judge's levels the order; documents of one level stay in the "
            "order of the pool. AP: at the top level. exp: gains 2^level - 1; 1/N: weights of the "
            "other topics. log2, zipf: discounts 1 / log2(rank + 1) and 1 / rank. without top "
            "level: topics in which the reference has no document of it, where AP is 0.",
            "A dash: the paper does not have the measure, a reference has a level that no other "
            "topic has, or there is no deviation.",
        ),
        source("Table 2"),
    )
