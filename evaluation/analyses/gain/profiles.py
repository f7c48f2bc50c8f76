"""Magnitudes over the unit's N_k by level, beside usual gains (section 8, Figure 14).

**Shows** scores relative to that of the unit's N_k by level, as boxes, beside the linear profile
(level + 1) and the exponential one (2^(level + 1)), and how far the medians are from each: the mean
over levels of the distance of logarithms. The page says which is nearer if Student's 95% interval
over topics, six or more, for the difference of both distances excludes 0.

**Computed**: over all units; N_k's own score counts at its level, as 1, and the table has the same
without both anchors. Documents without a label (U) have their own box. Levels are whole numbers
from 0 to at most 10. Boxes are cut off at 20, or at twice the largest median.

**Source**: section 8, Figure 14.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from evaluation.analyses.analysis import OnProgress, analysis
from evaluation.analyses.gain import multiples
from evaluation.analyses.gain.multiples import EXPONENTIAL, LINEAR, distance, levels_of
from evaluation.presentation import boxes, plots
from evaluation.presentation.frame import Frame
from evaluation.presentation.parts import Figure, Result, Table, number
from evaluation.study import label_levels
from evaluation.study.applies_to import magnitude_here
from evaluation.study.data import Floats, StudyData
from evaluation.study.label_levels import OF_U, U_SHORT, U
from magnitudes.comparison.interval import t_interval
from magnitudes.comparison.top_set import LEAST_TOPICS
from magnitudes.files.words import count
from magnitudes.gains import GainError
from magnitudes.gains.profiles import ABOVE_PROFILE, Profile

PROFILES = {LINEAR: ("circle", plots.OTHER), EXPONENTIAL: ("triangle-up", plots.OTHER)}
MAX_LABELLED_LEVELS = 6  # levels that leave room for their numbers below the boxes


@analysis("What gain do workers give a level?", applies_to=magnitude_here)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """How many times N_k people give for each level, and which profile of gains is closer."""
    if reason := label_levels.why_no_scale(data):
        return Result([reason])
    try:
        every, others, unlabelled, unlabelled_others = multiples.profiles_of(data)
        nearer = np.array([*multiples.nearer_to_linear(data)])
    except GainError as fault:
        return Result([f"Multiples of the irrelevant anchor cannot be taken: {fault}."])
    levels = {
        "all": levels_of(every, unlabelled),
        "without anchors": levels_of(others, unlabelled_others),
    }
    used = np.flatnonzero(every.boxes.counts)
    numbers = {
        "linear_off": float(np.exp(distance(every, every.linear))),
        "exponential_off": float(np.exp(distance(every, every.exponential))),
        "exponential_above": int((every.exponential > every.boxes.median)[used].sum()),
        "levels": len(used),
    }
    parts = [_figure(levels["all"], every, unlabelled), _table(levels)]
    return Result([*_sentences(levels["all"], nearer, numbers)], parts, numbers)


def _sentences(levels: Frame, nearer: Floats, numbers: dict[str, Any]) -> Iterator[str]:
    rows = [row for row in levels if row.level != U]
    medians = ", ".join(f"{number(row.median)} at level {row.level}" for row in rows if row.n)
    yield (
        f"{_nearer(nearer)}. They are off level + 1 by a factor of {number(numbers['linear_off'])} "
        "averaged over levels, and off 2 to the power of level + 1 by "
        f"{number(numbers['exponential_off'])}. In the paper the linear profile was nearer."
    )
    yield f"At the median workers score {medians}, as multiples of the irrelevant anchor's score."
    if unused := [str(row.level) for row in rows if not row.n]:
        yield f"No judged document is of level {' or '.join(unused)}."


def _nearer(nearer: Floats) -> str:
    """Which profile medians are nearer to, where topics are enough and agree on it."""
    topics = count(len(nearer), "topic")
    if len(nearer) < LEAST_TOPICS:
        return f"Which profile of levels workers' gains are nearer to is not said of {topics}"
    _, low, high = t_interval(nearer)
    if low <= 0 <= high:
        return "It cannot be said which profile of levels workers' gains are nearer to"
    both = "a linear profile of levels than to an exponential one"
    if low <= 0:
        both = "an exponential profile of levels than to a linear one"
    return f"Workers' gains are nearer to {both}, over {topics} (95% interval)"


def _figure(levels: Frame, every: Profile, unlabelled: Profile) -> Figure:
    """Boxes of the levels, and both profiles beside them."""
    used = levels.where((levels["n"] > 0) & (levels["level"] != U))
    of_u, n_levels = levels.where(levels["level"] == U), len(every.boxes.counts)
    ends = boxes.ends(every.boxes, *used[LINEAR], *used[EXPONENTIAL], *of_u["low"], *of_u["high"])
    names = [
        boxes.label(name, row.n, row.above, ABOVE_PROFILE)
        if n_levels <= MAX_LABELLED_LEVELS
        else name
        for row in levels
        for name in [U_SHORT if row.level == U else str(row.level)]
    ]
    gains = [
        (row.level, names[row.level], name, getattr(row, name)) for name in PROFILES for row in used
    ]
    drawn = [names[level] for level in used["level"].tolist()] + names[n_levels:]
    across, title = plots.names("group", drawn, "level"), "score over that of the irrelevant anchor"
    up = plots.axis("gain", title, **plots.decades(*ends))
    of_levels = plots.boxes("boxes", across, title, **plots.decades(*ends))
    profiles = plots.shaped("profiles", across, up, "profile", PROFILES)
    level, median = used["level"][-1], used["median"][-1]
    return levels.of_columns(*levels.names[:-2]).figure(
        "profiles",
        f"At level {level} the median magnitude is {number(median)} times the irrelevant anchor's",
        "Scores over the unit's score of the irrelevant anchor by level, beside two usual profiles "
        f"of gains. Below: how many scores, n, and how many of them above {ABOVE_PROFILE:g}.",
        plots.sized(plots.layer(of_levels, profiles)),
        data={
            "boxes": boxes.whole_rows(every.boxes, names[:n_levels], ends)
            + boxes.whole_rows(unlabelled.boxes, names[n_levels:], ends),
            "profiles": Frame.of_rows("level group profile gain", gains).marks(
                "level {level}, {profile}: {gain:g}"
            ),
        },
        source="Figure 14",
        reading="Boxes hold half of the scores, the thick line is their median. Circles: the "
        "linear profile, level + 1; triangles: the exponential one, 2 to the power of level + 1. "
        "Look at which of them the medians follow. Outliers beyond the whiskers of all boxes are "
        f"not drawn.{OF_U if len(of_u) else ''}",
    )


def _table(levels: dict[str, Frame]) -> Table:
    every, others = (
        Frame.of(documents=[name] * len(frame), **frame.columns) for name, frame in levels.items()
    )
    return (
        every.followed_by(others)
        .with_heads(n="judgments")
        .table(
            "levels",
            "Magnitudes over the irrelevant anchor's, and gains of two profiles, by level",
            "Judgments: of documents of the level, with the irrelevant anchors, which are 1. "
            f"Above: over {ABOVE_PROFILE:g}. Low, high: ends of the whiskers. A dash: a "
            "level that no document shown has, and the gain of U, which no profile has.",
            source="Figure 14",
        )
    )
