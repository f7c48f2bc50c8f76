"""Agreement with labels by pairs of levels: gains with labels, and label sets with each other."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from evaluation.analyses import plots
from evaluation.analyses.data import Floats, StudyData
from evaluation.analyses.parts import Figure, Row, Table, count, percent
from evaluation.scaling.pair_agreement import mean_over_topics, pair_agreement

EVERY = "all"
MOST_COLUMNS = 15  # that are drawn
PAPER_OVERALL = (0.80, 0.86)  # with Sormunen's levels, with TREC's
PAPER_LABELS = 0.85  # between the two


class Column(NamedTuple):
    """Pairs of two levels, or all pairs; topics that have none are NaN and 0."""

    name: str
    means: str  # of what: "gains", or the name of another label set
    shares: Floats  # (topics,)
    pairs: Floats  # (topics,)

    @property
    def mean(self) -> float:
        return float(mean_over_topics(self.shares).mean)

    @property
    def topics(self) -> int:
        return int((~np.isnan(self.shares)).sum())


def columns(data: StudyData) -> list[Column]:
    """Gains by each pair of levels that some topic has, all pairs, and other label sets."""
    found = _of(data, "gains", [topic.gains for topic in data.topics])
    for name in data.topics[0].other_labels:
        labels = [topic.other_labels[name] for topic in data.topics]
        found += [one for one in _of(data, name, labels) if one.name == EVERY]
    return found


def _of(data: StudyData, means: str, values: list[Floats]) -> list[Column]:
    by_topic = [
        pair_agreement(of, topic.labels, data.levels)
        for of, topic in zip(values, data.topics, strict=True)
    ]
    made = [
        Column(
            f"{data.levels[low]:g}, {data.levels[high]:g}",
            means,
            np.array([one.shares[low, high] for one in by_topic]),
            np.array([one.pairs[low, high] for one in by_topic]),
        )
        for low, high in combinations(range(len(data.levels)), 2)
    ]
    whole = Column(
        EVERY,
        means,
        np.array([one.overall for one in by_topic]),
        np.array([one.all_pairs for one in by_topic]),
    )
    return [one for one in (*(made if len(made) > 1 else []), whole) if one.pairs.any()]


def says(data: StudyData, found: list[Column]) -> Iterator[str]:
    for one in found:
        topics = f"mean over {count(one.topics, 'topic')}"
        if one.means == "gains" and one.name == EVERY:
            yield (
                f"The gains of two documents with different labels are in the labels' order in "
                f"{percent(one.mean)} of cases ({topics}; the paper: 80% with graded labels, 86% "
                "with binary ones)."
            )
        elif one.name == EVERY:
            yield (
                f"The labels “{one.means}” put documents with different labels “{data.label_set}” "
                f"in their order in {percent(one.mean)} of cases ({topics}; the paper: 85% between "
                "its two label sets); equal labels do not disagree."
            )


def figure(found: list[Column]) -> Figure:
    # With too many levels for a plot, those that are apart the furthest come first in the table.
    drawn = found if len(found) <= MOST_COLUMNS else [one for one in found if one.name == EVERY]
    names = {id(one): one.name if one.means == "gains" else f"“{one.means}”" for one in drawn}
    order = list(names.values())
    rows = _rows(found)
    dots = [
        {"column": names[id(one)], "share": share, "name": f"{names[id(one)]}: {percent(share)}"}
        for one in drawn
        for share in one.shares.tolist()
        if not np.isnan(share)
    ]
    across = plots.category("column", order, "two levels; all: any two")
    up = plots.y("share", "share of pairs in the labels' order", domain=(0, 1), format="%")
    small = plots.points("dots", across, up, size=14, opacity=0.6)
    large = plots.points(
        "means", across, up, shape="diamond", color=plots.OTHER, size=140, opacity=1
    )
    (whole,) = (one for one in found if one.means == "gains" and one.name == EVERY)
    return Figure(
        "levels",
        f"Gains and labels agree on {percent(whole.mean)} of pairs of documents",
        "Small dots: topics. Diamonds: their mean. Gains agree with labels on two documents unless "
        "the one with the lower label has the higher gain. Look for levels that the crowd does not "
        "tell apart: as chance would have it, half of the pairs agree.",
        plots.sized(plots.alt.layer(small, large)),
        {
            "dots": dots,
            "means": [
                {
                    "column": names[id(one)],
                    "share": one.mean,
                    "name": f"{names[id(one)]}: mean {percent(one.mean)}, "
                    f"{count(one.topics, 'topic')}",
                }
                for one in drawn
            ],
        },
        ("values", "levels", "mean", "topics"),
        [row[:4] for row in rows],
        "Figure 7",
    )


def _rows(found: list[Column]) -> list[Row]:
    return [
        (
            *(one.means, one.name, one.mean, one.topics, int(one.pairs.sum())),
            *(np.nanmin(one.shares), np.nanmax(one.shares)),
        )
        for one in found
    ]


def table(found: list[Column]) -> Table:
    return Table(
        "levels-table",
        "Agreement with the labels by pairs of levels",
        ("values", "levels", "mean", "topics", "pairs", "smallest", "largest"),
        _rows(found),
        (
            "values: gains, or labels of another set, which are compared with the labels. mean, "
            "smallest, largest: over topics that have documents of both levels. pairs: of "
            "documents, on all topics.",
            "The paper: N and H 92%, N and R 82%, all levels 80%, binary labels 86%, between its "
            "two label sets 85%.",
        ),
        "Figure 7",
    )


def topics(data: StudyData, found: list[Column]) -> Table:
    names: list[Any] = [
        one.name if one.means == "gains" else f"{one.means}: {one.name}" for one in found
    ]
    return Table(
        "topics",
        "Agreement with the labels by topic",
        ("query_id", *names),
        [
            (topic.query_id, *(one.shares[place] for one in found))
            for place, topic in enumerate(data.topics)
        ],
        ("A dash: no two judged documents of these levels.",),
    )
