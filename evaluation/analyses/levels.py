"""Aggregated scores by level of the labels (paper, section 5, Figures 3 and 4)."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from evaluation.analyses import boxing, plots
from evaluation.analyses.data import Floats, Ints, StudyData
from evaluation.analyses.parts import Analysed, Figure, Table, Tell, count, listed, number
from evaluation.scaling.aggregation import aggregate
from evaluation.scaling.level_order import LevelOrder, adjacent_level_tests, level_order

MOST_LEVELS, MOST_TOPICS = 10, 24  # that are drawn
TOO_MANY = 20  # levels to be compared in pairs
NONE = "none"
BOXES = ("n", "low", "q1", "median", "q3", "high")


class Judged(NamedTuple):
    """The judged pairs: gain, place of the level among the levels (none: the last), topic."""

    items: Ints
    gains: Floats
    level: Ints
    topic: Ints


class Pair(NamedTuple):
    """Two levels, by place: how many topics have both, and where their medians are out of order."""

    lower: int
    higher: int
    topics: int
    out: Ints


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Gains by level over all topics and on each, Welch's tests, medians out of order."""
    if not data.units:
        return Analysed(["No unit is completed yet: there is no score."])
    if not data.levels:
        return Analysed(["No judged document has a label: there is no level to compare with."])
    if len(data.levels) > TOO_MANY:
        return Analysed([too_many(data)])
    judged = _judged(data)
    order = level_order(
        judged.gains, data.item_labels[judged.items], data.levels, judged.topic, len(data.topics)
    )
    tests = _tests(data, judged)
    parts: list[Figure | Table] = []
    if len(data.levels) <= MOST_LEVELS:
        parts.append(_all_topics(data, judged))
        if len(data.topics) > 1:
            parts.append(_by_topic(data, judged, order))
    parts += [_by_level(data, judged), tests, _order_table(data, order.medians)]
    return Analysed([*_says(data, judged, order, tests)], [part for part in parts if part.rows])


def too_many(data: StudyData) -> str:
    return f"The labels have {len(data.levels):,} levels, too many to compare one with another."


def name_of(level: float) -> str:
    return f"{level:g}"


def _names(data: StudyData) -> list[str]:
    return [*map(name_of, data.levels), NONE]


def _judged(data: StudyData) -> Judged:
    items = np.flatnonzero(~np.isnan(data.gains))
    # NaN, which is no label, comes after all levels.
    level = np.searchsorted([*data.levels, np.nan], data.item_labels[items])
    return Judged(items, data.gains[items], level, data.topic_of_item[items])


def _pairs(medians: Floats) -> Iterator[Pair]:
    """Every pair of levels that some topic has both of; medians: (topics, levels)."""
    for higher in range(1, medians.shape[1]):
        for lower in range(higher):
            both = ~np.isnan(medians[:, lower] + medians[:, higher])
            out = medians[:, higher] < medians[:, lower]
            if both.any():
                yield Pair(lower, higher, int(both.sum()), np.flatnonzero(out))


def _says(data: StudyData, judged: Judged, order: LevelOrder, tests: Table) -> Iterator[str]:
    names = _names(data)
    medians = aggregate(judged.gains, judged.level, len(names)).values
    used = np.flatnonzero(~np.isnan(medians[:-1])).tolist()
    told = used if len(used) <= MOST_LEVELS else [used[0], used[-1]]
    said = [f"{number(medians[place])} at level {names[place]}" for place in told]
    said += [] if np.isnan(medians[-1]) else [f"{number(medians[-1])} without a label"]
    judgments = count(len(judged.items), "judged document")
    yield f"The median gain of {judgments}, by level: {', '.join(said)}."
    if len(used) < 2:
        yield "All labels of judged documents are of one level: nothing can be compared with it."
        return
    near, every = order.adjacent, order.every
    if every.compared:
        yield (
            f"On {near.out} of {near.compared} topics × pairs of adjacent levels the medians are "
            f"out of order, and on {every.out} of {every.compared} with all pairs of levels (the "
            "paper: 6 of 72 and 6 of 126, its two label sets together)."
        )
    else:
        yield "No topic has documents of two levels: medians cannot be compared on one."
    known = [row for row in tests.rows if np.isfinite(row[-1])]
    sure = [row for row in known if row[-1] < 0.05 and row[3] < row[4]]
    if known:
        yield (
            f"{len(sure)} of {count(len(known), 'pair')} of adjacent levels "
            f"{'differs' if len(known) == 1 else 'differ'} in the expected direction by Welch's "
            "two-sided t test on logarithms, p below .05 (the paper: all, p below .002)."
        )


def _about(names: list[str], **more: Any) -> list[dict[str, Any]]:
    return [
        {"level": name, "name": "no label" if name == NONE else f"level {name}", **more}
        for name in names
    ]


def _used(names: list[str], judged: Judged) -> list[str]:
    return [name for place, name in enumerate(names) if (judged.level == place).any()]


