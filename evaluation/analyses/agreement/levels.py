"""Aggregated scores by level of the labels (paper, section 5, Figures 3 and 4)."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from evaluation.analyses.analysis import Analysis
from evaluation.presentation import boxes, plots, published
from evaluation.presentation.parts import Analysed, Figure, Table, Tell, listed, number
from evaluation.study import label_levels
from evaluation.study.data import Floats, StudyData
from evaluation.study.label_levels import OF_U, U_BELOW, U_SHORT, Judged, U, called
from magnitudes.agreement.pairs import LevelOrder, adjacent_level_tests, level_order
from magnitudes.files.words import count
from magnitudes.scaling.aggregation import aggregate

MOST_LEVELS, MOST_TOPICS = 10, 8  # that are drawn
SIGNIFICANT = 0.05
BOX = ("level", "n", "low", "q1", "median", "q3", "high")


class Document(NamedTuple):
    """A judged document, the level of its label, and its gain."""

    query_id: str
    doc_id: str
    level: str
    gain: float
    scores: int


class Level(NamedTuple):
    """The gains of the documents of a level; `mean` is the geometric one of magnitudes."""

    level: str
    n: int
    median: float
    q1: float
    q3: float
    mean: float
    smallest: float
    largest: float


class Welch(NamedTuple):
    """The test of two adjacent levels. Graded scores have no logarithms: both tests are one."""

    levels: str
    n_lower: int
    n_higher: int
    mean_lower: float
    mean_higher: float
    t: float
    p: float
    t_of_logs: float
    p_of_logs: float

    @property
    def rises(self) -> bool:
        """Whether gains of the higher level are significantly higher."""
        return self.p_of_logs < SIGNIFICANT and self.mean_lower < self.mean_higher


class Order(NamedTuple):
    """On how many topics, and on which, the medians of two levels are out of order."""

    levels: str
    adjacent: bool
    topics: int
    out_of_order: int
    which: str


@dataclass(frozen=True)
class Found:
    """The judged documents by level, tests of the levels, and the order of their medians."""

    graded: bool
    has_anchors: bool
    names: list[str]  # of all levels, and U
    query_ids: list[str]
    judged: Judged
    documents: list[Document]
    boxes: list[dict[str, Any]]  # of each level, as `plots.boxes` takes them
    levels: list[Level]  # that some document has, U the last
    tests: list[Welch]
    order: LevelOrder
    axis: dict[str, Any]  # of gains, as `plots.y` takes it

    @property
    def labelled(self) -> list[Level]:
        return [row for row in self.levels if row.level != U]

    def axis_names(self, u: str) -> list[str]:
        """The levels as an axis names them, and `u` for U."""
        return [u if row.level == U else row.level for row in self.levels]

    @property
    def of_u(self) -> str:
        """What U is, where some document is in it."""
        return OF_U if self.levels[-1].level == U else ""

    @property
    def known_tests(self) -> list[Welch]:
        return [row for row in self.tests if np.isfinite(row.p_of_logs)]

    @property
    def rises(self) -> bool:
        """Whether gains of each level are significantly higher than those of the one below it."""
        steps = len(self.labelled) - 1
        return len(self.tests) == steps and all(row.rises for row in self.tests)


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Gains by level over all topics and on each, Welch's tests, medians out of order."""
    if not len(data.units):
        return Analysed(["No unit is completed yet: there is no score."])
    if not data.levels:
        return Analysed(["No judged document has a label: there is no level to compare with."])
    if len(data.levels) > label_levels.TOO_MANY:
        return Analysed([label_levels.too_many(data)])
    found = compute(data)
    parts: list[Figure | Table] = [*figures(found), *tables(found)]
    return Analysed([*says(found)], [part for part in parts if part.rows], numbers(found))


def numbers(found: Found) -> dict[str, int | str]:
    """How many tests of adjacent levels show a rise, and how many medians are out of order."""
    adjacent = (pair for pair in label_levels.pairs(found.order.medians) if pair.adjacent)
    return {
        "tests": len(found.known_tests),
        "differ": sum(row.rises for row in found.known_tests),
        "test": f"Welch's t test{_without(found)}",
        "out": found.order.adjacent.out,
        "cases": found.order.adjacent.compared,
        "topics_out": len({place for pair in adjacent for place in pair.out.tolist()}),
        "topics": len(found.query_ids),
    }


