"""What readers have saved after so many seconds, and how far down a ranking they have come.

Smucker and Clarke (SIGIR 2012), sections 4 and 5.1, Figures 3 and 4. A part of the analysis
`reader`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from evaluation.analyses.time.readers import PAPER, Kind
from evaluation.analyses.time.timed_lists import TimedLists
from evaluation.presentation import plots
from evaluation.presentation.parts import Figure, drawn, number, span
from evaluation.study.data import Floats
from magnitudes.files.words import count
from magnitudes.measures.in_time import time_curves
from magnitudes.measures.in_time.time_curves import Spread

UNTIL, STEP, DOT_EVERY = 900, 20, 100  # seconds
TIMES = np.arange(0.0, UNTIL + STEP, STEP)
TITLE_TIME = 300  # seconds
AT = int(np.searchsorted(TIMES, TITLE_TIME))


class Saved(NamedTuple):
    """What a reader of a system's lists has saved at a time, in the mean over topics."""

    system: str
    seconds: float
    documents_saved: float


class Rank(NamedTuple):
    """How far a reader has come at a time: the most, the average or the least over lists."""

    of_lists: str
    seconds: float
    rank: float


@dataclass(frozen=True, eq=False)
class Found:
    """saved: (runs, times), NaN where not known; ranks: of all lists whose ranks are known."""

    reader: str
    runs: Sequence[str]
    saved: Floats
    lists: int
    ranks: Spread | None  # None where there is no such list


def compute(topics: Sequence[TimedLists], runs: Sequence[str], kind: Kind) -> Found:
    """The way of a kind's readers down all lists, if nothing makes them stop."""
    reader = kind.readers[0]
    curves = [
        time_curves.curves(times=TIMES, listed=topic.lists.listed, **topic.arguments(reader))
        for topic in topics
    ]
    ranks = np.concatenate([of_topic.rank for of_topic in curves])
    listed = np.concatenate([topic.lists.listed.any(axis=1) for topic in topics])
    known = ranks[listed & ~np.isnan(ranks).any(axis=1)]
    saved = np.mean([of_topic.gain for of_topic in curves], axis=0)
    spread = time_curves.spread(known) if len(known) else None
    return Found(kind.name, runs, saved, len(known), spread)


def figures(found: Found, chosen: Mapping[str, str]) -> Iterator[Figure]:
    """chosen: systems that stand out in the picture, and what they are called there."""
    yield _saved(found, chosen)
    if found.ranks:
        yield _ranks(found.reader, found.ranks, found.lists)


def _saved(found: Found, chosen: Mapping[str, str]) -> Figure:
    rows = [
        Saved(run, float(seconds), float(saved))
        for run, line in zip(found.runs, found.saved, strict=True)
        for seconds, saved in zip(TIMES, line, strict=True)
        if np.isfinite(saved)
    ]
    after = found.saved[:, AT]
    named = {
        run: f"{run}: {number(saved)} documents saved after {TIMES[AT]:g} s"
        for run, saved in zip(found.runs, after, strict=True)
    }
    lines = [
        row._replace(system=name)
        for run, name in chosen.items()
        for row in rows
        if row.system == run
    ]
    every = drawn(
        rows, "seconds", lambda row: named[row.system], of="system", gain="documents_saved"
    )
    across, up = plots.axis("seconds", "seconds"), plots.axis("gain", "documents saved")
    some = drawn(lines, "seconds", _saved_tooltip, of="system", gain="documents_saved")
    return Figure(
        "gain-in-time",
        f"After {TIMES[AT]:g} s a reader who goes on has saved "
        f"{span(float(np.fmin.reduce(after)), float(np.fmax.reduce(after)))} documents, by system",
        f"What {found.reader} has saved at a time, in the mean over topics; thin: other systems.",
        plots.sized(
            plots.layer(
                plots.thin_lines("every", across, up),
                plots.some_lines("lines", across, up, list(chosen.values()), dots="dots"),
            )
        ),
        {"every": every, "lines": some, "dots": _dots(some)},
        Saved,
        rows,
        f"Figure 4 of {PAPER}",
        reading="Nothing makes this reader stop. Look where lines cross: the upper one serves "
        "those who stop before, the lower one those who go on. A flat line is at the end of its "
        "lists. Of the thin lines one can be marked.",
    )


def _saved_tooltip(row: Saved) -> str:
    return f"{row.system}: {number(row.documents_saved)} saved after {row.seconds:g} s"


def _dots(lines: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in lines if not row["seconds"] % DOT_EVERY]


def _ranks(reader: str, ranks: Spread, lists: int) -> Figure:
    rows = [
        Rank(name, float(seconds), float(rank))
        for name, line in ranks._asdict().items()
        for seconds, rank in zip(TIMES, line, strict=True)
    ]
    highest, average, lowest = (number(float(line[AT])) for line in ranks)
    lines = drawn(rows, "seconds rank", _rank_tooltip, of="of_lists")
    across, up = plots.axis("seconds", "seconds"), plots.axis("rank", "rank")
    chart = plots.some_lines("lines", across, up, Spread._fields, dots="dots")
    return Figure(
        "rank-in-time",
        f"How far {reader} has come after {TITLE_TIME} s: to rank {average} in the average, "
        f"{lowest} to {highest}",
        f"The rank that a reader has come to, over {count(lists, 'list')} of all systems and "
        "topics.",
        plots.sized(chart),
        {"lines": lines, "dots": _dots(lines)},
        Rank,
        rows,
        f"Figure 3 of {PAPER}",
        reading="Look how far the lines are apart: at one time some readers are still at the "
        "first documents, while others have passed many, which a discount by rank does not see. "
        "Lines end where lists do.",
    )


def _rank_tooltip(row: Rank) -> str:
    return f"{row.of_lists}: rank {number(row.rank)} after {row.seconds:g} s"
