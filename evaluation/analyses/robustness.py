"""How much measures depend on who judged, and chances on topics, lists and ranks.

Demeester and others (WSDM 2014), section 6: Tables 2 and 3.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from evaluation.analyses import in_levels, plots
from evaluation.analyses.data import DEPTH, Floats, Ints, StudyData
from evaluation.analyses.parts import Analysed, Figure, Row, Table, Tell, number
from evaluation.comparison import ComparisonError
from evaluation.comparison.judge_robustness import Robustness, judge_robustness
from evaluation.gains.disagreement import Disagreement, Sums, pooled, sums
from evaluation.gains.opinions import Opinions
from evaluation.scaling.resamples import Resamples
from trec.words import count

PAIR, FIRST = "two judges", "two labels"
OF = {PAIR: "the two judges who share most documents", FIRST: "two labels of each document"}
DRAWS = 1000
ENOUGH_TOPICS = 5
TOP = 5
# Mean and standard deviation (Table 2).
PAPER = {
    "AP": (0.48, 0.28),
    "GAP(1/2)": (0.65, 0.18),
    "GAP(1/3)": (0.69, 0.16),
    "GAP(1/4)": (0.71, 0.16),
    "nDCG(exp, zipf)": (0.70, 0.23),
    "nDCG(exp, log2)": (0.86, 0.09),
    "nDCG(1/2, log2)": (0.84, 0.11),
    "nDCG(1/3, log2)": (0.87, 0.09),
    "nDCG(1/4, log2)": (0.89, 0.07),
}


class Judged(NamedTuple):
    """One judge's order by another's labels."""

    found: Robustness
    shared: float  # documents of both, in the mean over topics
    empty: int  # topics in which the reference has no document of the top level

    def means(self) -> dict[str, float]:
        return dict(zip(self.found.names, self.found.mean.tolist(), strict=True))

    def rows(self) -> Iterator[tuple[str, float, float]]:
        """Measure, mean, deviation."""
        of = self.found
        yield from zip(of.names, of.mean.tolist(), of.sd.tolist(), strict=True)


class Group(NamedTuple):
    """Some of the topics, or results of lists: how often each item is among them."""

    name: str
    topics: int
    lists: int | None  # None: each document counts once
    weights: Floats  # (items,)


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Table 2 for two pairs of judges, and p(T|i) by kinds of topics, lists and ranks."""
    every = in_levels.opinions(data)
    if reason := in_levels.why_not(every):
        return Analysed([reason, *in_levels.left_out(data)])
    names = in_levels.names(data)
    said = every if data.study.is_imported else every.where(~data.is_anchor[every.items])
    found, faults = _judged(said)
    tell(0.4)
    main = in_levels.readings(data)[0]
    groups = _groups(data, main.opinions) + _lists(data, every)
    parts = sums(main.opinions)
    p = pooled(parts, np.array([group.weights for group in groups]))
    sure = [_interval(parts, group, main.opinions, data.seed) for group in groups]
    tell(0.9)
    tables: list[Figure | Table] = []
    if found:
        tables += [_measures_figure(found), _measures(found)]
    tables += [
        *_dependence_figure(groups, p, sure, names),
        _dependence(groups, p, sure, names, data),
    ]
    numbers = {
        f"{measure} of {name}": mean
        for name, one in found.items()
        for measure, mean in one.means().items()
    }
    return Analysed(
        [
            *_says(found, faults),
            *_says_groups(groups, p, names, main.name),
            *_no_lists(data),
            *in_levels.told(data),
        ],
        tables,
        numbers,
    )


def _judged(said: Opinions) -> tuple[dict[str, Judged], list[str]]:
    """By whom the two labels are; and why there is nothing to be had."""
    if in_levels.why_not(said):
        return {}, ["without the anchors no document has the opinions of two judges"]
    found, faults = {}, {}
    for name, both in (
        (PAIR, in_levels.best_two(said).opinions),
        (FIRST, in_levels.first_two(said)),
    ):
        items = in_levels.two_judges(both)
        topics = np.unique(both.topic_of_item[items])
        reference = both.of_judge(0) == both.n_levels - 1
        empty = len(topics) - len(np.unique(both.topic_of_item[items & reference]))
        try:
            of = judge_robustness(both, 0, 1)
        except ComparisonError:
            faults["weights come from other topics than the measured one, and there is but one"] = 1
            continue
        found[name] = Judged(of, float(items.sum() / len(topics)), empty)
    return found, list(faults)


