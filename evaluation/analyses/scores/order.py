"""Whether scores and seconds depend on when a document comes: order, scores before, experience."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from evaluation.analyses.analysis import Analysis
from evaluation.presentation import plots
from evaluation.presentation.parts import Analysed, Figure, Table, Tell, drawn, listed, number
from evaluation.study.data import Floats, Ints, StudyData
from evaluation.study.fits import magnitude_here
from magnitudes.comparison.holm import holm
from magnitudes.files.words import count
from magnitudes.spread.drift import GroupedMean, against_others, grouped_mean

LEVEL = 0.05  # of p, corrected for the number of intervals
LEAST_WORKERS = 5  # of a group; of fewer an interval says more of them than of people
TRACE = 1e-12  # of a logarithm: what rounding leaves
SHORTEST = 0.1  # seconds; less counts as this, so that it has a logarithm
# Scores before, over the geometric mean of their unit.
BEFORE = (0.25, 0.5, 2.0, 4.0)
BEFORE_NAMES = ("under ¼", "¼ to ½", "½ to 2", "2 to 4", "4 or more")
# Units that the worker had completed before.
EXPERIENCE = (1, 2, 4, 8, 16)
EXPERIENCE_NAMES = ("0", "1", "2–3", "4–7", "8–15", "16+")
FIRST_NAMES = ("H_k", "N_k", "other")
POSITION, FIRST, COMPLETED = "position in the unit", "first document", "units completed before"
CAPTION = (
    "Dots with 95% intervals, on an axis of ratios; dashed: no difference. A dot without a line: "
    f"fewer than {LEAST_WORKERS} workers."
)
SECONDS = (
    "Seconds over the geometric mean of what others spent on the same document. Look for first "
    "pages that take longer, and for workers who become faster."
)
LOOK = {
    "position": (
        "Scores over the geometric mean of the others' normalised scores of the same document. "
        "Look for a first page that differs from the rest, or for a slope."
    ),
    "before": (
        "By the score before over its unit's geometric mean: a document's score over the others' "
        "of it, against the same of the unit's remaining documents. (A high score alone lowers all "
        "others of its unit when it is normalised; this comparison is free of that.) Look for a "
        "slope: up, a score is drawn towards the one before; down, it is pushed away."
    ),
    "after-first": (
        "Scores after the first of a unit over the others' of the same document. As normalised "
        "scores of a unit balance, later ones are high where the first itself was scored lower "
        "than by those to whom it came later."
    ),
    "scale": (
        "The ratio of a unit's scores of H_k and N_k, over that of others' units of the topic, by "
        "the document that the unit began with. Look for an anchor that narrows or widens the "
        "scale when it comes first."
    ),
    "experience": (
        "How far scores are from the others' of the same document, in the mean, over how far "
        "theirs are. Look for workers who come closer with practice, or tire. Normalisation takes "
        "out what a whole unit is above others, so that the scores themselves cannot rise here."
    ),
    "seconds-position": SECONDS,
    "seconds-experience": SECONDS,
}


class Interval(NamedTuple):
    """How much more, as a factor, a group has than others on the same document."""

    of: str
    by: str
    group: str
    n: int
    workers: int
    factor: float
    low: float
    high: float
    p: float  # of a factor of 1, corrected for the number of all intervals
    excludes_1: bool

    @property
    def is_shown(self) -> bool:
        """Whether it differs from 1 by more than the number of intervals lets one expect."""
        return self.p < LEVEL

    @property
    def distance(self) -> float:
        """How far the factor is from 1, on a logarithmic scale."""
        return float(abs(np.log(self.factor)))


class Effect(NamedTuple):
    """What may matter for what, and the interval of each group that has a value."""

    name: str
    look: str
    intervals: list[Interval]

    @property
    def title(self) -> str:
        first = self.intervals[0]
        return f"{first.of[0].upper()}{first.of[1:]} by {first.by}"


@dataclass(frozen=True)
class Found:
    """The effects with more than one group."""

    effects: list[Effect]

    @property
    def intervals(self) -> list[Interval]:
        return [interval for effect in self.effects for interval in effect.intervals]

    @property
    def known(self) -> list[Interval]:
        return [interval for interval in self.intervals if not np.isnan(interval.low)]

    @property
    def shown(self) -> list[Effect]:
        """Those of which an interval lies apart from 1."""
        return [e for e in self.effects if any(row.is_shown for row in e.intervals)]


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Scores, distances and seconds against others' on the same document, by what came before."""
    scores = _less_others(data, np.log(data.judgments.normalised))
    if np.isnan(scores).all():
        return Analysed(
            ["No document has the scores of two workers yet: there is nothing to compare with."]
        )
    found = compute(data, scores)
    tell(0.5)
    numbers = {"effects_found": len(found.shown)}
    return Analysed(says(found), [*figures(found), *tables(found)], numbers)


