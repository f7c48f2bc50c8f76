"""Agreement with labels under other ways to normalise and aggregate (paper, 6.1.2, Figure 8)."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from evaluation import pipeline
from evaluation.analyses.analysis import Analysis
from evaluation.presentation import boxes, plots
from evaluation.presentation.parts import Analysed, Figure, Table, Tell, percent
from evaluation.study.data import Floats, StudyData
from evaluation.study.fits import magnitude
from evaluation.study.label_levels import TOO_MANY, too_many, why_no_pair
from evaluation.study.topics import TopicData, rescaled
from magnitudes.agreement.pairs import mean_over_topics, pair_agreement
from magnitudes.files.words import count
from magnitudes.scaling import ScalingError

# As panels are called, numbered as the paper's equations, and as sentences have it.
NORMALISATIONS = {
    "geometric": ("(3) geometric", "geometric averaging"),
    "median": ("(4) median", "medians of units"),
    "midrange": ("(5) midrange", "midranges of units"),
    "anchors": ("(6) anchors", "the anchors"),
}
# In the order and with the letters of the figure, and as sentences have it.
AGGREGATIONS = {
    "median": ("M", "median"),
    "geometric": ("gm", "geometric mean"),
    "arithmetic": ("μ", "mean"),
}
USUAL = (pipeline.NORMALISATION, pipeline.AGGREGATION)
BOX = ("normalisation", "aggregation", "n", "low", "q1", "median", "q3", "high", "mean")


class Scheme(NamedTuple):
    """One way to get gains, and the agreement of these with labels on each topic."""

    normalisation: str
    aggregation: str
    shares: Floats  # (topics,), NaN where a topic has no two levels

    @property
    def words(self) -> str:
        return f"{NORMALISATIONS[self.normalisation][1]} and {AGGREGATIONS[self.aggregation][1]}"

    @property
    def known(self) -> Floats:
        return self.shares[~np.isnan(self.shares)]

    @property
    def mean(self) -> float:
        """NaN where no topic has two levels."""
        return float(mean_over_topics(self.shares).mean)


class Mean(NamedTuple):
    """The agreement under one scheme over topics."""

    normalisation: str
    aggregation: str
    mean: float
    topics: int
    smallest: float
    largest: float


@dataclass(frozen=True)
class Found:
    """All schemes, in the order of the figure."""

    schemes: list[Scheme]
    query_ids: list[str]

    @property
    def usual(self) -> Scheme:
        """What this study uses."""
        return next(scheme for scheme in self.schemes if scheme[:2] == USUAL)

    @property
    def means(self) -> list[Mean]:
        """Those with a topic, the highest mean first."""
        known = [scheme for scheme in self.schemes if scheme.known.size]
        return [
            Mean(*scheme[:2], scheme.mean, len(shares), shares.min(), shares.max())
            for scheme in sorted(known, key=lambda scheme: -scheme.mean)
            for shares in [scheme.known]
        ]


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Gains under each normalisation and three aggregators, each compared with the labels."""
    if not data.levels:
        return Analysed(["No judged document has a label: there is nothing to agree with."])
    counted = data.with_zeros
    if len(counted.levels) > TOO_MANY:
        return Analysed([too_many(data)])
    found = compute(counted, tell)
    if not found.means:
        several = "No topic has two judged documents with different labels."
        return Analysed([why_no_pair(data, several)])
    return Analysed([says(found)], [figure(found), *tables(found)], numbers(found))


def numbers(found: Found) -> dict[str, str]:
    """Which way agrees most, if one does more than another."""
    most, least = found.means[0], found.means[-1]
    if most.mean == least.mean:
        return {}
    normalisation = NORMALISATIONS[most.normalisation][1]
    return {
        "most_normalisation": f"{normalisation[0].upper()}{normalisation[1:]}",
        "most_aggregation": AGGREGATIONS[most.aggregation][1],
    }


def compute(data: StudyData, tell: Tell) -> Found:
    schemes = []
    normalisations = [name for name in NORMALISATIONS if data.has_anchors or name != "anchors"]
    for how in product(normalisations, AGGREGATIONS):
        shares = [_agreement(data, topic, *how) for topic in data.topics]
        schemes.append(Scheme(*how, np.array(shares)))
        tell(len(schemes) / len(normalisations) / len(AGGREGATIONS))
    return Found(schemes, [topic.query_id for topic in data.topics])


