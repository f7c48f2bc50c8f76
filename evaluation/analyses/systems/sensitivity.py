"""How much the ranking of systems depends on choices that could have been others."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from evaluation.analyses.analysis import Analysis
from evaluation.analyses.study import comparing
from evaluation.analyses.study.data import Floats, Mask, StudyData
from evaluation.analyses.study.fits import judged_here
from evaluation.analyses.study.topics import Rescaled, TopicData, centred_without_anchors, rescaled
from evaluation.analyses.telling import plots
from evaluation.analyses.telling.parts import (
    Analysed,
    Figure,
    Row,
    Table,
    Tell,
    correlation,
    drawn,
)
from evaluation.comparison.compared import Compared, compare
from evaluation.measures.names import Measure
from evaluation.pipeline import AGGREGATION, NORMALISATION
from evaluation.scaling import ScalingError
from evaluation.scaling.aggregation import AGGREGATORS
from evaluation.scaling.normalisation import SCHEMES
from evaluation.spread.spread import is_extreme
from trec.words import count

FIGURES = 2  # significant ones of a ratio
LARGEST_LOG = 100  # of a ratio of scores; its exp is a double
UNCHANGED = 1 - 1e-12  # tau
TITLE = "Kendall's tau with the main ranking"
NOTE = (
    f"With the main ranking. {comparing.OF_TAU} overlap: the share of the main ranking's top set "
    "that is in the other. units, topics: those that are left; lost: "
    "documents whose every score is left out, which count as unjudged. Nothing is left out of any "
    "other result."
)
OF_MAGNITUDES = (
    "no anchors in centres: γ_u and γ from the other documents. max / min below 10,000: without "
    "units whose largest score is 10,000 times the smallest or more. two-figure ratios: without "
    "units that break the ratio rule of section 9.2. no failed finish: without units whose worker "
    "had to correct scores or spend more time. first unit of a worker: without later ones.",
    "In the main ranking, scores are normalised by geometric averaging and aggregated by their "
    "median.",
)
OF_LEVELS = (
    "no failed finish: without units whose worker had to correct levels or spend more time. first "
    "unit of a worker: without later ones. In the main ranking, levels are aggregated by their "
    "median.",
)
Choice = Callable[[TopicData], Rescaled]


class Tau(NamedTuple):
    """Tau of the main ranking with that of a choice, its 95% interval, and overlap of top sets."""

    measure: str
    choice: str
    tau: float
    low: float
    high: float
    overlap: float


class Outcome(NamedTuple):
    """What a choice leaves, and its rankings against the main ones, measure by measure."""

    choice: str
    units: int
    topics: int
    lost: int
    compared: list[Compared]

    @property
    def taus(self) -> list[Tau]:
        return [
            Tau(measure.name, self.choice, *compared.tau[:3], compared.overlap)
            for measure, compared in zip(comparing.MEASURES, self.compared, strict=True)
        ]


@dataclass(frozen=True)
class Found:
    """Every choice that is possible; faults: why one is not."""

    outcomes: list[Outcome]
    faults: list[str]
    systems: int
    topics: int
    is_graded: bool

    @property
    def reasons(self) -> list[str]:
        """Why numbers are not defined."""
        every = {orders.reason for outcome in self.outcomes for orders in outcome.compared}
        return [*self.faults, *sorted(every - {""})]

    @property
    def taus(self) -> list[Tau]:
        """Those that are defined, measure by measure."""
        by_measure = zip(*(outcome.taus for outcome in self.outcomes), strict=True)
        return [row for rows in by_measure for row in rows if not np.isnan(row.tau)]


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Tau and overlap of top sets of the main ranking with the rankings of other choices."""
    if not len(data.units) or not data.runs:
        return Analysed(["There is no ranking yet that could depend on anything."])
    found = compute(data, tell)
    numbers = {
        f"{end}_{row.measure}_{row.choice}": getattr(row, end)
        for row in found.taus
        for end in ("tau", "low", "high")
    }
    return Analysed([says(found)], [*figures(found), table(found)], numbers)


def compute(data: StudyData, tell: Tell) -> Found:
    everything = [comparing.magnitudes(topic) for topic in data.topics]
    main = [
        comparing.measure(data.topics, everything, measure).values for measure in comparing.MEASURES
    ]
    outcomes, faults = [], []
    every = list(choices(data))
    for done, (name, choice) in enumerate(every, 1):
        try:
            outcomes.append(_outcome(data, name, choice, main))
        except ScalingError as fault:
            faults.append(f"{name}: {fault}")
        tell(done / len(every))
    return Found(outcomes, faults, len(data.runs), len(data.topics), data.study.is_graded)


def choices(data: StudyData) -> Iterator[tuple[str, Choice]]:
    """Every choice by name, and the gains of a topic under it."""
    if data.study.is_graded:
        yield "no failed finish", _of_units(_not_failed, "none")
        yield "first unit of a worker", _of_units(_first, "none")
        mean = partial(rescaled, normalisation="none", aggregation="arithmetic")
        yield "aggregated: arithmetic", mean
    else:
        yield from _of_magnitudes(data)


