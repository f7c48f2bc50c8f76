"""Agreement with the labels by pairs of levels: of gains, and of other label sets.

Paper, section 6.1.2, Figure 7. A part of the analysis `labels`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import scipy

from evaluation.presentation import plots, published
from evaluation.presentation.parts import Figure, Row, Table, percent, thinned
from evaluation.study.data import Floats, StudyData
from evaluation.study.label_levels import U_SHORT, name_of
from evaluation.study.topics import TopicData
from magnitudes.agreement.pairs import PairAgreement, mean_over_topics, pair_agreement
from magnitudes.comparison.interval import t_interval
from magnitudes.comparison.top_set import LEAST_TOPICS
from magnitudes.files.words import count

GAINS, EVERY = "gains", "all"
MOST_COLUMNS, MOST_TOPICS = 15, 60  # that are drawn
ENDS = "low", "high"  # of an interval
CHANCE = 0.5  # of a pair to be in the order of labels
COLUMNS = ("values", "levels", "mean", "topics", "pairs", "smallest", "largest")
Drawn = tuple[Any, dict[str, list[dict[str, Any]]]]  # a chart, and its data


class Column(NamedTuple):
    """Agreement on documents of two levels, or of any two."""

    values: str  # GAINS, or the name of another label set
    levels: str  # the two, or EVERY
    shares: Floats  # (topics,), NaN without a pair
    pairs: Floats  # (topics,)

    @property
    def mean(self) -> float:
        return float(mean_over_topics(self.shares).mean)

    @property
    def topics(self) -> int:
        """How many have a pair."""
        return int(np.count_nonzero(self.pairs))

    @property
    def name(self) -> str:
        """Below the dots."""
        return self.levels if self.values == GAINS else f"“{self.values}”"

    @property
    def row(self) -> Row:
        """As the table has it."""
        ends = np.nanmin(self.shares), np.nanmax(self.shares)
        return self.values, self.levels, self.mean, self.topics, int(self.pairs.sum()), *ends


@dataclass(frozen=True)
class Found:
    """Gains by each two levels that some topic has, gains by all pairs, other label sets."""

    by_levels: list[Column]  # none if there are but two levels
    whole: Column
    without_anchors: Column | None  # None: there are none, or no pair is left
    label_sets: list[Column]
    binary: Column | None  # of gains, levels above 0 against 0; None: anchors cannot be in pairs
    in_no_pair: int  # unlabelled documents
    query_ids: list[str]
    label_set: str

    @property
    def columns(self) -> list[Column]:
        return [*self.by_levels, self.whole, *self.label_sets]

    @property
    def rows(self) -> list[Row]:
        return [column.row for column in self.columns]


def compute(data: StudyData) -> Found:
    counted = data.with_zeros
    of_gains = [pair_agreement(t.gains, t.labels, counted.levels) for t in counted.topics]
    label_sets = [
        _all_pairs(name, [_as_binary(topic, name) for topic in data.topics])
        for name in data.topics[0].other_labels
    ]
    return Found(
        [column for column in _by_levels(data) if column.topics],
        _all_pairs(GAINS, of_gains),
        _without_anchors(counted),
        [column for column in label_sets if column.topics],
        _binary(data) if counted is data else None,
        data.unlabelled if counted is data else 0,
        [topic.query_id for topic in data.topics],
        data.label_set,
    )


def _binary(data: StudyData) -> Column:
    """Of gains by all pairs of a relevant document, of a level above 0, and another."""
    relevant = [np.where(np.isnan(t.labels), np.nan, t.labels > 0) for t in data.topics]
    by_topic = zip(data.topics, relevant, strict=True)
    return _all_pairs(GAINS, [pair_agreement(t.gains, of, (0, 1)) for t, of in by_topic])


def _without_anchors(data: StudyData) -> Column | None:
    """Of gains by all pairs of documents that are no anchors, whose order a check forces."""
    if not data.has_anchors:
        return None
    others = []
    for topic in data.topics:
        gains = topic.gains.copy()
        gains[[topic.h_k, topic.n_k]] = np.nan
        others.append(pair_agreement(gains, topic.labels, data.levels))
    column = _all_pairs(GAINS, others)
    return column if column.topics else None


def numbers(found: Found) -> dict[str, float | int | str]:
    """How often gains are in the order of labels, in the mean over topics, with its t interval."""
    column = found.without_anchors or found.whole
    shares = column.shares[column.pairs > 0]
    mean, low, high = t_interval(shares)
    return {
        "pairs_in_order": float(mean),
        "pairs_in_order_low": float(low),
        "pairs_in_order_high": float(high),
        "pairs_in_order_p": _p_of_chance(shares),
        "pairs_topics": column.topics,
        "pairs": int(column.pairs.sum()),
        "pairs_of": "others" if found.without_anchors else "all",  # than anchors
        **_as_in_paper(found),
    }


def _as_in_paper(found: Found) -> dict[str, float]:
    """With the anchors: by graded labels, by the same as binary ones, of two sets as binary."""
    columns = {"pairs_binary": found.binary}
    if found.by_levels and found.binary:
        columns["pairs_graded"] = found.whole
    numbers: dict[str, float] = {}
    for name, column in columns.items():
        if column and column.topics:
            mean, *ends = t_interval(column.shares[column.pairs > 0])
            numbers[name] = float(mean)
            if column.topics >= LEAST_TOPICS:
                numbers |= {f"{name}_{end}": float(at) for end, at in zip(ENDS, ends, strict=True)}
    if found.label_sets:
        numbers["pairs_label_sets"] = found.label_sets[0].mean
    return numbers


def _p_of_chance(shares: Floats) -> float:
    """Of Student's test that topics have a mean share of one half; NaN of one topic."""
    if len(shares) < 2 or not np.ptp(shares):
        return np.nan
    return float(scipy.stats.ttest_1samp(shares, CHANCE).pvalue)


