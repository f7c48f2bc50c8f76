"""Units with a narrow and with a wide scale (paper, section 7.3, Figure 13 and Table IV).

**Shows** the ratios of the scores of H_k and N_k of all units, and tau and overlap as above with
the three best units of a document among narrow units, wide ones, and all.

**Computed**: narrow is below the median ratio of the study, wide at or above it. A document without
units of one kind uses the three best of any; the number of these is given. Ratios are drawn up to
about the 90th percentile; the number above is given.

**Source**: section 7.3, Figure 13 and Table IV.
"""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np

from evaluation.analyses.analysis import OnProgress, analysis
from evaluation.analyses.systems.best_units import COLUMNS, WIDTHS, compare_widths
from evaluation.analyses.systems.ranked_systems import RUNS
from evaluation.presentation import plots, published
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import OF_PAPER, Figure, Result, correlation, number
from evaluation.study import scoring
from evaluation.study.applies_to import magnitude_here
from evaluation.study.data import Floats, StudyData
from magnitudes.agreement.units import HOW_MANY, narrow_and_wide
from magnitudes.files.words import count
from magnitudes.measures.names import short

MOST = 0.9  # of the units whose ratios are drawn
MAX_BARS = 60
LARGEST = 1e300  # ratio that is drawn
PAPER = [
    (
        *(f"paper: {systems}", labels, f"{name}@10"),
        *published.values(f"tau_{systems}_{name}").values(),
        *published.values(f"overlap_{systems}_{name}").values(),
    )
    for systems, labels in (("runs", "TREC's"), ("simulated", "Sormunen's"))
    for name in scoring.NAMES
]


@analysis(
    "Does it matter how wide a scale workers use?",
    applies_to=magnitude_here,
    of_systems=True,
    counts_unlabelled=True,
)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """Ratios of the anchors' scores, and rankings by units with small and with large ones."""
    if not len(data.units):
        return Result(["No unit is completed yet."])
    ratios = np.concatenate([topic.hk_nk for topic in data.topics])
    scales = narrow_and_wide(ratios)
    numbers: dict[str, float | int | None] = {"median": scales.median}
    why_not, brief = scoring.why_not(data), scoring.first(data.study).short
    orders, notes = Frame.of_rows(COLUMNS, []), list[str]()
    if not why_not:
        orders, notes = compare_widths(data, data.by_topic(scales.narrow))
        numbers["cutoff"] = scoring.cutoff(data.study)
        for name, row in zip(scoring.NAMES, _of_runs(orders), strict=True):
            numbers |= {f"tau_{width}_{name}": getattr(row, f"tau_{width}") for width in WIDTHS}
    table = Frame.of_rows(COLUMNS, [*orders.rows, *PAPER]).table(
        "widths",
        "Order and top set by units with a narrow scale, a wide one, and all",
        *notes,
        source="Table IV",
    )
    narrow, wide = (count(int(which.sum()), "unit") for which in (scales.narrow, scales.wide))
    sentence = (
        f"{_title(orders, scales.median, brief)}. {_half(scales.median)} "
        f"{published.quote('(the paper: {median_width})')}. {narrow} below it are narrow, {wide} "
        "at or above it wide."
    )
    figure, tables = _figure(ratios, scales.median), [table] if len(orders) else []
    return Result([sentence, why_not or _taus(orders)], [figure, *tables], numbers)


def _half(median: float) -> str:
    times = f"{number(median)} times the irrelevant one or more"
    return f"Half of the units have scored the relevant anchor at {times}"


def _of_runs(orders: Frame) -> Frame:
    """Those of runs with binary labels."""
    return orders.where((orders["systems"] == RUNS) & (orders["labels"] == "binary"))


def _title(orders: Frame, median: float, brief: str) -> str:
    """How well units of either width rank systems as binary labels do, if that can be said."""
    known = [row for row in _of_runs(orders) if not np.isnan(row.tau_narrow + row.tau_wide)]
    if not known:
        times = f"{number(median)} times the irrelevant one (median)"
        return f"Units score the relevant anchor at {times}"
    narrow, wide = correlation(known[0].tau_narrow), correlation(known[0].tau_wide)
    both = f"{narrow} from units with narrow scales, {wide} from those with wide ones ({brief})"
    return f"Tau with the labels' order of systems is {both}"


def _taus(orders: Frame) -> str:
    taus = [
        f"{correlation(row.tau_narrow, 3)}, {correlation(row.tau_wide, 3)} and "
        f"{correlation(row.tau_all, 3)} by {short(row.measure)}"
        for row in _of_runs(orders)
        if not np.isnan(row.tau_narrow + row.tau_wide + row.tau_all)
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


def _figure(ratios: Floats, median: float) -> Figure:
    bins, beyond = bins_of(ratios)
    title = "score of the relevant anchor over that of the irrelevant one"
    rows = beyond.rows
    not_drawn = (f" {count(n, 'unit')} above {start:,.0f} not drawn." for start, _, n in rows)
    ends: dict[str, Any] = {"domain": (0, bins["to"][-1])}
    name = published.quote("the paper's median: {median_width}")
    of_paper = {"at": published.value("median_width"), "units": 0, "name": name}
    drawn = plots.layer(
        plots.bars(ROWS, title, "units", "units", **ends),
        plots.rule_at("median", x=plots.axis("at", title, **ends)),
        plots.paper(plots.axis("at", title, **ends), plots.axis("units", "units")),
    )
    return Frame.of_rows(bins.names, [*bins.rows, *rows]).figure(
        "ratios",
        _half(median),
        f"Units by ratio; dashed: the median, from which on units are wide.{''.join(not_drawn)}",
        plots.sized(drawn, 220),
        data={ROWS: bins.marks(_label), "median": [{"at": median}], OF_PAPER: [of_paper]},
        source="Figure 13",
        reading=(
            "Look for a tail to the right: units in which one document is worth hundreds of "
            "another. A bar is of the ratios nearest to a whole number."
        ),
    )


def _label(row: SimpleNamespace) -> str:
    low = vars(row)["from"]
    about = f"about {(low + row.to) / 2:,.0f}" if low else f"below {row.to:g}"
    return f"{about} times: {count(row.units, 'unit')}"


def bins_of(ratios: Floats) -> tuple[Frame, Frame]:
    """A bar for each whole ratio, up to where most lie; and what lies above, if any does.

    Where most lie above the number of bars there is room for, a bar is of 2, 5, 10 or more ratios.
    """
    limit = max(min(float(np.quantile(ratios, MOST)), LARGEST), 1.0)
    steps = (by * 10.0**power for power in range(302) for by in (1, 2, 5))
    wide = next(step for step in steps if limit <= MAX_BARS * step)
    edges = wide * (np.arange(math.floor(limit / wide + 0.5) + 2) - 0.5)
    counts = np.histogram(ratios, bins=edges)[0]
    tail, columns = int((ratios > edges[-1]).sum()), "from to units"
    beyond = [(edges[-1], float(ratios.max()), tail)] if tail else []
    bins = zip(np.maximum(edges[:-1], 0.0), edges[1:], counts, strict=True)
    return Frame.of_rows(columns, bins), Frame.of_rows(columns, beyond)
