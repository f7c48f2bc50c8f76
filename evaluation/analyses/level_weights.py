"""How likely others find best what one labelled lower, and what levels are worth by that.

Demeester and others (WSDM 2014), sections 3.2 and 4.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from evaluation.analyses import in_levels, plots
from evaluation.analyses.data import Floats, StudyData
from evaluation.analyses.in_levels import Reading
from evaluation.analyses.parts import Analysed, Figure, Row, Table, Tell, number, percent
from evaluation.gains.disagreement import Disagreement, disagreement, reasons
from evaluation.gains.disagreement_bootstrap import Bootstrap, bootstrap_disagreement
from evaluation.gains.level_weights import level_weights
from evaluation.gains.opinions import Names
from trec.words import count

USERS = ((1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (2, 5))
M, N = map(list, zip(*USERS, strict=True))
NAMES = [f"{m}/{n}" for m, n in USERS]
OTHERWISE = {
    in_levels.ALL: "On all documents",
    in_levels.APART: "Where labels of one worker on one document are not held against each other",
    in_levels.OTHERS: "Without the anchors, which everybody judges and whose order check (c) "
    "forces,",
}
SHAPES = {
    "1/2": ("circle", plots.MARK),
    "1/3": ("square", plots.MARK),
    "1/4": ("triangle-up", plots.MARK),
    "linear": ("diamond", plots.OTHER),
    "exponential": ("cross", plots.OTHER),
}


class Found(NamedTuple):
    """p(T|i) of one reading of the opinions, and how sure it is."""

    reading: Reading
    p: Disagreement
    sure: Bootstrap

    def weights(self) -> Floats:
        """(users, levels)."""
        return level_weights(self.p.p, M, N)


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """p(T|i) with intervals, and the weights of levels for several numbers of users."""
    names = in_levels.names(data)
    if reason := in_levels.why_no_chances(in_levels.opinions(data), names[-1]):
        return Analysed([reason, *in_levels.left_out(data)])
    over = "topics" if len(data.topics) >= in_levels.ENOUGH_TOPICS else "documents"
    every, found = in_levels.readings(data), []
    for reading in every:
        p = disagreement(reading.opinions)
        sure = bootstrap_disagreement(reading.opinions, over, seed=data.seed)
        found.append(Found(reading, p, sure))
        tell(len(found) / len(every))
    return Analysed(
        [*_says(found, names), *_careful(found[0].p, data), *in_levels.told(data)],
        [
            _chances(found, names, over),
            _weights(found[0], names),
            _table(found, names, over),
            *in_levels.thresholds(data),
        ],
        {
            "reading": found[0].reading.name,
            **{f"p_{level}": float(p) for level, p in enumerate(found[0].p.p)},
            "observations": int(found[0].p.observations.sum()),
        },
    )


def _says(found: Sequence[Found], names: Sequence[str]) -> list[str]:
    main, *others = found
    documents = int(in_levels.two_judges(main.reading.opinions).sum())
    top = len(names) - 1
    chances = [
        f"{percent(p, 1)} ({percent(low, 1)} to {percent(high, 1)}) after {name}"
        for name, p, low, high in zip(
            names, main.p.p.tolist(), main.sure.low.tolist(), main.sure.high.tolist(), strict=True
        )
        if not np.isnan(p)
    ]
    says = [
        f"The chance that another says {names[top]}, when one has said a level, with its 95% "
        f"interval: {'; '.join(chances)}. This is from {count(documents, 'document')} "
        f"({main.reading.name})."
    ]
    if not np.isnan(main.p.p[top - 1]) and top > 1:
        weight = main.weights()[1, top - 1]
        says.append(
            f"So a document that one user calls {names[top - 1]} is {names[top]} to at least one "
            f"of three users with a chance of {number(weight)}: that is its weight by P(1/3), "
            f"where linear gains give it {number((top - 1) / top)} and exponential ones "
            f"{number((2 ** (top - 1) - 1) / (2**top - 1))} of the best."
        )
    for one in others:
        p = one.p.p[top - 1]
        if not np.isnan(p + main.p.p[top - 1]):
            here, there = _three(main.p.p[top - 1]), _three(p)
            says.append(
                f"{OTHERWISE[one.reading.name]} the chance after {names[top - 1]} is "
                + (f"{there}, too." if here == there else f"{there} rather than {here}.")
            )
    return says


def _careful(p: Disagreement, data: StudyData) -> list[str]:
    if said := [text for text in reasons(p, Names(data.study.levels)) if text]:
        where = "" if data.study.is_graded else " (levels from 0)"
        return [f"To be careful with: {'; '.join(said)}{where}."]
    return []


def _three(p: float) -> str:
    return f"{p:.3f}".lstrip("0")


def _chances(found: Sequence[Found], names: Sequence[str], over: str) -> Figure:
    rows: list[Row] = [
        (one.reading.name, name, int(seen), p, low, high)
        for one in found[:2]
        for name, seen, p, low, high in zip(
            names,
            one.p.observations.tolist(),
            one.p.p.tolist(),
            one.sure.low.tolist(),
            one.sure.high.tolist(),
            strict=True,
        )
        if not np.isnan(p)
    ]
    kinds = dict(
        zip(
            [one.reading.name for one in found[:2]],
            (("circle", plots.MARK), ("diamond", plots.OTHER)),
            strict=False,
        )
    )
    order = [name for name in reversed(names) if name in {row[1] for row in rows}]
    chart = plots.intervals_of_kinds(
        "levels",
        "p",
        "chance of the top level",
        plots.down("level", order),
        "counted",
        kinds,
        format="%",
        domain=(0, min(1.0, 1.05 * max(row[-1] for row in rows) + 0.01)),
    )
    return Figure(
        "chances",
        _finding(found[0], names),
        "One dot a level, with its 95% interval from a bootstrap over "
        f"{over}. If judges agreed on what is best, the top level would be at 100% and all others "
        "at 0%. Look for levels that lie close together: they say little about who else will find "
        "a document best.",
        plots.sized(chart, max(44 * len(order), 80), plots.WIDTH - 150),
        {
            "levels": [
                {
                    "counted": counted,
                    "level": level,
                    "p": p,
                    "low": low,
                    "high": high,
                    "name": f"{level}, {counted}: {percent(p, 1)}, from {count(seen, 'label')}",
                }
                for counted, level, seen, p, low, high in rows
            ]
        },
        ("counted", "level", "labels", "p", "low", "high"),
        rows,
        in_levels.source("section 3.2"),
    )


def _finding(main: Found, names: Sequence[str]) -> str:
    known = [
        f"in {percent(p)} of cases after {name}"
        for name, p in zip(names, main.p.p.tolist(), strict=True)
        if not np.isnan(p)
    ]
    return f"Another says {names[-1]} {', '.join(reversed(known[-2:]))}"


def _weights(main: Found, names: Sequence[str]) -> Figure:
    top = len(names) - 1
    level = np.arange(top + 1)
    of = dict(zip(NAMES, main.weights(), strict=True))
    of |= {"linear": level / top, "exponential": (2.0**level - 1) / (2.0**top - 1)}
    rows: list[Row] = [
        (name, kind, float(of[kind][place]))
        for place, name in enumerate(names)
        for kind in SHAPES
        if not np.isnan(of[kind][place])
    ]
    values = [0, 0.2, 0.4, 0.6, 0.8, 1]
    across = plots.x("weight", "weight of a level", domain=(-0.04, 1.04), values=values)
    order = list(reversed(names))
    dots = plots.shaped("weights", across, plots.down("level", order), "by", SHAPES, columns=3)
    apart = plots.alt.YOffset("by:N", sort=list(SHAPES))
    below = of["1/3"][top - 1]
    return Figure(
        "weights",
        f"{names[top - 1]} is worth {number(below)} of {names[top]}, if one of three users is to "
        "find the best"
        if not np.isnan(below)
        else f"What levels are worth beside {names[top]}",
        "1/2, 1/3, 1/4: the chance that at least one of two, three, four users finds a document "
        "best that one of them gave this level; linear, exponential: the level, and 2^level - 1, "
        "over that of the top. The lowest level is worth 0 in all, as in the paper. Look for how "
        "far the usual gains are from the chances.",
        plots.sized(dots.encode(yOffset=apart), max(58 * len(order), 120), plots.WIDTH - 150),
        {
            "weights": [
                {
                    "level": name,
                    "by": kind,
                    "weight": weight,
                    "name": f"{name}, {kind}: {number(weight)}",
                }
                for name, kind, weight in rows
            ]
        },
        ("level", "by", "weight"),
        rows,
        in_levels.source("section 4.4"),
    )


def _table(found: Sequence[Found], names: Sequence[str], over: str) -> Table:
    rows: list[Row] = [
        (
            one.reading.name,
            name,
            int(one.p.observations[place]),
            *(float(of[place]) for of in (one.p.p, one.sure.low, one.sure.high)),
            *one.weights()[:, place].tolist(),
        )
        for one in found
        for place, name in enumerate(names)
    ]
    return Table(
        "levels",
        f"The chance that another says {names[-1]}, and the weights of levels",
        ("counted", "level", "labels", "p", "low", "high", *(f"P({name})" for name in NAMES)),
        rows,
        (
            "labels: those of the level that stand beside another judge's label of the document. "
            f"p: the share of {names[-1]} among the document's other labels, a document weighing "
            "as much whether it has two labels or ten; low, high: 95% of "
            f"{len(found[0].sure.draws):,} draws of {over} with replacement, seed "
            f"{found[0].sure.seed}. P(M/N): the chance that at least M of N users say "
            f"{names[-1]}, the one who gave the level among them; 0 for the lowest level.",
            "A dash: no document with two judges has the level.",
            *_about(found),
        ),
        in_levels.source("section 4.4"),
    )


def _about(found: Sequence[Found]) -> list[str]:
    about = {
        in_levels.MANY: "every label counts for itself, on documents with at least as many as the "
        "paper asks for",
        in_levels.APART: "the same, but labels of one worker on one document are not held against "
        "each other",
        in_levels.OTHERS: "without H_k and N_k, which everybody judges and whose order check (c) "
        "forces",
    }
    return [
        f"{one.reading.name}: {about[one.reading.name]}."
        for one in found
        if one.reading.name in about
    ]
