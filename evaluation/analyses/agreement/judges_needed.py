"""Deviations of the scores of documents, and how many workers these need by the formula.

A part of the analysis `judges`.
"""

from collections.abc import Iterator

import numpy as np

from evaluation.presentation import plots, published
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import OF_PAPER, Figure, Table, number
from evaluation.study.data import Floats
from magnitudes.agreement.workers import Z95, workers_needed
from magnitudes.files.words import count

Z99 = 2.576
TABLE_TWO = {
    "95": (
        Z95,
        "The paper's formula and text say this z; its printed table is the one with 2.576.",
    ),
    "99": (
        Z99,
        "The paper's text and caption say 1.96 and 95%; its printed numbers are these, with 2.576.",
    ),
}
SHOWN, BINS = 6.0, 24  # Figure 9 ends there
DRAWN_QUANTILE = 0.95  # where most deviations are larger, drawn up to this quantile
SIGMAS = np.arange(1.0, 7)
ERRORS = np.arange(0.5, 5.5, 0.5)
OF_LEVELS = np.round(np.arange(0.1, 1.05, 0.1), 1)  # errors, where all scores are within a few
QUARTILES = {"lower_quartile": 0.25, "median": 0.5, "upper_quartile": 0.75}
BY_99 = published.quote(
    " The paper's Table II, which says {needed} and 95%, is computed with the 99% value of z."
)


def sigmas(sd: Floats) -> list[float]:
    """QUARTILES of the standard deviations of documents."""
    quartiles: list[float] = np.quantile(sd, [*QUARTILES.values()]).tolist()
    return quartiles


def sentence(sd: Floats, scores: str, *, is_graded: bool) -> str:
    """What scores are called; deviations of levels are looked at within a half."""
    quartiles = sigmas(sd)
    lower, sigma, upper = map(number, quartiles)
    within = 0.5 if is_graded else 2
    by_95, by_99 = (_many(float(workers_needed(quartiles[1], within, z))) for z in (Z95, Z99))
    paper = "" if is_graded else published.quote("; the paper took {sd}")
    return (
        f"By the formula a document needs {by_95} to have its mean within {within:g} with 95% "
        f"confidence, and {by_99} with 99%: its {scores} have a standard deviation of "
        f"{sigma} at the median (quartiles {lower} and {upper}{paper})."
        f"{'' if is_graded else BY_99}"
    )


def _many(workers: float) -> str:
    return count(int(workers), "worker") if workers < 1e9 else "more than a billion workers"


def whole(workers: float) -> float:
    return int(workers) if workers < 1e15 else workers


def deviations(sd: Floats, scores: str, *, is_graded: bool) -> Figure:
    middle = float(np.median(sd))
    end = SHOWN if middle <= SHOWN else float(np.quantile(sd, DRAWN_QUANTILE))
    if is_graded:
        end = max(float(sd.max()), 0.1)  # of levels all have room
    counts, edges = np.histogram(sd, bins=BINS, range=(0, end))
    above, left_out = int((sd > end).sum()), ""
    if above:
        paper = published.quote("(the paper: {sd_above_6} of {documents} above 6)")
        left_out = f"; not drawn: {above:,} above {number(end)} {paper}"
    bins = [*zip(edges[:-1], edges[1:], counts, strict=True)]
    beyond = (end, float(max(sd.max(), end)), above)
    across = plots.axis("from", f"standard deviation of {scores}")
    bars = plots.bars(ROWS, f"standard deviation of {scores}", "documents", "documents")
    name = published.quote("the paper: around {sd}")
    of_paper = {"from": published.value("sd"), "documents": 0, "name": name}
    frame = Frame.of_rows("from to documents", [*bins, beyond])
    return frame.figure(
        "sd",
        f"Standard deviation of a document's scores: {number(middle)} at the median",
        f"{count(len(sd), 'document')} with two scores or more{left_out}.",
        plots.layer(bars, plots.paper(across, plots.axis("documents", "documents"))),
        data={
            ROWS: frame.first(BINS).marks("{from} to {to}: {documents:,} documents"),
            OF_PAPER: [] if is_graded else [of_paper],
        },
        source="Figure 9",
        reading="Look for where most lie: that is the σ to plan with.",
    )


def tables(sd: Floats, scores: str, *, is_graded: bool) -> Iterator[Table]:
    quartiles = sigmas(sd)
    lower, middle, upper = map(number, quartiles)
    unit = "that of normalised scores, which depends on the numbers that workers chose"
    columns = ("within", *(f"{each}_{sure}" for sure in ("95%", "99%") for each in QUARTILES))
    rows = [
        (error, *(whole(n) for z in (Z95, Z99) for n in workers_needed(quartiles, error, z)))
        for error in (OF_LEVELS if is_graded else ERRORS).tolist()
    ]
    yield Frame.of_rows(columns, rows).table(
        "needed",
        "Workers that a document of this study needs",
        f"So that the mean of a document's {scores} is within so much of the true one, "
        "n = ⌈z²σ²/E²⌉, with z = 1.96 (95% confidence) and 2.576 (99%). σ: the standard deviation "
        f"of a document's {scores}, {middle} at the median over documents, {lower} "
        f"and {upper} at the quartiles.",
        "For means, not for medians, which gains are: see the figure of errors for these. The "
        f"unit is {'one level' if is_graded else unit}.",
        source="Table II",
    )
    columns = ("within", *(f"σ_{sigma:g}" for sigma in SIGMAS))
    for sure, (z, note) in () if is_graded else TABLE_TWO.items():
        rows = [(error, *map(int, workers_needed(SIGMAS, error, z))) for error in ERRORS.tolist()]
        title = f"Workers needed for any σ, {sure}% sure (z = {z:g})"
        yield Frame.of_rows(columns, rows).table(f"grid-{sure}", title, note, source="Table II")
