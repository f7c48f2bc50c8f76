"""How often numbers of documents are in the order of their labels, by pairs of levels.

Paper, section 6.1.2, Figure 7: of gains, and of another label set.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import scipy

from evaluation.study.data import Floats, Ints, StudyData
from evaluation.study.label_levels import U_SHORT, name_of
from magnitudes.agreement.pairs import mean_over_topics, pair_agreement
from magnitudes.comparison.interval import t_interval

GAINS, EVERY = "gains", "all"
CHANCE = 0.5  # of a pair to be in the order of labels
BELOW_0 = -np.finfo(float).tiny  # the level of U where it counts as 0


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of documents of two levels, or of any two, topic by topic."""

    values: str  # GAINS, or the name of another label set
    levels: str  # the two, or EVERY
    shares: Floats  # (topics,), in order; NaN without a pair
    pairs: Ints  # (topics,)

    @property
    def name(self) -> str:
        return self.levels if self.values == GAINS else self.values

    @cached_property
    def mean(self) -> float:
        return float(mean_over_topics(self.shares).mean)

    @cached_property
    def topics(self) -> int:
        """How many have a pair."""
        return int(np.count_nonzero(self.pairs))

    def numbers(self, name: str, least: int = 0) -> dict[str, float]:
        """The mean over topics, with its t interval from so many topics on."""
        mean, low, high = map(float, t_interval(self.shares[self.pairs > 0]))
        ends = {f"{name}_low": low, f"{name}_high": high} if self.topics >= least else {}
        return {name: mean, **ends}

    @property
    def p_of_chance(self) -> float:
        """Of Student's test that topics have a mean share of one half; NaN of one topic."""
        shares = self.shares[self.pairs > 0]
        varies = len(shares) > 1 and np.ptp(shares) > 0
        return float(scipy.stats.ttest_1samp(shares, CHANCE).pvalue) if varies else np.nan


def gains(data: StudyData) -> Pairs:
    """Of gains, any two levels."""
    counted = data.with_zeros.topics
    return _any_two(GAINS, [t.gains for t in counted], [t.labels for t in counted])


def binary_gains(data: StudyData) -> Pairs:
    """Of gains, levels above 0 against the others."""
    topics = data.topics
    return _any_two(GAINS, [t.gains for t in topics], [_relevant(t.labels) for t in topics])


def without_anchors(data: StudyData) -> Pairs | None:
    """Of gains, but for the anchors, whose order a check forces; None without a pair."""
    if not data.has_anchors:
        return None
    others = np.where(data.documents.is_anchor, np.nan, data.documents.gains)
    labels = [topic.labels for topic in data.with_zeros.topics]
    pairs = _any_two(GAINS, np.split(others, data.offsets[1:-1]), labels)
    return pairs if pairs.topics else None


def label_sets(data: StudyData) -> list[Pairs]:
    """Of each other label set of which there is a pair: both in levels above 0 and others."""
    labels = [_relevant(topic.labels) for topic in data.topics]
    every = [
        _any_two(name, [_relevant(topic.other_labels[name]) for topic in data.topics], labels)
        for name in data.topics[0].other_labels
    ]
    return [pairs for pairs in every if pairs.topics]


def by_levels(data: StudyData) -> Iterator[Pairs]:
    """Of gains, each two levels that a topic has, where there are more than two.

    U is one, just below 0, where it counts as 0.
    """
    counted, gains = data.with_zeros, [topic.gains for topic in data.topics]
    labels = [topic.labels for topic in counted.topics]
    if counted is not data:
        pairs = zip(data.topics, labels, strict=True)
        labels = [np.where(topic.may_be_zero, BELOW_0, at) for topic, at in pairs]
    levels = _levels(np.concatenate(labels)[~np.isnan(np.concatenate(gains))])
    if len(levels) < 3:
        return
    by_topic = [pair_agreement(of, at, levels) for of, at in zip(gains, labels, strict=True)]
    shares, counts = np.stack([t.shares for t in by_topic]), np.stack([t.pairs for t in by_topic])
    names = [U_SHORT if level == BELOW_0 else name_of(level) for level in levels]
    for low, high in combinations(range(len(levels)), 2):
        is_equal = (levels[low], levels[high]) == (BELOW_0, 0)  # as labels: U and 0
        if not is_equal and counts[:, low, high].any():
            name = f"{names[low]}, {names[high]}"
            yield Pairs(GAINS, name, shares[:, low, high], counts[:, low, high])


def _relevant(labels: Floats) -> Floats:
    """Of a level above 0, or not."""
    return np.where(np.isnan(labels), np.nan, labels > 0)


def _levels(labels: Floats) -> Floats:
    return np.unique(labels[~np.isnan(labels)])


def _any_two(values: str, numbers: Sequence[Floats], labels: Sequence[Floats]) -> Pairs:
    """numbers, labels: of each topic, (documents,)."""
    topics = zip(numbers, labels, strict=True)
    by_topic = [pair_agreement(of, at, _levels(at)) for of, at in topics]
    shares, pairs = [of.overall for of in by_topic], [of.all_pairs for of in by_topic]
    return Pairs(values, EVERY, np.array(shares), np.array(pairs))
