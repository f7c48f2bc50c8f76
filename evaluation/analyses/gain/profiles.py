"""Magnitudes over the unit's N_k by level, beside usual gains (section 8, Figure 14)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from evaluation.analyses.analysis import Analysis
from evaluation.presentation import boxes, plots
from evaluation.presentation.parts import Analysed, Figure, Row, Table, Tell, drawn, number
from evaluation.study import label_levels
from evaluation.study.data import Floats, StudyData
from evaluation.study.fits import magnitude_here
from evaluation.study.label_levels import OF_U, U_SHORT, U
from magnitudes.comparison.interval import Interval, t_interval
from magnitudes.comparison.top_set import LEAST_TOPICS
from magnitudes.files.words import count
from magnitudes.gains import GainError
from magnitudes.gains.profiles import ABOVE_PROFILE, Profile, profile

LINEAR, EXPONENTIAL = "linear", "exponential"
PROFILES = {LINEAR: ("circle", plots.OTHER), EXPONENTIAL: ("triangle-up", plots.OTHER)}
FORMULAS = {LINEAR: "level + 1", EXPONENTIAL: "2 to the power of level + 1"}
ARTICLES = {LINEAR: "a linear", EXPONENTIAL: "an exponential"}
FEW = 6  # levels that leave room for their numbers below the boxes


class Level(NamedTuple):
    """The box of a level's magnitudes over N_k, and how many of them are above the limit."""

    level: int | str  # U is one
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
    unlabelled: Profile  # of U alone, as of one level
    unlabelled_others: Profile  # than anchors
    nearer: Floats  # (topics,), by how much medians are nearer to the linear one, in logarithms

    @property
    def used(self) -> list[int]:
        """The levels that a judged document has."""
        return [int(level) for level in np.flatnonzero(self.every.boxes.counts)]

    @property
    def interval(self) -> Interval:
        """Of `nearer` over topics."""
        return t_interval(self.nearer)


def distance(multiples: Profile, gains: Floats) -> float:
    """Between the logarithms of medians and of gains, averaged over the levels used."""
    used = multiples.boxes.counts > 0
    return float(np.abs(np.log(multiples.boxes.median[used]) - np.log(gains[used])).mean())


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """How many times N_k people give for each level, and which profile of gains is closer."""
    if reason := label_levels.why_no_scale(data):
        return Analysed([reason])
    try:
        found = compute(data)
    except GainError as fault:
        return Analysed([f"Multiples of N_k cannot be taken: {fault}."])
    return Analysed([*says(found)], [figure(found), table(found)], numbers(found))


def numbers(found: Found) -> dict[str, float]:
    """How far medians are off each profile, and on how many levels the exponential is higher."""
    every, used = found.every, found.used
    higher = every.exponential[used] > every.boxes.median[used]
    return {
        "linear_off": float(np.exp(distance(every, every.linear))),
        "exponential_off": float(np.exp(distance(every, every.exponential))),
        "exponential_above": int(higher.sum()),
        "levels": len(used),
    }