def _all_topics(data: StudyData, judged: Judged) -> Figure:
    names = _names(data)
    rows = boxing.rows(judged.gains, judged.level, _about(names), log=True)
    labelled = [row for row in rows if "median" in row and row["level"] != NONE]
    first, last = labelled[0], labelled[-1]
    says = (
        f"From level {first['level']} to {last['level']} the median gain goes from "
        f"{number(first['median'])} to {number(last['median'])}"
        if len(labelled) > 1
        else f"At level {first['level']} the median gain is {number(first['median'])}"
    )
    return Figure(
        "all-topics",
        says,
        "Boxes: quartiles and median; whiskers to 1.5 times the height of the box, on this "
        "logarithmic scale; dots beyond. “none”: documents without a label. Look for boxes that "
        "climb with the level, and for dots that lie among the boxes of another level.",
        plots.sized(
            plots.boxes(
                "boxes",
                plots.category("level", _used(names, judged), "level of the labels"),
                "gain",
                **_axis(judged),
            )
        ),
        {"boxes": rows},
        ("query_id", "doc_id", "level", "gain", "scores"),
        [
            (*data.pair_name(item), names[level], gain, int(data.counts[item]))
            for item, level, gain in zip(
                judged.items.tolist(), judged.level.tolist(), judged.gains.tolist(), strict=True
            )
        ],
        "Figure 3",
    )


def _axis(judged: Judged) -> dict[str, Any]:
    return plots.decades(judged.gains.min() / 1.2, judged.gains.max() * 1.2)


def _by_topic(data: StudyData, judged: Judged, order: LevelOrder) -> Figure:
    names, topics = _names(data), [topic.query_id for topic in data.topics]
    faults = np.bincount(
        np.concatenate([pair.out for pair in _pairs(order.medians)] or [order.topics]),
        minlength=len(topics),
    )
    drawn = np.sort(np.argsort(-faults, kind="stable")[:MOST_TOPICS])
    about = [
        {**row, "topic": topic, "name": f"topic {topic}, {row['name']}"}
        for topic in topics
        for row in _about(names)
    ]
    rows = boxing.rows(judged.gains, judged.topic * len(names) + judged.level, about, log=True)
    shown = [topics[place] for place in drawn.tolist()]
    wide = len(names) > 4
    few = len(topics) - len(shown)
    return Figure(
        "by-topic",
        f"Medians are out of order on {len(order.topics)} of {count(len(topics), 'topic')}",
        "As above, topic by topic, all on one scale. Look for lines in boxes that do not climb "
        "from left to right."
        + (f" {count(few, 'topic')} with fewer such are not drawn." if few else ""),
        plots.panels(
            plots.boxes(
                "boxes",
                plots.category("level", _used(names, judged)),
                "gain",
                size=12,
                **_axis(judged),
            ),
            "topic",
            shown,
            columns=2 if wide else 3,
        ),
        {"boxes": [row for row in rows if row["topic"] in set(shown)]},
        ("query_id", "level", *BOXES),
        [
            (row["topic"], row["level"], *(row[name] for name in BOXES))
            for row in rows
            if "median" in row
        ],
        "Figure 4",
    )


def _by_level(data: StudyData, judged: Judged) -> Table:
    names = _names(data)
    boxes = boxing.rows(judged.gains, judged.level, _about(names), log=True)
    rows = []
    for box in boxes:
        if "median" in box:
            gains = judged.gains[judged.level == names.index(box["level"])]
            middle = (box[name] for name in ("n", "median", "q1", "q3", "mean"))
            rows.append((box["level"], *middle, gains.min(), gains.max()))
    return Table(
        "by-level",
        "Gains by level",
        ("level", "n", "median", "q1", "q3", "geometric_mean", "smallest", "largest"),
        rows,
        ("n: documents with a gain, on all topics. q1, q3: quartiles.",),
    )


def _tests(data: StudyData, judged: Judged) -> Table:
    names, labels, logs = _names(data), data.item_labels[judged.items], np.log(judged.gains)
    n = np.bincount(judged.level, minlength=len(names)).tolist()
    means = np.exp(aggregate(logs, judged.level, len(names), "arithmetic").values).tolist()
    of_gains, of_logs = (
        adjacent_level_tests(values, labels, data.levels) for values in (judged.gains, logs)
    )
    rows = [
        (
            *(f"{names[lower]}, {names[higher]}", n[lower], n[higher]),
            *(means[lower], means[higher], of_gains.t[lower], of_gains.p[lower]),
            *(of_logs.t[lower], of_logs.p[lower]),
        )
        for lower, higher in pairwise(range(len(data.levels)))
        if n[lower] and n[higher]
    ]
    return Table(
        "tests",
        "Do adjacent levels differ?",
        (
            *("levels", "n_lower", "n_higher", "geometric_mean_lower", "geometric_mean_higher"),
            *("t", "p", "t_of_logs", "p_of_logs"),
        ),
        rows,
        (
            "Welch's two-sided t test of gains, and of their logarithms, which a few very large "
            "gains do not sway; t is positive where the higher level has the higher mean. n: "
            "documents.",
            "No t where a level has a single document, or all gains of both are equal.",
        ),
        "section 5",
    )


def _order_table(data: StudyData, medians: Floats) -> Table:
    names = _names(data)
    return Table(
        "order",
        "Topics on which the medians of two levels are out of order",
        ("levels", "adjacent", "topics", "out_of_order", "which"),
        [
            (
                f"{names[one.lower]}, {names[one.higher]}",
                one.higher == one.lower + 1,
                one.topics,
                len(one.out),
                listed((data.topics[place].query_id for place in one.out.tolist()), most=24),
            )
            for one in _pairs(medians)
        ],
        (
            "topics: those with a judged document of each of the two levels. Out of order: the "
            "median gain of the higher level is below that of the lower one.",
        ),
        "section 5",
    )
