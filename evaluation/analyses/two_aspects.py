"""What combined levels of two aspects of a document are worth, such as of its snippet and page.

Demeester and others (WSDM 2014), section 7, Table 4.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from evaluation.analyses import in_levels, plots
from evaluation.analyses.data import Ints, StudyData
from evaluation.analyses.parts import Analysed, Figure, Row, Table, Tell, listed, number
from evaluation.gains.combined import FEW, Combined, combined, combined_weights
from evaluation.gains.disagreement import disagreement
from evaluation.gains.level_weights import level_weights
from evaluation.gains.opinions import MISSING, Opinions
from trec.words import count

M, N = 1, 3  # as in the paper
KINDS = {
    "both": ("circle", plots.MARK),
    f"both, fewer than {FEW} labels": ("triangle-up", plots.MARK),
    "alone": ("diamond", plots.OTHER),
}
BOTH, SELDOM, ALONE = KINDS


class Joined(NamedTuple):
    """Opinions in which one judge gave a document a level for each of two aspects.

    opinions: those on the first aspect; second: (n,), the levels on the other one, which decides.
    """

    names: tuple[str, str]
    opinions: Opinions
    second: Ints


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """P(1/3) of all combinations of two aspects' levels, beside those of the main one alone."""
    of = in_levels.aspects(data)
    if len(of) < 2:
        return Analysed(
            [
                "All opinions are on the same thing of a document. Combined levels need two: "
                "import opinions with a column that says what each is on, such as snippet or page."
            ]
        )
    joined = _joined(data, of[1], of[0])
    top = data.study.levels[-1]
    if reason := in_levels.why_no_chances(_both(joined, data), f"{top} for both"):
        names = " and ".join(name or "unnamed" for name in joined.names)
        return Analysed([f"Of {names} together: {reason[0].lower()}{reason[1:]}"])
    found = combined_weights(joined.opinions, joined.second, len(data.study.levels), M, N)
    main = in_levels.opinions(data)
    alone = level_weights(disagreement(main).p, M, N).tolist()
    rows = [*_rows(found, alone, data.study.levels)]
    return Analysed(
        [*_says(data, joined, of, found, rows)],
        [_figure(rows, alone, joined, data.study.levels), _table(rows, joined)],
        {"combinations": len(rows), "few": int(found.few.sum())},
    )


def _joined(data: StudyData, first: str, second: str) -> Joined:
    """The opinions on two aspects of the same document, judge and occasion, one beside the other.

    Of several the first with the first, the second with the second.
    """
    said = data.opinions
    on, times = (
        np.unique(of.astype(str), return_inverse=True)[1] for of in (data.aspects, data.occasions)
    )
    whose = np.column_stack([said.items, said.judges, times])
    codes = _codes(np.column_stack([whose, _before(_codes(np.column_stack([whose, on])))]))
    one, other = (np.flatnonzero(data.aspects == name) for name in (first, second))
    _, ones, others = np.intersect1d(
        codes[one], codes[other], assume_unique=True, return_indices=True
    )
    kept = one[ones]
    opinions = Opinions(
        said.items[kept],
        said.levels[kept],
        said.judges[kept],
        said.n_levels,
        said.topic_of_item,
    )
    return Joined((first, second), opinions, said.levels[other[others]])


def _codes(rows: Ints) -> Ints:
    """A number for each row, equal where rows are."""
    return np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)


def _before(codes: Ints) -> Ints:
    """How often each code came before."""
    order = np.argsort(codes, kind="stable")
    before = np.empty(len(codes), dtype=np.int64)
    before[order] = np.arange(len(codes)) - np.searchsorted(codes[order], codes[order])
    return before


def _both(joined: Joined, data: StudyData) -> Opinions:
    return combined(joined.opinions, joined.second, len(data.study.levels))


def _rows(found: Combined, alone: Sequence[float], names: Sequence[str]) -> Iterator[Row]:
    """Combinations that were seen, of the largest weight first; those with the lowest come last."""
    order = [
        (first, second)
        for first in range(len(names))
        for second in range(len(names))
        if found.observations[first, second]
    ]
    order.sort(key=lambda at: (-found.weights[at], -at[1], -at[0]))
    for first, second in order:
        at = first, second
        yield (
            names[first],
            names[second],
            int(found.observations[at]),
            "yes" if found.few[at] else "",
            float(found.p[at]),
            float(found.weights[at]),
            alone[second],
        )


