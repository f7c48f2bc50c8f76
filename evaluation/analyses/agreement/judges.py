"""How many judges a document needs (paper, section 6.3, Table II, Figure 9)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evaluation.analyses.agreement import ranked_by_fewer
from evaluation.analyses.agreement.by_person import by_person
from evaluation.analyses.analysis import Analysis
from evaluation.presentation import plots, published
from evaluation.presentation.parts import (
    Analysed,
    Figure,
    Table,
    Tell,
    amount,
    binned,
    drawn,
    number,
)
from evaluation.study.data import Floats, Ints, StudyData
from magnitudes.agreement.judges import error_by_judges
from magnitudes.agreement.workers import Z95, workers_needed
from magnitudes.files.words import count
from magnitudes.spread.spread import spread

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
MOST = 0.95  # where most deviations are larger, drawn up to this quantile
SIGMAS = np.arange(1.0, 7)
ERRORS = np.arange(0.5, 5.5, 0.5)
OF_LEVELS = np.round(np.arange(0.1, 1.05, 0.1), 1)  # errors, where all scores are within a few
QUARTILES = {"lower_quartile": 0.25, "median": 0.5, "upper_quartile": 0.75}
BY_99 = published.quote(
    " The paper's Table II, which says {needed} and 95%, is computed with the 99% value of z."
)
MEAN, NINE = "mean of documents", "nine in ten are nearer"
DRAWS = 100
MOST_JUDGES = 25  # that are tried; time and memory grow with them


class Error(NamedTuple):
    """By how much medians of so many judges are off, as a factor or in levels.

    mean: the geometric one of factors. In levels a half of medians says little, as those of two
    judges may be halves of levels, and those of three may not.
    """

    judges: int
    mean: float
    of_half: float
    of_nine_in_ten: float
    documents: int


@dataclass(frozen=True)
class Found:
    """Errors of medians of fewer scores, and the deviations of the scores of each document."""

    graded: bool
    errors: list[Error]  # of one judge first, of all last
    draws: int
    sd: Floats
    sigmas: list[float]  # QUARTILES of sd
    most_of_a_document: int  # judges

    @property
    def half(self) -> Error:
        """With half of the judges."""
        return self.errors[(len(self.errors) - 1) // 2]

    @property
    def scores(self) -> str:
        return "levels" if self.graded else "normalised scores"

    def off(self, error: float) -> str:
        """An error in a sentence."""
        return amount(error, "level") if self.graded else f"a factor of {number(error)}"


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Deviations and the formula; errors of medians, order and top sets with fewer judges."""
    most = most_judges(data)
    found = compute(data, most)
    if found is None:
        return Analysed(
            ["Most documents have one score: nothing can be said of how much fewer would change."]
        )
    tell(0.1)
    ranked = ranked_by_fewer.compute(data, most, lambda share: tell(0.1 + 0.9 * share))
    return Analysed(
        [*says(found), *ranked_by_fewer.says(ranked)],
        [_errors(found), *ranked_by_fewer.figures(ranked), _deviations(found), *tables(found)],
        {} if found.graded else numbers(found),
    )


def numbers(found: Found) -> dict[str, float]:
    """Deviations of normalised scores, and how many workers the median one needs for ± 2."""
    middle = found.sigmas[1]
    return {
        "median_sd": middle,
        "sd_above": int((found.sd > SHOWN).sum()),
        "documents": len(found.sd),
        "needed_99": _whole(float(workers_needed(middle, 2, Z99))),
    }


def most_judges(data: StudyData) -> int:
    """As many judges as planned, or as at least half of the documents have by now: people.

    Nobody planned labels that were given elsewhere: all count, up to MOST_JUDGES.
    """
    people = np.bincount(_scores(data)[1], minlength=1)
    judged = people[people > 0]
    planned = data.study.max_counted_judgments or MOST_JUDGES
    return min(planned, int(np.median(judged))) if judged.size else 0


def compute(data: StudyData, most: int) -> Found | None:
    """None where there are fewer than two judges."""
    graded = data.study.is_graded
    # No standard deviation depends on where a scale begins, and that of levels begins at 0.
    (scores, items), n = _scores(data), len(data.documents)
    sd = spread(scores + graded, items, n).sd
    sd = sd[~np.isnan(sd)]
    if not sd.size or most < 2:
        return None
    errors = error_by_judges(scores, items, n, most, DRAWS, seed=data.seed, ratios=not graded)
    columns = np.column_stack([errors.means, errors.quantiles])
    numbers = columns if graded else np.exp(columns)
    rows = [
        Error(judges, mean, half, nine, errors.items)
        for judges, (mean, half, nine) in enumerate(numbers.tolist(), 1)
    ]
    sigmas = np.quantile(sd, list(QUARTILES.values())).tolist()
    return Found(graded, rows, errors.draws, sd, sigmas, int(np.bincount(items).max()))


def _scores(data: StudyData) -> tuple[Floats, Ints]:
    """Scores and their documents, one of each judge of a document."""
    judgments = data.judgments
    return by_person(judgments.normalised, judgments.items, judgments.workers)


