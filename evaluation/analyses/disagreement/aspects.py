"""What combined levels of two aspects of a document are worth, such as of its snippet and page.

Demeester and others (WSDM 2014), section 7, Table 4.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evaluation.analyses.analysis import Analysis
from evaluation.presentation import plots
from evaluation.presentation.parts import Analysed, Figure, Table, Tell, drawn, listed, number
from evaluation.study import levels
from evaluation.study.data import Ints, StudyData
from evaluation.study.fits import levels_elsewhere
from magnitudes.agreement.opinions import MISSING, Opinions
from magnitudes.files.words import count
from magnitudes.gains.combined import FEW, Combined, combined, combined_weights
from magnitudes.gains.disagreement import disagreement
from magnitudes.gains.level_weights import level_weights

M, N = 1, 3  # as in the paper
KINDS = {
    "both": ("circle", plots.MARK),
    f"both, fewer than {FEW} labels": ("triangle-up", plots.MARK),
    "alone": ("diamond", plots.OTHER),
}
BOTH, SELDOM, ALONE = KINDS


class Weight(NamedTuple):
    """P(1/3) of two levels together, and of the second alone; few: it is not sure."""

    first: str
    second: str
    labels: int
    few: str
    p: float
    weight: float
    alone: float

    @property
    def levels(self) -> str:
        return f"{self.first}, {self.second}"


class Mark(NamedTuple):
    """What is drawn: levels by their weight."""

    levels: str
    kind: str
    weight: float


class Joined(NamedTuple):
    """Opinions in which one judge gave a document a level for each of two aspects.

    opinions: those on the first aspect; second: (n,), the levels on the other one, which decides.
    """

    names: tuple[str, str]
    opinions: Opinions
    second: Ints


@dataclass(frozen=True)
class Found:
    """Weights of all combinations that were seen, the largest first.

    names: of the levels; aspects: of the two; pairs: documents with a level for both; seldom,
    never: combinations that stand beside another judge's few times, and not at all; others: further
    aspects; alone: (levels,), weights of the second aspect alone.
    """

    names: Sequence[str]
    aspects: tuple[str, str]
    weights: list[Weight]
    alone: list[float]
    pairs: int
    combinations: int
    seldom: int
    never: int
    others: list[str]


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """P(1/3) of all combinations of two aspects' levels, beside those of the main one alone."""
    aspects = levels.aspects(data)
    if len(aspects) < 2:
        return Analysed(
            [
                "All opinions are on the same thing of a document. Combined levels need two: "
                "import opinions with a column that says what each is on, such as snippet or page."
            ]
        )
    joined = _joined(data, aspects[1], aspects[0])
    names = data.study.levels
    both = combined(joined.opinions, joined.second, len(names))
    if reason := levels.why_no_chances(both, f"{names[-1]} for both"):
        together = " and ".join(map(_named, joined.names))
        return Analysed([f"Of {together} together: {reason[0].lower()}{reason[1:]}"])
    found = compute(data, joined, both, aspects[2:])
    return Analysed(
        [*says(found)],
        [figure(found), table(found)],
        {"combinations": len(found.weights), "few": found.seldom},
    )


def _named(aspect: str) -> str:
    return aspect or "unnamed"


def compute(data: StudyData, joined: Joined, both: Opinions, others: Sequence[str]) -> Found:
    """both: the opinions on both aspects together; others: aspects that are left out."""
    names = data.study.levels
    weights = combined_weights(joined.opinions, joined.second, len(names), M, N)
    alone = level_weights(disagreement(levels.opinions(data)).p, M, N).tolist()
    first, second = map(_named, joined.names)
    return Found(
        names,
        (first, second),
        _weights(weights, alone, names),
        alone,
        int((both.levels != MISSING).sum()),
        weights.few.size,
        int(weights.few.sum()),
        int((weights.observations == 0).sum()),
        list(map(_named, others)),
    )


def _joined(data: StudyData, first: str, second: str) -> Joined:
    """The opinions on two aspects of the same document, judge and occasion, one beside the other.

    Of several the first with the first, the second with the second.
    """
    every = data.opinions
    aspect, occasion = (
        np.unique(names.astype(str), return_inverse=True)[1]
        for names in (data.aspects, data.occasions)
    )
    whose = np.column_stack([every.items, every.judges, occasion])
    turn = _before(_codes(np.column_stack([whose, aspect])))
    codes = _codes(np.column_stack([whose, turn]))
    of_first, of_second = (np.flatnonzero(data.aspects == name) for name in (first, second))
    _, with_second, with_first = np.intersect1d(
        codes[of_first], codes[of_second], assume_unique=True, return_indices=True
    )
    kept = of_first[with_second]
    opinions = Opinions(
        every.items[kept],
        every.levels[kept],
        every.judges[kept],
        every.n_levels,
        every.topic_of_item,
    )
    return Joined((first, second), opinions, every.levels[of_second[with_first]])


def _codes(rows: Ints) -> Ints:
    """A number for each row, equal where rows are."""
    return np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)


