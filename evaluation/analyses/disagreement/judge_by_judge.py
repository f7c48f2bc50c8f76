"""One judge's order of documents, measured by another's labels.

Demeester and others (WSDM 2014), section 6.1, Table 2. A part of the analysis `robustness`.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from evaluation.presentation import plots, published
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import OF_PAPER, Figure, Result, Table, amount, number
from evaluation.study.levels import best_two, first_two, source, two_judges, why_not
from magnitudes.agreement.opinions import Opinions
from magnitudes.comparison import ComparisonError
from magnitudes.comparison.judge_robustness import judge_robustness
from magnitudes.files.words import count

PAIR, FIRST = "two judges", "two labels"
WHOSE = {PAIR: "the two judges who share most documents", FIRST: "two labels of each document"}
KINDS = {PAIR: ("circle", plots.MARK), FIRST: ("diamond", plots.OTHER)}
PAPER = {"paper's_mean": published.values("mutual"), "paper's_sd": published.values("mutual_sd")}
ERROR = "_error"
IN_PAPER = published.quote(
    "The paper has AP {mutual.AP}, GAP(1/3) {mutual.GAP(1/3)} and nDCG(1/3, log2) {mutual.nDCG"
    "(1/3, log2)}, of two experts who judged all results of {judged_twice} topics."
)


def analyse(opinions: Opinions) -> Result:
    """Judge 1's order by judge 0's labels, by whose the two labels are."""
    shared: dict[str, float] = {}  # documents of both, averaged over topics
    rows: list[tuple[Any, ...]] = []
    fault, who = "", {PAIR: lambda: best_two(opinions).opinions, FIRST: lambda: first_two(opinions)}
    if why_not(opinions):
        fault, who = "without the anchors no document has the opinions of two judges", {}
    for labels_of, two in who.items():
        try:
            shared[labels_of], of_two = _measured(labels_of, two())
            rows += of_two
        except ComparisonError:
            fault = "weights come from other topics than the measured one, and there is but one"
    values = Frame.of_rows("measure labels_of topics without_top_level mean sd", rows)
    sentences = [*(_sentence(values, *each) for each in shared.items()), *[IN_PAPER] * bool(shared)]
    if fault:
        sentences.append(f"Measures of one judge by another cannot be computed: {fault}.")
    return Result(
        sentences,
        [_figure(values, shared), _table(values)] if shared else [],
        _numbers(values),
    )


def _numbers(values: Frame) -> dict[str, float]:
    """Means over topics and, by a name that ends so, their standard errors."""
    numbers: dict[str, float] = {}
    for row in values:
        name = f"{row.measure} of {row.labels_of}"
        numbers |= {name: row.mean, f"{name}{ERROR}": row.sd / np.sqrt(row.topics)}
    return numbers


def _measured(labels_of: str, two: Opinions) -> tuple[float, list[tuple[Any, ...]]]:
    """Documents of both, averaged over topics; and the measures.

    without_top_level: topics in which the reference has no document of the top level.

    Raises:
        ComparisonError: there is only one topic.
    """
    items = two_judges(two)
    topics = np.unique(two.topic_of_item[items])
    best = two.of_judge(0) == two.n_levels - 1
    empty = len(topics) - len(np.unique(two.topic_of_item[items & best]))
    measured = judge_robustness(two, 0, 1)
    about = labels_of, len(measured.topics), empty
    columns = measured.names, measured.mean.tolist(), measured.sd.tolist()
    rows = [(name, *about, mean, sd) for name, mean, sd in zip(*columns, strict=True)]
    return float(items.sum() / len(topics)), rows


def _ends(values: Frame, labels_of: str) -> Any:
    """The measures with the lowest and the highest mean."""
    known = values.where((values["labels_of"] == labels_of) & ~np.isnan(values["mean"]))
    [lowest], [highest] = (known.sorted_by("mean", descending=d).first(1) for d in (False, True))
    return lowest, highest


def _sentence(values: Frame, labels_of: str, shared: float) -> str:
    worst, best = _ends(values, labels_of)
    sentence = (
        f"Of {WHOSE[labels_of]} ({amount(shared, 'document')} averaged over "
        f"{count(worst.topics, 'topic')}), {worst.measure} is {number(worst.mean)} and "
        f"{best.measure} {number(best.mean)}."
    )
    if not worst.without_top_level:
        return sentence
    topics = count(worst.without_top_level, "topic")
    return f"{sentence} In {topics} the reference has no document of the top level, and AP is 0."


def _figure(values: Frame, shared: Mapping[str, float]) -> Figure:
    rows = values.where(~np.isnan(values["mean"])).of_columns("measure", "labels_of", "mean", "sd")
    lowest, highest = _ends(values, max(shared, key=lambda labels_of: shared[labels_of]))
    order, half = list(dict.fromkeys(rows["measure"])), np.nan_to_num(rows["sd"])
    low, high = np.maximum(rows["mean"] - half, 0.0), np.minimum(rows["mean"] + half, 1.0)
    marks = rows.with_columns(half=half, low=low, high=high)
    title, down, ends = "mean over topics", plots.names("measure", order), {"domain": (0, 1)}
    chart = plots.intervals_of_kinds(ROWS, "mean", title, down, "labels_of", KINDS, **ends)
    diamonds = plots.paper(plots.axis("mean", title, domain=(0, 1)), down)
    of_paper = [
        {"measure": name, "mean": mean, "name": f"the paper, {name}: {mean:.2f}"}
        for name, mean in PAPER["paper's_mean"].items()
        if name in order
    ]
    brief_lowest, brief_highest = (each.measure.split("(")[0] for each in (lowest, highest))
    return rows.figure(
        "measures",
        "One judge's order of documents, measured by another judge's labels, has "
        f"{brief_lowest} {number(lowest.mean)} and {brief_highest} {number(highest.mean)}",
        "Means over topics, with one standard deviation as far as it lies within 0 and 1.",
        plots.sized(plots.layer(chart, diamonds), 30 * len(order), plots.WIDTH - 130),
        data={
            ROWS: marks.marks("{measure}, {labels_of}: {mean:.2f} ± {half:.2f}"),
            OF_PAPER: of_paper,
        },
        source=source("Table 2"),
        reading="Documents are ordered by the second judge's levels and measured by the first "
        "one's; all would be 1 if judges agreed. Measures that are high and vary little depend "
        "least on who judged.",
    )


def _table(values: Frame) -> Table:
    papers = {name: [*map(paper.get, values["measure"])] for name, paper in PAPER.items()}
    return values.with_columns(**papers).table(
        "robustness",
        "One judge's order, measured by another's labels",
        f"{PAIR}: those who share most documents of a topic. {FIRST}: the first label of each "
        "document, and the next one by somebody else. The first judge's labels are the "
        "reference, the second judge's levels the order; documents of one level stay in the "
        "order of the pool. AP: at the top level. exp: gains 2^level - 1; 1/N: weights of the "
        "other topics. log2, zipf: discounts 1 / log2(rank + 1) and 1 / rank. without top "
        "level: topics in which the reference has no document of it, where AP is 0.",
        "A dash: the paper does not have the measure, a reference has a level that no other "
        "topic has, or there is no deviation.",
        source=source("Table 2"),
    )