def compute(data: StudyData, scores: Floats) -> Found:
    """Every effect; scores: logarithms less the mean of the others' on the same document, (n,)."""
    every = [effect for effect in _effects(data, scores) if len(effect.intervals) > 1]
    corrected = iter(holm([row.p for effect in every for row in effect.intervals]).tolist())
    return Found(
        [
            effect._replace(intervals=[row._replace(p=next(corrected)) for row in effect.intervals])
            for effect in every
        ]
    )


def _less_others(data: StudyData, logs: Floats, which: Any = slice(None)) -> Floats:
    """Logarithms of some judgments, or all, less the mean of others' on the same document."""
    items, workers = data.judgments.items[which], data.judgments.workers[which]
    return against_others(logs, items, len(data.documents), workers)


def _effects(data: StudyData, scores: Floats) -> list[Effect]:
    judgments = data.judgments
    seconds = _less_others(data, np.log(np.maximum(judgments.seconds, SHORTEST)))
    page = judgments.positions - 1
    pages = [str(number) for number in range(1, data.study.unit_size + 1)]
    experience = np.searchsorted(EXPERIENCE, data.units.earlier, side="right")[judgments.units]
    first = _first(data)

    def effect(
        name: str, of: str, by: str, groups: Sequence[str], logs: Floats, group: Ints
    ) -> Effect:
        means = grouped_mean(logs, group, judgments.workers, len(groups), judgments.items)
        return Effect(name, LOOK[name], _intervals(of, by, groups, means))

    before = _next_to(data, scores)
    later = np.where(judgments.positions > 1, scores, np.nan)
    distance = _distance(data, scores)
    return [
        effect("position", "score", POSITION, pages, scores, page),
        effect("before", "score", "score before", BEFORE_NAMES, *before),
        effect("after-first", "later scores", FIRST, FIRST_NAMES, later, first[judgments.units]),
        Effect(
            "scale",
            LOOK["scale"],
            _intervals("H_k / N_k", FIRST, FIRST_NAMES, _scale_by_first(data, first)),
        ),
        effect(
            *("experience", "distance from others", COMPLETED, EXPERIENCE_NAMES),
            *(distance, experience),
        ),
        effect("seconds-position", "seconds", POSITION, pages, seconds, page),
        effect("seconds-experience", "seconds", COMPLETED, EXPERIENCE_NAMES, seconds, experience),
    ]


def _intervals(of: str, by: str, groups: Sequence[str], means: GroupedMean) -> list[Interval]:
    """One for each group with a value: exp of its mean; rounded, so that no trace is drawn.

    p is still of each alone. Groups of few workers have neither interval nor p.
    """
    enough = np.where(means.clusters >= LEAST_WORKERS, 0.0, np.nan)
    low, high = means.low + enough, means.high + enough
    with np.errstate(over="ignore"):
        factors, lows, highs = np.exp(np.round(np.stack([means.mean, low, high]), 12)).tolist()
    excludes = ((low > TRACE) | (high < -TRACE)).tolist()
    counts, workers = means.counts.tolist(), means.clusters.tolist()
    p = np.where(np.abs(means.mean) > TRACE, means.p, 1.0) + enough
    columns = (groups, counts, workers, factors, lows, highs, p.tolist(), excludes)
    return [Interval(of, by, *group) for group in zip(*columns, strict=True) if group[1]]


def _next_to(data: StudyData, scores: Floats) -> tuple[Floats, Ints]:
    """Each score after the first, less the unit's remaining ones; and the bin of that before."""
    shape = (len(data.units), data.study.unit_size)
    table = scores.reshape(shape)
    known = (~np.isnan(table)).astype(np.int64)
    filled = np.nan_to_num(table)
    sums = filled.sum(axis=1, keepdims=True) - filled[:, 1:] - filled[:, :-1]
    rest = known.sum(axis=1, keepdims=True) - known[:, 1:] - known[:, :-1]
    contrast = np.full(shape, np.nan)
    contrast[:, 1:] = np.where(rest > 0, table[:, 1:] - sums / np.maximum(rest, 1), np.nan)
    logs = np.log(data.judgments.scores.reshape(shape))
    above = logs - logs.mean(axis=1, keepdims=True)
    codes = np.zeros(shape, dtype=np.int64)  # of a first page: no value is there to be counted
    codes[:, 1:] = np.searchsorted(np.log(BEFORE), above[:, :-1] + 1e-12, side="right")
    return contrast.ravel(), codes.ravel()


def _first(data: StudyData) -> Ints:
    """The role of each unit's first document, a place in FIRST_NAMES."""
    roles = [
        np.select([topic.places[:, 0] == topic.h_k, topic.places[:, 0] == topic.n_k], [0, 1], 2)
        for topic in data.topics
    ]
    return np.concatenate(roles)


