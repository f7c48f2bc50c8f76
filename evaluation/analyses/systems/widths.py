"""Units with a narrow and with a wide scale (paper, section 7.3, Figure 13 and Table IV)."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.analyses.analysis import Analysis
from evaluation.analyses.systems import best_units, ranked_systems
from evaluation.analyses.systems.ranked_systems import RUNS, Systems
from evaluation.presentation import plots, published
from evaluation.presentation.parts import (
    Analysed,
    Figure,
    Table,
    Tell,
    binned,
    correlation,
    number,
    percent,
)
from evaluation.study import comparing
from evaluation.study.data import Floats, StudyData
from evaluation.study.fits import magnitude_here
from evaluation.study.topics import TopicData
from magnitudes.agreement.units import HOW_MANY, Scales, narrow_and_wide
from magnitudes.comparison.compared import Compared, compare
from magnitudes.files.words import count
from magnitudes.measures.names import Measure

NEARLY_ALL = 0.99
FAR = 100  # times the median, to which ratios are drawn: a few lie anywhere above
EDGES = math.sqrt(2), math.sqrt(10), math.sqrt(50)  # halfway between 1, 2, 5 and 10
LARGEST = 300  # power of ten of what is drawn
Narrow = dict[str, NDArray[np.bool_]]  # of each topic, which units are narrow, (u,)
WIDTHS = NARROW, WIDE, ALL = ("narrow", "wide", "all")


class Bin(NamedTuple):
    """How many units have a ratio from `start` to `end`."""

    start: float
    end: float
    units: int


class Order(NamedTuple):
    """Tau, and overlap of top sets, with labels, by narrow units, wide ones and all."""

    systems: str
    labels: str
    measure: str
    tau_narrow: float
    tau_wide: float
    tau_all: float
    overlap_narrow: float
    overlap_wide: float
    overlap_all: float


PAPER = [
    Order(
        f"paper: {systems}",
        labels,
        f"{name}@10",
        *published.values(f"tau_{systems}_{name}").values(),
        *published.values(f"overlap_{systems}_{name}").values(),
    )
    for systems, labels in (("runs", "TREC's"), ("simulated", "Sormunen's"))
    for name in comparing.NAMES
]


class Chosen(NamedTuple):
    """By width, gains of each topic, and how many documents have no unit of the width."""

    gains: dict[str, list[Floats]]
    fell_back: dict[str, int]


class Ranked(NamedTuple):
    """Systems by gains from units of each width, against one kind of labels."""

    systems: Systems
    labels: str
    fell_back: dict[str, int]
    compared: dict[Measure, list[Compared]]  # one of each width

    @property
    def orders(self) -> Iterator[Order]:
        for measure, widths in self.compared.items():
            taus = (compared.tau.tau for compared in widths)
            overlaps = (compared.overlap for compared in widths)
            yield Order(self.systems.kind, self.labels, str(measure), *taus, *overlaps)

    @property
    def reasons(self) -> list[str]:
        """Why numbers are not defined."""
        every = (compared.reason for widths in self.compared.values() for compared in widths)
        return list(filter(None, every))


@dataclass(frozen=True)
class Found:
    """Ratios of units, (u,), the median that divides them, and the rankings by either half.

    why_not: why systems cannot be ranked; empty where they can.
    """

    ratios: Floats
    scales: Scales
    why_not: str
    rankings: list[Ranked]

    @property
    def orders(self) -> list[Order]:
        return [order for ranked in self.rankings for order in ranked.orders]


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Ratios of the anchors' scores, and rankings by units with small and with large ones."""
    if not len(data.units):
        return Analysed(["No unit is completed yet."])
    found = compute(data)
    tables = [table(found)] if found.rankings else []
    return Analysed([*says(found)], [figure(found), *tables], numbers(found))


