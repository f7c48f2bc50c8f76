"""How many judges a document needs (paper, section 6.3, Table II, Figure 9)."""

from collections.abc import Iterator

import numpy as np

from evaluation.agreement.judges import ErrorByJudges, error_by_judges
from evaluation.agreement.workers import Z95, workers_needed
from evaluation.analyses.agreement import fewer
from evaluation.analyses.analysis import Analysis
from evaluation.analyses.study.data import Floats, StudyData
from evaluation.analyses.telling import plots
from evaluation.analyses.telling.parts import Analysed, Figure, Row, Table, Tell, amount, number
from evaluation.spread.spread import spread
from trec.words import count

Z99 = 2.576  # what the paper's Table II is computed with
SHOWN, BINS = 6.0, 24  # Figure 9 ends there
MOST = 0.95  # where most deviations are larger, drawn up to this quantile
SIGMAS = np.arange(1.0, 7)
ERRORS = np.arange(0.5, 5.5, 0.5)
OF_LEVELS = np.round(np.arange(0.1, 1.05, 0.1), 1)  # errors, where all scores are within a few
QUARTILES = (0.25, 0.5, 0.75)
DRAWS = 100
TABLE_TWO = " The paper's Table II, which says 7 and 95%, is computed with the 99% value of z."
UNIT = "unit is that of normalised scores, which hangs on the numbers that workers chose."


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Deviations and the formula; errors of medians, order and top sets with fewer judges."""
    graded = data.study.is_graded
    # No standard deviation depends on where a scale begins, and that of levels begins at 0.
    sd = spread(data.values + graded, data.items, data.n_items).sd
    sd = sd[~np.isnan(sd)]
    most = fewer.most_judges(data)
    if not sd.size or most < 2:
        return Analysed(
            ["Most documents have one score: nothing can be said of how much fewer would change."]
        )
    sigmas = np.quantile(sd, QUARTILES)
    errors = error_by_judges(
        *(data.values, data.items, data.n_items),
        judges=most,
        draws=DRAWS,
        seed=data.seed,
        ratios=not graded,
    )
    tell(0.1)
    found = fewer.analyse(data, most, lambda share: tell(0.1 + 0.9 * share))
    return Analysed(
        [*_says(sigmas, errors, graded), *found.says],
        [
            _errors(errors, graded),
            *found.parts,
            _histogram(sd, graded),
            _needed(sigmas, graded),
            *([] if graded else [_table_two(Z95, "95"), _table_two(Z99, "99")]),
        ],
    )


def _off(error: float, graded: bool) -> str:
    """An error in a sentence."""
    return amount(error, "level") if graded else f"a factor of {number(np.exp(error))}"


def _says(sigmas: Floats, errors: ErrorByJudges, graded: bool) -> Iterator[str]:
    most = len(errors.quantiles)
    half = (most + 1) // 2
    middle, far = (_off(error, graded) for error in errors.quantiles[half - 1])
    yield (
        f"With {count(half, 'judge')} instead of {most}, the median of half of the documents is "
        f"off by {middle} or less, and of nine in ten by {far} or less "
        f"({count(errors.items, 'document')} with {most} scores or more, {errors.draws} draws of "
        "each). What is compared with is the median of all, not the truth."
    )
    lower, sigma, upper = sigmas
    within = 0.5 if graded else 2
    for_two, by_99 = (_many(float(workers_needed(sigma, within, z))) for z in (Z95, Z99))
    scores, paper = ("Levels", "") if graded else ("Normalised scores", "; the paper took 2")
    yield (
        f"{scores} of a document have a standard deviation of {number(sigma)} at the "
        f"median (quartiles {number(lower)} and {number(upper)}{paper}). To be 95% "
        f"sure of its mean within {within:g}, a document then needs {for_two}, and "
        f"{by_99} to be 99% sure." + ("" if graded else TABLE_TWO)
    )


def _many(workers: float) -> str:
    return count(int(workers), "worker") if workers < 1e9 else "more than a billion workers"


def _errors(errors: ErrorByJudges, graded: bool) -> Figure:
    names = ("half of documents", "nine in ten")
    factors = errors.quantiles if graded else np.exp(errors.quantiles)
    least, unit = (0, "levels") if graded else (1, "factor")
    rows = [(k, *row, errors.items) for k, row in enumerate(factors.tolist(), start=1)]
    across = plots.x("judges", "judges of a document", **plots.whole(1, len(rows)))
    domain = (least, max(float(factors.max()) * 1.05, least + 0.1))
    up = plots.y("factor", f"{unit} from the median of all", domain=domain)
    half = (len(rows) - 1) // 2
    return Figure(
        "errors",
        f"One judge is off by {_off(errors.quantiles[0, 0], graded)} at the median, {half + 1} by "
        f"{_off(errors.quantiles[half, 0], graded)}",
        "How far the median of some of a document's scores lies from that of all: half of the "
        "documents are nearer than the solid line, nine in ten nearer than the dashed one. Look "
        "for where another judge no longer changes much. At the right end a document with no more "
        "scores has no error left.",
        plots.sized(plots.kinds_of_lines("errors", across, up, "of", names)),
        {
            "errors": [
                {"judges": row[0], "factor": row[place], "of": name}
                for place, name in enumerate(names, start=1)
                for row in rows
            ]
        },
        ("judges", f"{unit}_of_half", f"{unit}_of_nine_in_ten", "documents"),
        rows,
    )


def _scores(graded: bool) -> str:
    return "levels" if graded else "normalised scores"


def _histogram(sd: Floats, graded: bool) -> Figure:
    shown = SHOWN if np.median(sd) <= SHOWN else float(np.quantile(sd, MOST))
    if graded:
        shown = max(float(sd.max()), 0.1)  # of levels all have room
    counts, edges = np.histogram(sd, bins=BINS, range=(0, shown))
    above, ends = int((sd > shown).sum()), edges.tolist()
    rows: list[Row] = list(zip(ends[:-1], ends[1:], counts.tolist(), strict=True))
    rows.append((shown, float(max(sd.max(), shown)), above))
    left_out = (
        ""
        if graded
        else f"The {count(above, 'document')} above {number(shown)} are not drawn (the paper: 53 "
        "of 4,269 above 6). "
    )
    return Figure(
        "sd",
        f"Standard deviation of a document's scores: {number(np.median(sd))} at the median"
        + ("" if graded else f", {above:,} above {number(shown)}"),
        f"{count(len(sd), 'document')} with two scores or more. {left_out}Look for where most lie: "
        "that is the σ to plan with.",
        plots.bars("bins", f"standard deviation of {_scores(graded)}", "documents"),
        {"bins": [{"from": low, "to": high, "n": n} for low, high, n in rows[:-1]]},
        ("from", "to", "documents"),
        rows,
        "Figure 9",
    )


def _whole(workers: float) -> float:
    return int(workers) if workers < 1e15 else workers


def _needed(sigmas: Floats, graded: bool) -> Table:
    scores = _scores(graded)
    quartiles = ("lower_quartile", "median", "upper_quartile")
    lower, middle, upper = map(number, sigmas.tolist())
    return Table(
        "needed",
        "Workers that a document of this study needs",
        ("within", *(f"{of}_{sure}" for sure in ("95%", "99%") for of in quartiles)),
        [
            (
                float(error),
                *(_whole(n) for z in (Z95, Z99) for n in workers_needed(sigmas, error, z)),
            )
            for error in (OF_LEVELS if graded else ERRORS)
        ],
        (
            f"So that the mean of a document's {scores} is within so much of the true one, "
            "n = ⌈z²σ²/E²⌉, with z = 1.96 (95% sure) and 2.576 (99%). σ: the standard deviation "
            f"of a document's {scores}, {middle} at the median over documents, {lower} "
            f"and {upper} at the quartiles.",
            "For means, not for medians, which gains are: see the figure of errors for these. The "
            + ("unit is one level." if graded else UNIT),
        ),
        "Table II",
    )


def _table_two(z: float, sure: str) -> Table:
    note = (
        "The paper's text and caption say 1.96 and 95%; its printed numbers are these, with 2.576."
        if z == Z99
        else "The paper's formula and text say this z; its printed table is the one with 2.576."
    )
    return Table(
        f"grid-{sure}",
        f"Workers needed for any σ, {sure}% sure (z = {z:g})",
        ("within", *(f"σ_{sigma:g}" for sigma in SIGMAS)),
        [(float(error), *map(int, workers_needed(SIGMAS, error, z))) for error in ERRORS],
        (note,),
        "Table II",
    )


ANALYSIS = Analysis("judges", "How many judges does a document need?", analyse)