def _before(codes: Ints) -> Ints:
    """How often each code came before."""
    order = np.argsort(codes, kind="stable")
    before = np.empty(len(codes), dtype=np.int64)
    before[order] = np.arange(len(codes)) - np.searchsorted(codes[order], codes[order])
    return before


def _weights(combination: Combined, alone: Sequence[float], names: Sequence[str]) -> list[Weight]:
    """Combinations that were seen, of the largest weight first; those with the lowest come last."""
    seen = [
        (first, second)
        for first in range(len(names))
        for second in range(len(names))
        if combination.observations[first, second]
    ]
    seen.sort(key=lambda at: (-combination.weights[at], -at[1], -at[0]))
    return [
        Weight(
            names[first],
            names[second],
            int(combination.observations[first, second]),
            "yes" if combination.few[first, second] else "",
            float(combination.p[first, second]),
            float(combination.weights[first, second]),
            alone[second],
        )
        for first, second in seen
    ]


def says(found: Found) -> Iterator[str]:
    first, second = found.aspects
    top = found.names[-1]
    yield (
        f"Judges gave a document a level for {first} and for {second} "
        f"{count(found.pairs, 'time')}. "
        f"Best is {top} for both; P({M}/{N}) is the chance that at least one of {N} users says "
        "that, if one of them said the two levels."
    )
    below = [row for row in found.weights if row.second == top and row.first != top and not row.few]
    if below:
        best = below[0]
        yield (
            f"A {second} that is {top} is worth {number(best.weight)} if its {first} is "
            f"{best.first}: a worse {first} takes from what a {second} is worth."
            if best.weight < 1
            else f"A {second} that is {top} is worth as much whatever its {first} is."
        )
    if found.seldom:
        yield (
            f"Of {found.combinations} combinations {count(found.seldom, 'stands', 'stand')} beside "
            f"another judge's fewer than {FEW} times, and what is marked so is not sure"
            + (f"; {number(found.never)} never did." if found.never else ".")
        )
    if found.others:
        yield f"Left out: opinions on {listed(found.others)}."


def figure(found: Found) -> Figure:
    first, second = found.aspects
    together = _together(found)
    rows = sorted([*together, *_alone(found)], key=lambda row: -row.weight)
    order = [row.levels for row in rows]
    seen = {row.kind for row in rows}
    kinds = {name: style for name, style in KINDS.items() if name in seen}
    values = [0, 0.2, 0.4, 0.6, 0.8, 1]
    across = plots.axis("weight", f"weight P({M}/{N})", domain=(-0.04, 1.04), values=values)
    dots = plots.shaped("weights", across, plots.names("levels", order), "kind", kinds)
    return Figure(
        "weights",
        f"What a {second} is worth depends on its {first}"
        if len({row.weight for row in together}) > 1
        else f"The weights of {first} and {second} together",
        f"The levels of {first} and of {second}, by their weight; triangles are from fewer than "
        f"{FEW} labels, and not sure; diamonds are {second} without regard to {first}. Look for "
        "how far a level falls below its diamond if the other level is lower.",
        plots.sized(dots, max(24 * len(order), 80), plots.WIDTH - 170),
        {"weights": drawn(rows, "levels kind weight", _tooltip)},
        Mark,
        rows,
        levels.source("Table 4"),
    )


def _tooltip(row: Mark) -> str:
    return f"{row.levels} ({row.kind}): {number(row.weight)}"


def _together(found: Found) -> list[Mark]:
    """Combinations whose second level is not the lowest; the first of all if there is none."""
    marks = [
        Mark(row.levels, SELDOM if row.few else BOTH, row.weight)
        for row in found.weights
        if row.second != found.names[0] and not np.isnan(row.weight)
    ]
    return marks or [Mark(found.weights[0].levels, BOTH, found.weights[0].weight)]


def _alone(found: Found) -> list[Mark]:
    return [
        Mark(f"{found.aspects[1]} alone: {name}", ALONE, weight)
        for name, weight in reversed(list(zip(found.names, found.alone, strict=True)))
        if name != found.names[0] and not np.isnan(weight)
    ]


def table(found: Found) -> Table:
    first, second = found.aspects
    return Table(
        "combined",
        f"Weights of {first} and {second} together, and of {second} alone",
        (first, second, "labels", "few", "p", f"P({M}/{N})", f"P({M}/{N})_{second}_alone"),
        found.weights,
        (
            "Chance: that another judge gives both top levels. Labels: how often the "
            f"combination stands beside another judge's. few: fewer than {FEW} times, so that the "
            f"weight is not sure. The lowest level of {second} weighs 0 with any {first}. "
            f"Combinations that no document with two judges has are left out. {second} alone: from "
            "all opinions on it; a dash where the level was never seen.",
        ),
        levels.source("Table 4"),
    )


ANALYSIS = Analysis(
    "aspects",
    "What are two judgments of a document worth together?",
    analyse,
    fits=levels_elsewhere,
    titled=True,
)
