"""Which systems differ, all pairs at once (section 5 of the paper on unanimity)."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from evaluation.analyses.analysis import Analysis, Numbers
from evaluation.analyses.question import USUAL, Question
from evaluation.analyses.study import comparing as systems
from evaluation.analyses.study.data import Floats, Ints, StudyData
from evaluation.analyses.telling import plots
from evaluation.analyses.telling.parts import Analysed, Figure, Row, Table, Tell, number, percent
from evaluation.comparison.ranks import competition_ranks
from evaluation.comparison.top_set import LEVEL
from evaluation.comparison.tukey import TRIALS, Tukey, critical_difference, tukey_hsd
from evaluation.measures.names import Measure, parse
from trec.words import count

SOURCE = "of Sakai, EVIA 2017"
NAMED = 50  # systems whose names there is room for
ROOM = 24  # before names, for wider fonts
PER_NAME, PER_SYSTEM = 17, 7  # pixels of a row, with and without
SETS = {
    "not told from the best": ("diamond", plots.OTHER),
    "differs from the best": ("circle", plots.MARK),
}


class Tested(NamedTuple):
    """Systems by one measure, best first, on so many topics."""

    measure: Measure
    runs: list[str]
    topics: int
    means: Floats
    test: Tukey
    critical: float

    @property
    def name(self) -> str:
        """Of the measure, in addresses."""
        return self.measure.name.lower().replace("+", "-plus")

    @property
    def differ(self) -> Ints:
        """Of each pair that differs, its places in the order, the better one first; (n, 2)."""
        return np.argwhere(np.triu(self.test.p < LEVEL, 1))

    @property
    def first_worse(self) -> int:
        """The first place, from 0, whose system differs from the best; how many there are: none."""
        worse = np.flatnonzero(self.test.p[0] < LEVEL)
        return int(worse[0]) if worse.size else len(self.means)


def analyse(data: StudyData, tell: Tell, asked: Question = USUAL) -> Analysed:
    """Randomised Tukey HSD of all pairs of systems, by each measure or the one asked for."""
    if not data.units or not data.runs:
        return Analysed(["There is no ranking yet, so no systems to tell apart."])
    found = []
    every = (parse(asked.measure),) if asked.measure else systems.MEASURES
    for done, by in enumerate(every):
        found.append(_tested(systems.measured(data, by, asked.gains), data.seed))
        tell((done + 1) / len(every))
    known = [one for one in found if not np.isnan(one.critical)]
    if not known:
        return Analysed([f"Which systems differ cannot be tested: {found[0].test.reason}."])
    pairs = [row for one in known for row in _pairs(one)]
    return Analysed(
        [*_says(known, asked.of(data.study))],
        [
            *(_figure(one) for one in known),
            *(_systems(one) for one in known),
            *([_pair_table(pairs, known)] if pairs else []),
        ],
        {f"critical_{one.measure.name}": one.critical for one in known}
        | {f"pairs_{one.measure.name}": len(one.differ) for one in known},
    )


def _tested(found: systems.Measured, seed: int) -> Tested:
    means = found.values.mean(axis=0)
    order = np.argsort(competition_ranks(means), kind="stable")
    runs = [found.runs[run] for run in order.tolist()]
    test = tukey_hsd(found.values[:, order], seed=seed)
    size = len(found.values)
    return Tested(found.measure, runs, size, means[order], test, critical_difference(test))


def _says(found: Sequence[Tested], gains: str) -> Iterator[str]:
    runs, topics = len(found[0].runs), found[0].topics
    yield (
        f"Of {count(runs * (runs - 1) // 2, 'pair')} of {runs} systems, measured by "
        f"{gains} on {count(topics, 'topic')}, those that differ are "
        + " and ".join(_pairs_differ(one) for one in found)
        + f" (randomised Tukey HSD, {TRIALS:,} trials, p < {LEVEL}: if no systems differed, the "
        f"chance to call even one pair different would be {percent(LEVEL)})."
    )
    for one in found:
        yield f"By {one.measure}: {_from_best(one)} {_effects(one)}".strip()
    reasons = {one.test.reason for one in found} - {""}
    yield from (f"No effect sizes: {reason}." for reason in sorted(reasons))


def _pairs_differ(one: Tested) -> str:
    pairs = len(one.means) * (len(one.means) - 1) // 2
    share = percent(len(one.differ) / pairs, 1)
    return f"{len(one.differ):,} ({share}) by {one.measure}"


def _from_best(one: Tested) -> str:
    best, place = one.runs[0], one.first_worse
    if place == len(one.means):
        return (
            f"no system differs from the best, {best}; it takes more than {number(one.critical)}."
        )
    return (
        f"systems from place {place + 1} on differ from the best, {best}; "
        f"{count(place - 1, 'other')} cannot be told from it. It takes a difference of more than "
        f"{number(one.critical)}."
    )


def _effects(one: Tested) -> str:
    effects = one.test.effect[tuple(one.differ.T)]
    if not effects.size or np.isnan(effects).any():
        return ""
    if effects.size == 1:
        return f"The effect size of the pair that differs is {number(effects[0])}."
    low, middle, high = (number(of) for of in np.quantile(effects, (0, 0.5, 1)).tolist())
    return (
        f"Effect sizes of the pairs that differ: {low} to {high} residual standard deviations, "
        f"median {middle}."
    )


def _figure(one: Tested) -> Figure:
    half, names = one.critical / 2, one.runs
    rows = [
        (place, name, mean, mean - half, mean + half, [*SETS][place > one.first_worse])
        for place, (name, mean) in enumerate(zip(names, one.means.tolist(), strict=True), 1)
    ]
    down, named = _down(names), len(names) <= NAMED
    spans = plots.on("systems").mark_rule(color=plots.INK, opacity=0.45, strokeWidth=2, aria=False)
    title = f"mean {one.measure}"
    across = plots.x("low", title)
    edge = plots.rule_at("edge", along=across)
    dots = plots.shaped("systems", plots.x("mean", title), down, "set", SETS, columns=1)
    return Figure(
        f"systems-{one.name}",
        _title(one),
        f"One row a system, the best above; dot: its mean by {one.measure}; bar: half of the "
        f"critical difference, {number(half)}, to both sides. Two systems differ where their bars "
        "do not overlap: look for bars that end left of the dashed line, where the bar of the best "
        "begins.",
        plots.sized(
            plots.alt.layer(edge, spans.encode(x=across, x2="high:Q", y=down), dots),
            len(names) * (PER_NAME if named else PER_SYSTEM) + 10,
            plots.WIDTH - (180 if named else 50),
        ),
        {
            "systems": [
                {
                    "name": f"{name}: {number(mean)}, place {place}, {of}",
                    "place": place,
                    "system": name,
                    "mean": mean,
                    "low": low,
                    "high": high,
                    "set": of,
                }
                for place, name, mean, low, high, of in rows
            ],
            "edge": [{"low": rows[0][3]}],
        },
        ("place", "system", "mean", "low", "high", "set"),
        rows,
        f"section 5 {SOURCE}",
        left=ROOM if named else 8,
    )


def _down(found: Sequence[str]) -> plots.alt.Y:
    """Systems from top to bottom: by name, or where there is no room, by place."""
    if len(found) <= NAMED:
        return plots.down("system", found)
    places = list(range(10, len(found) + 1, 10))
    axis = plots.axis("place", values=[1, *places], grid=False, ticks=False, domain=False)
    return plots.alt.Y("place:O", axis=axis)


def _title(one: Tested) -> str:
    pairs = len(one.means) * (len(one.means) - 1) // 2
    if not len(one.differ):
        return f"By {one.measure}, no two systems differ"
    return (
        f"By {one.measure}, {len(one.differ):,} of {count(pairs, 'pair')} of systems "
        f"{'differs' if len(one.differ) == 1 else 'differ'}: more than {number(one.critical)} apart"
    )


def _systems(one: Tested) -> Table:
    worse = (one.test.p < LEVEL) & (one.test.difference > 0)
    rows: list[Row] = []
    for place, name in enumerate(one.runs):
        below = np.flatnonzero(worse[place])
        rows.append(
            (
                place + 1,
                name,
                float(one.means[place]),
                int(worse[:, place].sum()),
                len(below),
                int(below[0]) + 1 if below.size else None,
                float(one.test.p[0, place]),
                float(one.test.effect[0, place]),
            )
        )
    return Table(
        f"all-{one.name}",
        f"All systems by {one.measure}, and how many differ from each",
        ("place", "system", "mean", "better", "worse", "worse_from", "p_best", "effect_best"),
        rows,
        (
            f"better, worse: how many systems are better and worse than this one, p < {LEVEL}; "
            "worse_from: the place from which on they are, if any. p_best, effect_best: against "
            "the best. Equal means share no place: they stand in the order of the runs.",
            *_none(one),
        ),
    )


def _pairs(one: Tested) -> Iterator[Row]:
    test = one.test
    first, second = one.differ.T
    apart, p, effect = (of[first, second] for of in (test.difference, test.p, test.effect))
    for place in np.argsort(-apart, kind="stable").tolist():
        names = (one.runs[pair[place]] for pair in (first, second))
        yield (
            *(str(one.measure), *names),
            *(float(of[place]) for of in (apart, p, effect)),
        )


def _pair_table(rows: Sequence[Row], found: Sequence[Tested]) -> Table:
    return Table(
        "pairs",
        "Pairs of systems that differ, farthest apart first",
        ("measure", "better", "worse", "difference", "p", "effect_size"),
        rows,
        (
            f"p: the share of {TRIALS:,} trials in which the means of all systems, with the values "
            "of each topic put in a random order, lie as far apart; 0 means less than "
            f"{1 / TRIALS:g}. effect_size: the difference in residual standard deviations, those "
            "of a value once its topic's and its system's mean are taken away. Seed "
            f"{found[0].test.seed}.",
            *(note for one in found for note in _none(one)),
        ),
        f"Table 3 {SOURCE}",
    )


def _none(one: Tested) -> Iterator[str]:
    if one.test.reason:
        yield f"A dash: {one.test.reason}."


def methods(data: StudyData, numbers: Numbers) -> str:
    return (
        "Which systems differ was tested for all pairs at once by the randomised Tukey HSD test, "
        f"{TRIALS:,} trials, at p < {LEVEL:g}."
    )


ANALYSIS = Analysis(
    "significance", "Which systems differ?", analyse, methods=methods, takes=("measure", "gains")
)
