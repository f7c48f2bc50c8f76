"""Shares of units, with intervals that allow for units of one worker being alike."""

import numpy as np
import scipy
from numpy.typing import ArrayLike

from evaluation.study.data import Ints
from magnitudes.reading_time.weighted_mean import weighted_mean

LEAST_WORKERS = 20  # fewer tell too little of how workers differ
SURE = 0.975


def of_workers(name: str, holds: ArrayLike, workers: Ints) -> dict[str, float]:
    """The share of units of which something holds, by its name; its 95% interval as _low, _high.

    holds, workers: (units,). Student's interval of a ratio whose terms are clustered by worker,
    within 0 and 1; none of few workers, or where all units are alike.

    >>> of_workers("steady", [True, False], np.array([0, 1]))
    {'steady': 0.5}
    """
    share = weighted_mean(holds, np.ones(len(workers)), workers)
    if share.participants < LEAST_WORKERS or not share.error > 0:
        return {name: share.value}
    half = float(scipy.stats.t.ppf(SURE, share.participants - 1)) * share.error
    low, high = max(share.value - half, 0.0), min(share.value + half, 1.0)
    return {name: share.value, f"{name}_low": low, f"{name}_high": high}
