"""Magnitudes over the unit's N_k by level, beside usual gains (section 8, Figure 14)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from evaluation.analyses.analysis import Analysis
from evaluation.analyses.study import label_levels
from evaluation.analyses.study.data import Floats, StudyData
from evaluation.analyses.study.fits import magnitude_here
from evaluation.analyses.telling import boxes, plots
from evaluation.analyses.telling.parts import Analysed, Figure, Table, Tell, drawn, number
from evaluation.gains import GainError
from evaluation.gains.profiles import ABOVE_PROFILE, Profile, profile

LINEAR, EXPONENTIAL = "linear", "exponential"
PROFILES = {LINEAR: ("circle", plots.OTHER), EXPONENTIAL: ("triangle-up", plots.OTHER)}
FORMULAS = {LINEAR: "level + 1", EXPONENTIAL: "2 to the power of level + 1"}
ARTICLES = {LINEAR: "a linear", EXPONENTIAL: "an exponential"}
FEW = 6  # levels that leave room for their numbers below the boxes


class Level(NamedTuple):
    """The box of a level's magnitudes over N_k, and how many of them are above the limit."""

    level: int
    n: int
    low: float
    q1: float
    median: float
    q3: float
    high: float
    mean: float
    above: int


class Gain(NamedTuple):
    """What a profile gives a level; group: what is below its box."""

    level: int
    group: str
    profile: str
    gain: float


@dataclass(frozen=True)
class Found:
    """Multiples of N_k by level, of all documents and without the anchors."""

    every: Profile
    without_anchors: Profile

    @property
    def used(self) -> list[int]:
        """The levels that a judged document has."""
        return [int(level) for level in np.flatnonzero(self.every.boxes.counts)]

    def distance(self, gains: Floats) -> float:
        """The factor between medians and gains, by level, in the geometric mean over those used."""
        medians = self.every.boxes.median[self.used]
        return float(np.exp(np.abs(np.log(medians) - np.log(gains[self.used])).mean()))


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """How many times N_k people give for each level, and which profile of gains is closer."""
    if reason := label_levels.why_no_scale(data):
        return Analysed([reason])
    try:
        found = compute(data)
    except GainError as fault:
        return Analysed([f"Multiples of N_k cannot be taken: {fault}."])
    return Analysed([*says(found)], [figure(found), table(found)])


def compute(data: StudyData) -> Found:
    """It may raise GainError."""
    units, top = label_levels.units(data), label_levels.top(data)
    others = np.where(units.is_anchor, np.nan, units.labels)
    return Found(
        profile(units.scores, units.labels, units.n_k, top),
        profile(units.scores, others, units.n_k, top),
    )


def levels(multiples: Profile) -> list[Level]:
    box = multiples.boxes
    columns = (
        box.counts,
        box.low,
        box.lower,
        box.median,
        box.upper,
        box.high,
        box.mean,
        multiples.above,
    )
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [Level(level, *row) for level, row in enumerate(rows)]


def says(found: Found) -> Iterator[str]:
    rows = levels(found.every)
    medians = ", ".join(f"{number(row.median)} at level {row.level}" for row in rows if row.n)
    away = {
        LINEAR: found.distance(found.every.linear),
        EXPONENTIAL: found.distance(found.every.exponential),
    }
    closer, other = sorted(away, key=lambda name: away[name])
    if np.isclose(away[closer], away[other]):
        yield "People's gains are as far from a linear profile of levels as from exponential ones."
    else:
        yield (
            f"People's gains are nearer to {ARTICLES[closer]} profile of levels than to "
            f"{ARTICLES[other]} one. They are off {FORMULAS[closer]} by a factor of "
            f"{number(away[closer])} in the mean over levels, and off {FORMULAS[other]} by "
            f"{number(away[other])}. In the paper the linear profile was nearer."
        )
    yield f"At the median people score {medians}, as multiples of the unit's N_k."
    if unused := [str(row.level) for row in rows if not row.n]:
        yield f"No judged document is of level {' or '.join(unused)}."


def figure(found: Found) -> Figure:
    every, rows = found.every, levels(found.every)
    of_used = [of[level] for of in (every.linear, every.exponential) for level in found.used]
    ends = boxes.ends(every.boxes, *of_used)
    names = [_name(row) if len(rows) <= FEW else str(row.level) for row in rows]
    gains = [
        Gain(level, names[level], name, float(of_levels[level]))
        for name, of_levels in ((LINEAR, every.linear), (EXPONENTIAL, every.exponential))
        for level in found.used
    ]
    highest = rows[found.used[-1]]
    return Figure(
        "profiles",
        f"At level {highest.level} the median magnitude is {number(highest.median)} times N_k",
        "Scores over that of the unit's N_k by level, beside two usual profiles of gains.",
        _chart([names[level] for level in found.used], ends),
        {
            "boxes": boxes.whole_rows(every.boxes, names, ends),
            "profiles": drawn(gains, "group gain profile", _tooltip),
        },
        Level,
        rows,
        "Figure 14",
        reading="Boxes hold half of the scores, the thick line is their median. Circles: the "
        "linear profile, level + 1; triangles: the exponential one, 2 to the power of level + 1. "
        "Look at which of them the medians follow. Outliers beyond the whiskers of all boxes are "
        "not drawn.",
    )


def _name(row: Level) -> str:
    return boxes.label(str(row.level), row.n, row.above, ABOVE_PROFILE)


def _tooltip(row: Gain) -> str:
    return f"level {row.level}, {row.profile}: {row.gain:g}"


def _chart(names: list[str], ends: tuple[float, float]) -> Any:
    """Boxes of the levels, and both profiles beside them."""
    across, title = plots.category("group", names, "level"), "score over that of N_k"
    axis = plots.decades(*ends)
    multiples = plots.boxes("boxes", across, title, **axis)
    up = plots.y("gain", title, **axis)
    gains = plots.shaped("profiles", across, up, "profile", PROFILES)
    return plots.sized(plots.alt.layer(multiples, gains))


def table(found: Found) -> Table:
    documents = {"all": found.every, "without anchors": found.without_anchors}
    return Table(
        "levels",
        "Magnitudes over the unit's N_k, and gains of two profiles, by level",
        ("documents", *Level._fields, LINEAR, EXPONENTIAL),
        [
            (name, *row, *gains)
            for name, multiples in documents.items()
            for row, *gains in zip(
                levels(multiples),
                multiples.linear.tolist(),
                multiples.exponential.tolist(),
                strict=True,
            )
        ],
        (
            "Judgments: of documents of the level, N_k's own included, which are 1. Above: over "
            f"{ABOVE_PROFILE:g}. Low, high: ends of the whiskers. A dash: a "
            "level that no document shown has.",
        ),
        "Figure 14",
    )


ANALYSIS = Analysis("profiles", "What gain do people give a level?", analyse, fits=magnitude_here)