def _says(
    data: StudyData, joined: Joined, of: Sequence[str], found: Combined, rows: Sequence[Row]
) -> Iterator[str]:
    first, second = (name or "unnamed" for name in joined.names)
    top = data.study.levels[-1]
    pairs = int((_both(joined, data).levels != MISSING).sum())
    yield (
        f"Judges gave a document a level for {first} and for {second} {count(pairs, 'time')}. "
        f"Best is {top} for both; P({M}/{N}) is the chance that at least one of {N} users says "
        "that, if one of them said the two levels."
    )
    below = [row for row in rows if row[1] == top and row[0] != top and not row[3]]
    if below:
        name, _, _, _, _, weight, _ = below[0]
        yield (
            f"A {second} that is {top} is worth {number(weight)} if its {first} is {name}: a worse "
            f"{first} takes from what a {second} is worth."
            if weight < 1
            else f"A {second} that is {top} is worth as much whatever its {first} is."
        )
    if few := int(found.few.sum()):
        never = int((found.observations == 0).sum())
        yield (
            f"Of {found.few.size} combinations {count(few, 'stands', 'stand')} beside another "
            f"judge's fewer than {FEW} times, and what is marked so is not sure"
            + (f"; {number(never)} never did." if never else ".")
        )
    if len(of) > 2:
        yield f"Left out: opinions on {listed(name or 'unnamed' for name in of[2:])}."


def _figure(
    rows: Sequence[Row], alone: Sequence[float], joined: Joined, names: Sequence[str]
) -> Figure:
    drawn: list[Row] = [
        (f"{first}, {second}", SELDOM if few else BOTH, weight)
        for first, second, _, few, _, weight, _ in rows
        if second != names[0] and not np.isnan(weight)
    ] or [(f"{rows[0][0]}, {rows[0][1]}", BOTH, float(rows[0][5]))]
    only: list[Row] = [
        (f"{joined.names[1] or 'unnamed'} alone: {name}", ALONE, weight)
        for name, weight in reversed(list(zip(names, alone, strict=True)))
        if name != names[0] and not np.isnan(weight)
    ]
    every = sorted([*drawn, *only], key=lambda row: -row[2])
    order = [row[0] for row in every]
    kinds = {name: style for name, style in KINDS.items() if name in {row[1] for row in every}}
    values = [0, 0.2, 0.4, 0.6, 0.8, 1]
    across = plots.x("weight", f"weight P({M}/{N})", domain=(-0.04, 1.04), values=values)
    first, second = (name or "unnamed" for name in joined.names)
    return Figure(
        "weights",
        f"What a {second} is worth depends on its {first}"
        if len({row[2] for row in drawn}) > 1
        else f"The weights of {first} and {second} together",
        f"The levels of {first} and of {second}, by their weight; triangles are from fewer than "
        f"{FEW} labels, and not sure; diamonds are {second} without regard to {first}. Look for "
        "how far a level falls below its diamond if the other level is lower.",
        plots.sized(
            plots.shaped("weights", across, plots.down("levels", order), "kind", kinds, columns=2),
            max(24 * len(order), 80),
            plots.WIDTH - 170,
        ),
        {
            "weights": [
                {
                    "levels": levels,
                    "kind": kind,
                    "weight": weight,
                    "name": f"{levels} ({kind}): {number(weight)}",
                }
                for levels, kind, weight in every
            ]
        },
        ("levels", "kind", "weight"),
        every,
        in_levels.source("Table 4"),
    )


def _table(rows: Sequence[Row], joined: Joined) -> Table:
    first, second = (name or "unnamed" for name in joined.names)
    return Table(
        "combined",
        f"Weights of {first} and {second} together, and of {second} alone",
        (first, second, "labels", "few", "p", f"P({M}/{N})", f"P({M}/{N})_{second}_alone"),
        rows,
        (
            "p: the chance that another judge gives both top levels. labels: how often the "
            f"combination stands beside another judge's. few: fewer than {FEW} times, so that the "
            f"weight is not sure. The lowest level of {second} weighs 0 with any {first}. "
            f"Combinations that no document with two judges has are left out. {second} alone: from "
            "all opinions on it; a dash where the level was never seen.",
        ),
        in_levels.source("Table 4"),
    )
