"""How much the order of systems depends on the topics."""

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.comparison import ComparisonError
from magnitudes.comparison.resampling import Resampled, of_draws, stacked, why_not


def by_topics(
    values: ArrayLike,
    numbers: Sequence[int],
    draws: int = 1000,
    seed: int = 0,
    replace: bool = False,
) -> Resampled:
    """How the order and the top set on fewer topics agree with those on all.

    Parameters:
        values: shape (topics, systems).
        numbers: how many topics are drawn, one number after the other.
        replace: False: without replacement, so that all topics agree with themselves. True: with
            it; as many as there are is then the bootstrap.

    Returns:
        `taus`, `overlaps` and `sizes` of shape (numbers, draws), in the order of `numbers`.

    Raises:
        ComparisonError: a number below 1 or, without replacement, above that of topics.

    >>> by_topics([[0.9, 0.1], [0.8, 0.3]], [1, 2], draws=3).taus.tolist()
    [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
    """
    table = np.asarray(values, dtype=np.float64)
    topics, systems = table.shape
    reason = why_not(table, systems, topics)
    if reason:
        nothing = np.full((len(numbers), draws), np.nan)
        return Resampled(nothing, nothing, nothing, seed, reason)

    def of(number: int) -> Resampled:
        if number < 1 or (number > topics and not replace):
            raise ComparisonError(f"{number} of {topics} topics cannot be drawn")
        subsets = partial(_subsets, np.random.default_rng([seed, number]), number, topics, replace)
        width = number * systems + topics
        return of_draws(table, draws, seed, width, lambda n: table[subsets(n)], number > 1)

    return stacked(list(map(of, numbers)), draws, seed)


def _subsets(
    rng: np.random.Generator, number: int, topics: int, replace: bool, draws: int
) -> NDArray[np.int64]:
    """(draws, number) topics, in ascending order: then means of the same topics are the same."""
    if replace:
        return np.sort(rng.integers(0, topics, (draws, number)), axis=1)
    return np.sort(np.argsort(rng.random((draws, topics)), axis=1)[:, :number], axis=1)
