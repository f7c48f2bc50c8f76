"""Measures of a ranking: one number for what its documents were worth, in the order they came.

One measure is one file, and `names` knows them by name. What all of them share is here.

- **Shapes.** `ranked` has the shape (..., depth): the gains of the documents of one ranking, first
  rank first. `judged` has the shape (..., n): the gains of all judged documents of its topic, in
  any order. Both are padded with 0 where rankings or topics differ in length. Leading axes
  broadcast: `ranked` (runs, topics, depth) with `judged` (topics, n), or `ranked` (runs, depth)
  with `judged` (n,). The result has the leading axes that are left.
- **Arguments.** Every measure is a function of `ranked` and `judged`, of `k`, the cutoff (None: the
  whole ranking), and of its options. `rel` is the least gain of a relevant document, one number or
  one per topic; any above 0 if not given.
- **Errors.** Every measure raises a GainError for gains that are NaN, infinite or negative, or
  ranked above all judged ones of their topic; for shapes that do not fit; for a cutoff below 1, and
  a `rel` that is not positive and finite.
- **Gains** are real numbers of at least 0. An unjudged document has gain 0, unless the option
  `unjudged` says otherwise; see `filling`.
- **Nothing to find** (no judged document, or none of any gain) gives 0.
- **Ties** are not a measure's business: the order of a ranking is settled before.
- A ranking's value does not depend, to the last bit, on what else is computed along with it, nor
  on how far either array is padded.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.gains import GainError


class Checked(NamedTuple):
    """The two arrays of a measure as doubles, and the largest judged gain of each topic."""

    ranked: NDArray[np.float64]
    judged: NDArray[np.float64]
    largest: NDArray[np.float64]


def validate_gains(ranked: ArrayLike, judged: ArrayLike) -> Checked:
    """The arrays, if a measure can be computed from them.

    Raises:
        GainError: a gain that is NaN, infinite or negative; an array without a rank axis; leading
            axes that do not broadcast; a ranked gain above all judged gains of its topic, which
            means that rankings and judgments do not belong together.
    """
    listed = _gains(ranked, "ranked")
    known = _gains(judged, "judged")
    try:
        np.broadcast_shapes(listed.shape[:-1], known.shape[:-1])
    except ValueError:
        raise GainError(
            f"ranked {listed.shape} and judged {known.shape} do not fit: but for the last axis, "
            "they must broadcast"
        ) from None
    largest = known.max(axis=-1, initial=0.0)
    no_larger(listed, largest, "of all judged documents of its topic")
    return Checked(listed, known, largest)


def no_larger(gains: NDArray[np.float64], largest: NDArray[np.float64], which: str) -> None:
    """GainError for gains above the largest there can be."""
    above = gains > largest[..., np.newaxis]
    if above.any():
        gain = np.broadcast_to(gains, above.shape)[above][0]
        raise GainError(f"gain {gain!s} is above the largest {which}")


def depth(k: int | None) -> int | None:
    """A cutoff: a rank from 1, or None for the whole ranking; GainError for anything else."""
    if k is not None and not (isinstance(k, int | np.integer) and k >= 1):
        raise GainError(f"cutoff {k!r} is not a rank from 1")
    return k


def rank(k: int) -> int:
    """The cutoff of a measure that cannot do without; GainError where there is none."""
    if depth(k) is None:
        raise GainError("a cutoff is needed, a rank from 1")
    return k


def per_topic(number: ArrayLike, name: str, topics: tuple[int, ...]) -> NDArray[np.float64]:
    """One number per topic, from one for all or one for each; GainError unless all are positive."""
    numbers = np.asarray(number, dtype=np.float64)
    if not (numbers > 0).all() or np.isinf(numbers).any():
        raise GainError(f"{name} {number!r} is not positive and finite")
    try:
        return np.broadcast_to(numbers, topics)
    except ValueError:
        raise GainError(
            f"{name} has the shape {numbers.shape}, and the topics have {topics}"
        ) from None


def total(terms: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum over the last axis, added strictly from the first rank to the last.

    `numpy.sum` groups its terms by how many there are and how they lie in memory; then a perfect
    ranking would not always score exactly 1. A running sum does neither.
    """
    if not terms.shape[-1]:
        return np.zeros(terms.shape[:-1])
    return np.cumsum(terms, axis=-1)[..., -1]


def shares(gains: NDArray[np.float64], largest: NDArray[np.float64]) -> NDArray[np.float64]:
    """Gains as shares of the largest of their topic; 0 where it has none."""
    most = largest[..., np.newaxis]
    result = np.zeros(np.broadcast_shapes(gains.shape, most.shape))
    return np.divide(gains, most, out=result, where=most > 0)


def ratio(value: NDArray[Any], whole: NDArray[Any]) -> NDArray[np.float64]:
    """A value over what it is a share of; 0 where that is 0."""
    result = np.zeros(np.broadcast_shapes(value.shape, whole.shape))
    np.divide(value, whole, out=result, where=whole > 0)
    return result[()]


def _gains(array: ArrayLike, name: str) -> NDArray[np.float64]:
    gains = np.asarray(array, dtype=np.float64)
    if not gains.ndim:
        raise GainError(f"{name} is a single number; it must have an axis of documents")
    # The smallest and the largest are NaN where any is, and NaN fails both comparisons.
    if not (gains.min(initial=0.0) >= 0 and gains.max(initial=0.0) < np.inf):
        where = tuple(np.argwhere(~((gains >= 0) & (gains < np.inf)))[0].tolist())
        raise GainError(f"{name} gain {gains[where]!s} at {where} is not a finite number from 0")
    return gains
