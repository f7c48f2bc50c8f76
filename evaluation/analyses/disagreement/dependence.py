"""How the chance that another finds best what one labelled lower depends on what is looked at.

Demeester and others (WSDM 2014), section 6.2: kinds of topics, lists and ranks. A part of the
analysis `robustness`.
"""

from collections.abc import Iterator

import numpy as np

from evaluation.analyses.disagreement.groups_of_documents import Group, of_lists, of_topics
from evaluation.presentation import plots, published
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import Figure, Result, Table, number, percent
from evaluation.study import levels
from evaluation.study.data import Floats, StudyData
from evaluation.study.levels import ENOUGH_TOPICS
from evaluation.study.topics import DEPTH
from magnitudes.agreement.opinions import Opinions
from magnitudes.gains.disagreement import Sums, pooled, sums
from magnitudes.gains.topic_interval import by_topic, disagreement_over_topics

TOP = 5
STYLES = (("circle", plots.MARK), ("diamond", plots.OTHER))
COLUMNS = "group topics lists level labels p low high"


def analyse(data: StudyData, every: Opinions) -> Result:
    """Of the main reading of opinions; lists are good by labels of `every`."""
    main, names = levels.readings(data)[0], levels.names(data)
    groups = [*of_topics(data, main.opinions), *of_lists(data, every, (TOP, DEPTH))]
    parts = sums(main.opinions)
    p, observations = pooled(parts, np.array([group.weights for group in groups]))[:2]
    rows = [
        (*group[:3], *row)
        for group, labels, chances in zip(groups, observations.astype(np.int64), p, strict=True)
        for row in zip(names, labels, chances, *_interval(parts, group, main.opinions), strict=True)
    ]
    chances = Frame.of_rows(COLUMNS, rows).with_heads(p="chance")
    return Result(
        [*_sentences(chances, names, main.name)],
        [*_figures(chances, names), _table(chances, names[-1])],
        _numbers(chances, names),
    )


def _numbers(chances: Frame, names: list[str]) -> dict[str, float]:
    """The chances in good lists, after the first and the second level below the top.

    As good_RANKS_LEVEL, with the ends of their intervals.
    """
    depths = {f"good lists, top {depth}": depth for depth in (TOP, DEPTH)}
    below = {level: place for place, level in enumerate(names[-2:-4:-1], 1)}
    return {
        f"good_{depths[row.group]}_{below[row.level]}{end}": value
        for row in chances
        if row.group in depths and row.level in below
        for end, value in (("", row.p), ("_low", row.low), ("_high", row.high))
    }


def _interval(parts: Sums, group: Group, opinions: Opinions) -> Floats:
    """Student's 95% interval over its topics, (2, levels); NaN where topics are few."""
    topics = by_topic(parts, opinions, group.weights)
    if np.count_nonzero(topics.shares.any(axis=1)) < ENOUGH_TOPICS:
        return np.full((2, opinions.n_levels), np.nan)
    return np.stack(disagreement_over_topics(topics))


def _sentences(chances: Frame, names: list[str], counted: str) -> Iterator[str]:
    """On the chance after the level below the top, by group."""
    below, top = names[-2:]
    chance = {row.group: row.p for row in chances if row.level == below}
    less, more = (chance.get(f"topics, {how} agreement", np.nan) for how in ("less", "more"))
    if not np.isnan(less + more):
        yield (
            f"After {below} another says {top} with a chance of {number(less)} in the "
            f"half of the topics whose judges agree least, and of {number(more)} in the other; "
            f"halves are by the share of equal labels, from the same opinions ({counted})."
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


def _figures(chances: Frame, names: list[str]) -> Iterator[Figure]:
    levels_shown = names[-2:0:-1][:2] or names[:1]
    starts = range(0, len(chances), len(names))
    rows = chances.where([at + names.index(level) for at in starts for level in levels_shown])
    rows = rows.where(~np.isnan(rows["p"])).of_columns("group", "level", "p", "low", "high")
    if not len(rows):
        return
    by_chance = rows.sorted_by("p")
    [least], [greatest] = by_chance.first(1), rows.sorted_by("p", descending=True).first(1)
    order = list(dict.fromkeys(rows["group"]))
    most = float(np.nanmax([rows["p"], rows["high"]]))
    title, kinds = "chance of the top level", dict(zip(levels_shown, STYLES, strict=False))
    ends = {"domain": (-0.02 * most, min(1.0, 1.05 * most + 0.01)), "percent": True}
    down = plots.names("group", order)
    chart = plots.intervals_of_kinds(ROWS, "p", title, down, "level", kinds, **ends)
    yield rows.figure(
        "groups",
        f"The chance that another says {names[-1]} goes from {percent(least.p)} "
        f"({least.level}, {least.group}) to {percent(greatest.p)} ({greatest.level}, "
        f"{greatest.group})",
        "A dot a level and group, with its 95% interval over topics.",
        plots.sized(chart, 40 * len(order), plots.WIDTH - 170),
        label="{group}, after {level}: {p:.3f}",
        source=levels.source("Table 3"),
        reading=f"There are intervals from {ENOUGH_TOPICS} topics on. Good lists have the top "
        f"level, by a document's first label, in their first {DEPTH}. If a group lies far from the "
        "others, weights from all documents do not hold for it.",
    )


def _table(chances: Frame, top: str) -> Table:
    return chances.table(
        "dependence",
        f"The chance that another says {top}, by topics, lists and ranks",
        "Topics, less agreement and more agreement: halves by the share of equal labels of the "
        f"same document. Good lists: those whose first {DEPTH} have the top level, by a "
        f"document's first label, at least once; their first {TOP} or {DEPTH} ranks count. "
        "(By all labels the chance would be 0 in other lists, whatever judges say.) In lists a "
        "document counts as often as it is listed. Low, high: Student's 95% interval over the "
        "group's topics, cut at 0 and 1.",
        "A dash: no document of the group with two judges has the level, there are fewer than "
        f"{ENOUGH_TOPICS} topics for an interval, or the group is not one of lists.",
        source=levels.source("Table 3"),
    )
