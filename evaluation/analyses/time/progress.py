"""What readers have saved after so many seconds, and how far down a ranking they have come.

Smucker and Clarke (SIGIR 2012), sections 4 and 5.1, Figures 3 and 4. A part of the analysis
`reader`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from evaluation.analyses.time.readers import PAPER, Kind
from evaluation.analyses.time.timed_lists import TimedLists
from evaluation.presentation import plots
from evaluation.presentation.frame import Frame
from evaluation.presentation.parts import Figure, number, span
from evaluation.study.data import Floats
from magnitudes.files.words import count
from magnitudes.measures.in_time import time_curves
from magnitudes.measures.in_time.time_curves import Spread

UNTIL, STEP, DOT_EVERY = 900, 20, 100  # seconds
TIMES = np.arange(0.0, UNTIL + STEP, STEP)
TITLE_TIME = 300  # seconds
AT = int(np.searchsorted(TIMES, TITLE_TIME))


def figures(
    topics: Sequence[TimedLists], runs: Sequence[str], kind: Kind, chosen: Mapping[str, str]
) -> Iterator[Figure]:
    """The way of a kind's readers down all lists, if nothing makes them stop.

    chosen: systems that stand out in the picture, and what they are called there.
    """
    reader = kind.readers[0]
    curves = [
        time_curves.curves(times=TIMES, listed=topic.top.listed, **topic.arguments(reader))
        for topic in topics
    ]
    yield _saved(kind.name, runs, np.mean([of_topic.gain for of_topic in curves], axis=0), chosen)
    ranks = np.concatenate([of_topic.rank for of_topic in curves])
    listed = np.concatenate([topic.top.listed.any(axis=1) for topic in topics])
    known = ranks[listed & ~np.isnan(ranks).any(axis=1)]
    if len(known):
        yield _ranks(kind.name, time_curves.spread(known), len(known))


def _in_time(of: str, names: Sequence[str], quantity: str, values: Floats) -> Frame:
    """A row for each name and each of TIMES; values: (names, times)."""
    n, times = len(names), len(TIMES)
    named = np.repeat(np.array(names, dtype=object), times)
    return Frame.of(**{of: named, "seconds": np.tile(TIMES, n), quantity: values.ravel()})


def _saved(reader: str, runs: Sequence[str], saved: Floats, chosen: Mapping[str, str]) -> Figure:
    """saved: (runs, times), averaged over topics; NaN where not known."""
    frame = _in_time("system", runs, "documents_saved", saved)
    frame = frame.where(np.isfinite(frame["documents_saved"]))
    after = dict(zip(runs, saved[:, AT].tolist(), strict=True))
    every = frame.with_columns(of=frame["system"]).marks(
        lambda row: f"{row.of}: {number(after[row.of])} documents saved after {TIMES[AT]:g} s"
    )
    lines = [
        mark
        for run, name in chosen.items()
        for mark in frame.where(frame["system"] == run).marks(
            "{of}: {documents_saved} saved after {seconds:g} s", of=name
        )
    ]
    across, up = plots.axis("seconds", "seconds"), plots.axis("documents_saved", "documents saved")
    some = plots.some_lines("lines", across, up, list(chosen.values()), dots="dots")
    ends = float(np.fmin.reduce(saved[:, AT])), float(np.fmax.reduce(saved[:, AT]))
    return frame.figure(
        "gain-in-time",
        f"After {TIMES[AT]:g} s a reader who goes on has saved {span(*ends)} documents, by system",
        f"What {reader} has saved at a time, averaged over topics; thin: other systems.",
        plots.sized(plots.layer(plots.thin_lines("every", across, up), some)),
        data={"every": every, "lines": lines, "dots": _dots(lines)},
        source=f"Figure 4 of {PAPER}",
        reading="Nothing makes this reader stop. Look where lines cross: the upper one serves "
        "those who stop before, the lower one those who go on. A flat line is at the end of its "
        "lists. Of the thin lines one can be marked.",
    )


def _dots(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [mark for mark in lines if not mark["seconds"] % DOT_EVERY]


def _ranks(reader: str, ranks: Spread, n_lists: int) -> Figure:
    """ranks: the most, the average and the least over lists, at each time."""
    frame = _in_time("of_lists", Spread._fields, "rank", np.stack(ranks))
    highest, average, lowest = (number(float(line[AT])) for line in ranks)
    reached = f"{average} on average, {lowest} to {highest}"
    reached = reached if lowest != highest else f"{average} in every list"
    lines = frame.with_columns(of=frame["of_lists"]).marks("{of}: rank {rank} after {seconds:g} s")
    across, up = plots.axis("seconds", "seconds"), plots.axis("rank", "rank")
    chart = plots.some_lines("lines", across, up, Spread._fields, dots="dots")
    return frame.figure(
        "rank-in-time",
        f"How far {reader} has come after {TITLE_TIME} s: to rank {reached}",
        f"The rank that a reader has come to, over {count(n_lists, 'list')} of all systems and "
        "topics.",
        plots.sized(chart),
        data={"lines": lines, "dots": _dots(lines)},
        source=f"Figure 3 of {PAPER}",
        reading="Look how far the lines are apart: at one time some readers are still at the "
        "first documents, while others have passed many, which a discount by rank does not see. "
        "Lines end where lists do.",
    )
