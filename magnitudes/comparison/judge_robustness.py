"""How much a measure depends on who judged: one judge's labels measured by another's.

The documents of a topic that two judges labelled are ranked by the second judge's levels, best
first, and measured with the first judge's labels. If both agree the measure is 1, and what it falls
short of that it owes to the choice of the judge. Weights of levels come from the other topics
(leave one out), so that no topic is measured by what was learned from it.

Source: Demeester, Aly, Hiemstra, Nguyen, Trieschnigg and Develder, Exploiting user disagreement for
web search evaluation: an experimental approach, WSDM 2014, section 6.1, Table 2.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from magnitudes.agreement.opinions import MISSING, Ids, Opinions
from magnitudes.comparison import ComparisonError
from magnitudes.gains.disagreement import pooled, sums
from magnitudes.gains.level_weights import level_weights
from magnitudes.measures.by_pairs.gap import gap
from magnitudes.measures.by_rank.average_precision import average_precision
from magnitudes.measures.by_rank.ndcg import ndcg
from magnitudes.scaling.groups import mean_and_sd

Floats = NDArray[np.float64]
USERS = (2, 3, 4)  # the N of 1/N


class Robustness(NamedTuple):
    """Measures of the second judge's order by the first judge's labels."""

    names: tuple[str, ...]  # (measures,)
    values: Floats  # (measures, topics)
    mean: Floats  # (measures,)
    sd: Floats  # (measures,), with n - 1 in the denominator
    topics: Ids  # (topics,), those in which both judges labelled something
    p: Floats  # (topics, levels), p(T|i) of the other topics


def judge_robustness(
    opinions: Opinions, first: int, second: int, users: Sequence[int] = USERS
) -> Robustness:
    """Table 2: AP at the top level, GAP and nDCG of one judge's order by another's labels.

    Parameters:
        opinions: where a judge labelled an item more than once, the first label counts; items that
            one of the two did not label are left out.
        first: the judge whose labels are the reference.
        second: the judge whose levels, descending, are the order; ties in the order of items.
        users: each N of the weights P(1/N), the lowest level 0.

    Returns:
        See `Robustness`. Measures are `AP`, with the top level relevant; `nDCG(exp, log2)` and
        `nDCG(exp, zipf)`, with gains 2^level - 1; and for each N `GAP(1/N)`, `nDCG(1/N, log2)` and
        `nDCG(1/N, zipf)`. The discounts are 1 / log2(rank + 1) and 1 / rank. GAP takes the smaller
        of two weights, which is that of the lower level where weights rise with the level. All are
        of whole lists, and 0 where the reference has nothing to find. Measures with weights are NaN
        in a topic whose reference has a level that no other topic has; means and standard
        deviations leave NaN out.

    Raises:
        ComparisonError: fewer than two topics in which both judges labelled something.
        GainError: an N below 1.

    >>> levels = [2, 1, 1, 2, 2, 2, 1, 0]
    >>> opinions = Opinions([0, 0, 1, 1, 2, 2, 3, 3], levels, [0, 1] * 4, 3, [0, 0, 1, 1])
    >>> result = judge_robustness(opinions, 0, 1, users=[2])
    >>> result.names[0], result.values[0], float(result.mean[0])
    ('AP', array([0.5, 1. ]), 0.75)
    """
    levels, other_levels = (opinions.of_judge(judge) for judge in (first, second))
    items = np.flatnonzero((levels != MISSING) & (other_levels != MISSING))
    topics = np.unique(opinions.topic_of_item[items])
    topic = np.searchsorted(topics, opinions.topic_of_item[items])
    if len(topics) < 2:
        raise ComparisonError(
            f"leaving one topic out needs two that judges {first} and {second} both labelled, "
            f"not {len(topics)}"
        )
    p = _p_of_others(levels[items], other_levels[items], topic, len(topics), opinions.n_levels)
    listed = _listed(levels[items], other_levels[items], topic, len(topics))
    level = np.maximum(listed, 0).astype(np.float64)
    top = (listed == opinions.n_levels - 1).astype(np.float64)
    by_name = {
        "AP": average_precision(top, top),
        "nDCG(exp, log2)": ndcg(level, level, None, "exp-log2"),
        "nDCG(exp, zipf)": ndcg(level, level, None, "exp-zipf"),
    }
    for n in users:
        weights = level_weights(p, 1, n)
        # One more for the padding, whose level is -1: it is worth nothing.
        gains = np.pad(weights, [(0, 0), (0, 1)])[np.arange(len(topics))[:, np.newaxis], listed]
        unknown = np.isnan(gains).any(axis=1)
        gains[unknown] = 0.0
        weighted = {
            f"GAP(1/{n})": gap(gains, gains),
            f"nDCG(1/{n}, log2)": ndcg(gains, gains, None),
            f"nDCG(1/{n}, zipf)": ndcg(gains, gains, None, "zipf"),
        }
        by_name |= {name: np.where(unknown, np.nan, value) for name, value in weighted.items()}
    values = np.array(list(by_name.values()))
    return Robustness(tuple(by_name), values, *mean_and_sd(values.T), topics, p)


def _p_of_others(
    levels: Ids, other_levels: Ids, topic: Ids, n_topics: int, n_levels: int
) -> Floats:
    """p(T|i), (topics, levels), from the pairs of labels of all other topics."""
    items = np.arange(len(levels))
    both = Opinions(
        np.tile(items, 2),
        np.concatenate([levels, other_levels]),
        np.repeat([0, 1], len(levels)),
        n_levels,
        topic,
    )
    return pooled(sums(both), topic != np.arange(n_topics)[:, np.newaxis]).p


def _listed(levels: Ids, other_levels: Ids, topic: Ids, n_topics: int) -> Ids:
    """The first judge's levels in the second's order, (topics, longest), -1 below the end."""
    order = np.lexsort((-other_levels, topic))
    topic = topic[order]
    place = np.arange(len(topic)) - np.searchsorted(topic, topic)
    listed = np.full((n_topics, place.max() + 1), MISSING)
    listed[topic, place] = levels[order]
    return listed
