"""How far two judges find the same documents relevant: the overlap of what they do.

Source: Voorhees, Variations in relevance judgments and the measurement of retrieval effectiveness,
Information Processing & Management 36, 2000; by levels in Demeester and others, Exploiting user
disagreement for web search evaluation, WSDM 2014, section 3.3.1.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluation.gains.opinions import MISSING, Opinions

Floats = NDArray[np.float64]


class LevelOverlap(NamedTuple):
    """Overlaps of two judges, counting as relevant what has a level or a higher one."""

    pooled: Floats  # (levels,), over the documents of all topics
    by_topic: Floats  # (topics, levels)
    mean: Floats  # (levels,), of the topics where either judge found something


def level_overlap(opinions: Opinions, first: int, second: int) -> LevelOverlap:
    """The overlap |A and B| / |A or B| of two judges, at each level.

    A are the documents that the first judge gave at least that level, B those that the second did,
    among those that both labelled.

    Parameters:
        opinions: where a judge labelled an item more than once, the first label counts.
        first, second: the judges.

    Returns:
        See `LevelOverlap`. NaN where neither gave a document such a level. At level 0 it is 1.

    >>> said = Opinions([0, 0, 1, 1, 2, 2], [2, 2, 2, 1, 1, 0], [0, 1, 0, 1, 0, 1], 3, [0, 0, 0])
    >>> level_overlap(said, 0, 1).pooled.round(3)
    array([1.   , 0.667, 0.5  ])
    """
    one, other = (opinions.of_judge(judge)[:, np.newaxis] for judge in (first, second))
    both = (one != MISSING) & (other != MISSING)
    levels = np.arange(opinions.n_levels)
    common = both & (one >= levels) & (other >= levels)
    either = both & ((one >= levels) | (other >= levels))
    n_topics = int(opinions.topic_of_item.max(initial=-1)) + 1
    topics = np.zeros((n_topics, opinions.n_levels)), np.zeros((n_topics, opinions.n_levels))
    for found, counted in zip(topics, (common, either), strict=True):
        np.add.at(found, opinions.topic_of_item, counted)
    by_topic = _ratio(*topics)
    known = ~np.isnan(by_topic)
    mean = _ratio(np.where(known, by_topic, 0).sum(axis=0), known.sum(axis=0))
    return LevelOverlap(_ratio(common.sum(axis=0), either.sum(axis=0)), by_topic, mean)


def _ratio(over: ArrayLike, under: ArrayLike) -> Floats:
    all_of = np.asarray(under, dtype=np.float64)
    found = np.full(all_of.shape, np.nan)
    np.divide(over, all_of, out=found, where=all_of > 0)
    return found
