"""How well lines of time on length predict the times of units that they were not fitted to.

Smucker and Clarke (SIGIR 2012), Figure 2. A part of the analysis `reading`.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from evaluation.analyses.time import time_to_rank
from evaluation.analyses.time.views import PAPER, Views
from evaluation.presentation import plots
from evaluation.presentation.frame import ROWS, Column, Frame
from evaluation.presentation.parts import Figure, Table, dashes, number
from evaluation.study.data import Floats
from magnitudes.files.words import count
from magnitudes.reading_time import time_prediction
from magnitudes.reading_time.binned import binned
from magnitudes.reading_time.line import MIN_VIEWS
from magnitudes.reading_time.time_prediction import Predicted

SOURCE = f"section 3.2 of {PAPER}"


class Predictions(NamedTuple):
    """What one line for all topics, and one a topic, predict.

    bins: views with about the same time by one line; none where it predicts nothing. reached: T(k),
    seconds to each document of a unit and to its end, by one line and as measured; low, high:
    between which four of five units lie, NaN where none was timed whole. off: of whole units that
    were left out, the mean of how far their time is from that of the line; NaN: not known.
    """

    one_line: Predicted
    by_topic: Predicted
    bins: Frame
    reached: Frame
    off: float


def compute(first: Views, seed: int) -> Predictions:
    views = first.words, first.seconds, first.workers, first.units
    one_line = time_prediction.predicted(*views, seed=seed)
    by_topic = time_prediction.predicted(*views, first.topics, seed=seed)
    if one_line.reason:
        return Predictions(one_line, by_topic, Frame(), Frame(), np.nan)
    line = time_prediction.held_out(*views, seed=seed).line
    known = ~np.isnan(line)
    timed, line = first.where(known), line[known]
    counts, predicted, measured = binned(line, timed.seconds)
    bins = Frame.of(
        n=Column(counts, "views"), mean_predicted_seconds=predicted, mean_measured_seconds=measured
    )
    return Predictions(
        one_line, by_topic, bins, time_to_rank.reached(timed, line), _off(timed, line)
    )


def _off(views: Views, predicted: Floats) -> float:
    """Over units, the mean of how far the sum of their times is from what the line says.

    Errors of units do not cancel out, as those of all together do by least squares.
    """
    _, unit = np.unique(views.units, return_inverse=True)
    return float(np.abs(np.bincount(unit, views.seconds - predicted)).mean())


def sentence(predictions: Predictions) -> str:
    line = predictions.one_line
    if line.reason:
        return f"Times cannot be predicted for units left out: {line.reason}."
    return (
        f"In units that the line was not fitted to, half of the documents lie within "
        f"{number(line.median_error)} s of what it says (R² {number(line.r2)}; units in "
        f"{count(line.folds, 'part')}, seed {line.seed})."
    )


def figures(predictions: Predictions) -> Iterator[Figure]:
    if not len(bins := predictions.bins):
        return
    if len(predictions.reached):
        yield time_to_rank.figure(predictions.reached, predictions.off)
    predicted, measured = bins.names[1:]
    across = plots.axis(predicted, "predicted seconds")
    up = plots.axis(measured, "measured seconds")
    same = plots.line("same", across, up, colour=plots.INK, dash=(3, 3), opacity=0.5)
    times = np.concatenate([bins[predicted], bins[measured]])
    ends = [{predicted: end, measured: end} for end in (times.min(), times.max())]
    yield bins.figure(
        "held-out",
        "The line predicts the time on a document within "
        f"{number(predictions.one_line.mean_error)} s on average",
        "Views of units that it was not fitted to, grouped by predicted time; on "
        "the dashed line both times are the same.",
        plots.sized(plots.layer(same, plots.points(ROWS, across, up))),
        label=lambda row: (
            f"{count(row.n, 'view')}: {number(row.mean_predicted_seconds)} s "
            f"predicted, {number(row.mean_measured_seconds)} s measured"
        ),
        data={"same": ends},
        source=SOURCE,
        reading="Look whether dots bend away from the dashed line: then a line is not the shape, "
        "or short documents are held up by the least number of seconds.",
    )


def table(predictions: Predictions) -> Table:
    lines = {"one line": predictions.one_line, "one line a topic": predictions.by_topic}
    frame = Frame.of_rows(
        "line views without_line median_error mean_error r2 parts seed",
        [
            (
                *(name, of.views, of.unpredicted, of.median_error, of.mean_error),
                *(of.r2, of.folds, of.seed),
            )
            for name, of in lines.items()
        ],
    )
    return frame.with_heads(without_line="without a line", r2="R²").table(
        "predictions",
        "How well lines predict the time on documents of units that they were not fitted to",
        "Errors are absolute, in seconds. R²: 1 less squared errors over those of the mean "
        "time of the units fitted to, with one line a topic that of their documents of the "
        "topic, so that the two R² are not to be compared; below 0 a line is worse than that "
        "mean. Units are dealt "
        "to parts at random, and each part is predicted from the others. Without a line: views "
        f"of topics that have fewer than {MIN_VIEWS} views, or one length alone, in the others.",
        *dashes(line.reason for line in lines.values()),
    )