def _scale_by_first(data: StudyData, first: Ints) -> GroupedMean:
    """H_k over N_k against others' units of the topic."""
    ratios = [np.log(topic.hk_nk) for topic in data.topics]
    topics = np.repeat(np.arange(len(ratios)), [len(of_topic) for of_topic in ratios])
    workers = data.units.workers
    logs = against_others(np.concatenate(ratios), topics, len(ratios), workers)
    return grouped_mean(logs, first, workers, len(FIRST_NAMES), topics)


def _distance(data: StudyData, scores: Floats) -> Floats:
    """How far a score is from the others', less how far those are in the mean."""
    known = ~np.isnan(scores)
    distance = np.full(len(scores), np.nan)
    distance[known] = _less_others(data, np.abs(scores[known]), known)
    return distance


def says(found: Found) -> list[str]:
    known = found.known
    out = [interval for interval in known if interval.excludes_1]
    if not known:
        return [
            f"Every group is of fewer than {LEAST_WORKERS} workers: too few to say whether order "
            "or practice matters."
        ]
    shown = sorted((row for row in known if row.is_shown), key=lambda row: -row.distance)
    first = (
        f"{_of_effects(found)}: of {count(len(known), 'interval')} {len(out) or 'none'} "
        f"{'excludes' if len(out) < 2 else 'exclude'} a factor of 1, where about "
        f"{number(LEVEL * len(known), 2)} would by chance alone; {len(shown) or 'none'} of them "
        f"{'does' if len(shown) < 2 else 'do'} when corrected for their number (Holm, p < {LEVEL})."
    )
    if not shown:
        return [first]
    named = (f"{row.of} by {row.by} {row.group} ({number(row.factor)})" for row in shown)
    return [first, f"Farthest from 1: {listed(named, 4)}."]


def _of_effects(found: Found) -> str:
    """How many can be shown, though so many were looked at."""
    looked_at, shown = len(found.effects), len(found.shown)
    if not shown:
        return f"No effect of order or practice can be shown ({looked_at} looked at)"
    return f"{shown} of {count(looked_at, 'effect')} of order and practice can be shown"


def figures(found: Found) -> list[Figure]:
    """Of the effects that show something: of the others the table has the numbers."""
    return [_figure(effect) for effect in found.shown]


def _figure(effect: Effect) -> Figure:
    rows = effect.intervals
    across = plots.names("group", [row.group for row in rows], rows[0].by)
    title = f"factor of {rows[0].of}"
    ends = [end for row in rows for end in (row.low, row.factor, row.high) if end > 0]
    axis = plots.decades(min(*ends, 0.8) / 1.1, min(max(*ends, 1.25) * 1.1, 1e12))
    one = plots.rule_at("one", y=plots.axis("factor", title, **axis))
    chart = plots.layer(one, plots.intervals("groups", title, {"x": across}, **axis))
    return Figure(
        effect.name,
        f"{effect.title}: {_finding(rows)}",
        CAPTION,
        plots.sized(chart, 180),
        {"groups": drawn(rows, "group low high", _tooltip, mean="factor"), "one": [{"factor": 1}]},
        Interval,
        rows,
        reading=f"{effect.look} Intervals allow for workers who go on like themselves, and for "
        "documents that have many of the scores.",
    )


def _tooltip(row: Interval) -> str:
    ends = f"{number(row.low)} to {number(row.high)}"
    return f"{row.group}: {number(row.factor)} ({ends}), n = {row.n:,}"


def _finding(rows: Sequence[Interval]) -> str:
    """The group that is farthest from 1, of those that can be shown to differ from it."""
    out = [row for row in rows if row.is_shown]
    farthest = max(out, key=lambda row: row.distance)
    further = count(len(out) - 1, "further group differs", "further groups differ")
    more = f"; {further}" if len(out) > 1 else ""
    return f"{number(farthest.factor)} times the others' at {farthest.group}{more}"


def tables(found: Found) -> list[Table]:
    return [
        Table(
            "intervals",
            "All effects of order and practice that were looked at",
            Interval,
            found.intervals,
            (
                "Factor: against the others' of the same document; 1 is no difference. Low and "
                "high: its 95% interval, by clusters (workers and documents; of H_k / N_k, workers "
                f"and topics); empty where a group is of fewer than {LEAST_WORKERS} workers. p: "
                "of a factor of 1, corrected for the number of intervals (Holm).",
                "Workers with many units are not those with few: what differs by experience may be "
                "who they are.",
            ),
            folded=True,
        )
    ]


ANALYSIS = Analysis(
    "order",
    "Does the order matter, and do workers drift?",
    analyse,
    fits=magnitude_here,
    nothing=lambda numbers: numbers.get("effects_found") == 0,
)
