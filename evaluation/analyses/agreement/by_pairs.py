"""Agreement with labels by pairs of levels: gains with labels, and label sets with each other."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from evaluation.agreement.pairs import PairAgreement, mean_over_topics, pair_agreement
from evaluation.analyses.study.data import Floats, StudyData
from evaluation.analyses.study.level_groups import name_of
from evaluation.analyses.telling import plots
from evaluation.analyses.telling.parts import Figure, Row, Table, percent
from evaluation.analyses.telling.thinning import thinned
from trec.words import count

EVERY = "all"
MOST_COLUMNS, MOST_TOPICS = 15, 60  # that are drawn
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
    """Gains by each pair of levels that some topic has, all pairs, and other label sets.

    Two label sets are compared as binary ones, as in the paper: relevant, level > 0, or not.
    """
    of_gains = [pair_agreement(t.gains, t.labels, data.levels) for t in data.topics]
    found = _made(data, of_gains)
    for name in data.topics[0].other_labels:
        of_labels = [
            pair_agreement(_binary(t.other_labels[name]), _binary(t.labels), (0, 1))
            for t in data.topics
        ]
        found += _some([_whole(name, of_labels)])
    return found


def _binary(levels: Floats) -> Floats:
    return np.where(np.isnan(levels), np.nan, levels > 0)


def _made(data: StudyData, by_topic: list[PairAgreement]) -> list[Column]:
    made = [
        Column(
            f"{name_of(data.levels[low])}, {name_of(data.levels[high])}",
            "gains",
            np.array([one.shares[low, high] for one in by_topic]),
            np.array([one.pairs[low, high] for one in by_topic]),
        )
        for low, high in combinations(range(len(data.levels)), 2)
    ]
    return _some([*(made if len(made) > 1 else []), _whole("gains", by_topic)])


def _whole(means: str, by_topic: list[PairAgreement]) -> Column:
    shares, pairs = zip(*((one.overall, one.all_pairs) for one in by_topic), strict=True)
    return Column(EVERY, means, np.array(shares), np.array(pairs))


def _some(found: list[Column]) -> list[Column]:
    """Those that have a pair."""
    return [one for one in found if one.pairs.any()]


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
                f"Both taken as binary, relevant (above 0) or not, the labels “{one.means}” put "
                f"documents with different labels “{data.label_set}” in their order in "
                f"{percent(one.mean)} of cases ({topics}; the paper: 85% between its two label "
                "sets); equal labels do not disagree."
            )


def figure(data: StudyData, found: list[Column]) -> Figure:
    (whole,) = (one for one in found if one.means == "gains" and one.name == EVERY)
    return Figure(
        "levels",
        f"Gains and labels agree on {percent(whole.mean)} of pairs of documents",
        "Gains agree with labels on two documents unless the one with the lower label has the "
        "higher gain. "
        + (
            "One dot a topic; dashed: their mean. Look for topics far to the left: as chance would "
            "have it, half of the pairs agree."
            if len(found) == 1
            else "Dots: topics; diamonds: their mean. Look for levels that the crowd does not tell "
            "apart: as chance would have it, half of the pairs agree."
        ),
        *(_of_topics(data, whole) if len(found) == 1 else _of_levels(found)),
        ("values", "levels", "mean", "topics"),
        [row[:4] for row in _rows(found)],
        "Figure 7",
    )


def _of_topics(data: StudyData, whole: Column) -> tuple[Any, dict[str, list[dict[str, Any]]]]:
    """One pair of levels, topic by topic."""
    order = [place for place in np.argsort(-whole.shares).tolist() if whole.pairs[place]]
    drawn = order[-MOST_TOPICS:]
    names = [data.topics[place].query_id for place in drawn]
    domain = (min(0.5, float(whole.shares[drawn].min())), 1)
    across = plots.x("share", "share of pairs in the labels' order", domain=domain, format="%")
    chart = plots.alt.layer(
        plots.rule_at("mean", along=across),
        plots.points("dots", across, plots.down("topic", names), size=60, opacity=1),
    )
    rows = [
        {"topic": name, "share": share, "name": f"topic {name}: {percent(share)}"}
        for name, share in zip(names, whole.shares[drawn].tolist(), strict=True)
    ]
    sized = plots.sized(chart, height=max(18 * len(names), 60))
    return sized, {"dots": rows, "mean": [{"share": whole.mean}]}


def _of_levels(found: list[Column]) -> tuple[Any, dict[str, list[dict[str, Any]]]]:
    # With too many pairs of levels for a plot, the table alone has them.
    drawn = found if len(found) <= MOST_COLUMNS else [one for one in found if one.name == EVERY]
    names = [one.name if one.means == "gains" else f"“{one.means}”" for one in drawn]
    across = plots.category("column", names, "two levels; all: any two")
    up = plots.y("share", "share of pairs in the labels' order", domain=(0, 1), format="%")
    mean = {"shape": "diamond", "color": plots.OTHER, "size": 150, "filled": False}
    small = plots.points("dots", across, up, size=14)
    large = plots.points("means", across, up, strokeWidth=2, opacity=1, **mean)
    dots = [
        {"column": name, "share": share, "name": f"{name}: {percent(share)}"}
        for name, one in zip(names, drawn, strict=True)
        for share in one.shares[thinned(len(one.shares), most=MOST_TOPICS)].tolist()
        if not np.isnan(share)
    ]
    means = [
        {
            "column": name,
            "share": one.mean,
            "name": f"{name}: mean {percent(one.mean)}, {count(one.topics, 'topic')}",
        }
        for name, one in zip(names, drawn, strict=True)
    ]
    return plots.sized(plots.alt.layer(small, large)), {"dots": dots, "means": means}


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
            "values: gains, or labels of another set, which are compared with the labels, both as "
            "binary ones (above 0 or not). mean, smallest, largest: over topics that have "
            "documents of both levels. pairs: of documents, on all topics.",
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
