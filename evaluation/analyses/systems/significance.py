"""Which systems differ, all pairs at once (section 5 of the paper on unanimity)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from evaluation.analyses.analysis import Analysis, Numbers
from evaluation.analyses.question import USUAL, Question
from evaluation.presentation import plots
from evaluation.presentation.parts import Analysed, Figure, Table, Tell, drawn, number, percent
from evaluation.publishing import planned_end
from evaluation.publishing.planned_end import PlannedEnd
from evaluation.study import comparing
from evaluation.study.data import Floats, StudyData
from magnitudes.comparison.discrimination import Power, discriminative_power
from magnitudes.comparison.ranks import competition_ranks
from magnitudes.comparison.told_apart import ToldApart, told_apart
from magnitudes.comparison.top_set import LEAST_TOPICS, LEVEL
from magnitudes.comparison.tukey import TRIALS, Tukey, critical_difference, tukey_hsd
from magnitudes.files.words import count
from magnitudes.measures.names import Measure, parse

SOURCE = "of Sakai, EVIA 2017"
NAMED = 50  # systems whose names there is room for
PER_NAME, PER_SYSTEM = 17, 7  # pixels of a row, with and without
SETS = {
    "no significant difference": ("circle", plots.MARK),
    "differs from the best": ("diamond", plots.OTHER),
}
LIKE_BEST, DIFFERENT = SETS
FIELDS = "place system mean set"


class Bar(NamedTuple):
    """A system's mean, and the ends of half a critical difference to both sides of it."""

    place: int
    system: str
    mean: float
    low: float
    high: float
    set: str


class System(NamedTuple):
    """How many systems are better and worse than one, and how it differs from the best."""

    place: int
    system: str
    mean: float
    better: int
    worse: int
    worse_from: int | None
    p_best: float
    effect_best: float


class AtPlannedEnd(NamedTuple):
    """A system over the units of the plan alone, and over all."""

    system: str
    place_at_end: int
    mean_at_end: float
    place_over_all: int
    mean_over_all: float


class Pair(NamedTuple):
    """Two systems that differ."""

    measure: str
    better: str
    worse: str
    difference: float
    p: float
    effect_size: float


@dataclass(frozen=True)
class Found:
    """Systems by one measure, best first, and the pairs that differ, farthest apart first."""

    measure: Measure
    runs: list[str]
    topics: int
    means: Floats
    test: Tukey
    critical: float
    power: Power
    pairs: list[Pair]
    told: ToldApart

    @property
    def slug(self) -> str:
        """The measure's name in addresses."""
        return self.measure.name.lower().replace("+", "-plus")

    @property
    def like_best(self) -> int:
        """How many systems do not differ significantly from the best, itself among them."""
        return int((self.test.p[0] >= LEVEL).sum())


def analyse(data: StudyData, tell: Tell, asked: Question = USUAL) -> Analysed:
    """Randomised Tukey HSD of all pairs of systems, by each measure or the one asked for."""
    if not len(data.units) or not data.runs:
        return Analysed(["There is no ranking yet, so no systems to tell apart."])
    every = []
    measures = (parse(asked.measure),) if asked.measure else comparing.measures(data.study)
    for done, measure in enumerate(measures, 1):
        every.append(compute(data, measure, asked.gains))
        tell(done / len(measures))
    known = [found for found in every if not np.isnan(found.critical)]
    told = {"told_apart": every[0].told.kept()}
    end = data.planned_end if not (asked.measure or asked.gains) else None
    beyond = {"planned_end": end.sentence} if end else {}
    if not known:
        reason = f"Which systems differ cannot be tested: {every[0].test.reason}."
        return Analysed([reason, *beyond.values()], numbers=told | beyond)
    return Analysed(
        [*says(known, asked.of(data.study)), *beyond.values()],
        [*map(figure, known), *tables(known), *([at_planned_end(end)] if end else [])],
        {f"critical_{found.measure.name}": found.critical for found in known}
        | {f"pairs_{found.measure.name}": found.power.significant for found in known}
        | told
        | beyond,
    )


def compute(data: StudyData, measure: Measure, gains: str) -> Found:
    by, names, values, judged = comparing.measured(data, measure, gains)
    means = values.mean(axis=0)
    order = np.argsort(competition_ranks(means), kind="stable")
    runs = [names[run] for run in order.tolist()]
    test = tukey_hsd(values[:, order], seed=data.seed)
    critical, power = critical_difference(test), discriminative_power(test.p)
    share = float(np.nanmean(judged)) if np.isfinite(judged).any() else None
    told = told_apart(values[:, order], runs, test, share)
    pairs = _pairs(str(by), runs, test)
    return Found(by, runs, len(values), means[order], test, critical, power, pairs, told)


