"""How well lines of time on length foretell the times of units that they were not fitted to.

Smucker and Clarke (SIGIR 2012), Figure 2. A part of the analysis `reading`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evaluation.analyses.time.views import Views
from evaluation.presentation import plots
from evaluation.presentation.parts import Figure, Row, Table, drawn, number
from evaluation.study.data import Floats
from magnitudes.files.words import count
from magnitudes.reading_time import time_prediction
from magnitudes.reading_time.binned import Bins, binned
from magnitudes.reading_time.line import LEAST
from magnitudes.reading_time.time_prediction import Predicted

PAPER = "Smucker and Clarke, SIGIR 2012"
SOURCE = f"section 3.2 of {PAPER}"
TITLE = "seconds since the first, T(k)"
FOUR_OF_FIVE = 0.1, 0.9
WORKERS, LINE = "workers", "as the line foretells"


class Reached(NamedTuple):
    """When a worker comes to a document of a unit: T(k), in seconds from the first one on.

    low, high: between which four of five units lie; NaN where none was timed whole.
    """

    document: int
    predicted: float
    measured: float
    low: float
    high: float


class Bin(NamedTuple):
    """Views with about the same predicted time."""

    n: int
    predicted: float
    measured: float


@dataclass(frozen=True)
class Found:
    """What one line for all topics, and one a topic, predict; bins: of one line, if it does.

    reached: the time to each document of a unit and to its end, by one line. off: of whole units
    that were left out, the mean of how far their time is from that of the line; NaN: not known.
    """

    one_line: Predicted
    by_topic: Predicted
    bins: Bins | None
    reached: list[Reached]
    off: float


def compute(first: Views, seed: int) -> Found:
    views = first.words, first.seconds, first.workers, first.units
    one_line = time_prediction.predicted(*views, seed=seed)
    by_topic = time_prediction.predicted(*views, first.topics, seed=seed)
    if one_line.reason:
        return Found(one_line, by_topic, None, [], np.nan)
    line = time_prediction.held_out(*views, seed=seed).line
    known = ~np.isnan(line)
    timed = first.where(known)
    reached, off = _reached(timed, line[known]), _off(timed, line[known])
    return Found(one_line, by_topic, binned(line[known], first.seconds[known]), reached, off)


def _off(views: Views, predicted: Floats) -> float:
    """Over units, the mean of how far the sum of their times is from what the line says.

    Errors of units do not cancel out, as those of all together do by least squares.
    """
    _, unit = np.unique(views.units, return_inverse=True)
    return float(np.abs(np.bincount(unit, views.seconds - predicted)).mean())


def _reached(views: Views, predicted: Floats) -> list[Reached]:
    """T(k) in the mean over units, as the line has it and as it was: sums over places before k."""
    places = np.unique(views.positions)
    if not np.array_equal(places, np.arange(1, len(places) + 1)):
        return []  # a place in units at which nobody was timed for the first time
    n = np.bincount(views.positions)[1:]
    times = [
        np.concatenate([[0.0], np.cumsum(np.bincount(views.positions, seconds)[1:] / n)]).tolist()
        for seconds in (predicted, views.seconds)
    ]
    rows = zip(*times, *_spread(views, len(places)), strict=True)
    return [Reached(k, *row) for k, row in enumerate(rows, 1)]


def _spread(views: Views, size: int) -> list[list[float]]:
    """Of units that were timed whole the quantiles of T(k), from the first document to the end."""
    _, unit = np.unique(views.units, return_inverse=True)
    whole = np.bincount(unit)[unit] == size
    order = np.lexsort((views.positions[whole], unit[whole]))
    seconds = views.seconds[whole][order].reshape(-1, size)
    if not len(seconds):
        return [[np.nan] * (size + 1)] * len(FOUR_OF_FIVE)
    ends = np.quantile(seconds.cumsum(axis=1), FOUR_OF_FIVE, axis=0)
    return [[0.0, *end] for end in ends.tolist()]


def says(found: Found) -> str:
    line = found.one_line
    if line.reason:
        return f"Times cannot be predicted for units left out: {line.reason}."
    return (
        f"In units that the line was not fitted to, half of the documents lie within "
        f"{number(line.median_error)} s of what it says (R² {number(line.r2)}; units in "
        f"{count(line.folds, 'part')}, seed {line.seed})."
    )


def figures(found: Found) -> Iterator[Figure]:
    if not found.bins:
        return
    rows = [Bin(*row) for row in zip(*(column.tolist() for column in found.bins), strict=True)]
    if found.reached:
        yield _to_rank(found.reached, found.off)
    times = [time for row in rows for time in (row.predicted, row.measured)]
    across = plots.axis("predicted", "predicted seconds")
    up = plots.axis("measured", "measured seconds")
    same = plots.line("same", across, up, colour=plots.INK, dash=(3, 3), opacity=0.5)
    yield Figure(
        "held-out",
        "The line foretells the time on a document within "
        f"{number(found.one_line.mean_error)} s in the mean",
        "Views of units that it was not fitted to, grouped by predicted time; on "
        "the dashed line both times are the same.",
        plots.sized(plots.layer(same, plots.points("bins", across, up))),
        {
            "bins": drawn(rows, "predicted measured", _tooltip),
            "same": [{"predicted": end, "measured": end} for end in (min(times), max(times))],
        },
        ("n", "mean_predicted_seconds", "mean_measured_seconds"),
        rows,
        SOURCE,
        reading="Look whether dots bend away from the dashed line: then a line is not the shape, "
        "or short documents are held up by the least number of seconds.",
    )


def _to_rank(reached: Sequence[Reached], off: float) -> Figure:
    last = reached[-1]
    rows = [
        {
            "k": row.document,
            "seconds": seconds,
            "of": of,
            "name": f"{of}, {row.document}: {number(seconds)} s",
        }
        for row in reached
        for of, seconds in ((WORKERS, row.measured), (LINE, row.predicted))
    ]
    across = plots.axis("k", "documents begun", **plots.whole(1, last.document))
    up = plots.axis("seconds", TITLE)
    return Figure(
        "time-to-rank",
        f"The line predicts the time of a unit that it was not fitted to within {number(off)} s "
        f"on average, of {number(last.measured)} s",
        "The time until a worker begins the k-th document of a unit, or ends it, averaged over "
        "units; shade: four of five units. Averages of line and workers come close by least "
        "squares; single units do not.",
        plots.sized(
            plots.layer(
                plots.band("units", across, plots.axis("low", TITLE), "high"),
                plots.some_lines("lines", across, up, [WORKERS, LINE]),
            )
        ),
        {"lines": rows, "units": drawn(reached, "low high", k="document")},
        ("k", "predicted_seconds", "measured_seconds", "low", "high"),
        reached,
        f"Figure 2 of {PAPER}",
        reading="T(k) adds up the times of the documents before the k-th, equation (4) without "
        "summaries, as every document of a unit is opened. The line was fitted to other units. "
        "Look whether workers become faster: then their line bends below the other.",
    )


def _tooltip(row: Bin) -> str:
    return (
        f"{count(row.n, 'view')}: {number(row.predicted)} s predicted, "
        f"{number(row.measured)} s measured"
    )


def table(found: Found) -> Table:
    lines = {"one line": found.one_line, "one line a topic": found.by_topic}
    reasons = sorted({line.reason for line in lines.values()} - {""})
    return Table(
        "predictions",
        "How well lines foretell the time on documents of units that they were not fitted to",
        ("line", "views", "without_line", "median_error", "mean_error", "r2", "parts", "seed"),
        [_row(name, line) for name, line in lines.items()],
        (
            "Errors are absolute, in seconds. R²: 1 less squared errors over those of the mean "
            "time of the units fitted to, with one line a topic that of their documents of the "
            "topic, so that the two R² are not to be compared; below 0 a line is worse than that "
            "mean. Units are dealt "
            "to parts at random, and each part is predicted from the others. Without a line: views "
            f"of topics that have fewer than {LEAST} views, or one length alone, in the others.",
            *(f"A dash: {reason}." for reason in reasons),
        ),
    )


def _row(name: str, line: Predicted) -> Row:
    errors = line.median_error, line.mean_error, line.r2
    return name, line.views, line.unpredicted, *errors, line.folds, line.seed
