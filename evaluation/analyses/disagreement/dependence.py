"""How the chance that another finds best what one labelled lower depends on what is looked at.

Demeester and others (WSDM 2014), section 6.2: kinds of topics, lists and ranks. A part of the
analysis `robustness`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from evaluation.presentation import plots, published
from evaluation.presentation.parts import Figure, Table, drawn, interval_ends, number, percent
from evaluation.study.data import Floats, Ints, StudyData
from evaluation.study.levels import ENOUGH_TOPICS, first_two, source
from evaluation.study.topics import DEPTH
from magnitudes.agreement.opinions import Opinions
from magnitudes.gains.disagreement import Sums, pooled, sums
from magnitudes.gains.topic_interval import by_topic, disagreement_over_topics

TOP = 5
FIELDS = ("group", "level", "p", "low", "high")  # of a Chance, in the figure
STYLES = (("circle", plots.MARK), ("diamond", plots.OTHER))


class Group(NamedTuple):
    """Some of the topics, or results of lists: how often each item is among them."""

    name: str
    topics: int
    lists: int | None  # None: each document counts once
    weights: Floats  # (items,)


class Chance(NamedTuple):
    """p(T|i) in a group, how many labels it is from, and its 95% interval."""

    group: str
    topics: int
    lists: int | None
    level: str
    labels: int
    p: float
    low: float  # NaN where topics are few
    high: float


@dataclass(frozen=True)
class Found:
    """The chances of each group, level by level."""

    names: Sequence[str]  # of the levels
    counted: str  # which opinions
    chances: list[Chance]

    @property
    def below_top(self) -> dict[str, float]:
        """The chance after the level below the top, by group."""
        level = self.names[-2]
        return {row.group: row.p for row in self.chances if row.level == level}


def compute(
    data: StudyData, every: Opinions, main: Opinions, counted: str, names: Sequence[str]
) -> Found:
    """Of the main reading of opinions, called `counted`; lists are good by labels of `every`."""
    groups = [*_of_topics(data, main), *_of_lists(data, every)]
    parts = sums(main)
    p, observations = pooled(parts, np.array([group.weights for group in groups]))[:2]
    chances = []
    for place, group in enumerate(groups):
        low, high = _interval(parts, group, main).tolist()
        columns = (observations[place].tolist(), p[place].tolist(), low, high)
        chances += [
            Chance(*group[:3], name, int(labels), *numbers)
            for name, labels, *numbers in zip(names, *columns, strict=True)
        ]
    return Found(names, counted, chances)


def _of_topics(data: StudyData, opinions: Opinions) -> list[Group]:
    """All topics, and the halves whose judges agree least and most."""
    groups = [Group("all documents", len(data.topics), None, np.ones(len(data.documents)))]
    agreement = _agreement(opinions, len(data.topics))
    known = np.flatnonzero(~np.isnan(agreement))
    if len(known) > 1:
        order = known[np.argsort(agreement[known], kind="stable")]
        half = len(order) // 2
        for name, topics in (("less", order[:half]), ("more", order[half:])):
            weights = np.isin(data.documents.topics, topics).astype(np.float64)
            groups.append(Group(f"topics, {name} agreement", len(topics), None, weights))
    return groups


def _agreement(opinions: Opinions, topics: int) -> Floats:
    """The share of pairs of labels of a document that are equal, in the mean over documents."""
    counts = opinions.counts
    size = counts.sum(axis=1)
    two = size > 1
    equal = (counts[two] * (counts[two] - 1)).sum(axis=1) / (size[two] * (size[two] - 1))
    topic = opinions.topic_of_item[two]
    documents = np.bincount(topic, minlength=topics)
    agreement = np.full(topics, np.nan)
    equals = np.bincount(topic, equal, topics)
    np.divide(equals, documents, out=agreement, where=documents > 0)
    return agreement


def _of_lists(data: StudyData, opinions: Opinions) -> list[Group]:
    """Results of lists, by whether the first labels of a list have the top level, and by rank.

    By any judge's labels p(T|i) of the other lists would be 0, whatever judges say.
    """
    labels = first_two(opinions)
    best = labels.where(labels.judges == 0).counts[:, -1] > 0
    lists: dict[str, list[Ints]] = {"good": [], "other": []}  # by topic, (lists, ranks)
    for topic, start in zip(data.topics, data.offsets.tolist(), strict=False):
        items = _items(topic.codes, topic.lists[:, :DEPTH], start)
        there = items >= 0
        good = (best[items] & there).any(axis=1)
        lists["good"].append(items[good])
        lists["other"].append(items[~good & there.any(axis=1)])
    groups = []
    for depth in (TOP, DEPTH):
        for quality, of_topics in lists.items():
            listed = np.concatenate([items[:, :depth].ravel() for items in of_topics])
            weights = np.bincount(listed[listed >= 0], minlength=len(data.documents)).astype(
                np.float64
            )
            if weights.any():
                sizes = [len(items) for items in of_topics]
                name = f"{quality} lists, top {depth}"
                groups.append(Group(name, len(sizes) - sizes.count(0), sum(sizes), weights))
    return groups


def _items(codes: Ints, lists: np.ndarray, start: int) -> Ints:
    """The item of each place in lists, -1 where the list is shorter or the pool has it not."""
    place = np.full(max(int(lists.max(initial=-1)), int(codes.max(initial=-1))) + 2, -1)
    known = np.flatnonzero(codes >= 0)
    place[codes[known]] = known + start
    return np.asarray(place[lists])


def _interval(parts: Sums, group: Group, opinions: Opinions) -> Floats:
    """Student's 95% interval over its topics, (2, levels); NaN where topics are few."""
    of_topics = by_topic(parts, opinions, group.weights)
    if np.count_nonzero(of_topics.shares.any(axis=1)) < ENOUGH_TOPICS:
        return np.full((2, opinions.n_levels), np.nan)
    return np.stack(disagreement_over_topics(of_topics))