def _pairs(measure: str, runs: list[str], test: Tukey) -> list[Pair]:
    tables = test.difference, test.p, test.effect
    pairs = [
        Pair(measure, runs[better], runs[worse], *(float(table[better, worse]) for table in tables))
        for better, worse in np.argwhere(np.triu(test.p < LEVEL, 1)).tolist()
    ]
    return sorted(pairs, key=lambda pair: -pair.difference)


def says(every: Sequence[Found], gains: str) -> Iterator[str]:
    first = every[0]
    differ = (f"{found.told.pairs.said} by {found.measure}" for found in every)
    if first.topics < LEAST_TOPICS:
        yield f"{_too_few(first)}; measured by {gains}."
        return
    yield (
        f"Of {count(first.power.pairs, 'pair')} of {len(first.runs)} systems, measured by "
        f"{gains} on {count(first.topics, 'topic')}, {' and '.join(differ)} differ "
        f"(randomised Tukey HSD, {TRIALS:,} trials, p < {LEVEL}: if no systems differed, the "
        f"chance to call even one pair different would be {percent(LEVEL)})."
    )
    for found in every:
        yield f"By {found.measure}: {_from_best(found)} {_effects(found)}".strip()
    yield from (f"No effect sizes: {reason}." for reason in _reasons(every))


def _too_few(found: Found) -> str:
    return (
        f"Too few topics to say which systems differ: {found.topics}, and it takes {LEAST_TOPICS}"
    )


def _reasons(every: Sequence[Found]) -> list[str]:
    """Why effects have no size, where they have none."""
    return sorted({found.test.reason for found in every} - {""})


def _from_best(found: Found) -> str:
    best, like_best, critical = found.runs[0], found.like_best, number(found.critical)
    if like_best == len(found.runs):
        return (
            f"no system differs significantly from the best, {best}; it takes more than {critical}."
        )
    return (
        f"systems from place {like_best + 1} on differ significantly from the best, {best}; "
        f"{count(like_best - 1, 'other does', 'others do')} not. It "
        f"takes a difference of more than {critical}."
    )


def _effects(found: Found) -> str:
    effects = [pair.effect_size for pair in found.pairs]
    if not effects or np.isnan(effects).any():
        return ""
    if len(effects) == 1:
        return f"The effect size of the pair that differs is {number(effects[0])}."
    low, middle, high = map(number, np.quantile(effects, (0, 0.5, 1)).tolist())
    return (
        f"Effect sizes of the pairs that differ: {low} to {high} residual standard deviations, "
        f"median {middle}."
    )


def figure(found: Found) -> Figure:
    rows = bars(found)
    ends = 0.0, 1.0 if max(row.mean for row in rows) <= 1 else np.inf  # no mean lies beyond
    return Figure(
        f"systems-{found.slug}",
        _title(found),
        f"Dots: means by {found.measure}; bars: half of the critical difference to both sides.",
        _chart(found),
        {
            "systems": [
                mark | dict(zip(("low", "high"), np.clip(row[3:5], *ends).tolist(), strict=True))
                for mark, row in zip(drawn(rows, FIELDS, _tooltip), rows, strict=True)
            ],
            "edge": _edge(found),
        },
        Bar,
        rows,
        f"section 5 {SOURCE}",
        reading=(
            "One row a system, the best above. Two systems differ where their bars do not overlap; "
            "dots left of the dashed line differ significantly from the best. "
            f"Half of the critical difference is {number(found.critical / 2)}; bars are cut where "
            "no mean can be."
        ),
    )


def _edge(found: Found) -> list[dict[str, float]]:
    """Left of which means differ from the best; nowhere if there are too few topics to say."""
    edge = float(found.means[0]) - found.critical
    return [{"low": edge}] if found.topics >= LEAST_TOPICS and edge >= 0 else []


def bars(found: Found) -> list[Bar]:
    half = found.critical / 2
    like_best = found.like_best if found.topics >= LEAST_TOPICS else len(found.runs)
    sets = [LIKE_BEST] * like_best + [DIFFERENT] * (len(found.runs) - like_best)
    ends = (found.means + away for away in (0, -half, half))
    columns = found.runs, *(end.tolist() for end in ends), sets
    return [Bar(place, *row) for place, row in enumerate(zip(*columns, strict=True), 1)]


def _tooltip(row: Bar) -> str:
    return f"{row.system}: {number(row.mean)}, place {row.place}, {row.set}"


