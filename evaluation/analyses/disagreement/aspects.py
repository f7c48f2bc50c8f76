"""What combined levels of two aspects of a document are worth, such as of its snippet and page.

**Shows** what combinations of levels for two aspects of a document are worth, such as of its
snippet and its page: the probability P(1/3) that at least one of three users assigns the top level
to both, if one of them assigned the two levels; beside it the weights of the main aspect alone.

**Computed**: for opinions given elsewhere that name their aspect. The main aspect is `page`, or the
one with most opinions; the other one is the next. One judge's levels for both, on the same
occasion, form a combination. The lowest level of the main aspect has weight 0. Combinations that
are compared with fewer than 50 labels of other judges are marked, as in the paper.

**Source**: section 7, Table 4.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from evaluation.analyses.analysis import OnProgress, analysis
from evaluation.analyses.disagreement.joined import joined, weights_of
from evaluation.presentation import plots
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import Figure, Result, Table, listed, number
from evaluation.study import levels
from evaluation.study.applies_to import levels_elsewhere
from evaluation.study.data import Floats, StudyData
from magnitudes.agreement.opinions import MISSING
from magnitudes.files.words import count
from magnitudes.gains.combined import FEW_LABELS, Combined, combined, combined_weights
from magnitudes.gains.disagreement import disagreement
from magnitudes.gains.level_weights import level_weights

M, N = 1, 3  # as in the paper
KINDS = {
    "both": ("circle", plots.MARK),
    f"both, fewer than {FEW_LABELS} labels": ("triangle-up", plots.MARK),
    "alone": ("diamond", plots.OTHER),
}
BOTH, BOTH_FEW, ALONE = KINDS
ONE_ASPECT = (
    "All opinions are on the same thing of a document. Combined levels need two: import opinions "
    "with a column that says what each is on, such as snippet or page."
)


@analysis(
    "What are two judgments of a document worth together?", applies_to=levels_elsewhere, titled=True
)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """P(1/3) of all combinations of two aspects' levels, beside those of the main one alone."""
    every, names = levels.aspects(data), data.study.levels
    if len(every) < 2:
        return Result([ONE_ASPECT])
    first, second, *others = (aspect or "unnamed" for aspect in (every[1], every[0], *every[2:]))
    of_both = (*joined(data, every[1], every[0]), len(names))
    together = combined(*of_both)
    if reason := levels.why_no_chances(together, f"{names[-1]} for both"):
        return Result([f"Of {first} and {second} together: {reason[0].lower()}{reason[1:]}"])
    combinations = combined_weights(*of_both, M, N)
    alone = level_weights(disagreement(levels.opinions(data)).p, M, N)
    weights = weights_of(combinations, alone, names)
    pairs = int((together.levels != MISSING).sum())
    sentences = [
        f"Judges gave a document a level for {first} and for {second} {count(pairs, 'time')}. "
        f"Best is {names[-1]} for both; P({M}/{N}) is the chance that at least one of {N} users "
        "says that, if one of them said the two levels.",
        *_worth(weights, first, second, names[-1]),
        *_seldom(combinations),
        *([f"Left out: opinions on {listed(others)}."] if others else []),
    ]
    return Result(
        sentences,
        [_figure(weights, alone, names, first, second), _table(weights, first, second)],
        {"combinations": len(weights), "few": int(combinations.few.sum())},
    )


def _worth(weights: Frame, first: str, second: str, top: str) -> Iterator[str]:
    """What the top level of the second aspect is worth beside a lower one of the first."""
    is_sure = (weights["first"] != top) & (weights["few"] == "")
    for best in weights.where((weights["second"] == top) & is_sure).first(1):
        yield (
            f"A {second} that is {top} is worth {number(best.weight)} if its {first} is "
            f"{best.first}."
        )


def _seldom(combinations: Combined) -> Iterator[str]:
    if few := int(combinations.few.sum()):
        never = int((combinations.observations == 0).sum())
        yield (
            f"Of {combinations.few.size} combinations {count(few, 'stands', 'stand')} beside "
            f"another judge's fewer than {FEW_LABELS} times, and what is marked so is not sure"
            + (f"; {number(never)} never did." if never else ".")
        )


def _figure(weights: Frame, alone: Floats, names: list[str], first: str, second: str) -> Figure:
    """Combinations whose second level is not the lowest; the first of all if there is none."""
    shown = weights.where((weights["second"] != names[0]) & ~np.isnan(weights["weight"]))
    rows: list[tuple[Any, ...]] = [
        (f"{row.first}, {row.second}", BOTH_FEW if row.few else BOTH, row.weight) for row in shown
    ]
    rows = rows or [(f"{of.first}, {of.second}", BOTH, of.weight) for of in weights.first(1)]
    of_second = reversed(list(zip(names, alone.tolist(), strict=True))[1:])
    rows += [(f"{second} alone: {name}", ALONE, w) for name, w in of_second if not np.isnan(w)]
    marks = Frame.of_rows("levels kind weight", rows).sorted_by("weight", descending=True)
    kinds = {name: style for name, style in KINDS.items() if name in marks["kind"]}
    values = [0, 0.2, 0.4, 0.6, 0.8, 1]
    across = plots.axis("weight", f"weight P({M}/{N})", domain=(-0.04, 1.04), values=values)
    dots = plots.shaped(
        ROWS, across, plots.names("levels", marks["levels"].tolist()), "kind", kinds
    )
    return marks.figure(
        "weights",
        f"The weights of {first} and {second} together",
        f"The levels of {first} and of {second}, by their weight; triangles are from fewer than "
        f"{FEW_LABELS} labels, and not sure; diamonds are {second} without regard to {first}. Look "
        "for how far a level falls below its diamond if the other level is lower.",
        plots.sized(dots, max(24 * len(marks), 80), plots.WIDTH - 170),
        label="{levels} ({kind}): {weight}",
        source=levels.source("Table 4"),
    )


def _table(weights: Frame, first: str, second: str) -> Table:
    heads = first, second, "labels", "few", "p", f"P({M}/{N})", f"P({M}/{N})_{second}_alone"
    return Frame(dict(zip(heads, weights.columns.values(), strict=True))).table(
        "combined",
        f"Weights of {first} and {second} together, and of {second} alone",
        "Chance: that another judge gives both top levels. Labels: how often the "
        f"combination stands beside another judge's. few: fewer than {FEW_LABELS} times, so that "
        f"the weight is not sure. The lowest level of {second} weighs 0 with any {first}. "
        f"Combinations that no document with two judges has are left out. {second} alone: from "
        "all opinions on it; a dash where the level was never seen.",
        source=levels.source("Table 4"),
    )
