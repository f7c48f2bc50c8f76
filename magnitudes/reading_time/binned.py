"""Means of bins of about as many views each, so that thousands of views can be looked at."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

MOST_BINS, LEAST_IN_BIN = 40, 15


class Bins(NamedTuple):
    """Bins in ascending order of x, all (bins,): how many entries, and the means of x and y."""

    counts: NDArray[np.int64]
    x: NDArray[np.float64]
    y: NDArray[np.float64]


def binned(x: ArrayLike, y: ArrayLike) -> Bins:
    """Divides entries into up to 40 bins of 15 or more, by x; the sizes of bins differ by one.

    Parameters:
        x, y: shape (n,), with one entry at least. Fewer than 30 are a single bin.

    >>> binned(range(30), [0] * 15 + [2] * 15)
    Bins(counts=array([15, 15]), x=array([ 7., 22.]), y=array([0., 2.]))
    """
    abscissa, ordinate = (np.asarray(array, dtype=np.float64) for array in (x, y))
    bins = max(1, min(MOST_BINS, len(abscissa) // LEAST_IN_BIN))
    parts = np.array_split(np.argsort(abscissa, kind="stable"), bins)
    return Bins(
        np.array([part.size for part in parts]),
        np.array([abscissa[part].mean() for part in parts]),
        np.array([ordinate[part].mean() for part in parts]),
    )
