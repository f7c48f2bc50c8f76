"""Whether systems change places if they are measured in time: TBG beside the first measure.

Smucker and Clarke (SIGIR 2012), Table 1 and Figure 6. A part of the analysis `reader`.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from evaluation.analyses.time.readers import PAPER, Kind
from evaluation.presentation import far_out, two_orders
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import Figure, Table, correlation
from evaluation.study.data import Floats
from magnitudes.comparison.compared import Compared, compare
from magnitudes.measures.names import Measure

FIGURES = {"paper": "systems-paper", "own": "systems-study"}  # by the key of a kind of readers


class Order(NamedTuple):
    """Systems by TBG with one kind of readers, values (topics, runs), beside the usual order."""

    kind: Kind
    values: Floats
    compared: Compared

    @property
    def tau(self) -> float:
        return self.compared.tau.tau


def compute(
    measure: Measure, usual: Floats, values: Sequence[Floats], kinds: Sequence[Kind]
) -> list[Order]:
    """By each kind of readers, the main one first; usual: by the measure, (topics, runs)."""
    names = f"ranking by {measure.short}", "ranking by TBG"
    return [
        Order(kind, by_tbg, compare(usual, by_tbg, names))
        for kind, by_tbg in zip(kinds, values, strict=True)
    ]


def sentence(orders: Sequence[Order], usual: Measure) -> str:
    """The finding: how alike both orders are."""
    main, alike = orders[0], two_orders.tau_or_why(orders[0].compared)
    if not np.isfinite(main.tau):
        return f"Systems cannot be ordered by the time of readers (TBG): {alike}."
    return f"{_title('TBG', main.tau, usual)}. Between both orders {alike}."


def _title(by: str, tau: float, usual: Measure) -> str:
    """Tau alone: both orders are of the same lists and gains, and neither is a sample."""
    alike = correlation(tau)
    return f"Tau of systems by readers' time ({by}) and by {usual.short} is {alike}"


def others(orders: Sequence[Order]) -> str:
    taus = ((order.kind.name, two_orders.tau_or_why(order.compared)) for order in orders[1:])
    return " ".join(f"With {reader} {tau}." for reader, tau in taus)


def figures(
    orders: Sequence[Order], runs: Sequence[str], measure: Measure, usual: Floats
) -> Iterator[Figure]:
    name = f"mean_{measure.name.lower()}"
    for order in orders:
        if order.kind.key in FIGURES:
            means = {name: usual.mean(axis=0), "mean_tbg": order.values.mean(axis=0)}
            yield _scatter(order, Frame.of(system=runs, **means), measure)


def _scatter(order: Order, systems: Frame, measure: Measure) -> Figure:
    _, usual, by_tbg = systems.names
    label = f"{{system}}: {{{by_tbg}}} saved, {measure.short} {{{usual}}}"
    marks = far_out.placed(systems.marks(label), usual, by_tbg)
    title = _title(f"TBG, {order.kind.name}", order.tau, measure)
    return systems.figure(
        FIGURES[order.kind.key],
        title if np.isfinite(order.tau) else two_orders.tau_or_why(order.compared),
        f"Systems by {measure.short} and by the documents that a reader saves."
        f"{far_out.caption(marks)}",
        far_out.scatter(f"mean {measure.short}", "documents saved"),
        data={ROWS: marks},
        source=f"Figure 6 of {PAPER}",
        reading="The closer all are to a rising line, the more alike both measures order systems. "
        "Of those far from it, some above have relevant documents that come sooner than their "
        "ranks tell, as what stands above them is short; but TBG also reads on to the end of a "
        "list, knows relevant documents and others alone, and is no share of what there is.",
    )


def table(orders: Sequence[Order], usual: Measure) -> Table:
    compared, lines = [order.compared for order in orders], [order.kind.alike for order in orders]
    rows = two_orders.frame(
        compared,
        "top_set",
        "top_set_by_tbg",
        reader=[order.kind.name for order in orders],
        slope=[line and line.slope for line in lines],
        intercept=[line and line.intercept for line in lines],
        mean_tbg=[order.values.mean() for order in orders],
    )
    return rows.with_heads(top_set_by_tbg="top set by TBG").table(
        "agreement",
        f"Order of systems and top set, by {usual.short} and by TBG",
        *two_orders.notes(
            compared,
            f"the top set by {usual.short}",
            "slope and intercept are T_D's, as options of the "
            "measure TBG; a dash: they differ by topic, and are those of the analysis above.",
            before=f"Against the order by {usual.short}. ",
        ),
        source=f"Table 1 of {PAPER}",
    )