def numbers(found: Found) -> dict[str, float | int | None]:
    """The median ratio, and tau of runs with binary labels by units of each width."""
    result: dict[str, float | int | None] = {"median": found.scales.median}
    for ranked in found.rankings:
        if (ranked.systems.kind, ranked.labels) == (RUNS, "binary"):
            result["cutoff"] = ranked.systems.measures[0].cutoff
            for measure, widths in ranked.compared.items():
                for width, compared in zip(WIDTHS, widths, strict=True):
                    result[f"tau_{width}_{measure.name}"] = compared.tau.tau
    return result


def compute(data: StudyData) -> Found:
    ratios = np.concatenate([topic.hk_nk for topic in data.topics])
    scales = narrow_and_wide(ratios)
    narrow = data.by_topic(scales.narrow)
    why_not = comparing.why_not(data)
    rankings = [
        _ranked(systems, narrow, kind)
        for systems in (() if why_not else ranked_systems.both(data))
        for kind in comparing.kinds(systems.topics)
    ]
    return Found(ratios, scales, why_not, rankings)


def _ranked(systems: Systems, narrow: Narrow, kind: str) -> Ranked:
    topics = systems.topics
    labels = [comparing.labels(topic, comparing.KINDS[kind]) for topic in topics]
    chosen = _chosen(topics, narrow, kind)
    sources = {
        width: [comparing.magnitudes(*pair) for pair in zip(topics, gains, strict=True)]
        for width, gains in chosen.gains.items()
    }
    names = ("ranking by labels", "ranking by magnitudes")
    compared = {}
    for measure in systems.measures:
        by_labels = systems.measure(labels, measure).values
        by_width = [systems.measure(sources[width], measure).values for width in WIDTHS]
        compared[measure] = [compare(by_labels, values, names) for values in by_width]
    return Ranked(systems, kind, chosen.fell_back, compared)


def _chosen(topics: Sequence[TopicData], narrow: Narrow, kind: str) -> Chosen:
    gains: dict[str, list[Floats]] = {width: [] for width in WIDTHS}
    fell_back = dict.fromkeys(WIDTHS, 0)
    for topic in topics:
        units = narrow[topic.query_id]
        for width, wanted in ((NARROW, units), (WIDE, ~units), (ALL, None)):
            best = best_units.choose(topic, comparing.KINDS[kind], wanted)
            gains[width].append(best.values)
            fell_back[width] += int(best.fell_back.sum())
    return Chosen(gains, fell_back)


def says(found: Found) -> Iterator[str]:
    scales = found.scales
    yield (
        f"{_title(found)}. Half of the units have scored H_k at {number(scales.median)} times N_k "
        f"or more {published.quote('(the paper: {median_width})')}. "
        f"{count(int(scales.narrow.sum()), 'unit')} below it are narrow, "
        f"{count(int(scales.wide.sum()), 'unit')} at or above it wide."
    )
    yield found.why_not or _says_orders(found.orders)


def _title(found: Found) -> str:
    """How well units of either width rank systems as binary labels do, if that can be said."""
    known = [
        row
        for row in found.orders
        if (row.systems, row.labels) == (RUNS, "binary")
        and not np.isnan(row.tau_narrow + row.tau_wide)
    ]
    if not known:
        return f"Units score H_k at {number(found.scales.median)} times N_k at the median"
    row = known[0]
    return (
        f"By narrow scales tau with the labels' order of systems is {correlation(row.tau_narrow)}, "
        f"by wide ones {correlation(row.tau_wide)} ({found.rankings[0].systems.measures[0].brief})"
    )


def _says_orders(orders: Sequence[Order]) -> str:
    taus = [
        f"{correlation(row.tau_narrow, 3)}, {correlation(row.tau_wide, 3)} and "
        f"{correlation(row.tau_all, 3)} "
        f"by {row.measure}"
        for row in orders
        if (row.systems, row.labels) == (RUNS, "binary")
        and not np.isnan(row.tau_narrow + row.tau_wide + row.tau_all)
    ]
    if not taus:
        return "No order of systems can be compared with that by binary labels."
    return (
        f"Gains from the {HOW_MANY} units that agree best with binary labels, taken among narrow "
        f"units, wide ones and all, order runs with a tau to these labels of {'; '.join(taus)}. "
        + published.quote(
            "The paper found {tau_runs_nDCG.narrow}, {tau_runs_nDCG.wide} and {tau_runs_nDCG.all} "
            "by nDCG, and {tau_runs_ERR.narrow}, {tau_runs_ERR.wide} and {tau_runs_ERR.all} by ERR."
        )
    )


