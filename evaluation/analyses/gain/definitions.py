"""Systems ranked by other definitions of gain, from the same judgments."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from evaluation.analyses.analysis import Analysis
from evaluation.presentation import plots
from evaluation.presentation.parts import (
    Analysed,
    Figure,
    Row,
    Table,
    Tell,
    correlation,
    drawn,
    interval,
    listed,
    number,
    percent,
)
from evaluation.publishing import named_gains
from evaluation.study import comparing, levels
from evaluation.study.data import Floats, StudyData
from evaluation.study.fits import in_levels
from evaluation.study.topics import TopicData
from magnitudes.comparison.compared import compare
from magnitudes.comparison.correlation import Tau
from magnitudes.files.words import count
from magnitudes.gains import GainError
from magnitudes.gains.disagreement import disagreement
from magnitudes.gains.level_weights import level_weights
from magnitudes.gains.scores import LEVELS
from magnitudes.measures.names import Measure
from magnitudes.scaling import ScalingError
from web.drawing.charts import Stack

SOURCE = "Table 2 of Sakai, EVIA 2017"  # which compares two of these
SAME = 1 - 1e-12
MOST_ON_TOP = 0.5  # of the systems: a larger top set overlaps with any other
CUT = (
    f"linear, exponential, udm: normalised scores cut into {LEVELS} levels, in equal ratios "
    "between the gains of each topic's N_k and H_k. raw, weighted, unanimity: "
    "log(s / N_k) / log(H_k / N_k) as ratings from 0 to 1, of which Dmax is 1; what is better "
    "than H_k counts as H_k."
)


class Order(NamedTuple):
    """The order of systems by a measure and a definition of gain, against that by the usual one.

    overlap: the share of the usual top set that is in the other, which has so many systems.
    """

    measure: str
    gain: str
    tau: float
    low: float
    high: float
    overlap: float
    top_set: int | None
    reason: str  # why a number is NaN


class Definition(NamedTuple):
    """What another definition gives documents, and its orders of systems by each measure.

    topics, documents: that have such a gain; worth_nothing: the share of documents with 0.
    """

    name: str
    topics: int
    documents: int
    worth_nothing: float
    orders: list[Order]


@dataclass(frozen=True)
class Found:
    """Definitions of gain against the usual one; faults: why others cannot be had.

    weights: of levels, that the user disagreement model has found; none where it cannot.
    """

    usual: str
    measures: tuple[Measure, ...]
    definitions: list[Definition]
    faults: list[str]
    runs: int
    topics: int
    weights: list[float]
    is_graded: bool

    @property
    def orders(self) -> list[Order]:
        return [order for definition in self.definitions for order in definition.orders]

    @property
    def known(self) -> list[Order]:
        """The orders that have a tau."""
        return [order for order in self.orders if not np.isnan(order.tau)]


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Tau and overlap of top sets of the usual ranking with those of other definitions of gain."""
    if not len(data.units) or not data.runs:
        return Analysed(["There is no ranking yet that other gains could change."])
    found = compute(data, tell)
    if not found.definitions:
        return Analysed([f"No other gains can be computed. {'; '.join(found.faults)}."])
    return Analysed(
        [*says(found)],
        [*([figure(found)] if found.known else []), table(found)],
        {f"tau_{order.measure}_{order.gain}": order.tau for order in found.orders},
    )


def compute(data: StudyData, tell: Tell) -> Found:
    usual = named_gains.usual(data.study)
    names = [name for name in named_gains.choices(data.study) if name != usual]
    definitions, faults = [], []
    for done, name in enumerate(names, 1):
        try:
            definitions.append(_definition(data, usual, name))
        except named_gains.NoSuchGains as fault:
            faults.append(str(fault))
        tell(done / len(names))
    return Found(
        usual,
        comparing.measures(data.study),
        definitions,
        faults,
        len(data.runs),
        len(data.topics),
        _weights(data),
        data.study.is_graded,
    )