def compute(data: StudyData) -> Found:
    graded, names = data.study.is_graded, label_levels.names(data)
    judged = label_levels.judged(data)
    items, gains, level, topic = judged
    box_rows = boxes.rows(gains, level, _about(names), log=not graded)
    axis = {"domain": (0, len(data.study.levels) - 1)}
    return Found(
        graded,
        data.has_anchors,
        names,
        [topic.query_id for topic in data.topics],
        judged,
        [
            Document(*data.pair_name(item), names[place], gain, int(data.documents.counts[item]))
            for item, place, gain in zip(items.tolist(), level, gains.tolist(), strict=True)
        ],
        box_rows,
        [_level(box, gains[level == names.index(box["level"])]) for box in box_rows if "n" in box],
        _tests(data, names, judged),
        level_order(gains, data.documents.labels[items], data.levels, topic, len(data.topics)),
        axis if graded else plots.decades(gains.min() / 1.2, gains.max() * 1.2),
    )


def _about(names: list[str]) -> list[dict[str, str]]:
    """What boxes of levels say besides their numbers."""
    return [{"level": name, "name": name if name == U else f"level {name}"} for name in names]


def _level(box: dict[str, Any], gains: Floats) -> Level:
    middle = {field: box[field] for field in Level._fields[:6]}
    return Level(**middle, smallest=gains.min(), largest=gains.max())


def _tests(data: StudyData, names: list[str], judged: Judged) -> list[Welch]:
    """Without the anchors, whose order a check forces."""
    graded = data.study.is_graded  # from level 0, which has no logarithm
    others = ~data.documents.is_anchor[judged.items]
    gains, level = judged.gains[others], judged.level[others]
    labels = data.documents.labels[judged.items[others]]
    n = np.bincount(level, minlength=len(names)).tolist()
    mean = "arithmetic" if graded else "geometric"
    means = aggregate(gains, level, len(names), mean).values.tolist()
    plain = adjacent_level_tests(gains, labels, data.levels)
    logs = plain if graded else adjacent_level_tests(np.log(gains), labels, data.levels)
    adjacent = (pairwise(column) for column in (names, n, means))
    columns = zip(*adjacent, plain.t, plain.p, logs.t, logs.p, strict=False)  # without U
    return [
        Welch(", ".join(levels), *sizes, *centres, *tests)
        for levels, sizes, centres, *tests in columns
        if all(sizes)
    ]


def says(found: Found) -> Iterator[str]:
    labelled, near, every = found.labelled, found.order.adjacent, found.order.every
    rows = labelled if len(labelled) <= MOST_LEVELS else [labelled[0], labelled[-1]]
    medians = [f"{number(row.median)} at level {row.level}" for row in rows]
    medians += [f"{number(row.median)} without a label" for row in found.levels[len(labelled) :]]
    documents = count(len(found.documents), "judged document")
    yield f"{_title(found)}. The medians of {documents}: {', '.join(medians)}."
    if len(labelled) < 2:
        yield "All labels of judged documents are of one level: nothing can be compared with it."
        return
    if every.compared:
        yield (
            f"Topic by topic, the medians are out of order in {near.out} of "
            f"{count(near.compared, 'comparison')} of neighbouring levels, and in {every.out} of "
            f"{every.compared} of any two levels "
            + published.quote(
                "(the paper: {medians_out.adjacent} of {medians_compared.adjacent} and "
                "{medians_out.any} of {medians_compared.any}, its two label sets together)."
            )
        )
    else:
        yield "No topic has documents of two levels: medians cannot be compared on one."
    if tests := found.known_tests:
        yield (
            f"{sum(row.rises for row in tests)} of {count(len(tests), 'pair')} of neighbouring "
            f"levels {'differs' if len(tests) == 1 else 'differ'} in the expected direction by "
            f"Welch's two-sided t test{'' if found.graded else ' on logarithms'}, p below .05"
            f"{_without(found)} (the paper{', with them' if found.has_anchors else ''}: "
            + published.quote("all, p below {levels_p}).")
        )


def _without(found: Found) -> str:
    return ", the anchors left out" if found.has_anchors else ""


def figures(found: Found) -> Iterator[Figure]:
    if len(found.names) <= MOST_LEVELS + 1:
        yield _all_topics(found)
        if len(found.query_ids) > 1:
            yield _by_topic(found)