def says(found: Found) -> Iterator[str]:
    below, top = found.names[-2:]
    chance = found.below_top
    less, more = (chance.get(f"topics, {how} agreement", np.nan) for how in ("less", "more"))
    if not np.isnan(less + more):
        yield (
            f"After {below} another says {top} with a chance of {number(less)} in the "
            f"half of the topics whose judges agree least, and of {number(more)} in the other; "
            f"halves are by the share of equal labels, from the same opinions ({found.counted})."
        )
    good, other = (chance.get(f"{kind} lists, top {DEPTH}", np.nan) for kind in ("good", "other"))
    if not np.isnan(good + other):
        yield (
            f"In lists whose first {DEPTH} have a document with {top} as its first label it "
            f"is {number(good)}, and {number(other)} in others "
            + published.quote(
                "(the paper: {key_after_hrel.good, 10} and {key_after_hrel.other, 10} for its "
                "level below the top)."
            )
        )
    best = chance.get(f"good lists, top {TOP}", np.nan)
    if not np.isnan(best + good):
        yield (
            f"By the first {TOP} ranks of these lists it is {number(best)}, by the first {DEPTH} "
            f"{number(good)} "
            + published.quote(
                "(the paper: {key_after_hrel.good, 5} and {key_after_hrel.good, 10})."
            )
        )


def figures(found: Found) -> Iterator[Figure]:
    levels = list(reversed(found.names[1:-1]))[:2] or list(found.names[:1])
    rows = [
        row
        for group in dict.fromkeys(row.group for row in found.chances)
        for level in levels
        for row in found.chances
        if (row.group, row.level) == (group, level) and not np.isnan(row.p)
    ]
    if not rows:
        return
    least, greatest = (pick(rows, key=lambda row: row.p) for pick in (min, max))
    yield Figure(
        "groups",
        f"The chance that another says {found.names[-1]} goes from {percent(least.p)} "
        f"({least.level}, {least.group}) to {percent(greatest.p)} ({greatest.level}, "
        f"{greatest.group})",
        "A dot a level and group, with its 95% interval over topics.",
        _chart(rows, dict(zip(levels, STYLES, strict=False))),
        {
            "groups": [
                mark | interval_ends(row.p, row.low, row.high)
                for mark, row in zip(drawn(rows, "group level p", _tooltip), rows, strict=True)
            ]
        },
        FIELDS,
        list(map(attrgetter(*FIELDS), rows)),
        source("Table 3"),
        reading=f"There are intervals from {ENOUGH_TOPICS} topics on. Good lists have the top "
        f"level, by a document's first label, in their first {DEPTH}. If a group lies far from the "
        "others, weights from all documents do not hold for it.",
    )


def _tooltip(row: Chance) -> str:
    return f"{row.group}, after {row.level}: {row.p:.3f}"


def _chart(rows: Sequence[Chance], kinds: dict[str, tuple[str, str]]) -> plots.Plot:
    order = list(dict.fromkeys(row.group for row in rows))
    most = float(np.nanmax([(row.p, row.high) for row in rows]))
    intervals = plots.intervals_of_kinds(
        "groups",
        "p",
        "chance of the top level",
        plots.names("group", order),
        "level",
        kinds,
        domain=(-0.02 * most, min(1.0, 1.05 * most + 0.01)),
        percent=True,
    )
    return plots.sized(intervals, 40 * len(order), plots.WIDTH - 170)


def table(found: Found) -> Table:
    return Table(
        "dependence",
        f"The chance that another says {found.names[-1]}, by topics, lists and ranks",
        Chance,
        found.chances,
        (
            "Topics, less agreement and more agreement: halves by the share of equal labels of the "
            f"same document. Good lists: those whose first {DEPTH} have the top level, by a "
            f"document's first label, at least once; their first {TOP} or {DEPTH} ranks count. "
            "(By all labels the chance would be 0 in other lists, whatever judges say.) In lists a "
            "document counts as often as it is listed. Low, high: Student's 95% interval over the "
            "group's topics, cut at 0 and 1.",
            "A dash: no document of the group with two judges has the level, there are fewer than "
            f"{ENOUGH_TOPICS} topics for an interval, or the group is not one of lists.",
        ),
        source("Table 3"),
    )