def compute(data: StudyData) -> Found:
    """It may raise GainError."""
    units, top = label_levels.units(data), label_levels.top(data)
    others = np.where(units.is_anchor, np.nan, units.labels)
    unlabelled = np.where(units.is_unlabelled, 0.0, np.nan)
    unlabelled_others = np.where(units.is_anchor, np.nan, unlabelled)
    topics = [data.units.topics == place for place in range(len(data.topics))]
    by_topic = (
        profile(units.scores[of], units.labels[of], units.n_k[of], top)
        for of in topics
        if not np.isnan(units.labels[of]).all()
    )
    return Found(
        profile(units.scores, units.labels, units.n_k, top),
        profile(units.scores, others, units.n_k, top),
        profile(units.scores, unlabelled, units.n_k, 0),
        profile(units.scores, unlabelled_others, units.n_k, 0),
        np.array([distance(of, of.exponential) - distance(of, of.linear) for of in by_topic]),
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


def of_u(multiples: Profile) -> list[Level]:
    """The box of U, where it has a document."""
    return [row._replace(level=U) for row in levels(multiples) if row.n]


def says(found: Found) -> Iterator[str]:
    rows = levels(found.every)
    medians = ", ".join(f"{number(row.median)} at level {row.level}" for row in rows if row.n)
    linear, exponential = (
        number(float(np.exp(distance(found.every, gains))))
        for gains in (found.every.linear, found.every.exponential)
    )
    yield (
        f"{_nearer(found)}. They are off {FORMULAS[LINEAR]} by a factor of {linear} averaged over "
        f"levels, and off {FORMULAS[EXPONENTIAL]} by {exponential}. In the paper the linear "
        "profile was nearer."
    )
    yield f"At the median workers score {medians}, as multiples of the unit's N_k."
    if unused := [str(row.level) for row in rows if not row.n]:
        yield f"No judged document is of level {' or '.join(unused)}."


def _nearer(found: Found) -> str:
    """Which profile medians are nearer to, where topics are enough and agree on it."""
    if len(found.nearer) < LEAST_TOPICS:
        topics = count(len(found.nearer), "topic")
        return f"Which profile of levels workers' gains are nearer to is not said of {topics}"
    low, high = found.interval[1:]
    if low <= 0 <= high:
        return "It cannot be said which profile of levels workers' gains are nearer to"
    closer, other = (LINEAR, EXPONENTIAL) if low > 0 else (EXPONENTIAL, LINEAR)
    return (
        f"Workers' gains are nearer to {ARTICLES[closer]} profile of levels than to "
        f"{ARTICLES[other]} one, over {count(len(found.nearer), 'topic')} (95% interval)"
    )


def figure(found: Found) -> Figure:
    every, rows, last = found.every, levels(found.every), of_u(found.unlabelled)
    of_used = [of[level] for of in (every.linear, every.exponential) for level in found.used]
    of_used += [end for row in last for end in (row.low, row.high)]
    ends = boxes.ends(every.boxes, *of_used)
    names = [_name(row) if len(rows) <= FEW else str(row.level) for row in rows]
    names_of_u = [
        U_SHORT if len(rows) > FEW else _name(row._replace(level=U_SHORT)) for row in last
    ]
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
        _chart([*(names[level] for level in found.used), *names_of_u], ends),
        {
            "boxes": boxes.whole_rows(every.boxes, names, ends)
            + boxes.whole_rows(found.unlabelled.boxes, names_of_u, ends),
            "profiles": drawn(gains, "group gain profile", _tooltip),
        },
        Level,
        [*rows, *last],
        "Figure 14",
        reading="Boxes hold half of the scores, the thick line is their median. Circles: the "
        "linear profile, level + 1; triangles: the exponential one, 2 to the power of level + 1. "
        "Look at which of them the medians follow. Outliers beyond the whiskers of all boxes are "
        f"not drawn.{OF_U if last else ''}",
    )


def _name(row: Level) -> str:
    return boxes.label(str(row.level), row.n, row.above, ABOVE_PROFILE)


def _tooltip(row: Gain) -> str:
    return f"level {row.level}, {row.profile}: {row.gain:g}"


def _chart(names: list[str], ends: tuple[float, float]) -> Any:
    """Boxes of the levels, and both profiles beside them."""
    across, title = plots.names("group", names, "level"), "score over that of N_k"
    axis = plots.decades(*ends)
    multiples = plots.boxes("boxes", across, title, **axis)
    up = plots.axis("gain", title, **axis)
    gains = plots.shaped("profiles", across, up, "profile", PROFILES)
    return plots.sized(plots.layer(multiples, gains))


def table(found: Found) -> Table:
    every = _rows("all", found.every, found.unlabelled)
    others = _rows("without anchors", found.without_anchors, found.unlabelled_others)
    return Table(
        "levels",
        "Magnitudes over the unit's N_k, and gains of two profiles, by level",
        ("documents", *Level._fields, LINEAR, EXPONENTIAL),
        [*every, *others],
        (
            "Judgments: of documents of the level, N_k's own included, which are 1. Above: over "
            f"{ABOVE_PROFILE:g}. Low, high: ends of the whiskers. A dash: a "
            "level that no document shown has, and the gain of U, which no profile has.",
        ),
        "Figure 14",
    )


def _rows(documents: str, multiples: Profile, unlabelled: Profile) -> Iterator[Row]:
    gains = multiples.linear.tolist(), multiples.exponential.tolist()
    for row, *of_level in zip(levels(multiples), *gains, strict=True):
        yield documents, *row, *of_level
    for row in of_u(unlabelled):
        yield documents, *row, np.nan, np.nan


ANALYSIS = Analysis("profiles", "What gain do workers give a level?", analyse, fits=magnitude_here)
