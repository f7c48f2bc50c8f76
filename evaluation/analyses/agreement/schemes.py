"""Agreement with labels under other ways to normalise and aggregate (paper, 6.1.2, Figure 8)."""

from itertools import product
from typing import NamedTuple

import numpy as np

from evaluation import pipeline
from evaluation.agreement.pairs import mean_over_topics, pair_agreement
from evaluation.analyses.analysis import Analysis
from evaluation.analyses.study import variants
from evaluation.analyses.study.data import Floats, StudyData, TopicData
from evaluation.analyses.study.fits import magnitude
from evaluation.analyses.study.level_groups import TOO_MANY, too_many
from evaluation.analyses.telling import boxes as boxing
from evaluation.analyses.telling import plots
from evaluation.analyses.telling.parts import Analysed, Figure, Table, Tell, percent
from evaluation.scaling import ScalingError
from trec.words import count

# Equations (3) to (6); the aggregators in the order and with the letters of the figure.
NORMALISATIONS = {
    "geometric": "(3) geometric",
    "median": "(4) median",
    "midrange": "(5) midrange",
    "anchors": "(6) anchors",
}
AGGREGATIONS = {"median": "M", "geometric": "gm", "arithmetic": "μ"}
USUAL = (pipeline.NORMALISATION, pipeline.AGGREGATION)


class Scheme(NamedTuple):
    """One way to get gains, and the agreement of these with labels on each topic."""

    normalisation: str
    aggregation: str
    shares: Floats  # (topics,), NaN where a topic has no two levels

    @property
    def mean(self) -> float:
        return float(mean_over_topics(self.shares).mean)

    @property
    def known(self) -> Floats:
        return self.shares[~np.isnan(self.shares)]


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Gains under four normalisations and three aggregators, each compared with the labels."""
    if not data.levels:
        return Analysed(["No judged document has a label: there is nothing to agree with."])
    if len(data.levels) > TOO_MANY:
        return Analysed([too_many(data)])
    found = []
    for done, (normalisation, aggregation) in enumerate(product(NORMALISATIONS, AGGREGATIONS)):
        shares = [_agreement(data, topic, normalisation, aggregation) for topic in data.topics]
        found.append(Scheme(normalisation, aggregation, np.array(shares)))
        tell((done + 1) / 12)
    if not any(one.known.size for one in found):
        return Analysed(["No topic has two judged documents with different labels."])
    return Analysed(_says(found), [_figure(found), _means(found), _by_topic(data, found)])


def _agreement(data: StudyData, topic: TopicData, normalisation: str, aggregation: str) -> float:
    try:
        found = variants.gains(topic, normalisation=normalisation, aggregation=aggregation)
    except ScalingError:  # a score that is moved beyond all doubles
        return np.nan
    return pair_agreement(found.gains, topic.labels, data.levels).overall


def _says(found: list[Scheme]) -> list[str]:
    best = max(found, key=lambda one: np.nan_to_num(one.mean, nan=-1))
    worst = min(found, key=lambda one: np.nan_to_num(one.mean, nan=2))
    (usual,) = (one for one in found if one[:2] == USUAL)
    others = (
        f"The highest mean of all is {percent(best.mean, 1)} ({_words(best)}), the lowest "
        f"{percent(worst.mean, 1)} ({_words(worst)})."
        if best.mean > worst.mean
        else "All others agree as much."
    )
    return [
        f"On {count(len(usual.known), 'topic')}, gains by {_words(usual)}, which this study uses, "
        f"agree with the labels on {percent(usual.mean, 1)} of pairs of documents in the mean. "
        f"{others} In the paper, geometric averaging with "
        "median or geometric mean agreed best."
    ]


def _words(one: Scheme) -> str:
    normalisers = {
        "geometric": "geometric averaging",
        "median": "medians of units",
        "midrange": "midranges of units",
        "anchors": "the anchors",
    }
    aggregators = {"median": "median", "geometric": "geometric mean", "arithmetic": "mean"}
    return f"{normalisers[one.normalisation]} and {aggregators[one.aggregation]}"


def _figure(found: list[Scheme]) -> Figure:
    (usual,) = (one for one in found if one[:2] == USUAL)
    about = [
        {
            "normalisation": NORMALISATIONS[one.normalisation],
            "aggregation": AGGREGATIONS[one.aggregation],
            "name": _words(one),
        }
        for one in found
    ]
    groups = np.repeat(np.arange(len(found)), [len(one.known) for one in found])
    values = np.concatenate([one.known for one in found])
    low = min(0.5, float(values.min()))
    rows = boxing.rows(values, groups, about)
    names = [name for name in NORMALISATIONS.values() if any(name in row.values() for row in rows)]
    return Figure(
        "boxes",
        f"With geometric averaging and median, gains and labels agree on {percent(usual.mean)} of "
        "pairs",
        "Boxes over topics, diamonds their means: the share of pairs of documents whose gains are "
        "in the labels' order. One panel for each normalisation, numbered as the paper's "
        "equations; M: median, gm: geometric mean, μ: arithmetic mean. Look for boxes that are "
        "lower than the first.",
        plots.panels(
            plots.boxes(
                "boxes",
                plots.category("aggregation", list(AGGREGATIONS.values())),
                "",
                means=True,
                domain=(low, 1),
                format="%",
            ),
            "normalisation",
            names,
            columns=2,
            height=130,
        ),
        {"boxes": rows},
        ("normalisation", "aggregation", "topics", "low", "q1", "median", "q3", "high", "mean"),
        [
            (
                row["normalisation"],
                row["aggregation"],
                *(row[name] for name in ("n", "low", "q1", "median", "q3", "high", "mean")),
            )
            for row in rows
            if "median" in row
        ],
        "Figure 8",
    )


def _means(found: list[Scheme]) -> Table:
    return Table(
        "means",
        "Mean agreement of gains with labels, by normalisation and aggregation",
        ("normalisation", "aggregation", "mean", "topics", "smallest", "largest"),
        [
            (*one[:2], one.mean, len(one.known), one.known.min(), one.known.max())
            for one in sorted(found, key=lambda one: -np.nan_to_num(one.mean))
            if one.known.size
        ],
        (
            "Over topics, the share of pairs of documents with different labels whose gains are in "
            "the labels' order.",
            "Within a unit no normalisation changes the order of documents: agreement of units is "
            "the same under all.",
        ),
        "Figure 8",
    )


def _by_topic(data: StudyData, found: list[Scheme]) -> Table:
    return Table(
        "topics",
        "Agreement of gains with labels by topic, under each normalisation and aggregation",
        ("query_id", *(f"{one.normalisation}_{AGGREGATIONS[one.aggregation]}" for one in found)),
        [
            (topic.query_id, *(float(one.shares[place]) for one in found))
            for place, topic in enumerate(data.topics)
        ],
        (
            "M: median, gm: geometric mean, μ: arithmetic mean. A dash: a topic without two "
            "levels, or a score that the normalisation moves beyond all numbers.",
        ),
    )


ANALYSIS = Analysis("schemes", "Would other ways to scale agree more?", analyse, fits=magnitude)
