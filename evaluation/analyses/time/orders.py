"""Whether systems change places if they are measured in time: TBG beside the first measure.

Smucker and Clarke (SIGIR 2012), Table 1 and Figure 6. A part of the analysis `reader`.
"""

from collections.abc import Iterator, Sequence
from types import SimpleNamespace

import numpy as np

from evaluation.analyses.time.readers import PAPER, Kind
from evaluation.presentation import plots
from evaluation.presentation.frame import ROWS, Column, Frame
from evaluation.presentation.parts import Figure, Table, correlation
from evaluation.study import scoring
from evaluation.study.data import Floats
from magnitudes.comparison.compared import compare
from magnitudes.comparison.correlation import Tau
from magnitudes.measures.names import Measure

FIGURES = {"paper": "systems-paper", "own": "systems-study"}  # by the key of a kind of readers
COLUMNS = (
    "key reader slope intercept mean_tbg tau low high top_set top_set_by_tbg in_both overlap reason"
)


def compute(
    measure: Measure, usual: Floats, values: Sequence[Floats], kinds: Sequence[Kind]
) -> Frame:
    """TBG by each kind of readers, the main one first, and its order beside the usual one.

    usual, by the measure, and values by each kind of readers: (topics, runs).
    """
    rows = []
    for kind, by_tbg in zip(kinds, values, strict=True):
        compared = compare(usual, by_tbg, (f"ranking by {measure}", "ranking by TBG"))
        line = (kind.alike.slope, kind.alike.intercept) if kind.alike else (None, None)
        of_order = *compared.tau[:3], *compared.sizes, compared.overlap, compared.reason
        rows.append((kind.key, kind.name, *line, float(by_tbg.mean()), *of_order))
    orders = Frame.of_rows(COLUMNS, rows)
    ends = {end: Column(orders[end], limits=scoring.TAU) for end in scoring.TAU_ENDS}
    top_set = Column(orders["top_set_by_tbg"], "top set by TBG")
    return orders.with_columns(**ends, top_set_by_tbg=top_set)


def sentence(orders: Frame, usual: Measure) -> str:
    """The finding: how alike both orders are."""
    main = next(iter(orders))
    if not np.isfinite(main.tau):
        return f"Systems cannot be ordered by the time of readers (TBG): {_tau(main)}."
    return f"{_title('TBG', main.tau, usual)}. Between both orders {_tau(main)}."


def _title(by: str, tau: float, usual: Measure) -> str:
    """Tau alone: both orders are of the same lists and gains, and neither is a sample."""
    alike = correlation(tau)
    return f"Tau of systems by readers' time ({by}) and by {usual.brief} is {alike}"


def _tau(order: SimpleNamespace) -> str:
    """Tau with its interval, or why there is none."""
    if not np.isfinite(order.tau):
        return f"no tau, as {order.reason}"
    return scoring.with_interval(Tau(order.tau, order.low, order.high, order.reason))


def others(orders: Frame) -> str:
    return " ".join(f"With {order.reader} {_tau(order)}." for order in list(orders)[1:])


def figures(
    orders: Frame, runs: Sequence[str], measure: Measure, usual: Floats, values: Sequence[Floats]
) -> Iterator[Figure]:
    name = f"mean_{measure.name.lower()}"
    for order, by_tbg in zip(orders, values, strict=True):
        if order.key in FIGURES:
            means = {name: usual.mean(axis=0), "mean_tbg": by_tbg.mean(axis=0)}
            yield _scatter(order, Frame.of(system=runs, **means), measure)


def _scatter(order: SimpleNamespace, systems: Frame, measure: Measure) -> Figure:
    _, usual, by_tbg = systems.names
    across, up = plots.axis(usual, f"mean {measure}"), plots.axis(by_tbg, "documents saved")
    label = f"{{system}}: {{{by_tbg}}} saved, {measure} {{{usual}}}"
    title = _title(f"TBG, {order.reader}", order.tau, measure)
    return systems.figure(
        FIGURES[order.key],
        title if np.isfinite(order.tau) else _tau(order),
        f"Systems by {measure} and by the documents that a reader saves.",
        plots.sized(plots.points(ROWS, across, up)),
        label=label,
        source=f"Figure 6 of {PAPER}",
        reading="The closer all are to a rising line, the more alike both measures order systems. "
        "Of those far from it, some above have relevant documents that come sooner than their "
        "ranks tell, as what stands above them is short; but TBG also reads on to the end of a "
        "list, knows relevant documents and others alone, and is no share of what there is.",
    )


def table(orders: Frame, usual: Measure) -> Table:
    reasons = sorted({*orders["reason"]} - {""})
    return orders.of_columns(*orders.names[1:-1]).table(
        "agreement",
        f"Order of systems and top set, by {usual} and by TBG",
        f"Against the order by {usual}. {scoring.OF_TAU}",
        f"{scoring.TOP_SET} Overlap: the share of the top set by {usual} that is in both.",
        "slope and intercept are T_D's, as options of the "
        "measure TBG; a dash: they differ by topic, and are those of the analysis above.",
        *(f"A dash: {reason}." for reason in reasons),
        source=f"Table 1 of {PAPER}",
    )