def _agreement(data: StudyData, topic: TopicData, normalisation: str, aggregation: str) -> float:
    try:
        variant = rescaled(topic, normalisation=normalisation, aggregation=aggregation)
    except ScalingError:  # a score that is moved beyond all doubles
        return np.nan
    return pair_agreement(variant.gains, topic.labels, data.levels).overall


def says(found: Found) -> str:
    known, usual = [scheme for scheme in found.schemes if scheme.known.size], found.usual
    best = max(known, key=lambda scheme: scheme.mean)
    worst = min(known, key=lambda scheme: scheme.mean)
    others = (
        f"Other ways to scale agree with the labels on {percent(worst.mean, 1)} to "
        f"{percent(best.mean, 1)} of pairs of documents, the study's own on "
        f"{percent(usual.mean, 1)}. Least: {worst.words}; most: {best.words}"
        if best.mean > worst.mean
        else f"All ways to scale agree with the labels on {percent(usual.mean, 1)} of pairs of "
        "documents"
    )
    return (
        f"{others}. The study's own are {usual.words}; means are over "
        f"{count(len(usual.known), 'topic')}. In the paper, geometric averaging with median or "
        "geometric mean agreed best."
    )


def figure(found: Found) -> Figure:
    schemes = found.schemes
    panels = [NORMALISATIONS[scheme.normalisation][0] for scheme in schemes]
    letters = [AGGREGATIONS[scheme.aggregation][0] for scheme in schemes]
    about = [
        {"normalisation": panel, "aggregation": letter, "name": scheme.words}
        for panel, letter, scheme in zip(panels, letters, schemes, strict=True)
    ]
    shares = np.concatenate([scheme.known for scheme in schemes])
    groups = np.repeat(np.arange(len(schemes)), [len(scheme.known) for scheme in schemes])
    rows = boxes.rows(shares, groups, about)
    domain = (min(0.5, float(shares.min())), 1)
    across = plots.names("aggregation", list(dict.fromkeys(letters)))
    chart = plots.boxes("boxes", across, "", means=True, domain=domain, percent=True)
    used = {row["normalisation"] for row in rows}
    order = [panel for panel in dict.fromkeys(panels) if panel in used]
    return Figure(
        "boxes",
        f"With geometric averaging and median, gains and labels agree on "
        f"{percent(found.usual.mean)} of pairs",
        "Boxes over topics, diamonds: their means; M: median, gm: geometric mean, μ: mean.",
        plots.panels(chart, "normalisation", order, height=130),
        {"boxes": rows},
        tuple("topics" if name == "n" else name for name in BOX),
        [tuple(row[name] for name in BOX) for row in rows if "n" in row],
        "Figure 8",
        reading="The share of pairs of documents whose gains are in the labels' order. A panel for "
        "each normalisation, numbered as the paper's equations. Look for boxes that are lower than "
        "the first.",
    )


def tables(found: Found) -> Iterator[Table]:
    yield Table(
        "means",
        "Mean agreement of gains with labels, by normalisation and aggregation",
        Mean,
        found.means,
        (
            "Over topics, the share of pairs of documents with different labels whose gains are in "
            "the labels' order.",
            "Within a unit no normalisation changes the order of documents: agreement of units is "
            "the same under all.",
        ),
        "Figure 8",
    )
    names = [f"{by}_{AGGREGATIONS[how][0]}" for by, how, _ in found.schemes]
    yield Table(
        "topics",
        "Agreement of gains with labels by topic, under each normalisation and aggregation",
        ("query_id", *names),
        list(zip(found.query_ids, *(scheme.shares for scheme in found.schemes), strict=True)),
        (
            "M: median, gm: geometric mean, μ: arithmetic mean.",
            *(
                [
                    "A dash: a topic without two levels, or a score that the normalisation moves "
                    "beyond all numbers."
                ]
                if any(np.isnan(scheme.shares).any() for scheme in found.schemes)
                else []
            ),
        ),
    )


ANALYSIS = Analysis(
    "schemes",
    "Would other ways to scale agree more?",
    analyse,
    fits=magnitude,
    counts_unlabelled=True,
)
