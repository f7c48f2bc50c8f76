"""Systems ranked by other definitions of gain, from the same judgments.

**Shows** how the order of systems, and the top set, change if gains are computed from the same
judgments by another definition: as levels (`linear`), exponentially, as probabilities that another
user finds a document the best (`udm:1/3`), or as sums of ratings that ignore (`raw`) or take into
account (`weighted`, `unanimity:0.2`) how far judges agree. [results.md](results.md) defines them.

**Computed**: tau-b with its 95% interval and the overlap of top sets, by nDCG and ERR, on the
topics that have such gains, compared with the study's default gains. The weights of `udm` are in
the notes.

**Beware**: levels are cut from magnitudes, and a document better than H_k counts as H_k, so that
much of a difference may be due to the cut and not to the definition. Compare `weighted` and
`unanimity` with `raw`, which ignores unanimity. A larger top set keeps more of another one.

**Source**: Table 2 of Sakai, EVIA 2017, compares `raw` with `unanimity:0.2`; the rest is in no
paper.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from evaluation.analyses.analysis import OnProgress, analysis
from evaluation.analyses.gain.other_definitions import (
    NOTE,
    OF_MAGNITUDES,
    compute,
    largest_change,
    title,
    weights_of_levels,
    with_tau,
)
from evaluation.presentation import plots, two_orders
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import Figure, Result, Table, correlation
from evaluation.publishing import named_gains
from evaluation.study import scoring
from evaluation.study.applies_to import in_levels
from evaluation.study.data import StudyData
from magnitudes.files.words import count
from web.drawing.charts import Stack

SOURCE = "Table 2 of Sakai, EVIA 2017"  # which compares two of these
SIDE = 180  # pixels across each of both plots
BY_MEASURE = "tau", "low", "high", "overlap", "top_set"  # columns of the table


@analysis("Does the ranking depend on how gain is defined?", applies_to=in_levels, of_systems=True)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """Tau and overlap of top sets of the usual ranking with those of other definitions of gain."""
    if not len(data.units) or not data.runs:
        return Result(["There is no ranking yet that other gains could change."])
    definitions, orders, faults = compute(data, on_progress)
    if not len(definitions):
        return Result([f"No other gains can be computed. {'; '.join(faults)}."])
    figures = [_figure(data, definitions, orders)] if with_tau(orders) else []
    return Result(
        [*sentences(data, definitions, orders), *(f"Left out: {fault}." for fault in faults)],
        [*figures, _table(data, definitions, orders, faults)],
        {f"tau_{order.measure}_{order.gain}": order.tau for order in orders},
    )


def sentences(data: StudyData, definitions: Frame, orders: Frame) -> Iterator[str]:
    yield f"{title(orders)}."
    yield (
        f"{count(len(data.runs), 'system')} on {count(len(data.topics), 'topic')} are ranked by "
        f"the gains “{named_gains.usual(data.study)}”, and by "
        f"{count(len(definitions), 'other definition')} of gain from the same judgments."
    )
    for measure in scoring.measures(data.study):
        by_measure = orders.where(orders["measure"] == measure.name)
        yield f"By {measure.short} {largest_change(by_measure, len(data.runs))}"
    yield from two_orders.too_few(len(data.topics))
    for definition in definitions:
        if without := len(data.topics) - definition.topics:
            left = count(without, "topic")
            yield f"Left out of {definition.gain}: {left} without such a gain."


def _figure(data: StudyData, definitions: Frame, orders: Frame) -> Figure:
    """Taus with their intervals, and beside them the overlaps."""
    known, names = with_tau(orders), definitions["gain"].tolist()
    with_sets = known.where(~np.isnan(known["overlap"]))
    ticks: dict[str, Any] = {"values": [-1, -0.5, 0, 0.5, 1]}
    lowest = max(np.nanmin([0.0, *known["low"]]), -1)
    down = plots.names("gain", names)
    taus = plots.intervals_of_kinds(
        *(ROWS, "tau", "tau", down, "measure", plots.MEASURES), domain=(lowest, 1), **ticks
    )
    shares = plots.axis("overlap", "overlap of top sets", domain=(0, 1), percent=True, **ticks)
    bare = replace(down, is_shown=False)
    members = plots.shaped("sets", shares, bare, "measure", plots.MEASURES, apart=True)
    both = [plots.sized(plot, 28 * len(names), SIDE) for plot in (taus, members)]
    return known.of_columns(*known.names[:6]).figure(
        "gains",
        title(orders),
        f"Left: tau with the order by “{named_gains.usual(data.study)}” and its 95% interval; "
        "right: the share of its top set that is in the other.",
        Stack(both, across=True),
        label=lambda row: (
            f"{row.gain}, {scoring.SHORT[row.measure]}: tau {correlation(row.tau, 3)}"
        ),
        data={"sets": with_sets.marks("{gain}, {measure}: {overlap:.0%} of the top set")},
        source=SOURCE,
        reading="Look for marks far to the left: there the ranking depends on how gain is "
        "defined. An overlap says little where the other top set holds most systems.",
    )


def _table(data: StudyData, definitions: Frame, orders: Frame, faults: list[str]) -> Table:
    by_measure = {
        f"{name}_{measure}": orders.where(orders["measure"] == measure).columns[name]
        for measure in scoring.NAMES
        for name in BY_MEASURE
    }
    reasons = [*faults, *sorted({*orders["reason"]} - {""})]
    return definitions.with_columns(**by_measure).table(
        "definitions",
        f"Systems by other definitions of gain, against “{named_gains.usual(data.study)}”",
        NOTE,
        weights_of_levels(data),
        "" if data.study.is_graded else OF_MAGNITUDES,
        *(f"A dash, or a row that is not there: {reason}." for reason in reasons),
        source=SOURCE,
    )