def _title(found: Found) -> str:
    """Whether gains rise from each level to the next; only tests of all steps say that they do."""
    first, last = found.labelled[0], found.labelled[-1]
    if first == last:
        return f"At level {first.level} the median gain is {number(first.median)}"
    medians = [row.median for row in found.labelled]
    if not all(low < high for low, high in itertools.pairwise(medians)):
        says = "The median gain does not rise with every level"
    elif found.rises:
        says = "The median gain rises with every level"
    else:
        says = "It cannot be said that gains rise with every level"
    return (
        f"{says}: {number(first.median)} at level {first.level}, {number(last.median)} at level "
        f"{last.level}"
    )


def _all_topics(found: Found) -> Figure:
    across = plots.names("level", found.axis_names(U_BELOW), "level of the labels")
    return Figure(
        "all-topics",
        _title(found),
        "Boxes: median and quartiles; whiskers to 1.5 times the height of the box"
        f"{'' if found.graded else ' on this axis of ratios'}; dots beyond.",
        plots.sized(plots.boxes("boxes", across, "gain", **found.axis)),
        {"boxes": called(found.boxes, U_BELOW)},
        Document,
        found.documents,
        "Figure 3",
        reading="Look for boxes that climb with the level, and for dots that lie among the boxes "
        f"of another level.{found.of_u}",
    )


def _by_topic(found: Found) -> Figure:
    boxes, shown = _topic_boxes(found), _most_out_of_order(found)
    left_out = len(found.query_ids) - len(shown)
    across = plots.names("level", found.axis_names(U_SHORT))
    chart = plots.boxes("boxes", across, "gain", size=12, **found.axis)
    return Figure(
        "by-topic",
        f"Medians are out of order on {len(found.order.topics)} of "
        f"{count(len(found.query_ids), 'topic')}",
        "Topic by topic, all on one scale"
        + (f". Left out: {count(left_out, 'topic')} with fewer." if left_out else "."),
        plots.panels(chart, "topic", shown, columns=2 if len(found.names) > 4 else 3),
        {"boxes": called((row for row in boxes if row["topic"] in shown), U_SHORT)},
        ("query_id", *BOX),
        [tuple(row[name] for name in ("topic", *BOX)) for row in boxes if "n" in row],
        "Figure 4",
        reading=f"Look for lines in boxes that do not climb from left to right.{found.of_u}",
    )


def _topic_boxes(found: Found) -> list[dict[str, Any]]:
    """Of each topic and level, as `plots.boxes` takes them."""
    about = [
        {**row, "topic": topic, "name": f"topic {topic}, {row['name']}"}
        for topic in found.query_ids
        for row in _about(found.names)
    ]
    groups = found.judged.topic * len(found.names) + found.judged.level
    return boxes.rows(found.judged.gains, groups, about, log=not found.graded)


def _most_out_of_order(found: Found) -> list[str]:
    """The topics that are drawn: those with most pairs of levels out of order."""
    faults = np.zeros(len(found.query_ids))
    for pair in label_levels.pairs(found.order.medians):
        faults[pair.out] += 1
    places = np.sort(np.argsort(-faults, kind="stable")[:MOST_TOPICS])
    return [found.query_ids[place] for place in places]


def tables(found: Found) -> Iterator[Table]:
    geometric = "" if found.graded else "geometric_"
    yield Table(
        "by-level",
        "Gains by level",
        tuple(field.replace("mean", f"{geometric}mean") for field in Level._fields),
        found.levels,
        ("Documents with a gain, on all topics.",),
    )
    tests = Welch._fields[:7] if found.graded else Welch._fields
    logs = "" if found.graded else ", and of their logarithms, which a few large ones do not sway"
    yield Table(
        "tests",
        "Tests of neighbouring levels",
        tuple(field.replace("mean", f"{geometric}mean") for field in tests),
        [row[: len(tests)] for row in found.tests],
        (
            f"Welch's two-sided t test of gains{logs}{_without(found)}; t is positive where the "
            "higher level has the higher mean. No t where a level has a single document, or "
            "all gains are equal.",
        ),
        "section 5",
    )
    yield Table(
        "order",
        "Topics on which the medians of two levels are out of order",
        Order,
        [*_orders(found)],
        (
            "Topics: those with a judged document of each of the two levels. Out of order: the "
            "median gain of the higher level is below that of the lower one.",
        ),
        "section 5",
    )


def _orders(found: Found) -> Iterator[Order]:
    names = found.names
    for pair in label_levels.pairs(found.order.medians):
        which = listed((found.query_ids[place] for place in pair.out), most=24)
        levels = f"{names[pair.lower]}, {names[pair.higher]}"
        yield Order(levels, pair.adjacent, pair.topics, len(pair.out), which)


ANALYSIS = Analysis("levels", "Do scores follow the labels?", analyse)