def _of_magnitudes(data: StudyData) -> Iterator[tuple[str, Choice]]:
    yield "no anchors in centres", centred_without_anchors
    yield "max / min below 10,000", _of_units(_not_far)
    followed = data.by_topic(data.judgments.typed.ratios_followed(data.judgments.units, FIGURES))
    yield "two-figure ratios", _of_units(lambda topic: followed[topic.query_id])
    yield "no failed finish", _of_units(_not_failed)
    yield "first unit of a worker", _of_units(_first)
    for scheme in SCHEMES:
        if scheme != NORMALISATION:
            name = "not normalised" if scheme == "none" else f"normalised: {scheme}"
            yield name, partial(rescaled, normalisation=scheme)
    for aggregator in AGGREGATORS:
        if aggregator != AGGREGATION:
            yield f"aggregated: {aggregator}", partial(rescaled, aggregation=aggregator)


def _of_units(which: Callable[[TopicData], Mask], normalisation: str = NORMALISATION) -> Choice:
    return lambda topic: rescaled(topic, which(topic), normalisation)


def _not_failed(topic: TopicData) -> Mask:
    return topic.failed == 0


def _first(topic: TopicData) -> Mask:
    return topic.earlier == 0


def _not_far(topic: TopicData) -> Mask:
    spans = np.ptp(np.log(topic.scores), axis=1)
    return ~is_extreme(np.exp(np.minimum(spans, LARGEST_LOG)))


def _outcome(data: StudyData, name: str, choice: Choice, main: list[Floats]) -> Outcome:
    """main: the values of the main rankings by measure, (topics, systems)."""
    every = [(topic, choice(topic)) for topic in data.topics]
    left = [(topic, variant) for topic, variant in every if variant.units]
    lost = sum(
        int((np.isnan(variant.gains) & (topic.counts > 0)).sum()) for topic, variant in every
    )
    names = ("main ranking", f"ranking with “{name}”")
    compared = [
        compare(values, _values(left, measure, len(data.runs)), names)
        for measure, values in zip(comparing.MEASURES, main, strict=True)
    ]
    units = sum(variant.units for _, variant in left)
    return Outcome(name, units, len(left), lost, compared)


def _values(left: list[tuple[TopicData, Rescaled]], measure: Measure, systems: int) -> Floats:
    """On the topics that are left, (topics, systems)."""
    if not left:
        return np.empty((0, systems))
    sources = [comparing.magnitudes(topic, variant.gains) for topic, variant in left]
    return comparing.measure([topic for topic, _ in left], sources, measure).values


def says(found: Found) -> str:
    least = []
    for measure in comparing.MEASURES:
        if taus := [row for row in found.taus if row.measure == measure.name]:
            row = min(taus, key=lambda row: row.tau)
            which = f" ({row.choice})" if row.tau < UNCHANGED else ""
            least.append(f"{correlation(row.tau, 3)} by {measure}{which}")
    if not least:
        return "No order of systems can be compared with that of the main ranking."
    return (
        f"Of {count(len(found.outcomes), 'other choice')} about units, centres and aggregation, "
        f"tau with the main ranking of {count(found.systems, 'system')} is at the least "
        f"{' and '.join(least)}."
    )


def figures(found: Found) -> Iterator[Figure]:
    """One, if any order can be compared."""
    rows = found.taus
    if not rows:
        return
    names = [outcome.choice for outcome in found.outcomes]
    usual = [row for row in rows if row.measure == comparing.MEASURES[0].name]
    changes = any(row.tau < UNCHANGED for row in usual)
    least = min(usual if changes else rows, key=lambda row: row.tau)  # as the overview has it
    chart = plots.intervals_of_kinds(
        "choices", "tau", TITLE, plots.down("choice", names), "measure", plots.MEASURES
    )
    yield Figure(
        "tau",
        "No choice changes the order of systems"
        if least.tau >= UNCHANGED
        else f"The order of systems changes most with “{least.choice}” ({least.measure}: tau "
        f"{correlation(least.tau)})",
        "Dots: tau of the main ranking with that of another choice; lines: its 95% interval. Look "
        "for dots far to the left: on these choices the ranking depends.",
        plots.sized(chart, 28 * len(names), plots.WIDTH - 150),
        {
            "choices": [
                mark | comparing.tau_ends(row.low, row.high)
                for mark, row in zip(drawn(rows, "measure choice tau", _tooltip), rows, strict=True)
            ]
        },
        Tau,
        rows,
    )


def _tooltip(row: Tau) -> str:
    return f"{row.choice}, {row.measure}: tau {correlation(row.tau, 3)}"


def table(found: Found) -> Table:
    columns = Tau._fields[2:]
    rows: list[Row] = [
        (*outcome[:-1], *(cell for row in outcome.taus for cell in row[2:]))
        for outcome in found.outcomes
    ]
    return Table(
        "choices",
        "The main ranking against other choices",
        (
            *Outcome._fields[:-1],
            *(f"{column}_{by.name}" for by in comparing.MEASURES for column in columns),
        ),
        rows,
        (
            NOTE,
            *(OF_LEVELS if found.is_graded else OF_MAGNITUDES),
            *(f"A dash: {reason}." for reason in found.reasons),
        ),
        limits={
            f"{end}_{by.name}": comparing.TAU
            for by in comparing.MEASURES
            for end in comparing.TAU_ENDS
        },
    )


ANALYSIS = Analysis(
    "sensitivity",
    "Does the ranking depend on how it was made?",
    analyse,
    fits=judged_here,
    titled=True,
)