# --- topics, lists and ranks ------------------------------------------------------------------
def _groups(data: StudyData, said: Opinions) -> list[Group]:
    alone = np.ones(data.n_items)
    found = [Group("all documents", len(data.topics), None, alone)]
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


def _lists(data: StudyData, said: Opinions) -> list[Group]:
    """Results of lists, by whether the first labels of a list have the top level, and by rank.

    By any judge's labels p(T|i) of the other lists would be 0, whatever judges say.
    """
    one = in_levels.first_two(said)
    best = one.where(one.judges == 0).counts[:, -1] > 0
    found = []
    for depth in (TOP, DEPTH):
        weights, lists = np.zeros((2, data.n_items)), [0, 0]
        topics: list[set[str]] = [set(), set()]
        for topic, start in zip(data.topics, data.offsets.tolist(), strict=False):
            items = _items(topic.codes, topic.lists[:, :DEPTH], start)
            there = items >= 0
            good = (best[items] & there).any(axis=1)
            for kind, kept in enumerate((good, ~good & there.any(axis=1))):
                cut, listed = items[kept, :depth], there[kept, :depth]
                np.add.at(weights[kind], cut[listed], 1)
                lists[kind] += int(kept.sum())
                topics[kind] |= {topic.query_id} if kept.any() else set()
        for kind, quality in enumerate(("good", "other")):
            if weights[kind].any():
                name = f"{quality} lists, top {depth}"
                found.append(Group(name, len(topics[kind]), lists[kind], weights[kind]))
    return found


def _items(codes: Ints, lists: np.ndarray, start: int) -> Ints:
    """The item of each place in lists, -1 where the list is shorter or the pool has it not."""
    place = np.full(max(int(lists.max(initial=-1)), int(codes.max(initial=-1))) + 2, -1)
    known = np.flatnonzero(codes >= 0)
    place[codes[known]] = known + start
    return np.asarray(place[lists])


def _interval(parts: Sums, group: Group, said: Opinions, seed: int) -> tuple[Floats, Floats]:
    """95% of the draws of the group's topics with replacement; NaN where topics are few."""
    topics = np.unique(said.topic_of_item[(group.weights > 0) & parts.said.any(axis=1)])
    low, high = np.full((2, said.n_levels), np.nan)
    if len(topics) < ENOUGH_TOPICS:
        return low, high
    of_topics = Sums(*(_by_topic(part * group.weights[:, None], said)[topics] for part in parts))
    draws = np.concatenate(
        [pooled(of_topics, often).p for _, often in Resamples(len(topics), DRAWS, seed).chunks(0)]
    )
    known = ~np.isnan(draws).all(axis=0)
    low[known], high[known] = np.nanquantile(draws[:, known], (0.025, 0.975), axis=0)
    return low, high


def _by_topic(part: Floats, said: Opinions) -> Floats:
    found = np.zeros((int(said.topic_of_item.max()) + 1, said.n_levels))
    np.add.at(found, said.topic_of_item, part)
    return found


# --- in words ---------------------------------------------------------------------------------
def _says(found: dict[str, Judged], faults: Sequence[str]) -> Iterator[str]:
    for name, one in found.items():
        known = {of: mean for of, mean in one.means().items() if not np.isnan(mean)}
        best, worst = (pick(known, key=lambda of: known[of]) for pick in (max, min))
        yield (
            f"One judge's order, measured by another's labels ({OF[name]}, "
            f"{number(one.shared)} documents in the mean of "
            f"{count(len(one.found.topics), 'topic')}): {worst} is {number(known[worst])} in the "
            f"mean, and {best} {number(known[best])}."
            + (
                f" In {count(one.empty, 'topic')} the reference has no document of the top level, "
                "and AP is 0."
                if one.empty
                else ""
            )
        )
    if found:
        yield (
            "The paper has AP .48, GAP(1/3) .69 and nDCG(1/3, log2) .87, of two experts who "
            "judged all results of 15 topics."
        )
    for fault in faults:
        yield f"Measures of one judge by another cannot be had: {fault}."


