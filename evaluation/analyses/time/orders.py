"""Whether systems change places if they are measured in time: TBG beside the first measure.

Smucker and Clarke (SIGIR 2012), Table 1 and Figure 6. A part of the analysis `reader`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evaluation.analyses.time.readers import PAPER, Kind
from evaluation.presentation import plots
from evaluation.presentation.parts import Figure, Row, Table, correlation, drawn, number
from evaluation.study import comparing
from evaluation.study.data import Floats
from magnitudes.comparison.compared import Compared, compare
from magnitudes.measures.names import Measure

SAME = 1 - 1e-12
FIGURES = {"paper": "systems-paper", "own": "systems-study"}  # by the key of a kind of readers


class System(NamedTuple):
    """A system's means by the study's first measure and by TBG."""

    name: str
    usual: float
    tbg: float


@dataclass(frozen=True, eq=False)
class Order:
    """TBG with readers of one kind, (topics, runs), and its order beside the usual one."""

    kind: Kind
    values: Floats
    compared: Compared

    @property
    def means(self) -> Floats:
        return self.values.mean(axis=0)

    @property
    def best(self) -> int:
        """The system with the largest TBG."""
        return int(self.means.round(12).argmax())

    @property
    def reason(self) -> str:
        """Why there is no tau; empty where there is."""
        return "" if np.isfinite(self.compared.tau.tau) else f"no tau, as {self.compared.reason}"


@dataclass(frozen=True, eq=False)
class Found:
    """The order by each kind of readers, the main one first; usual: (topics, runs)."""

    runs: Sequence[str]
    measure: Measure
    usual: Floats
    orders: list[Order]

    @property
    def main(self) -> Order:
        return self.orders[0]

    def numbers(self) -> dict[str, float]:
        return {f"tau_{order.kind.key}": order.compared.tau.tau for order in self.orders}


def compute(
    runs: Sequence[str],
    measure: Measure,
    usual: Floats,
    values: Sequence[Floats],
    kinds: Sequence[Kind],
) -> Found:
    """usual, by the measure, and values by each kind of readers: (topics, runs)."""
    names = f"ranking by {measure}", "ranking by TBG"
    compared = [compare(usual, by_tbg, names) for by_tbg in values]
    return Found(runs, measure, usual, [*map(Order, kinds, values, compared)])


def says(found: Found) -> str:
    """The finding: how alike both orders are."""
    main = found.main.compared
    if not np.isfinite(main.tau.tau):
        return f"Systems cannot be ordered by the time of readers (TBG): {found.main.reason}."
    title = _title("TBG", main, found.measure)
    return f"{title}. Between both orders {comparing.with_interval(main.tau)}."


def _title(by: str, compared: Compared, usual: Measure) -> str:
    """Tau alone: both orders are of the same lists and gains, and neither is a sample."""
    tau = correlation(compared.tau.tau)
    return f"Tau of systems by readers' time ({by}) and by {usual.brief} is {tau}"


def says_others(found: Found) -> str:
    return " ".join(map(_says_order, found.orders[1:]))


def _says_order(order: Order) -> str:
    tau = order.reason or comparing.with_interval(order.compared.tau)
    return f"With {order.kind.name} {tau}."


def figures(found: Found) -> Iterator[Figure]:
    for order in found.orders:
        if order.kind.key in FIGURES:
            yield _scatter(found, order)


def _scatter(found: Found, order: Order) -> Figure:
    columns = found.usual.mean(axis=0).tolist(), order.means.tolist()
    rows = [System(*row) for row in zip(found.runs, *columns, strict=True)]
    return Figure(
        FIGURES[order.kind.key],
        order.reason or _title(f"TBG, {order.kind.name}", order.compared, found.measure),
        f"Systems by {found.measure} and by the documents that a reader saves.",
        plots.sized(
            plots.points(
                "systems",
                plots.axis("usual", f"mean {found.measure}"),
                plots.axis("tbg", "documents saved"),
            )
        ),
        {"systems": drawn(rows, "usual tbg", _tooltip(found.measure))},
        ("system", f"mean_{found.measure.name.lower()}", "mean_tbg"),
        rows,
        f"Figure 6 of {PAPER}",
        reading="The closer all are to a rising line, the more alike both measures order systems. "
        "Of those far from it, some above have relevant documents that come sooner than their "
        "ranks tell, as what stands above them is short; but TBG also reads on to the end of a "
        "list, knows relevant documents and others alone, and is no share of what there is.",
    )


def _tooltip(usual: Measure) -> Callable[[System], str]:
    return lambda row: f"{row.name}: {number(row.tbg)} saved, {usual} {number(row.usual)}"


def table(found: Found) -> Table:
    reasons = sorted({order.compared.reason for order in found.orders} - {""})
    return Table(
        "agreement",
        f"Order of systems and top set, by {found.measure} and by TBG",
        (
            *("reader", "slope", "intercept", "mean_tbg", "tau", "low", "high"),
            *("top_set", "top_set_by_tbg", "in_both", "overlap"),
        ),
        [_row(order) for order in found.orders],
        (
            f"Against the order by {found.measure}. {comparing.OF_TAU}",
            f"{comparing.TOP_SET} Overlap: the share of the top set by {found.measure} that is in "
            "both.",
            "slope and intercept are T_D's, as options of the "
            "measure TBG; a dash: they differ by topic, and are those of the analysis above.",
            *(f"A dash: {reason}." for reason in reasons),
        ),
        f"Table 1 of {PAPER}",
        limits=comparing.TAU_ENDS,
    )


def _row(order: Order) -> Row:
    compared, reader = order.compared, order.kind.alike
    return (
        *(order.kind.name, *((reader.slope, reader.intercept) if reader else (None, None))),
        *(float(order.values.mean()), *compared.tau[:3]),
        *(*compared.sizes, compared.overlap),
    )
