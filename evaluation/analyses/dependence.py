"""How the chance that another finds best what one labelled lower depends on what is looked at.

Demeester and others (WSDM 2014), section 6.2: kinds of topics, lists and ranks.
"""

from typing import NamedTuple

import numpy as np

from evaluation.analyses import in_levels
from evaluation.analyses.data import DEPTH, Floats, Ints, StudyData
from evaluation.gains.disagreement import Sums, pooled, sums
from evaluation.gains.opinions import Opinions
from evaluation.scaling.resamples import Resamples

DRAWS = 1000
TOP = 5


class Group(NamedTuple):
    """Some of the topics, or results of lists: how often each item is among them."""

    name: str
    topics: int
    lists: int | None  # None: each document counts once
    weights: Floats  # (items,)


class Dependence(NamedTuple):
    """p(T|i), how many labels it is from, and its 95% interval, all (groups, levels)."""

    groups: list[Group]
    p: Floats
    observations: Ints
    low: Floats  # NaN where topics are few
    high: Floats


def dependence(data: StudyData, every: Opinions, main: Opinions) -> Dependence:
    """Of the main reading of opinions; lists are good by the first ones of `every`."""
    groups = [*_of_topics(data, main), *_of_lists(data, every)]
    of = sums(main)
    found = pooled(of, np.array([group.weights for group in groups]))
    sure = np.array([_interval(of, group, main, data.seed) for group in groups])
    return Dependence(groups, found.p, found.observations, sure[:, 0], sure[:, 1])


def _of_topics(data: StudyData, said: Opinions) -> list[Group]:
    found = [Group("all documents", len(data.topics), None, np.ones(data.n_items))]
    agreement = _agreement(said, len(data.topics))
    known = np.flatnonzero(~np.isnan(agreement))
    if len(known) > 1:
        order = known[np.argsort(agreement[known], kind="stable")]
        half = len(order) // 2
        for name, topics in (("less", order[:half]), ("more", order[half:])):
            weights = np.isin(data.topic_of_item, topics).astype(np.float64)
            found.append(Group(f"topics, {name} agreement", len(topics), None, weights))
    return found


def _agreement(said: Opinions, topics: int) -> Floats:
    """The share of pairs of labels of a document that are equal, in the mean over documents."""
    counts = said.counts
    size = counts.sum(axis=1)
    two = size > 1
    equal = (counts[two] * (counts[two] - 1)).sum(axis=1) / (size[two] * (size[two] - 1))
    topic = said.topic_of_item[two]
    number = np.bincount(topic, minlength=topics)
    found = np.full(topics, np.nan)
    np.divide(np.bincount(topic, equal, topics), number, out=found, where=number > 0)
    return found


def _of_lists(data: StudyData, said: Opinions) -> list[Group]:
    """Results of lists, by whether the first labels of a list have the top level, and by rank.

    By any judge's labels p(T|i) of the other lists would be 0, whatever judges say.
    """
    one = in_levels.first_two(said)
    best = one.where(one.judges == 0).counts[:, -1] > 0
    lists: dict[str, list[Ints]] = {"good": [], "other": []}  # by topic, (lists, ranks)
    for topic, start in zip(data.topics, data.offsets.tolist(), strict=False):
        items = _items(topic.codes, topic.lists[:, :DEPTH], start)
        there = items >= 0
        good = (best[items] & there).any(axis=1)
        lists["good"].append(items[good])
        lists["other"].append(items[~good & there.any(axis=1)])
    found = []
    for depth in (TOP, DEPTH):
        for quality, of in lists.items():
            listed = np.concatenate([items[:, :depth].ravel() for items in of])
            weights = np.bincount(listed[listed >= 0], minlength=data.n_items).astype(np.float64)
            if weights.any():
                sizes = [len(items) for items in of]
                name = f"{quality} lists, top {depth}"
                found.append(Group(name, len(sizes) - sizes.count(0), sum(sizes), weights))
    return found


def _items(codes: Ints, lists: np.ndarray, start: int) -> Ints:
    """The item of each place in lists, -1 where the list is shorter or the pool has it not."""
    place = np.full(max(int(lists.max(initial=-1)), int(codes.max(initial=-1))) + 2, -1)
    known = np.flatnonzero(codes >= 0)
    place[codes[known]] = known + start
    return np.asarray(place[lists])


def _interval(parts: Sums, group: Group, said: Opinions, seed: int) -> Floats:
    """95% of draws of its topics with replacement, (2, levels); NaN where topics are few."""
    topics = np.unique(said.topic_of_item[(group.weights > 0) & parts.said.any(axis=1)])
    ends = np.full((2, said.n_levels), np.nan)
    if len(topics) < in_levels.ENOUGH_TOPICS:
        return ends
    of_topics = Sums(*(_by_topic(part * group.weights[:, None], said)[topics] for part in parts))
    draws = np.concatenate(
        [pooled(of_topics, often).p for _, often in Resamples(len(topics), DRAWS, seed).chunks(0)]
    )
    known = ~np.isnan(draws).all(axis=0)
    ends[:, known] = np.nanquantile(draws[:, known], (0.025, 0.975), axis=0)
    return ends


def _by_topic(part: Floats, said: Opinions) -> Floats:
    found = np.zeros((int(said.topic_of_item.max()) + 1, said.n_levels))
    np.add.at(found, said.topic_of_item, part)
    return found
