"""How long workers go on: D(t), the share of them who are still there after a time.

Smucker and Clarke (SIGIR 2012), section 5.2. A part of the analysis `reading`.
"""

from collections.abc import Iterator

import numpy as np

from evaluation.presentation import plots, published
from evaluation.presentation.frame import Frame
from evaluation.presentation.parts import OF_PAPER, Figure, interval, number
from evaluation.study.data import Floats, StudyData
from magnitudes.files.words import count
from magnitudes.reading_time.calibration import decay
from magnitudes.reading_time.line import intervals

SOURCE = "Figure 5 of Smucker and Clarke, SIGIR 2012"
MIN_WORKERS = 6  # workers; of fewer no curve is drawn
MOST_HALF_LIVES = 5  # that are drawn
STEPS = 200  # that are drawn, at most
WORKERS, FIT = "workers", "exponential decay"


def compute(data: StudyData) -> tuple[Floats, dict[str, float]]:
    """The seconds that each worker spent on documents of completed units, and their half-life.

    The half-life and the ends of its interval are numbers of the analysis; they are none where
    workers are too few for a curve, or none fits them.
    """
    workers = data.judgments.workers
    people = np.unique(workers)
    times: Floats = np.bincount(workers, weights=data.judgments.seconds)[people].astype(float)
    value, error = decay(times, people, "worker")[:2]
    if len(times) < MIN_WORKERS or not np.isfinite(value):
        return times, {}
    low, high = intervals(np.array([value]), np.array([error]), np.array([len(times)]))
    ends = {"half_life_low": float(low[0]), "half_life_high": float(high[0])}
    return times, {"half_life": float(value), **ends}


def figures(times: Floats, half_life: dict[str, float]) -> Iterator[Figure]:
    if not half_life:
        return
    h, low, high = half_life.values()
    middle, end = float(np.median(times)), min(float(times.max()), MOST_HALF_LIVES * h)
    longer, rows = int((times > end).sum()), _curves(times, h)
    lines = [
        mark
        for of, column, half in ((WORKERS, "share", middle), (FIT, "fitted", h))
        for mark in Frame.of(seconds=rows["seconds"], share=rows[column]).marks(
            f"{of}: half have stopped after {number(half)} s", of=of
        )
    ]
    across = plots.axis("seconds", "seconds on documents", domain=(0, end))
    up = plots.axis("share", "workers still at work, D(t)", domain=(0, 1), percent=True)
    curves = plots.kinds_of_lines("lines", across, up, "of", [WORKERS, FIT], "after")
    name = published.quote("the paper's half-life: {half_life} s")
    of_paper = {"seconds": published.value("half_life"), "share": 0.5, "name": name}
    yield rows.figure(
        "staying",
        f"Half of {count(len(times), 'worker')} have stopped after {number(middle)} s on documents",
        f"The share of workers who go on to a time, beside the curve of half-life "
        f"{number(h)} s (95% interval {interval(low, high)}) that fits them best."
        + (f" Not drawn: {count(longer, 'worker')} who stay longer." if longer else ""),
        plots.sized(plots.layer(curves, plots.paper(across, up))),
        data={"lines": lines, OF_PAPER: [of_paper]},
        source=SOURCE,
        reading="D(t) = 2^(-t/h), with h by least squares over all t; readers at a result list "
        + published.quote("had a half-life of {half_life} s. ")
        + "Workers end with a unit, and may not take more units than the "
        "study gives one person: steps come from that, and a long tail is cut off by it. These "
        "are no readers' times: time-biased gain keeps the paper's half-life.",
    )


def _curves(times: Floats, half_life: float) -> Frame:
    """Who is there when somebody stops, or at times evenly spread over these where they are many.

    share: of workers who spent more seconds; fitted: that of the curve.
    """
    stops = np.unique(times)
    if len(stops) > STEPS:
        stops = np.quantile(stops, np.linspace(0, 1, STEPS))
    at = np.concatenate([[0.0], stops])
    shares = (times[np.newaxis] > at[:, np.newaxis]).mean(axis=1)
    return Frame.of(seconds=at, share=shares, fitted=np.exp2(-at / half_life))
