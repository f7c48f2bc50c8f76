"""Systems by gains that count unanimity, against the plain sum of ratings.

Sakai (EVIA 2017), Tables 2 and 3. A part of the analysis `unanimity`.
"""

from collections.abc import Iterator

import numpy as np

from evaluation.analyses.analysis import OnProgress
from evaluation.analyses.disagreement.rating_orders import NOBODY, UG, compared, measures
from evaluation.analyses.disagreement.ratings import DRAWS, SOURCE, Rated
from evaluation.presentation import plots, published, two_orders
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import OF_PAPER, Figure, Result, Table, correlation, dashes
from evaluation.study.data import StudyData
from magnitudes.comparison.top_set import LEVEL
from magnitudes.comparison.tukey import N_RESAMPLES
from magnitudes.files.words import count
from magnitudes.gains.unanimity import P

PAPERS = "nG@", "P+@", "nERR@"  # how its measures begin
SHAPES = {
    "nG": ("square", plots.INK),
    "P+": ("triangle-up", plots.OTHER),
    "nERR": ("diamond", plots.OTHER),
    "nDCG": ("circle", plots.MARK),
}


def analyse(data: StudyData, rated: Rated, on_progress: OnProgress) -> Result:
    """Tau with RawG, and the pairs that differ under one of two gains alone."""
    if len(data.runs) < 2:
        return Result(["There are no two systems whose order could change."])
    orders, pairs, reasons = compared(data, rated, on_progress)
    known = orders.where(~np.isnan(orders["tau"]))
    numbers = {"pairs": len(data.runs) * (len(data.runs) - 1) // 2}
    if not len(known):
        return Result([f"No order of systems can be compared: {reasons[0]}."], (), numbers)
    tested = [each for each in orders if each.discrepancies is not None]
    numbers |= {f"tau_{each.measure}_{each.gain}": each.tau for each in orders}
    numbers |= {f"discrepancies_{of.measure}_{of.gain}": of.discrepancies for of in tested}
    of_paper = [each for each in orders if each.gain == UG and each.measure.startswith(PAPERS)]
    if taus := [each.tau for each in of_paper if not np.isnan(each.tau)]:
        numbers["least_tau"] = min(taus)
    if pairs_apart := [of.discrepancies for of in of_paper if of.discrepancies is not None]:
        numbers["most_discrepancies"] = max(pairs_apart)
    tables = [_table(data, rated, orders, reasons), *_table_of_pairs(data, pairs)]
    sentences = _sentences(data, known, numbers["pairs"])
    return Result([*sentences], [_figure(data, orders, known), *tables], numbers)


def _sentences(data: StudyData, known: Frame, pairs: int) -> Iterator[str]:
    yield (
        "The gain of a document is the sum of its ratings, RawG. UG adds p N (Dmax - D): to a "
        "document on which all agree, as much as p N more people who give it the highest rating. "
        "WG is (1 - D / Dmax) RawG: nothing is left of a document on which people are wholly "
        "divided."
    )
    aware, weighted, nobody = (known.where(known["gain"] == gain) for gain in (UG, "WG", NOBODY))
    if len(aware):
        yield (
            f"Tau of {count(len(data.runs), 'system')} by UG, p = {P:g}, with RawG: "
            f"{_listed(aware)} "
            + published.quote("(Sakai, with made-up ratings: {tau_least} to 1).")
        )
    if len(weighted):
        yield f"By WG: {_listed(weighted)}."
    if len(nobody):
        yield (
            "If ratings did not agree at all, as Sakai's, which nobody gave, tau of UG, p = "
            f"{P:g}, with RawG would be {_listed(nobody)} (the median of {DRAWS} draws). He "
            f"expects that people, who agree more, leave more to UG{_outcome(aware, nobody)}."
        )
    if differ := [each for each in aware if each.discrepancies is not None]:
        yield (
            f"Of {count(pairs, 'pair')} of systems, so many differ (Tukey HSD, p < {LEVEL}) under "
            f"one of RawG and UG, p = {P:g}, but not under both: "
            + ", ".join(f"{each.discrepancies} by {each.measure}" for each in differ)
            + "."
        )


def _outcome(aware: Frame, nobody: Frame) -> str:
    """By how many measures people's ratings change the order more than those of nobody."""
    tau_of_nobody = {each.measure: each.tau for each in nobody}
    more = [e.tau < tau_of_nobody[e.measure] for e in aware if e.measure in tau_of_nobody]
    measures = count(len(more), "measure")
    return f": here the order changes more than that by {sum(more)} of {measures}" if more else ""


def _listed(orders: Frame) -> str:
    return ", ".join(f"{correlation(each.tau, 3)} by {each.measure}" for each in orders)


def _figure(data: StudyData, orders: Frame, known: Frame) -> Figure:
    gains = list(dict.fromkeys(orders["gain"]))
    [least] = known.sorted_by("tau").first(1)
    shown = known.of_columns("gain", "measure", "tau", "low", "high")
    marks = two_orders.cut(shown).marks("{gain}, {measure}: tau {tau:tau}")
    shapes = {str(by): SHAPES[by.name] for by in measures(data.study)}
    down = plots.names("gain", gains)
    chart = plots.intervals_of_kinds(
        ROWS, "tau", "Kendall's tau with RawG", down, "measure", shapes
    )
    diamonds = plots.paper(plots.axis("tau", "Kendall's tau with RawG"), down)
    name = published.quote("the paper's least: {tau_least}")
    of_paper = [{"gain": UG, "tau": published.value("tau_least"), "name": name}]
    return shown.figure(
        "orders",
        "The order of systems stays as it is"
        if least.tau >= 1 - 1e-12
        else f"The order of systems changes most with {least.gain} ({least.measure}: tau "
        f"{correlation(least.tau)})",
        "Tau of the order by a gain with that by RawG, and its 95% interval.",
        plots.sized(plots.layer(chart, diamonds), 56 * len(gains), plots.WIDTH - 170),
        data={ROWS: marks, OF_PAPER: of_paper if UG in gains else []},
        source=f"Table 2 {SOURCE}",
        reading=f"Nobody agrees: {DRAWS} draws of ratings. Look how far left dots go as p grows, "
        "and whether the ratings given lie left of those of nobody.",
    )


def _table(data: StudyData, rated: Rated, orders: Frame, reasons: list[str]) -> Table:
    return orders.table(
        "taus",
        "Order of systems by gains that count unanimity, against that by RawG",
        "RawG: the sum of the ratings of a document. WG = (1 - D / Dmax) RawG. UG = RawG + p N "
        "(Dmax - D), or 0 where RawG is 0. tau: Kendall's tau-b, with its 95% interval. "
        f"Pairs by RawG, by this gain: pairs of systems with p < {LEVEL} by each "
        f"(randomised Tukey HSD, {N_RESAMPLES:,} trials, seed {data.seed}); discrepancies: pairs "
        "that have it under one of the two alone.",
        f"{NOBODY}: where a document has {rated.relevant_by}, each of its ratings is one "
        f"of {rated.steps + 1} with equal chances, from the lowest to the highest, and "
        f"elsewhere the lowest; drawn {DRAWS} times (seeds from {data.seed} on), p = "
        f"{P:g}; median and 95% of their taus, untested.",
        *dashes(reasons),
        source=f"Table 2 {SOURCE}",
    )


def _table_of_pairs(data: StudyData, pairs: Frame) -> list[Table]:
    title = f"Pairs of systems that differ under one of RawG and {UG}, but not under both"
    note = (
        "system: the better one by RawG. difference: of the means, system less other; below 0 "
        "UG swaps them. effect: |difference| in residual standard deviations. "
        f"p below {LEVEL} under one; seed {data.seed}: both have the same random orders."
    )
    source = f"Table 3 {SOURCE}"
    return [pairs.table("discrepancies", title, note, source=source)] if len(pairs) else []