def _title(found: Found) -> str:
    pairs = found.told.pairs
    if found.topics < LEAST_TOPICS:
        return _too_few(found)
    if not pairs.differ:
        seed = f" ({pairs.by_seed})" if pairs.by_seed else ""
        return f"By {found.measure.brief}, no difference between systems can be shown{seed}"
    return (
        f"By {found.measure.brief}, {pairs.said} of {count(pairs.all, 'pair')} of systems "
        f"{'differs' if pairs.differ == 1 else 'differ'}; without {found.told.busiest}, "
        f"{found.told.others.said}"
    )


def _chart(found: Found) -> Any:
    named, title = len(found.runs) <= NAMED, f"mean {found.measure}"
    down = plots.names("system", found.runs) if named else _by_place(len(found.runs))
    across = plots.axis("low", title)
    edge = plots.rule_at("edge", x=across)
    grey = {"colour": plots.INK, "opacity": 0.45, "width": 2}
    spans = plots.mark("rule", "systems", x=across, x2="high", y=down, **grey)
    dots = plots.shaped("systems", plots.axis("mean", title), down, "set", SETS)
    return plots.sized(
        plots.layer(edge, spans, dots),
        len(found.runs) * (PER_NAME if named else PER_SYSTEM) + 10,
        plots.WIDTH - (180 if named else 50),
    )


def _by_place(systems: int) -> Any:
    """Systems from top to bottom where there is no room for names."""
    places = [1, *range(10, systems + 1, 10)]
    axis = plots.names("place", range(1, systems + 1), "place")
    return replace(axis, values=places)


def tables(every: Sequence[Found]) -> Iterator[Table]:
    yield from map(_all_systems, every)
    if every[0].topics >= LEAST_TOPICS and any(found.pairs for found in every):
        yield _all_pairs(every)


def _all_systems(found: Found) -> Table:
    return Table(
        f"all-{found.slug}",
        f"All systems by {found.measure}, and how many differ from each",
        System,
        systems(found),
        (
            f"better, worse: how many systems are better and worse than this one, p < {LEVEL}; "
            "worse from place: where the first worse one stands, if any. p, effect: against "
            "the best. Equal means share no place: they stand in the order of the runs.",
            *([f"A dash: {found.test.reason}."] if found.test.reason else []),
        ),
        folded=True,
    )


def systems(found: Found) -> list[System]:
    test = found.test
    is_worse = (test.p < LEVEL) & (test.difference > 0)  # the system of the column than the row's
    better, worse = is_worse.sum(axis=0).tolist(), is_worse.sum(axis=1).tolist()
    first_worse = [int(row.argmax()) + 1 if row.any() else None for row in is_worse]
    from_best = test.p[0].tolist(), test.effect[0].tolist()
    columns = found.runs, found.means.tolist(), better, worse, first_worse, *from_best
    return [System(place, *row) for place, row in enumerate(zip(*columns, strict=True), 1)]


def _all_pairs(every: Sequence[Found]) -> Table:
    return Table(
        "pairs",
        "Pairs of systems that differ, farthest apart first",
        Pair,
        [pair for found in every for pair in found.pairs],
        (
            f"p: the share of {TRIALS:,} trials in which the means of all systems, with the values "
            "of each topic put in a random order, lie as far apart; 0 in a file is less than "
            f"{1 / TRIALS:g}. Effect size: the difference in residual standard deviations, those "
            "of a value once its topic's and its system's mean are taken away. Seed "
            f"{every[0].test.seed}.",
            *(f"A dash: {reason}." for reason in _reasons(every)),
        ),
        f"Table 3 {SOURCE}",
    )


def at_planned_end(end: PlannedEnd) -> Table:
    """All systems over the units of the plan alone, best first, and over all units."""
    order = planned_end.order(end.alone)
    columns = [
        column[order].tolist()
        for ranked in (end.alone, end.over_all)
        for column in (ranked.ranks, ranked.means)
    ]
    names = [end.runs[place] for place in order.tolist()]
    return Table(
        "planned-end",
        f"All systems by {end.measure} at the planned end, and over all units",
        AtPlannedEnd,
        list(map(AtPlannedEnd._make, zip(names, *columns, strict=True))),
        (
            f"At the planned end: {count(end.units, 'unit')} of the plan alone; over all: "
            f"{count(end.all_units, 'unit')}, those of batches among them.",
        ),
        folded=True,
    )


def methods(data: StudyData, numbers: Numbers) -> str:
    return (
        "Which systems differ was tested for all pairs at once by the randomised Tukey HSD test, "
        f"{TRIALS:,} trials, at p < {LEVEL:g}."
    )


ANALYSIS = Analysis(
    "significance",
    "Which systems differ?",
    analyse,
    methods=methods,
    takes=("measure", "gains"),
    titled=True,
    of_systems=True,
)
