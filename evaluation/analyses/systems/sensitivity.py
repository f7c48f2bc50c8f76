"""How much the ranking of systems depends on choices that could have been others."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from evaluation.analyses.analysis import Analysis
from evaluation.analyses.systems.random_units import N_RESAMPLES, NO_BAND, Band, band
from evaluation.pipeline import AGGREGATION, NORMALISATION
from evaluation.presentation import plots
from evaluation.presentation.parts import (
    Analysed,
    Figure,
    Row,
    Table,
    Tell,
    correlation,
    drawn,
)
from evaluation.study import comparing
from evaluation.study.data import Floats, Mask, StudyData
from evaluation.study.fits import judged_here
from evaluation.study.topics import Rescaled, TopicData, centred_without_anchors, rescaled
from magnitudes.comparison.compared import Compared, compare
from magnitudes.comparison.holm import holm
from magnitudes.files.words import count
from magnitudes.measures.names import Measure
from magnitudes.scaling import ScalingError
from magnitudes.scaling.aggregation import AGGREGATORS
from magnitudes.scaling.normalisation import SCHEMES
from magnitudes.spread.spread import is_extreme

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
LEVEL = 0.05  # of p, corrected for the number of choices
Choice = Callable[[TopicData], Rescaled]


@dataclass(frozen=True)
class Selection:
    """A choice that leaves out units: which it keeps, (u,), and how scores are normalised."""

    keeps: Callable[[TopicData], Mask]
    normalisation: str

    def __call__(self, topic: TopicData) -> Rescaled:
        return rescaled(topic, self.keeps(topic), self.normalisation)


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
    band: Band  # by the first measure; none where units only weigh otherwise

    @property
    def taus(self) -> list[Tau]:
        return [
            Tau(name, self.choice, *compared.tau[:3], compared.overlap)
            for name, compared in zip(comparing.NAMES, self.compared, strict=True)
        ]


@dataclass(frozen=True)
class Found:
    """Every choice that is possible; faults: why one is not."""

    measures: tuple[Measure, ...]
    outcomes: list[Outcome]
    faults: list[str]
    systems: int
    topics: int
    is_graded: bool
    seed: int

    @property
    def reasons(self) -> list[str]:
        """Why numbers are not defined."""
        every = {orders.reason for outcome in self.outcomes for orders in outcome.compared}
        return [*self.faults, *sorted(every - {""})]

    @property
    def corrected(self) -> dict[str, float]:
        """By the choices with a band: p, corrected for their number."""
        banded = [outcome for outcome in self.outcomes if not np.isnan(outcome.band.p)]
        corrected = holm([outcome.band.p for outcome in banded]).tolist()
        return dict(zip((outcome.choice for outcome in banded), corrected, strict=True))

    @property
    def shown(self) -> list[Outcome]:
        """Those that change the order more than as many random units do, the least tau first."""
        corrected = self.corrected
        some = [one for one in self.outcomes if corrected.get(one.choice, 1.0) < LEVEL]
        return sorted(some, key=lambda outcome: outcome.compared[0].tau.tau)

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
    for outcome in found.outcomes:
        numbers |= {
            f"band_{end}_{outcome.choice}": getattr(outcome.band, end) for end in ("low", "high")
        }
    numbers |= {f"p_{choice}": p for choice, p in found.corrected.items()}
    return Analysed([says(found)], [*figures(found), table(found)], numbers)


def compute(data: StudyData, tell: Tell) -> Found:
    everything = [comparing.magnitudes(topic) for topic in data.topics]
    measures = comparing.measures(data.study)
    main = [comparing.measure(data.topics, everything, measure).values for measure in measures]
    outcomes, faults = [], []
    every = list(choices(data))
    for done, (name, choice) in enumerate(every, 1):
        try:
            outcomes.append(_outcome(data, name, choice, main))
        except ScalingError as fault:
            faults.append(f"{name}: {fault}")
        tell(done / len(every))
    systems, topics = len(data.runs), len(data.topics)
    return Found(measures, outcomes, faults, systems, topics, data.study.is_graded, data.seed)


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
    return Selection(which, normalisation)


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
        for measure, values in zip(comparing.measures(data.study), main, strict=True)
    ]
    units = sum(variant.units for _, variant in left)
    return Outcome(name, units, len(left), lost, compared, _band(data, choice, main[0], compared))


def _band(data: StudyData, choice: Choice, main: Floats, compared: list[Compared]) -> Band:
    """What as many random units would change by the first measure."""
    if not isinstance(choice, Selection):
        return NO_BAND
    kept = [choice.keeps(topic) for topic in data.topics]
    tau = compared[0].tau.tau
    measure = comparing.first(data.study)
    return band(data.topics, kept, choice.normalisation, measure, main, tau, data.seed)


def _values(left: list[tuple[TopicData, Rescaled]], measure: Measure, systems: int) -> Floats:
    """On the topics that are left, (topics, systems)."""
    if not left:
        return np.empty((0, systems))
    sources = [comparing.magnitudes(topic, variant.gains) for topic, variant in left]
    return comparing.measure([topic for topic, _ in left], sources, measure).values


def says(found: Found) -> str:
    least = []
    for measure in found.measures:
        if taus := [row for row in found.taus if row.measure == measure.name]:
            row = min(taus, key=lambda row: row.tau)
            which = f" ({row.choice})" if row.tau < UNCHANGED else ""
            least.append(f"{correlation(row.tau, 3)} by {measure}{which}")
    if not least:
        return "No order of systems can be compared with that of the main ranking."
    return (
        f"Of {count(len(found.outcomes), 'other choice')} about units, centres and aggregation, "
        f"tau with the main ranking of {count(found.systems, 'system')} is at the least "
        f"{' and '.join(least)}. {_against_chance(found)}"
    )


def headline(found: Found) -> str:
    """What leaving out units changes, beyond what leaving out as many at random does."""
    if all(row.tau >= UNCHANGED for row in found.taus):
        return "No choice changes the order of systems"
    if not found.corrected:
        return "No choice leaves out units"
    if not found.shown:
        return (
            "No choice can be shown to change the order of systems more than leaving out as many "
            "units at random"
        )
    first, measure = found.shown[0], comparing.NAMES[0]
    return (
        f"The order of systems changes with “{first.choice}” more than by leaving out as many "
        f"units at random ({measure}: tau {correlation(first.compared[0].tau.tau)})"
    )


def _against_chance(found: Found) -> str:
    return (
        f"{headline(found)}: of {count(len(found.corrected), 'choice')} that leave out units, tau "
        f"of {len(found.shown) or 'none'} lies below that of {N_RESAMPLES} draws of as many random "
        f"units of each topic (Holm, p < {LEVEL:g}, seed {found.seed}). Choices that only weigh "
        "scores otherwise are different by definition."
    )


def figures(found: Found) -> Iterator[Figure]:
    """One, if any order can be compared."""
    rows = found.taus
    if not rows:
        return
    names = [outcome.choice for outcome in found.outcomes]
    down = plots.names("choice", names)
    dots = plots.intervals_of_kinds("choices", "tau", TITLE, down, "measure", plots.MEASURES)
    low = plots.axis("low", TITLE)
    band = {"colour": plots.INK, "opacity": 0.2, "width": 12}
    bands = plots.mark("rule", "bands", x=low, x2="high", y=down, **band)
    chart = plots.layer(bands, dots)
    yield Figure(
        "tau",
        headline(found),
        "Dots: tau of the main ranking with that of another choice; lines: its 95% interval; grey: "
        f"95% of {N_RESAMPLES} draws that leave out as many units of each topic at random "
        f"({comparing.NAMES[0]}). Look for dots left of the grey: on these choices the "
        "ranking depends.",
        plots.sized(chart, 28 * len(names), plots.WIDTH - 150),
        {
            "choices": [
                mark | comparing.tau_ends(row.low, row.high)
                for mark, row in zip(drawn(rows, "measure choice tau", _tooltip), rows, strict=True)
            ],
            "bands": [
                {"choice": one.choice, "low": one.band.low, "high": one.band.high}
                for one in found.outcomes
                if not np.isnan(one.band.low)
            ],
        },
        Tau,
        rows,
    )


def _tooltip(row: Tau) -> str:
    return f"{row.choice}, {row.measure}: tau {correlation(row.tau, 3)}"


def table(found: Found) -> Table:
    columns, measure = Tau._fields[2:], comparing.NAMES[0]
    rows: list[Row] = [
        (
            *outcome[:4],
            *(cell for row in outcome.taus for cell in row[2:]),
            *(outcome.band.low, outcome.band.high, found.corrected.get(outcome.choice, np.nan)),
        )
        for outcome in found.outcomes
    ]
    return Table(
        "choices",
        "The main ranking against other choices",
        (
            *Outcome._fields[:4],
            *(f"{column}_{name}" for name in comparing.NAMES for column in columns),
            *("random_low", "random_high", "p"),
        ),
        rows,
        (
            NOTE,
            f"random: 95% of {N_RESAMPLES} taus of {measure} with as many units "
            "of each topic left out at random; p: that tau is as low so, corrected for the "
            "number of choices (Holm). A dash: nothing is left out.",
            *(OF_LEVELS if found.is_graded else OF_MAGNITUDES),
            *(f"A dash: {reason}." for reason in found.reasons),
        ),
        limits={
            f"{end}_{name}": comparing.TAU for name in comparing.NAMES for end in comparing.TAU_ENDS
        },
    )


ANALYSIS = Analysis(
    "sensitivity",
    "Does the ranking depend on how it was made?",
    analyse,
    fits=judged_here,
    titled=True,
    of_systems=True,
)
