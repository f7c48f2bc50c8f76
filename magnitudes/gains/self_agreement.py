"""Whether judges repeat themselves more often than they agree with each other.

Source: Demeester, Aly, Hiemstra, Nguyen, Trieschnigg and Develder, Exploiting user disagreement for
web search evaluation: an experimental approach, WSDM 2014, section 3.3.2; here no label is
compared with itself.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from magnitudes.agreement.opinions import Opinions
from magnitudes.gains.disagreement import sums
from magnitudes.gains.topic_interval import share, student_ends
from magnitudes.scaling.groups import Resamples, ratio

Floats = NDArray[np.float64]


class Gap(NamedTuple):
    """p(T|T) of two different labels of the same judge less that of two judges.

    low, high: its 95% interval, over topics or documents.
    """

    share: float
    low: float
    high: float
    over: str


def self_over_cross(opinions: Opinions, draws: int, enough_topics: int, *, seed: int) -> Gap:
    """How much more often a judge says the top level T again than another judge says it.

    All pairs of different labels count, of documents that both judges labelled twice or more, so
    that no label is compared with itself. The interval is Student's over topics, or, where fewer
    than `enough_topics` have such documents, of documents drawn with replacement.

    Parameters:
        opinions: those of two judges, 0 and 1.
        draws: how many are made of documents, from `seed`.

    It raises no error: without such documents share, low and high are NaN.
    """
    labels = np.bincount(opinions.items * 2 + opinions.judges, minlength=2 * opinions.n_items)
    twice = labels.reshape(-1, 2).min(axis=1) >= 2
    both = opinions.where(twice[opinions.items])
    own = Opinions(
        both.items * 2 + both.judges,
        both.levels,
        np.arange(len(both.items)),
        both.n_levels,
        np.repeat(both.topic_of_item, 2),
    )
    topics = len(np.unique(both.topic_of_item[both.items]))
    over = "topics" if topics >= enough_topics else "documents"
    groups = both.topic_of_item if over == "topics" else np.arange(both.n_items)
    totals = []
    for parts, of_item in ((sums(own), np.repeat(groups, 2)), (sums(both), groups)):
        totals += [
            np.bincount(of_item, parts.top[:, -1]),
            np.bincount(of_item, parts.shares[:, -1]),
        ]
    by_group = np.stack(totals)[:, np.unique(groups[both.items])]
    gap = float(_difference(by_group.sum(axis=1, keepdims=True))[0])
    if over == "topics":
        own_share, cross = share(*by_group[:2]), share(*by_group[2:])
        ends = student_ends(gap, own_share.errors - cross.errors, topics)
        return Gap(gap, float(ends[0]), float(ends[1]), over)
    chunks = Resamples(by_group.shape[1], draws, seed).chunks(0)
    gaps = np.concatenate([_difference(by_group @ weights.T) for _, weights in chunks])
    gaps = gaps[~np.isnan(gaps)]
    low, high = np.quantile(gaps, (0.025, 0.975)) if gaps.size else (np.nan, np.nan)
    return Gap(gap, float(low), float(high), over)


def _difference(totals: Floats) -> Floats:
    """Of sums by draw: own tops, own labels, cross tops, cross labels, (4, draws)."""
    shares = ratio(totals[::2], totals[1::2])
    result: Floats = shares[0] - shares[1]
    return result