def _definition(data: StudyData, usual: str, name: str) -> Definition:
    gains = comparing.gains_by(data, named_gains.named(data.study, name))
    by_topic = zip(data.topics, np.split(gains, data.offsets[1:-1]), strict=True)
    known = [(topic, of_topic) for topic, of_topic in by_topic if not np.isnan(of_topic).all()]
    of_documents = gains[~np.isnan(gains)]
    worth_nothing = float((of_documents == 0).mean()) if of_documents.size else np.nan
    orders = [_order(known, measure, usual, name) for measure in comparing.measures(data.study)]
    return Definition(name, len(known), len(of_documents), worth_nothing, orders)


def _order(
    known: Sequence[tuple[TopicData, Floats]], measure: Measure, usual: str, name: str
) -> Order:
    """known: topics, with the gains of the definition of a name."""
    topics = [topic for topic, _ in known]
    sources = [comparing.magnitudes(topic, gains) for topic, gains in known]
    before = comparing.measure(topics, map(comparing.magnitudes, topics), measure).values
    after = comparing.measure(topics, sources, measure).values
    compared = compare(before, after, (f"ranking by {usual}", f"ranking by {name}"))
    tau, low, high, _ = compared.tau
    # Of systems in no order all are on top, which says nothing of who is.
    overlap = np.nan if np.isnan(tau) else compared.overlap
    top_set = compared.sizes[1]
    return Order(measure.name, name, tau, low, high, overlap, top_set, compared.reason)


def _weights(data: StudyData) -> list[float]:
    try:
        return level_weights(disagreement(levels.opinions(data)).p, 1, 3).tolist()
    except (GainError, ScalingError):
        return []


def says(found: Found) -> Iterator[str]:
    yield f"{_title(found)}."
    yield (
        f"{count(found.runs, 'system')} on {count(found.topics, 'topic')} are ranked by "
        f"the gains “{found.usual}”, and by {count(len(found.definitions), 'other definition')} of "
        "gain from the same judgments."
    )
    for measure in found.measures:
        orders = [order for order in found.orders if order.measure == measure.name]
        yield f"By {measure} {_says_order(orders, found.runs)}"
    yield from comparing.too_few(found.topics)
    for definition in found.definitions:
        if without := found.topics - definition.topics:
            left = count(without, "topic")
            yield f"Left out of {definition.name}: {left} without such a gain."
    yield from (f"Left out: {fault}." for fault in found.faults)


def _says_order(orders: Sequence[Order], runs: int) -> str:
    known = [order for order in orders if not np.isnan(order.tau)]
    if not known:
        return f"no two orders can be compared: {orders[0].reason}."
    least = min(known, key=lambda order: order.tau)
    if least.tau >= SAME:
        every = len(known) == len(orders)
        under = "all of them" if every else listed(order.gain for order in known)
        return f"the order of systems is the same under {under}."
    tau = comparing.with_interval(Tau(least.tau, least.low, least.high, least.reason))
    return f"the order changes most with {least.gain}: {tau}.{_says_overlap(known, runs)}"


def _says_overlap(orders: Sequence[Order], runs: int) -> str:
    """Nothing where top sets are so large that any two of them would overlap."""
    known = [order for order in orders if not np.isnan(order.overlap)]
    if not known:
        return ""
    sizes = [order.top_set or 0 for order in known]
    if max(sizes) > runs * MOST_ON_TOP:
        held = interval(min(sizes), max(sizes)) if min(sizes) < max(sizes) else str(sizes[0])
        return f" Top sets hold {held} of {count(runs, 'system')}: that they overlap says nothing."
    least = min(known, key=lambda order: order.overlap)
    if least.overlap == 1:
        return " Whoever is in the usual top set stays in it under all of them."
    return (
        f" Of the usual top set, {percent(least.overlap)} stay in it with {least.gain}, the fewest."
    )