def _says_groups(
    groups: Sequence[Group], p: Disagreement, names: Sequence[str], counted: str
) -> Iterator[str]:
    level = len(names) - 2
    of = {group.name: float(p.p[place, level]) for place, group in enumerate(groups)}
    less, more = (of.get(f"topics, {how} agreement", np.nan) for how in ("less", "more"))
    if not np.isnan(less + more):
        yield (
            f"After {names[level]} another says {names[-1]} with a chance of {number(less)} in the "
            f"half of the topics whose judges agree least, and of {number(more)} in the other; "
            f"halves are by the share of equal labels, from the same opinions ({counted})."
        )
    good, other = (of.get(f"{kind} lists, top {DEPTH}", np.nan) for kind in ("good", "other"))
    if not np.isnan(good + other):
        yield (
            f"In lists whose first {DEPTH} have a document with {names[-1]} as its first label it "
            f"is {number(good)}, and {number(other)} in others (the paper: .23 and .06 for its "
            "level below the top)."
        )
    best = of.get(f"good lists, top {TOP}", np.nan)
    if not np.isnan(best + good):
        yield (
            f"By the first {TOP} ranks of these lists it is {number(best)}, by the first {DEPTH} "
            f"{number(good)} (the paper: .25 and .23)."
        )


def _no_lists(data: StudyData) -> list[str]:
    if data.runs:
        return []
    return ["The collection has no run: lists and ranks cannot be told apart."]


# --- Table 2 ----------------------------------------------------------------------------------
def _measures_figure(found: dict[str, Judged]) -> Figure:
    rows: list[Row] = [
        (name, of, mean, sd)
        for of, one in found.items()
        for name, mean, sd in one.rows()
        if not np.isnan(mean)
    ]
    kinds = {PAIR: ("circle", plots.MARK), FIRST: ("diamond", plots.OTHER)}
    order = list(dict.fromkeys(row[0] for row in rows))
    apart = plots.alt.YOffset("of:N", sort=list(kinds))
    title = "mean over topics"
    ends = (0, 1)
    spans = plots.on("measures").mark_rule(color=plots.INK, opacity=0.5, aria=False)
    main = max(found, key=lambda of: found[of].shared)
    lowest = min((row for row in rows if row[1] == main), key=lambda row: row[2])
    return Figure(
        "measures",
        f"By {lowest[0]} one judge's order is worth {number(lowest[2])} to another",
        "The mean of each measure over topics, with one standard deviation as far as it lies "
        "within 0 and 1, if documents are ordered by the second judge's levels and measured by the "
        "first one's. All would be 1 if judges agreed. Look for measures that are high and vary "
        "little: they depend least on who judged.",
        plots.sized(
            plots.alt.layer(
                spans.encode(
                    x=plots.x("low", title, domain=ends),
                    x2="high:Q",
                    y=plots.down("measure", order),
                    yOffset=apart,
                ),
                plots.shaped(
                    "measures",
                    plots.x("mean", title, domain=ends),
                    plots.down("measure", order),
                    "of",
                    kinds,
                ).encode(yOffset=apart),
            ),
            30 * len(order),
            plots.WIDTH - 130,
        ),
        {
            "measures": [
                {
                    "measure": name,
                    "of": of,
                    "mean": mean,
                    "low": max(mean - _zero(sd), 0.0),
                    "high": min(mean + _zero(sd), 1.0),
                    "name": f"{name}, {of}: {mean:.2f} ± {_zero(sd):.2f}",
                }
                for name, of, mean, sd in rows
            ]
        },
        ("measure", "labels_of", "mean", "sd"),
        rows,
        in_levels.source("Table 2"),
    )


def _zero(sd: float) -> float:
    return 0.0 if np.isnan(sd) else sd


def _measures(found: dict[str, Judged]) -> Table:
    rows: list[Row] = [
        (name, of, len(one.found.topics), one.empty, mean, sd, *PAPER.get(name, (None, None)))
        for of, one in found.items()
        for name, mean, sd in one.rows()
    ]
    return Table(
        "robustness",
        "One judge's order, measured by another's labels",
        (
            *("measure", "labels_of", "topics", "without_top_level", "mean", "sd"),
            *("paper's_mean", "paper's_sd"),
        ),
        rows,
        (
            f"{PAIR}: those who share most documents of a topic. {FIRST}: the first label of each "
            "document, and the next one by somebody else. The first judge's labels are the "
            "reference, the second judge's levels the order; documents of one level stay in the "
            "order of the pool. AP: at the top level. exp: gains 2^level - 1; 1/N: weights of the "
            "other topics. log2, zipf: discounts 1 / log2(rank + 1) and 1 / rank. without top "
            "level: topics in which the reference has no document of it, where AP is 0.",
            "A dash: the paper does not have the measure, a reference has a level that no other "
            "topic has, or there is no deviation.",
        ),
        in_levels.source("Table 2"),
    )


