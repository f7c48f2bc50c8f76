"""Agreement with labels under other ways to normalise and aggregate (paper, 6.1.2, Figure 8).

**Shows** how often gains are in the labels' order under four normalisations and three aggregators.

**Computed** as above, by topic; boxes over topics. Within a unit no normalisation changes the
order.

**Source**: section 6.1.2, Figure 8.
"""

import numpy as np

from evaluation.analyses.agreement import scaling_schemes
from evaluation.analyses.agreement.scaling_schemes import (
    AGGREGATIONS,
    NORMALISATIONS,
    USUAL,
    Shares,
    known,
    mean,
    words,
)
from evaluation.analyses.analysis import OnProgress, analysis
from evaluation.presentation import boxes, plots
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import Figure, Result, Table, percent
from evaluation.study.applies_to import magnitude
from evaluation.study.data import StudyData
from evaluation.study.label_levels import TOO_MANY, too_many, why_no_pair
from magnitudes.files.words import count

BOX = ("normalisation", "aggregation", "n", "low", "q1", "median", "q3", "high", "mean")
UNDEFINED = (
    "A dash: a topic without two levels, or a score that the normalisation moves beyond all "
    "numbers."
)


@analysis("Would other ways to scale agree more?", applies_to=magnitude, counts_unlabelled=True)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """Gains under each normalisation and three aggregators, each compared with the labels."""
    if not data.levels:
        return Result(["No judged document has a label: there is nothing to agree with."])
    counted = data.with_zeros
    if len(counted.levels) > TOO_MANY:
        return Result([too_many(data)])
    shares = scaling_schemes.compute(counted, on_progress)
    means = _means(shares)
    if not len(means):
        several = "No topic has two judged documents with different labels."
        return Result([why_no_pair(data, several)])
    tables = _table_of_means(means), _table_of_topics(counted, shares)
    most, *_ = means
    numbers: dict[str, str] = {}
    if most.mean != means["mean"][-1]:
        normalisation = NORMALISATIONS[most.normalisation][1]
        numbers["most_normalisation"] = f"{normalisation[0].upper()}{normalisation[1:]}"
        numbers["most_aggregation"] = AGGREGATIONS[most.aggregation][1]
    return Result([_sentence(shares)], [_figure(shares), *tables], numbers)


def _means(shares: Shares) -> Frame:
    """Of those with a topic, the highest mean first."""
    rows = [
        (*how, mean(each), len(some), some.min(), some.max())
        for how, each in shares.items()
        if (some := known(each)).size
    ]
    frame = Frame.of_rows("normalisation aggregation mean topics smallest largest", rows)
    return frame.sorted_by("mean", descending=True)


def _sentence(shares: Shares) -> str:
    means = {how: mean(each) for how, each in shares.items() if known(each).size}
    best, worst, usual = (
        max(means, key=means.__getitem__),
        min(means, key=means.__getitem__),
        mean(shares[USUAL]),
    )
    agree = f"All ways to scale agree with the labels on {percent(usual, 1)} of pairs of documents"
    if means[best] > means[worst]:
        agree = (
            f"Other ways to scale agree with the labels on {percent(means[worst], 1)} to "
            f"{percent(means[best], 1)} of pairs of documents, the study's own on "
            f"{percent(usual, 1)}. Least: {words(*worst)}; most: {words(*best)}"
        )
    return (
        f"{agree}. The study's own are {words(*USUAL)}; means are over "
        f"{count(len(known(shares[USUAL])), 'topic')}. In the paper, geometric averaging with "
        "median or geometric mean agreed best."
    )


def _figure(shares: Shares) -> Figure:
    about = [
        {"normalisation": NORMALISATIONS[by][0], "aggregation": AGGREGATIONS[how][0]}
        | {"name": words(by, how)}
        for by, how in shares
    ]
    defined = [known(each) for each in shares.values()]
    values, groups = (
        np.concatenate(defined),
        np.repeat(np.arange(len(defined)), [*map(len, defined)]),
    )
    drawn = boxes.rows(values, groups, about)
    letters = list(dict.fromkeys(group["aggregation"] for group in about))
    panels = list(dict.fromkeys(row["normalisation"] for row in drawn if "n" in row))
    domain = (min(0.5, float(values.min())), 1)
    across = plots.names("aggregation", letters)
    chart = plots.boxes(ROWS, across, "", means=True, domain=domain, percent=True)
    rows = [tuple(row[name] for name in BOX) for row in drawn if "n" in row]
    return Frame.of_rows(("topics" if name == "n" else name for name in BOX), rows).figure(
        "boxes",
        f"With geometric averaging and median, gains and labels agree on "
        f"{percent(mean(shares[USUAL]))} of pairs",
        "Boxes over topics, diamonds: their means; M: median, gm: geometric mean, μ: mean.",
        plots.panels(chart, "normalisation", panels, height=130),
        data={ROWS: drawn},
        source="Figure 8",
        reading="The share of pairs of documents whose gains are in the labels' order. A panel for "
        "each normalisation, numbered as the paper's equations. Look for boxes that are lower than "
        "the first.",
    )


def _table_of_means(means: Frame) -> Table:
    return means.table(
        "means",
        "Mean agreement of gains with labels, by normalisation and aggregation",
        "Over topics, the share of pairs of documents with different labels whose gains are in "
        "the labels' order.",
        "Within a unit no normalisation changes the order of documents: agreement of units is "
        "the same under all.",
        source="Figure 8",
    )


def _table_of_topics(data: StudyData, shares: Shares) -> Table:
    columns = {f"{by}_{AGGREGATIONS[how][0]}": each for (by, how), each in shares.items()}
    return Frame.of(query_id=[topic.query_id for topic in data.topics], **columns).table(
        "topics",
        "Agreement of gains with labels by topic, under each normalisation and aggregation",
        "M: median, gm: geometric mean, μ: arithmetic mean.",
        UNDEFINED if any(np.isnan(each).any() for each in shares.values()) else "",
    )