def figure(found: Found) -> Figure:
    rows = found.known
    lowest = min([0.0, *(row.low for row in rows if not np.isnan(row.low))])
    with_sets = [row for row in rows if not np.isnan(row.overlap)]
    return Figure(
        "gains",
        _title(found),
        f"Left: tau with the order by “{found.usual}” and its 95% interval; right: the share of "
        "its top set that is in the other.",
        _chart([definition.name for definition in found.definitions], lowest),
        {
            "gains": drawn(rows, "measure gain tau low high", _tau),
            "sets": drawn(with_sets, "measure gain overlap", _overlap),
        },
        Order._fields[:6],
        [row[:6] for row in rows],
        SOURCE,
        reading="Look for marks far to the left: there the ranking depends on how gain is "
        "defined. An overlap says little where the other top set holds most systems.",
    )


def _title(found: Found) -> str:
    """What is found: whether the order changes, and where the most."""
    if not found.known:
        return f"No two orders can be compared: {found.orders[0].reason}"
    least = min(found.known, key=lambda row: row.tau)
    if least.tau >= SAME:
        every = len(found.known) == len(found.orders)
        return (
            f"No definition of gain {'' if every else 'that ranks systems '}changes the order of "
            "systems"
        )
    return (
        f"The order of systems changes most with the gains “{least.gain}” ({least.measure}: tau "
        f"{correlation(least.tau)})"
    )


def _tau(row: Order) -> str:
    return f"{row.gain}, {row.measure}: tau {correlation(row.tau, 3)}"


def _overlap(row: Order) -> str:
    return f"{row.gain}, {row.measure}: {percent(row.overlap)} of the top set"


def _chart(names: list[str], lowest: float) -> Any:
    """Taus with their intervals, and beside them the overlaps; lowest: the end of an interval."""
    ticks: dict[str, Any] = {"values": [-1, -0.5, 0, 0.5, 1]}
    axis: dict[str, Any] = {"domain": (max(lowest, -1), 1), **ticks}
    down = plots.names("gain", names)
    taus = plots.intervals_of_kinds("gains", "tau", "tau", down, "measure", plots.MEASURES, **axis)
    shares = plots.axis("overlap", "overlap of top sets", domain=(0, 1), percent=True, **ticks)
    bare = replace(down, is_shown=False)
    members = plots.shaped("sets", shares, bare, "measure", plots.MEASURES, apart=True)
    height = 28 * len(names)
    both = [plots.sized(plot, height, plots.PANEL) for plot in (taus, members)]
    return Stack(both, across=True)


def table(found: Found) -> Table:
    columns = ("tau", "low", "high", "overlap", "top_set")
    rows: list[Row] = [
        (
            *(definition.name, definition.topics, definition.documents, definition.worth_nothing),
            *(getattr(order, column) for order in definition.orders for column in columns),
        )
        for definition in found.definitions
    ]
    weights = ", ".join("not known" if np.isnan(w) else number(w) for w in found.weights)
    reasons = [*found.faults, *sorted({order.reason for order in found.orders} - {""})]
    return Table(
        "definitions",
        f"Systems by other definitions of gain, against “{found.usual}”",
        (
            *("gain", "topics", "documents", "worth_nothing"),
            *(f"{name}_{measure}" for measure in comparing.NAMES for name in columns),
        ),
        rows,
        (
            "Tau: Kendall's tau-b with the order by the usual gains, on the same topics, with its "
            "95% interval. Overlap: the share of the usual top set that is in the other, which is "
            "the higher the larger the other. Top set: how many systems are in it. Documents: "
            "those that have such a gain. Worth nothing: the share of them whose gain is 0.",
            *([f"udm:1/3: the weights of levels, lowest first, are {weights}."] if weights else []),
            *([] if found.is_graded else [CUT]),
            *(f"A dash, or a row that is not there: {reason}." for reason in reasons),
        ),
        SOURCE,
        limits={
            f"{end}_{name}": comparing.TAU for name in comparing.NAMES for end in comparing.TAU_ENDS
        },
    )


ANALYSIS = Analysis(
    "definitions",
    "Does the ranking depend on how gain is defined?",
    analyse,
    fits=in_levels,
    of_systems=True,
)