def says(found: Found) -> Iterator[str]:
    half, most = found.half, found.errors[-1].judges
    yield (
        f"With {count(half.judges, 'judge')} instead of {most}, the median of a document is off by "
        f"{found.off(half.mean)} in the mean, and for nine in ten documents by "
        f"{found.off(half.of_nine_in_ten)} or less. It is held against the median of all, not "
        f"against the truth ({count(half.documents, 'document')} with {most} judges or more, "
        f"{found.draws} draws of each).{_beyond(found)}"
    )
    lower, sigma, upper = map(number, found.sigmas)
    within = 0.5 if found.graded else 2
    by_95, by_99 = (_many(float(workers_needed(found.sigmas[1], within, z))) for z in (Z95, Z99))
    paper = "" if found.graded else published.quote("; the paper took {sd}")
    yield (
        f"By the formula a document needs {by_95} to have its mean within {within:g} with 95% "
        f"confidence, and {by_99} with 99%: its {found.scores} have a standard deviation of "
        f"{sigma} at the median (quartiles {lower} and {upper}{paper})."
        f"{'' if found.graded else BY_99}"
    )


def _beyond(found: Found) -> str:
    """What the largest number of judges leaves out, if anything."""
    most, highest = found.errors[-1].judges, found.most_of_a_document
    if highest <= most:
        return ""
    return (
        f" Documents have up to {highest} judges: draws of {most}, the most that are made, are not "
        "all of them."
    )


def _many(workers: float) -> str:
    return count(int(workers), "worker") if workers < 1e9 else "more than a billion workers"


def _errors(found: Found) -> Figure:
    rows, unit, least = found.errors, *(("levels", 0) if found.graded else ("factor", 1))
    across = plots.axis("judges", "judges of a document", **plots.whole(1, len(rows)))
    largest = max(max(row.mean, row.of_nine_in_ten) for row in rows)
    domain = (least, max(largest * 1.05, least + 0.1))
    up = plots.axis("factor", f"{unit} from the median of all", domain=domain)
    lines = [
        {"of": name, **mark}
        for name, field in ((MEAN, "mean"), (NINE, "of_nine_in_ten"))
        for mark in drawn(rows, "judges", factor=field)
    ]
    return Figure(
        "errors",
        _title(found),
        "How far the median of some of a document's scores lies from that of all. Look for where "
        "another judge no longer changes much. A judge who scored a document several times counts "
        "once, by the median of these scores. "
        + (_beyond(found).strip() or "At the right end nothing is left out."),
        plots.sized(plots.kinds_of_lines("errors", across, up, "of", [MEAN, NINE])),
        {"errors": lines},
        ("judges", *(f"{unit}_{of}" for of in ("mean", "of_half", "of_nine_in_ten")), "documents"),
        rows,
    )


def _title(found: Found) -> str:
    one, half = found.errors[0], found.half
    some = "" if half == one else f", that of {half.judges} by {found.off(half.mean)}"
    return f"The score of one judge is off by {found.off(one.mean)} in the mean{some}"


def _deviations(found: Found) -> Figure:
    sd, middle = found.sd, float(np.median(found.sd))
    end = SHOWN if middle <= SHOWN else float(np.quantile(sd, MOST))
    if found.graded:
        end = max(float(sd.max()), 0.1)  # of levels all have room
    counts, edges = np.histogram(sd, bins=BINS, range=(0, end))
    rows = list(zip(edges[:-1], edges[1:], counts.tolist(), strict=True))
    above = int((sd > end).sum())
    finding = f"Standard deviation of a document's scores: {number(middle)} at the median"
    left_out = ""
    if above:
        paper = published.quote("(the paper: {sd_above_6} of {documents} above 6)")
        left_out = f"; not drawn: {above:,} above {number(end)} {paper}"
    return Figure(
        "sd",
        finding,
        f"{count(len(sd), 'document')} with two scores or more{left_out}.",
        plots.bars("bins", f"standard deviation of {found.scores}", "documents"),
        {"bins": binned(rows)},
        ("from", "to", "documents"),
        [*rows, (end, float(max(sd.max(), end)), above)],
        "Figure 9",
        reading="Look for where most lie: that is the σ to plan with.",
    )


def tables(found: Found) -> Iterator[Table]:
    yield _needed(found)
    for sure, (z, note) in () if found.graded else TABLE_TWO.items():
        yield Table(
            f"grid-{sure}",
            f"Workers needed for any σ, {sure}% sure (z = {z:g})",
            ("within", *(f"σ_{sigma:g}" for sigma in SIGMAS)),
            [(error, *map(int, workers_needed(SIGMAS, error, z))) for error in ERRORS.tolist()],
            (note,),
            "Table II",
        )


def _needed(found: Found) -> Table:
    scores, sigmas = found.scores, found.sigmas
    lower, middle, upper = map(number, sigmas)
    unit = "that of normalised scores, which hangs on the numbers that workers chose"
    return Table(
        "needed",
        "Workers that a document of this study needs",
        ("within", *(f"{quartile}_{sure}" for sure in ("95%", "99%") for quartile in QUARTILES)),
        [
            (error, *(_whole(n) for z in (Z95, Z99) for n in workers_needed(sigmas, error, z)))
            for error in (OF_LEVELS if found.graded else ERRORS).tolist()
        ],
        (
            f"So that the mean of a document's {scores} is within so much of the true one, "
            "n = ⌈z²σ²/E²⌉, with z = 1.96 (95% sure) and 2.576 (99%). σ: the standard deviation "
            f"of a document's {scores}, {middle} at the median over documents, {lower} "
            f"and {upper} at the quartiles.",
            "For means, not for medians, which gains are: see the figure of errors for these. The "
            f"unit is {'one level' if found.graded else unit}.",
        ),
        "Table II",
    )


def _whole(workers: float) -> float:
    return int(workers) if workers < 1e15 else workers


ANALYSIS = Analysis("judges", "How many judges does a document need?", analyse)
