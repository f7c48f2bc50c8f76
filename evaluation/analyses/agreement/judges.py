"""How many judges a document needs (paper, section 6.3, Table II, Figure 9).

**Shows** how far the median of 1, 2, ... of a document's scores is from that of all, on average and
for nine in ten documents; how the order of systems and their top set, with fewer judges and with
fewer topics, agree with those of all; the standard deviations of normalised scores; and the number
of workers by the formula n = ⌈z²σ²/E²⌉, with the study's own σ and in the paper's grid.

**Computed**: judges of a document are people: a worker who scored it several times counts once,
with the median of these scores. Judges are drawn without replacement, up to the planned number, or
to the number that half of the documents have; at most 25 if nothing was planned, as for scores
given elsewhere. Documents with fewer judges are left out of the errors, and enter the order of
systems with the median of all their scores. 400 draws; the bands contain half and 95% of them. The
reference is the result of all judges, not the truth. A draw of all judges agrees by construction,
but the largest draw is not all judges if documents have more; the page then says how many they
have. Systems are measured by the study's first measure. On fewer than 6 topics no signed-rank test
can be significant, so overlaps are left out. Overlap is the share of the overall top set that
remains in the top set of a draw. With fewer topics the test loses power, and that set grows, so
that more of it remains: its median size is given beside it. The paper's Table II has z = 2.576,
which is 99% and not 95%; both are shown.

**Source**: section 6.3, Table II, Figure 9. The draws are not in the paper.
"""

from typing import Any

import numpy as np

from evaluation.analyses.agreement import judges_needed, ranked_by_fewer
from evaluation.analyses.agreement.by_person import by_person
from evaluation.analyses.agreement.judges_needed import SHOWN, Z99, whole
from evaluation.analyses.analysis import OnProgress, analysis
from evaluation.presentation import plots
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import Figure, Result, amount, number
from evaluation.study.data import Ints, StudyData
from magnitudes.agreement.judges import error_by_judges
from magnitudes.agreement.workers import workers_needed
from magnitudes.files.words import count
from magnitudes.spread.spread import spread

MEAN, NINE = "mean of documents", "nine in ten are nearer"
DRAWS = 100
MOST_JUDGES = 25  # that are tried; time and memory grow with them


@analysis("How many judges does a document need?")
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """Deviations and the formula; errors of medians, order and top sets with fewer judges."""
    graded, n = data.study.is_graded, len(data.documents)
    judgments = data.judgments  # one of each judge of a document
    scores, items = by_person(judgments.normalised, judgments.items, judgments.workers)
    most = _most_judges(data, items)
    # No standard deviation depends on where a scale begins, and that of levels begins at 0.
    sd = spread(scores + graded, items, n).sd
    sd = sd[~np.isnan(sd)]
    if not sd.size or most < 2:
        return Result(
            ["Most documents have one score: nothing can be said of how much fewer would change."]
        )
    sampled = error_by_judges(scores, items, n, most, DRAWS, seed=data.seed, ratios=not graded)
    columns = np.column_stack([sampled.means, sampled.quantiles])
    mean, of_half, of_nine_in_ten = (columns if graded else np.exp(columns)).T
    # Of levels a half of medians says little: those of two judges may be halves of levels.
    errors = Frame.of(
        judges=np.arange(1, len(mean) + 1),
        mean=mean,
        of_half=of_half,
        of_nine_in_ten=of_nine_in_ten,
        documents=np.full(len(mean), sampled.items),
    )
    on_progress(0.1)
    ranked = ranked_by_fewer.analyse(data, most, lambda share: on_progress(0.1 + 0.9 * share))
    called, beyond = "levels" if graded else "normalised scores", _beyond(most, items)
    sentences = [
        _sentence(errors, sampled.draws, beyond, graded),
        judges_needed.sentence(sd, called, is_graded=graded),
        *ranked.sentences,
    ]
    figures = [
        _errors(errors, beyond, graded),
        *ranked.parts,
        judges_needed.deviations(sd, called, is_graded=graded),
    ]
    middle = judges_needed.sigmas(sd)[1]
    numbers = {
        "median_sd": middle,
        "sd_above": int((sd > SHOWN).sum()),
        "documents": len(sd),
        "needed_99": whole(float(workers_needed(middle, 2, Z99))),
    }
    tables = judges_needed.tables(sd, called, is_graded=graded)
    return Result(sentences, [*figures, *tables], {} if graded else numbers)


def _most_judges(data: StudyData, items: Ints) -> int:
    """As many judges as planned, or as at least half of the documents have by now: people.

    Nobody planned labels that were given elsewhere: all count, up to MOST_JUDGES.
    """
    people = np.bincount(items, minlength=1)
    judged = people[people > 0]
    planned = data.study.max_counted_judgments or MOST_JUDGES
    return min(planned, int(np.median(judged))) if judged.size else 0


def _off(error: float, graded: bool) -> str:
    """An error in a sentence."""
    return amount(error, "level") if graded else f"a factor of {number(error)}"


def _half(errors: Frame) -> Any:
    """Errors with half of the judges."""
    return [*errors][(len(errors) - 1) // 2]


def _sentence(errors: Frame, draws: int, beyond: str, graded: bool) -> str:
    half, most = _half(errors), len(errors)
    return (
        f"With {count(half.judges, 'judge')} instead of {most}, the median of a document is off by "
        f"{_off(half.mean, graded)} on average, and for nine in ten documents by "
        f"{_off(half.of_nine_in_ten, graded)} or less. It is compared with the median of all, not "
        f"with the truth ({count(half.documents, 'document')} with {most} judges or more, "
        f"{draws} draws of each).{beyond}"
    )


def _beyond(most: int, items: Ints) -> str:
    """What the largest number of judges leaves out, if anything."""
    highest = int(np.bincount(items).max())
    if highest <= most:
        return ""
    return (
        f" Documents have up to {highest} judges: draws of {most}, the most that are made, are not "
        "all of them."
    )


def _errors(errors: Frame, beyond: str, graded: bool) -> Figure:
    unit, least = ("levels", 0) if graded else ("factor", 1)
    across = plots.axis("judges", "judges of a document", **plots.whole(1, len(errors)))
    largest = max(errors["mean"].max(), errors["of_nine_in_ten"].max())
    domain = (least, max(float(largest) * 1.05, least + 0.1))
    up = plots.axis("factor", f"{unit} from the median of all", domain=domain)
    lines = [
        mark
        for of, field in ((MEAN, "mean"), (NINE, "of_nine_in_ten"))
        for mark in Frame.of(judges=errors["judges"], factor=errors[field]).marks(
            f"{of}, {{judges}} judges: {{factor}}", of=of
        )
    ]
    half, one = _half(errors), next(iter(errors))
    some = f", that of {half.judges} by {_off(half.mean, graded)}" if half != one else ""
    named = {f"{unit}_{name}": errors[name] for name in ("mean", "of_half", "of_nine_in_ten")}
    shown = Frame.of(judges=errors["judges"], **named, documents=errors["documents"])
    return shown.figure(
        "errors",
        f"The score of one judge is off by {_off(one.mean, graded)} on average{some}",
        "How far the median of some of a document's scores lies from that of all. Look for where "
        "another judge no longer changes much. A judge who scored a document several times counts "
        "once, by the median of these scores. "
        + (beyond.strip() or "At the right end nothing is left out."),
        plots.some_lines(ROWS, across, up, [MEAN, NINE]),
        data={ROWS: lines},
    )