# --- Table 3 ----------------------------------------------------------------------------------
def _dependence_figure(
    groups: Sequence[Group],
    p: Disagreement,
    sure: Sequence[tuple[Floats, Floats]],
    names: Sequence[str],
) -> Iterator[Figure]:
    top = len(names) - 1
    levels = [level for level in (top - 1, top - 2) if level > 0 or top == 1]
    rows: list[Row] = [
        (group.name, names[level], float(p.p[place, level]), float(low[level]), float(high[level]))
        for place, (group, (low, high)) in enumerate(zip(groups, sure, strict=True))
        for level in levels
        if not np.isnan(p.p[place, level])
    ]
    if not rows:
        return
    styles = (("circle", plots.MARK), ("diamond", plots.OTHER))
    kinds = {names[level]: style for level, style in zip(levels, styles, strict=False)}
    order = list(dict.fromkeys(row[0] for row in rows))
    apart = plots.alt.YOffset("level:N", sort=list(kinds))
    most = max(max(row[2], _zero(row[4])) for row in rows)
    ends, title = (
        (-0.02 * most, min(1.0, 1.05 * most + 0.01)),
        "chance of the top level",
    )
    spans = plots.on("groups").mark_rule(color=plots.INK, opacity=0.5, aria=False)
    least, greatest = (pick(rows, key=lambda row: row[2]) for pick in (min, max))
    yield Figure(
        "groups",
        f"The chance goes from {number(least[2])} ({least[1]}, {least[0]}) to "
        f"{number(greatest[2])} ({greatest[1]}, {greatest[0]})",
        "One dot a level and group, with its 95% interval over the group's topics, where there are "
        f"{ENOUGH_TOPICS} or more. Good lists have the top level, by a document's first label, in "
        f"their first {DEPTH}. If a group lies far from the others, weights from all documents do "
        "not hold for it.",
        plots.sized(
            plots.alt.layer(
                spans.encode(
                    x=plots.x("low", title, domain=ends, format="%"),
                    x2="high:Q",
                    y=plots.down("group", order),
                    yOffset=apart,
                ),
                plots.shaped(
                    "groups",
                    plots.x("p", title, domain=ends, format="%"),
                    plots.down("group", order),
                    "level",
                    kinds,
                ).encode(yOffset=apart),
            ),
            40 * len(order),
            plots.WIDTH - 170,
        ),
        {
            "groups": [
                {
                    "group": group,
                    "level": level,
                    "p": value,
                    "low": value if np.isnan(low) else low,
                    "high": value if np.isnan(high) else high,
                    "name": f"{group}, after {level}: {value:.3f}",
                }
                for group, level, value, low, high in rows
            ]
        },
        ("group", "level", "p", "low", "high"),
        rows,
        in_levels.source("Table 3"),
    )


def _dependence(
    groups: Sequence[Group],
    p: Disagreement,
    sure: Sequence[tuple[Floats, Floats]],
    names: Sequence[str],
    data: StudyData,
) -> Table:
    rows: list[Row] = [
        (
            group.name,
            group.topics,
            group.lists,
            name,
            int(p.observations[place, level]),
            float(p.p[place, level]),
            float(sure[place][0][level]),
            float(sure[place][1][level]),
        )
        for place, group in enumerate(groups)
        for level, name in enumerate(names)
    ]
    return Table(
        "dependence",
        f"The chance that another says {names[-1]}, by topics, lists and ranks",
        ("group", "topics", "lists", "level", "labels", "p", "low", "high"),
        rows,
        (
            "topics, less agreement and more agreement: halves by the share of equal labels of the "
            f"same document. good lists: those whose first {DEPTH} have the top level, by a "
            f"document's first label, at least once; their first {TOP} or {DEPTH} ranks count. "
            "(By all labels p would be 0 in other lists, whatever judges say.) In lists a document "
            f"counts as often as it is listed. low, high: 95% of {DRAWS:,} draws of the group's "
            f"topics, seed {data.seed}.",
            "A dash: no document of the group with two judges has the level, there are fewer than "
            f"{ENOUGH_TOPICS} topics for an interval, or the group is not one of lists.",
        ),
        in_levels.source("Table 3"),
    )
