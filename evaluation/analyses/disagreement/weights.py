"""How likely others find best what one labelled lower, and what levels are worth by that.

Demeester and others (WSDM 2014), sections 3.2 and 4.
"""

from typing import NamedTuple

import numpy as np

from evaluation.analyses.analysis import Analysis, Numbers
from evaluation.analyses.disagreement import chances
from evaluation.analyses.disagreement.chances import FIELDS, OF_THREE, USER_NAMES, USERS, Found
from evaluation.presentation import plots
from evaluation.presentation.parts import (
    Analysed,
    Figure,
    Row,
    Table,
    Tell,
    drawn,
    number,
    percent,
)
from evaluation.study import levels
from evaluation.study.data import Floats, StudyData
from evaluation.study.fits import in_levels
from magnitudes.files.words import count

ABOUT = {
    levels.MANY: "every label counts for itself, on documents with at least as many as the "
    "paper asks for",
    levels.APART: "the same, but labels of one worker on one document are not held against "
    "each other",
    levels.OTHERS: "without H_k and N_k, which everybody judges and whose order check (c) forces",
}
SHAPES = {
    "1/2": ("circle", plots.MARK),
    "1/3": ("square", plots.MARK),
    "1/4": ("triangle-up", plots.MARK),
    "linear": ("diamond", plots.OTHER),
    "exponential": ("cross", plots.OTHER),
}


class Weight(NamedTuple):
    """What a level is worth to some users, or by its number."""

    level: str
    by: str
    weight: float


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """p(T|i) with intervals, and the weights of levels for several numbers of users."""
    top = levels.names(data)[-1]
    if reason := levels.why_no_chances(levels.opinions(data), top):
        return Analysed([reason, *levels.left_out(data)])
    found = chances.compute(data, tell)
    return Analysed(
        [*chances.says(found), *levels.told(data)],
        [chances.figure(found), figure(found), table(found), *levels.thresholds(data)],
        found.numbers(),
    )


def _level_weights(found: Found) -> dict[str, Floats]:
    """What levels are worth, the top one 1, by each of SHAPES, (levels,)."""
    top = len(found.names) - 1
    level = np.arange(top + 1)
    by_users = np.array([row.weights for row in found.main]).T
    return {
        **dict(zip(USER_NAMES, by_users, strict=True)),
        "linear": level / top,
        "exponential": (2.0**level - 1) / (2.0**top - 1),
    }


def figure(found: Found) -> Figure:
    worth = _level_weights(found)
    rows = [
        Weight(name, by, float(worth[by][level]))
        for level, name in enumerate(found.names)
        for by in SHAPES
        if not np.isnan(worth[by][level])
    ]
    values = [0, 0.2, 0.4, 0.6, 0.8, 1]
    across = plots.axis("weight", "weight of a level", domain=(-0.04, 1.04), values=values)
    order = list(reversed(found.names))
    dots = plots.shaped("weights", across, plots.names("level", order), "by", SHAPES, apart=True)
    below = found.main[-2]
    weight = below.weights[OF_THREE]
    return Figure(
        "weights",
        f"A document called {below.level} is {found.top} to at least one of three users in "
        f"{percent(weight)} of cases"
        if not np.isnan(weight)
        else f"What levels are worth beside {found.top}",
        "What each level is worth to two, three or four users, and by the usual gains.",
        plots.sized(dots, max(58 * len(order), 120), plots.WIDTH - 150),
        {
            "weights": drawn(
                rows, "level by weight", lambda row: f"{row.level}, {row.by}: {number(row.weight)}"
            )
        },
        Weight,
        rows,
        levels.source("section 4.4"),
        reading="1/2, 1/3, 1/4: the chance that at least one of two, three, four users finds a "
        "document best that one of them gave this level; linear, exponential: the level, and "
        "2^level - 1, over that of the top. The lowest level is worth 0 in all, as in the paper. "
        "Look for how far the usual gains are from the chances.",
    )


def table(found: Found) -> Table:
    rows: list[Row] = [
        (*row[:-1], *row.weights) for reading in found.readings for row in reading.chances
    ]
    return Table(
        "levels",
        f"The chance that another says {found.top}, and the weights of levels",
        (*FIELDS, *(f"P({name})" for name in USER_NAMES)),
        rows,
        (
            "Labels: those of the level that stand beside another judge's label of the document. "
            f"Chance: the share of {found.top} among the document's other labels, a document "
            f"weighing as much whether it has two labels or ten. Low, high: {found.interval}. "
            f"P(M/N): the chance that at least M of N users say {found.top}, the one who gave the "
            "level among them; 0 for the lowest level.",
            *(
                ["A dash: no document with two judges has the level."]
                if any(np.isnan(row.p) for reading in found.readings for row in reading.chances)
                else []
            ),
            *(
                f"{reading.name}: {ABOUT[reading.name]}."
                for reading in found.readings
                if reading.name in ABOUT
            ),
        ),
        levels.source("section 4.4"),
    )


def methods(data: StudyData, numbers: Numbers) -> str:
    names = levels.names(data)
    m, n = USERS[OF_THREE]
    cut = "" if data.study.is_graded else f"{levels.told(data, each=False)[0]} "
    return (
        f"{cut}By the user disagreement model ({levels.PAPER}) p(T|i), the chance that another "
        f"judge says {names[-1]} of a document of which one said level i, is estimated from "
        f"{count(numbers['observations'], 'label')} ({numbers['reading']}), each pair of judges in "
        f"both directions; its 95% intervals are {numbers['interval']}. From it "
        f"follows P({m}/{n}), the weight of a level: the chance that at least {m} of {n} users "
        "give a document the top level, if one of them gave it this one."
    )


ANALYSIS = Analysis(
    "weights",
    "What is a level worth, as others may find it the best?",
    analyse,
    methods=methods,
    fits=in_levels,
    titled=True,
)
