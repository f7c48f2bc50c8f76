"""How long workers go on: D(t), the share of them who are still there after a time.

Smucker and Clarke (SIGIR 2012), section 5.2. A part of the analysis `reading`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evaluation.presentation import plots, published
from evaluation.presentation.parts import Figure, interval, number
from evaluation.study.data import Floats, StudyData
from magnitudes.files.words import count
from magnitudes.reading_time.calibration import decay
from magnitudes.reading_time.line import intervals
from magnitudes.reading_time.weighted_mean import Estimate

SOURCE = "Figure 5 of Smucker and Clarke, SIGIR 2012"
ENOUGH = 6  # workers; of fewer no curve is drawn
STEPS = 200  # that are drawn, at most
WORKERS, FIT = "workers", "exponential decay"


class Staying(NamedTuple):
    """The share of workers who spent more seconds than these, and that of the fitted curve."""

    seconds: float
    share: float
    fitted: float


@dataclass(frozen=True, eq=False)
class Found:
    """times: (workers,), the seconds that each spent on documents of completed units."""

    times: Floats
    half_life: Estimate

    @property
    def is_known(self) -> bool:
        """Whether workers are enough for a curve, and one fits them."""
        return len(self.times) >= ENOUGH and bool(np.isfinite(self.half_life.value))

    @property
    def numbers(self) -> dict[str, float]:
        """The half-life with its interval, where there is one."""
        if not self.is_known:
            return {}
        low, high = (float(end[0]) for end in _ends(self))
        return {
            "half_life": float(self.half_life.value),
            "half_life_low": low,
            "half_life_high": high,
        }


def compute(data: StudyData) -> Found:
    workers = data.judgments.workers
    people = np.unique(workers)
    times: Floats = np.bincount(workers, weights=data.judgments.seconds)[people].astype(float)
    return Found(times, decay(times, people, "worker"))


def figures(found: Found) -> Iterator[Figure]:
    half_life = found.half_life
    if not found.is_known:
        return
    rows = _rows(found)
    columns = {WORKERS: "share", FIT: "fitted"}
    lines = [
        {"seconds": row.seconds, "share": getattr(row, column), "of": of}
        for of, column in columns.items()
        for row in rows
    ]
    across = plots.axis("seconds", "seconds on documents")
    up = plots.axis("share", "workers still at work, D(t)", domain=(0, 1), percent=True)
    low, high = (float(end[0]) for end in _ends(found))
    yield Figure(
        "staying",
        f"Half of {count(len(found.times), 'worker')} have stopped after "
        f"{number(float(np.median(found.times)))} s on documents",
        f"The share of workers who go on to a time, beside the curve of half-life "
        f"{number(half_life.value)} s (95% interval {interval(low, high)}) that fits them best.",
        plots.sized(plots.kinds_of_lines("lines", across, up, "of", [*columns], "after")),
        {"lines": lines},
        Staying,
        rows,
        SOURCE,
        reading="D(t) = 2^(-t/h), with h by least squares over all t; readers at a result list "
        + published.quote("had a half-life of {half_life} s. ")
        + "Workers end with a unit, and may not take more units than the "
        "study gives one person: steps come from that, and a long tail is cut off by it. These "
        "are no readers' times: time-biased gain keeps the paper's half-life.",
    )


def _ends(found: Found) -> tuple[Floats, Floats]:
    estimate = found.half_life
    return intervals(
        np.array([estimate.value]), np.array([estimate.error]), np.array([len(found.times)])
    )


def _rows(found: Found) -> list[Staying]:
    """At the times at which somebody stops, or evenly spread over them where they are many."""
    stops = np.unique(found.times)
    if len(stops) > STEPS:
        stops = np.quantile(stops, np.linspace(0, 1, STEPS))
    at = np.concatenate([[0.0], stops])
    shares = (found.times[np.newaxis] > at[:, np.newaxis]).mean(axis=1)
    fitted = np.exp2(-at / found.half_life.value)
    return [
        Staying(*row) for row in zip(at.tolist(), shares.tolist(), fitted.tolist(), strict=True)
    ]