def figure(found: Found) -> Figure:
    bins, beyond = bins_of(found.ratios)
    median = found.scales.median
    title = "score of H_k over score of N_k in a unit"
    not_drawn = (f" {count(row.units, 'unit')} above {row.start:,.0f} not drawn." for row in beyond)
    ends = plots.decades(bins[0].start, bins[-1].end)
    return Figure(
        "ratios",
        f"Half of the units have scored H_k at {number(median)} times N_k or more",
        f"Units by ratio; dashed: the median, from which on units are wide.{''.join(not_drawn)}",
        plots.sized(
            plots.layer(
                plots.bars("bins", title, "units", **ends),
                plots.rule_at("median", x=plots.axis("at", title, **ends)),
            ),
            220,
        ),
        {
            "bins": binned(bins),
            "median": [{"at": median}],
        },
        ("from", "to", "units"),
        [*bins, *beyond],
        "Figure 13",
        reading=(
            "Look for a tail to the right: units in which one document is worth hundreds of "
            "another. Bars lie about 1, 2, 5, 10 and so on, the numbers that ratios are."
        ),
    )


def bins_of(ratios: Floats) -> tuple[list[Bin], list[Bin]]:
    """A histogram of nearly all, a bar about each round ratio; and what lies above, if any does."""
    median, nearly_all = np.quantile(ratios, (0.5, NEARLY_ALL)).tolist()
    limit = min(nearly_all, FAR * median, 10.0**LARGEST)
    first, last = (math.floor(math.log10(end)) for end in (ratios.min(), limit))
    edges = [10.0**power * edge for power in range(first - 1, last + 2) for edge in EDGES]
    below = max(place for place, edge in enumerate(edges) if edge <= ratios.min())
    above = min(place for place, edge in enumerate(edges) if edge > limit)
    ends = edges[below : above + 1]
    counts = np.histogram(ratios, bins=ends)[0].tolist()  # the last one takes its end in
    bins = [Bin(*row) for row in zip(ends[:-1], ends[1:], counts, strict=True)]
    tail = int((ratios > ends[-1]).sum())
    return bins, [Bin(ends[-1], float(ratios.max()), tail)] if tail else []


def table(found: Found) -> Table:
    reasons = dict.fromkeys(reason for ranked in found.rankings for reason in ranked.reasons)
    return Table(
        "widths",
        "Order and top set by units with a narrow scale, a wide one, and all",
        Order,
        [*found.orders, *PAPER],
        (
            *dict.fromkeys(map(_fell_back, found.rankings)),
            *(f"A dash: {reason}." for reason in reasons),
        ),
        "Table IV",
    )


def _fell_back(ranked: Ranked) -> str:
    systems = ranked.systems
    documents = sum(int((topic.counts > 0).sum()) for topic in systems.topics)
    without = " and ".join(
        f"{n:,} ({percent(n / documents, 1)}) {'has' if n == 1 else 'have'} no {width} unit"
        for width, n in ranked.fell_back.items()
        if width != ALL
    )
    paper = published.quote(f"{{no_such_unit.{systems.kind}}}")
    return (
        f"Of {count(documents, 'document')} on the topics of {systems.called}, {without}: the best "
        f"units of any width stand in (the paper: {paper})."
    )


ANALYSIS = Analysis(
    "widths",
    "Does it matter how wide a scale workers use?",
    analyse,
    fits=magnitude_here,
    of_systems=True,
    counts_unlabelled=True,
)