def _as_binary(topic: TopicData, name: str) -> PairAgreement:
    """Two label sets, in levels above 0 and others, as in the paper."""
    others, labels = (
        np.where(np.isnan(levels), np.nan, levels > 0)
        for levels in (topic.other_labels[name], topic.labels)
    )
    return pair_agreement(others, labels, (0, 1))


def _by_levels(data: StudyData) -> Iterator[Column]:
    """By each two levels, where there are more; U is one, just below 0, where it counts as 0."""
    levels, gains = data.with_zeros.levels, [topic.gains for topic in data.topics]
    places = _places(data)
    used = np.concatenate([at[~np.isnan(of)] for at, of in zip(places, gains, strict=True)])
    scale = np.unique(used[~np.isnan(used)])
    if len(scale) < 3:
        return
    by_topic = [pair_agreement(of, at, scale) for at, of in zip(places, gains, strict=True)]
    shares, pairs = (np.stack(column) for column in list(zip(*by_topic, strict=True))[:2])
    names = [U_SHORT if place % 1 else name_of(levels[int(place)]) for place in scale]
    for low, high in combinations(range(len(scale)), 2):
        if np.ceil(scale[low]) < np.ceil(scale[high]):  # not U and 0, whose labels are equal
            both = f"{names[low]}, {names[high]}"
            yield Column(GAINS, both, shares[:, low, high], pairs[:, low, high])


def _places(data: StudyData) -> list[Floats]:
    """Of each topic where its documents' labels are among the levels; U half a place below 0."""
    counted = data.with_zeros
    places = []
    for topic, labels in zip(data.topics, (each.labels for each in counted.topics), strict=True):
        at = np.where(np.isnan(labels), np.nan, np.searchsorted(counted.levels, labels))
        places.append(at - (0.5 * topic.may_be_zero if counted is not data else 0))
    return places


def _all_pairs(values: str, by_topic: Sequence[PairAgreement]) -> Column:
    shares, pairs = zip(*((topic.overall, topic.all_pairs) for topic in by_topic), strict=True)
    return Column(values, EVERY, np.array(shares), np.array(pairs))


def says(found: Found) -> Iterator[str]:
    whole = found.whole
    yield (
        "The gains of two documents with different labels are in the labels' order in "
        f"{percent(whole.mean)} of cases (mean over {count(whole.topics, 'topic')}; the paper: "
        + published.quote("{pairs.graded} with graded labels, {pairs.binary} with binary ones).")
    )
    for column in found.label_sets:
        yield (
            f"Both taken as binary, relevant (above 0) or not, the labels “{column.values}” put "
            f"documents with different labels “{found.label_set}” in their order in "
            f"{percent(column.mean)} of cases (mean over {count(column.topics, 'topic')}; the "
            + published.quote("paper: {pairs.label_sets} between its two label sets); equal ")
            + "labels do not disagree."
        )


