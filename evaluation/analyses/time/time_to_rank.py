"""When a worker comes to the k-th document of a unit: T(k), as a line has it and as measured.

Smucker and Clarke (SIGIR 2012), Figure 2. A part of the analysis `reading`.
"""

import numpy as np

from evaluation.analyses.time.views import PAPER, Views
from evaluation.presentation import plots
from evaluation.presentation.frame import ROWS, Column, Frame
from evaluation.presentation.parts import Figure, number
from evaluation.study.data import Floats

TITLE = "seconds since the first, T(k)"
FOUR_OF_FIVE = 0.1, 0.9
COLUMNS = {"measured": "workers", "predicted": "as the line predicts"}


def reached(views: Views, predicted: Floats) -> Frame:
    """T(k) averaged over units, as the line has it and as it was: sums over places before k."""
    places = np.unique(views.positions)
    if not np.array_equal(places, np.arange(1, len(places) + 1)):
        return Frame()  # a place in units at which nobody was timed for the first time
    n = np.bincount(views.positions)[1:]
    by_line, measured = (
        np.concatenate([[0.0], np.cumsum(np.bincount(views.positions, seconds)[1:] / n)])
        for seconds in (predicted, views.seconds)
    )
    low, high = _spread(views, len(places))
    return Frame.of(
        k=Column(np.arange(1, len(places) + 2), "documents begun"),
        predicted_seconds=by_line,
        measured_seconds=measured,
        low=low,
        high=high,
    )


def _spread(views: Views, size: int) -> Floats:
    """Of units that were timed whole the quantiles of T(k), from the first document to the end."""
    _, unit = np.unique(views.units, return_inverse=True)
    whole = np.bincount(unit)[unit] == size
    order = np.lexsort((views.positions[whole], unit[whole]))
    seconds = views.seconds[whole][order].reshape(-1, size)
    if not len(seconds):
        return np.full((len(FOUR_OF_FIVE), size + 1), np.nan)
    ends = np.quantile(seconds.cumsum(axis=1), FOUR_OF_FIVE, axis=0)
    return np.column_stack([np.zeros(len(ends)), ends])


def figure(reached: Frame, off: float) -> Figure:
    last, measured = int(reached["k"][-1]), reached["measured_seconds"]
    lines = [Frame.of(k=reached["k"], seconds=reached[f"{name}_seconds"]) for name in COLUMNS]
    of = zip(COLUMNS.values(), lines, strict=True)
    by_line = [line.marks("{of}, {k}: {seconds} s", of=name) for name, line in of]
    across = plots.axis("k", "documents begun", **plots.whole(1, last))
    up = plots.axis("seconds", TITLE)
    shade = plots.band(ROWS, across, plots.axis("low", TITLE), "high")
    curves = plots.some_lines("lines", across, up, [*COLUMNS.values()])
    return reached.figure(
        "time-to-rank",
        f"The line predicts the time of a unit that it was not fitted to within {number(off)} s "
        f"on average, of {number(measured[-1])} s",
        "The time until a worker begins the k-th document of a unit, or ends it, averaged over "
        "units; shade: four of five units. Averages of line and workers come close by least "
        "squares; single units do not.",
        plots.sized(plots.layer(shade, curves)),
        data={"lines": [mark for pair in zip(*by_line, strict=True) for mark in pair]},
        source=f"Figure 2 of {PAPER}",
        reading="T(k) adds up the times of the documents before the k-th, equation (4) without "
        "summaries, as every document of a unit is opened. The line was fitted to other units. "
        "Look whether workers become faster: then their line bends below the other.",
    )
