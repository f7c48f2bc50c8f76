"""Magnitudes over the unit's N_k by level, beside usual gains (section 8, Figure 14)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from evaluation.analyses.analysis import Analysis
from evaluation.analyses.study import scale
from evaluation.analyses.study.data import Floats, StudyData
from evaluation.analyses.study.fits import magnitude
from evaluation.analyses.telling import clipped, plots
from evaluation.analyses.telling.parts import Analysed, Figure, Row, Table, Tell, number
from evaluation.gains import GainError
from evaluation.gains.profiles import ABOVE_PROFILE, Profile, profile

PROFILES = {"linear": ("circle", plots.OTHER), "exponential": ("triangle-up", plots.OTHER)}
FEW = 6  # levels that leave room for their numbers below the boxes
COLUMNS = ("level", "n", "low", "q1", "median", "q3", "high", "mean", "above")
FORMULAS = {"linear": "level + 1", "exponential": "2 to the power of level + 1"}


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """How many times N_k people give for each level, and which profile of gains is closer."""
    if reason := scale.why_not(data):
        return Analysed([reason])
    units, top = scale.units(data), scale.top(data)
    without = np.where(units.is_anchor, np.nan, units.labels)
    try:
        found = {
            "all": profile(units.scores, units.labels, units.n_k, top),
            "without anchors": profile(units.scores, without, units.n_k, top),
        }
    except GainError as fault:
        return Analysed([f"Multiples of N_k cannot be taken: {fault}."])
    return Analysed(_says(found["all"], top), [_figure(found["all"]), _table(found)])


def distances(medians: Floats, found: Profile) -> dict[str, float]:
    """How far each profile is from the medians: the mean of |ln median - ln gain| over levels."""
    used = ~np.isnan(medians)
    logs = np.log(medians[used])
    return {
        "linear": float(np.abs(logs - np.log(found.linear[used])).mean()),
        "exponential": float(np.abs(logs - np.log(found.exponential[used])).mean()),
    }


def _says(found: Profile, top: int) -> list[str]:
    medians = found.boxes.median
    used = np.flatnonzero(~np.isnan(medians)).tolist()
    said = ", ".join(f"{number(medians[level])} at level {level}" for level in used)
    says = [f"As multiples of the unit's N_k, magnitudes have the medians {said}."]
    away = {name: np.exp(far) for name, far in distances(medians, found).items()}
    closer, other = sorted(away, key=lambda name: away[name])
    if np.isclose(away[closer], away[other]):
        says.append("The linear and the exponential profile of gains are equally far from them.")
    else:
        says.append(
            f"The {closer} profile of gains ({FORMULAS[closer]}) is closer to them: a factor of "
            f"{number(away[closer])} in the mean over levels, the {other} one "
            f"{number(away[other])}. In the paper the linear profile was closer."
        )
    if unused := [str(level) for level in range(top + 1) if level not in used]:
        says.append(f"No judged document is of level {' or '.join(unused)}.")
    return says


def _figure(found: Profile) -> Figure:
    levels, end = range(len(found.linear)), clipped.end_for(found.boxes.median, ABOVE_PROFILE)
    names = [
        str(level)
        if len(levels) > FEW
        else clipped.lines(
            str(level), int(found.boxes.counts[level]), int(found.above[level]), ABOVE_PROFILE
        )
        for level in levels
    ]
    used = [names[level] for level in levels if found.boxes.counts[level]]
    beside = [
        {
            "group": names[level],
            "gain": float(gain),
            "profile": name,
            "name": f"level {level}, {name}: {gain:g}",
        }
        for name, gains in (("linear", found.linear), ("exponential", found.exponential))
        for level, gain in enumerate(gains)
        if gain <= end and found.boxes.counts[level]
    ]
    last = int(np.flatnonzero(found.boxes.counts)[-1])
    hidden = [level for level in levels if found.exponential[level] > end]
    return Figure(
        "profiles",
        f"At level {last} the median magnitude is {number(found.boxes.median[last])} times N_k",
        "Circles: the linear profile, level + 1; triangles: the exponential one, 2 to the power of "
        f"level + 1. Look at which of them the medians follow. Cut off at {end:g}"
        + (f"; so are triangles from level {hidden[0]} on." if hidden else "."),
        _chart(used, end),
        {
            "boxes": clipped.rows(found.boxes, names, end),
            "profiles": beside,
        },
        COLUMNS,
        _rows(found),
        "Figure 14",
    )


def _chart(names: list[str], end: float) -> Any:
    """Boxes of the levels, and both profiles beside them, cut off at `end`."""
    across = plots.category("group", names, "level")
    title = "score over that of N_k"
    up = plots.y("gain", title, domain=(0, end))
    boxes = plots.boxes("boxes", across, title, domain=(0, end))
    return plots.sized(
        plots.alt.layer(boxes, plots.shaped("profiles", across, up, "profile", PROFILES))
    )


def _rows(found: Profile) -> list[Row]:
    of = found.boxes
    columns = (of.counts, of.low, of.lower, of.median, of.upper, of.high, of.mean, found.above)
    return [
        (level, *(column[level].item() for column in columns)) for level in range(len(found.linear))
    ]


def _table(found: Mapping[str, Profile]) -> Table:
    return Table(
        "levels",
        "Magnitudes over the unit's N_k, and gains of two profiles, by level",
        ("documents", *COLUMNS, "linear", "exponential"),
        [
            (name, *row, float(of.linear[row[0]]), float(of.exponential[row[0]]))
            for name, of in found.items()
            for row in _rows(of)
        ],
        (
            "n: judgments of documents of the level, N_k's own included, which are 1. above: over "
            f"{ABOVE_PROFILE:g}. low, high: ends of the whiskers; q1, q3: quartiles. A dash: a "
            "level that no document shown has.",
        ),
        "Figure 14",
    )


ANALYSIS = Analysis("profiles", "What gain do people give a level?", analyse, fits=magnitude)
