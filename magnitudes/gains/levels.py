"""Gains of documents labelled in levels: 0 for not relevant, higher for better.

`linear` takes the level itself, as trec_eval does; `binary` takes 1 for whatever is relevant;
`exponential` takes 2^level - 1, which Burges and others (Learning to rank using gradient descent,
ICML 2005) brought into use and which makes the best documents stand out.

A negative label (-2 for spam, in web tracks of TREC) says that the document was judged and is
worth nothing: its gain is 0, as trec_eval and gdeval have it. How many there were is returned with
the gains, so that whoever reads labels can say it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.gains import BadLabel

LN2 = np.log(2)
HIGHEST = 1024  # 2^1024 is the first power of two that is no double


class Gains(NamedTuple):
    """Gains, and how many labels were negative and count as 0."""

    values: NDArray[np.float64]
    negative: int


def linear(labels: ArrayLike) -> Gains:
    """G = level, and 0 for negative labels.

    Parameters:
        labels: any shape, real numbers.

    Returns:
        `values` of the same shape and the number of `negative` labels.

    Raises:
        BadLabel: a label that is NaN or infinite.

    >>> linear([0, 1, 2.5, -2])
    Gains(values=array([0. , 1. , 2.5, 0. ]), negative=1)
    """
    levels = np.asarray(labels, dtype=np.float64)
    bad = np.flatnonzero(~np.isfinite(levels))
    if bad.size:
        raise BadLabel(f"label {levels.flat[bad[0]]} is not a finite number", int(bad[0]))
    return Gains(np.where(levels > 0, levels, 0.0), int(np.count_nonzero(levels < 0)))


def binary(labels: ArrayLike) -> Gains:
    """G = 1 for every level above 0, and 0 for all others.

    Parameters, result and errors are those of `linear`.

    >>> binary([0, 1, 3, -2])
    Gains(values=array([0., 1., 1., 0.]), negative=1)
    """
    levels, negative = linear(labels)
    return Gains((levels > 0).astype(np.float64), negative)


def exponential(labels: ArrayLike) -> Gains:
    """G = 2^level - 1, and 0 for negative labels.

    Parameters, result and errors are those of `linear`; a level of 1024 or more has no gain that
    a double can hold, and is an error too.

    >>> exponential([0, 1, 2, 3, -2])
    Gains(values=array([0., 1., 3., 7., 0.]), negative=1)
    """
    levels, negative = linear(labels)
    bad = np.flatnonzero(levels >= HIGHEST)
    if bad.size:
        raise BadLabel(
            f"2 to the power of label {levels.flat[bad[0]]} is no finite number", int(bad[0])
        )
    return Gains(scaled_exponential(levels, 0.0), negative)


def scaled_exponential(gains: ArrayLike, largest: ArrayLike) -> NDArray[np.float64]:
    """(2^G - 1) / 2^largest, without forming either power.

    Computed as 2^(G - largest) - 2^-largest, so that gains of thousands neither overflow nor
    vanish; and where G < 1, as expm1(G ln 2) · 2^-largest, since there the difference would cancel
    digits. The two shapes broadcast.

    >>> scaled_exponential([5000, 4999, 0], 5000)
    array([1. , 0.5, 0. ])
    """
    level = np.asarray(gains, dtype=np.float64)
    top = np.asarray(largest, dtype=np.float64)
    unit = np.exp2(-top)
    high = np.asarray(level - top)  # and on in place: fresh memory takes longer than arithmetic
    np.exp2(high, out=high)
    high -= unit
    low = np.asarray(np.minimum(level, 1))
    low *= LN2
    np.expm1(low, out=low)
    return np.where(level < 1, low * unit, high)
