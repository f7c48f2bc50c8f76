"""Ways to scale: how far gains under each agree with the labels. A part of `schemes`."""

from itertools import product

import numpy as np

from evaluation import pipeline
from evaluation.analyses.analysis import OnProgress
from evaluation.study.data import Floats, StudyData
from evaluation.study.topics import TopicData, rescaled
from magnitudes.agreement.pairs import mean_over_topics, pair_agreement
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
Shares = dict[tuple[str, str], Floats]  # by normalisation and aggregation, NaN: no two levels


def compute(data: StudyData, on_progress: OnProgress) -> Shares:
    """The agreement of gains with labels on each topic, in the order of the figure."""
    normalisations = [name for name in NORMALISATIONS if data.has_anchors or name != "anchors"]
    shares: Shares = {}
    for how in product(normalisations, AGGREGATIONS):
        shares[how] = np.array([_agreement(data, topic, *how) for topic in data.topics])
        on_progress(len(shares) / len(normalisations) / len(AGGREGATIONS))
    return shares


def _agreement(data: StudyData, topic: TopicData, normalisation: str, aggregation: str) -> float:
    try:
        variant = rescaled(topic, normalisation=normalisation, aggregation=aggregation)
    except ScalingError:  # a score that is moved beyond all doubles
        return np.nan
    return pair_agreement(variant.gains, topic.labels, data.levels).overall


def mean(shares: Floats) -> float:
    """NaN where no topic has two levels."""
    return float(mean_over_topics(shares).mean)


def known(shares: Floats) -> Floats:
    return shares[~np.isnan(shares)]


def words(normalisation: str, aggregation: str) -> str:
    return f"{NORMALISATIONS[normalisation][1]} and {AGGREGATIONS[aggregation][1]}"