def figure(found: Found) -> Figure:
    alone = len(found.columns) == 1
    chart, data = _of_topics(found) if alone else _of_levels(found)
    look = "topics far to the left" if alone else "levels that the crowd does not tell apart"
    return Figure(
        "levels",
        f"Gains and labels agree on {percent(found.whole.mean)} of pairs of documents",
        f"Dots: topics; {'dashed' if alone else 'diamonds'}: their mean.",
        chart,
        data,
        COLUMNS[:4],
        [row[:4] for row in found.rows],
        "Figure 7",
        reading="Gains agree with labels on two documents unless the one with the lower label has "
        f"the higher gain. Look for {look}: as chance would have it, half of the pairs agree."
        f"{_left_out(found)}",
    )


def _left_out(found: Found) -> str:
    if not found.in_no_pair:
        return ""
    documents = count(
        found.in_no_pair, "unlabelled document (U) is", "unlabelled documents (U) are"
    )
    return f" {documents} in no pair."


def _of_topics(found: Found) -> Drawn:
    """All pairs, topic by topic, the highest agreement on top."""
    shares, places = found.whole.shares, np.flatnonzero(found.whole.pairs)
    places = places[np.argsort(-shares[places], kind="stable")][-MOST_TOPICS:]
    topics, agreement = [found.query_ids[place] for place in places], shares[places].tolist()
    rows = [
        {"topic": topic, "share": share, "name": f"topic {topic}: {percent(share)}"}
        for topic, share in zip(topics, agreement, strict=True)
    ]
    domain = (min(0.5, *agreement), 1)
    across = plots.axis("share", "share of pairs in the labels' order", domain=domain, percent=True)
    dots = plots.points("dots", across, plots.names("topic", topics), size=60, opacity=1)
    chart = plots.layer(plots.rule_at("mean", x=across), dots)
    sized = plots.sized(chart, height=max(18 * len(rows), 60))
    return sized, {"dots": rows, "mean": [{"share": found.whole.mean}]}


def _of_levels(found: Found) -> Drawn:
    """Side by side; with too many pairs of levels for a plot, the table alone has them."""
    few = len(found.columns) <= MOST_COLUMNS
    columns = found.columns if few else [found.whole, *found.label_sets]
    names = [column.name for column in columns]
    across = plots.names("column", names, "two levels; all: any two")
    up = plots.axis("share", "share of pairs in the labels' order", domain=(0, 1), percent=True)
    mean = {"shape": "diamond", "colour": plots.OTHER, "size": 150, "filled": False}
    small = plots.points("dots", across, up, size=14)
    large = plots.points("means", across, up, width=2, opacity=1, **mean)
    dots = [
        {"column": column.name, "share": share, "name": f"{column.name}: {percent(share)}"}
        for column in columns
        for share in column.shares[thinned(len(column.shares), most=MOST_TOPICS)].tolist()
        if not np.isnan(share)
    ]
    means = [
        {
            "column": column.name,
            "share": column.mean,
            "name": f"{column.name}: mean {percent(column.mean)}, {count(column.topics, 'topic')}",
        }
        for column in columns
    ]
    return plots.sized(plots.layer(small, large)), {"dots": dots, "means": means}


def tables(found: Found) -> Iterator[Table]:
    yield Table(
        "levels-table",
        "Agreement with the labels by pairs of levels",
        COLUMNS,
        found.rows,
        (
            "Values: gains, or labels of another set, which are compared with the labels, both as "
            "binary ones (above 0 or not). Mean, smallest, largest: over topics that have "
            "documents of both levels. Pairs: of documents, on all topics.",
            published.quote(
                "The paper: N and H {pairs.N-H}, N and R {pairs.N-R}, all levels {pairs.graded}, "
                "binary labels {pairs.binary}, between its two label sets {pairs.label_sets}."
            ),
        ),
        "Figure 7",
    )
    names = [
        column.levels if column.values == GAINS else f"{column.values}: {column.levels}"
        for column in found.columns
    ]
    yield Table(
        "topics",
        "Agreement with the labels by topic",
        ("query_id", *names),
        list(zip(found.query_ids, *(column.shares for column in found.columns), strict=True)),
        ("A dash: no two judged documents of these levels.",)
        if any(np.isnan(column.shares).any() for column in found.columns)
        else (),
    )
