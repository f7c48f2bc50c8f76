"""Groups of documents by topics, and by the lists that have them and their ranks.

Demeester and others (WSDM 2014), section 6.2. What `dependence` sets side by side.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from evaluation.study.data import Floats, Ints, StudyData
from evaluation.study.levels import first_two
from evaluation.study.topics import DEPTH
from magnitudes.agreement.opinions import Opinions
from magnitudes.measures.lists import places_of
from magnitudes.scaling.groups import ratio


class Group(NamedTuple):
    """Some of the topics, or results of lists: how often each item is among them."""

    name: str
    topics: int
    lists: int | None  # None: each document counts once
    weights: Floats  # (items,)


def of_topics(data: StudyData, opinions: Opinions) -> Iterator[Group]:
    """All topics, and the halves whose judges agree least and most."""
    yield Group("all documents", len(data.topics), None, np.ones(len(data.documents)))
    agreement = _agreement(opinions, len(data.topics))
    order = np.argsort(agreement, kind="stable")[: np.count_nonzero(~np.isnan(agreement))]
    if len(order) > 1:
        half = len(order) // 2
        for name, topics in (("less", order[:half]), ("more", order[half:])):
            weights = np.isin(data.documents.topics, topics).astype(np.float64)
            yield Group(f"topics, {name} agreement", len(topics), None, weights)


def _agreement(opinions: Opinions, topics: int) -> Floats:
    """The share of pairs of labels of a document that are equal, averaged over documents."""
    counts = opinions.counts
    size = counts.sum(axis=1)
    two = size > 1
    equal = (counts[two] * (counts[two] - 1)).sum(axis=1) / (size[two] * (size[two] - 1))
    topic = opinions.topic_of_item[two]
    return ratio(np.bincount(topic, equal, topics), np.bincount(topic, minlength=topics))


def of_lists(data: StudyData, opinions: Opinions, depths: Sequence[int]) -> Iterator[Group]:
    """Results of lists, by whether the first labels of a list have the top level, and by rank.

    By any judge's labels p(T|i) of the other lists would be 0, whatever judges say.
    """
    labels = first_two(opinions)
    best = labels.where(labels.judges == 0).counts[:, -1] > 0
    lists: dict[str, list[Ints]] = {"good": [], "other": []}  # by topic, (lists, ranks)
    for topic, start in zip(data.topics, data.offsets.tolist(), strict=False):
        places = places_of(topic.lists[:, :DEPTH], topic.codes)
        there = places >= 0
        items = np.where(there, places + start, -1)
        good = (best[items] & there).any(axis=1)
        lists["good"].append(items[good])
        lists["other"].append(items[~good & there.any(axis=1)])
    for depth in depths:
        for quality, by_topic in lists.items():
            listed = np.concatenate([items[:, :depth].ravel() for items in by_topic])
            counts = np.bincount(listed[listed >= 0], minlength=len(data.documents))
            if counts.any():
                sizes = [len(items) for items in by_topic if len(items)]
                name = f"{quality} lists, top {depth}"
                yield Group(name, len(sizes), sum(sizes), counts.astype(np.float64))
