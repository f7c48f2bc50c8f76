"""Gains as whole numbers, for tools that read nothing else.

trec_eval cuts the decimals off a relevance without a word, and pytrec_eval, ir_measures and ranx
refuse a file that has some. There are two ways to give them whole numbers:

| way         | what is written                                  | what is lost                   |
|-------------|--------------------------------------------------|--------------------------------|
| `multiply`  | each gain times one factor, rounded              | the decimals that are left     |
| `in_levels` | levels 1 to N of equal counts; 0 for a gain of 0 | differences within a level     |

nDCG with linear gains is the same whatever the factor. ERR is not, nor is nDCG with 2^gain - 1.
Levels keep the order of documents alone: nDCG needs the gain that each level stands for, which
trec_eval takes as `-m ndcg.1=35,2=120`.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.gains import GainError

# trec_eval keeps a table with a place for every number up to the largest, for each topic.
LARGEST = 1_000_000
FEWEST_LEVELS, MOST_LEVELS = 2, 127  # what fits a signed byte
# trec_eval reads the gains of levels as single precision, which is exact up to here.
EXACT = 2**24

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class WholeNumbers(NamedTuple):
    """What stands for each gain, and what a reader has to know of it."""

    numbers: Ints  # (n,)
    remark: str  # what is lost
    gain_of_level: Mapping[int, float]  # empty where numbers are no levels


def are_whole(gains: ArrayLike) -> bool:
    """Whether no gain has decimals.

    >>> are_whole([0.0, 2.0]), are_whole([0.5, 2.0])
    (True, False)
    """
    values = np.asarray(gains, dtype=np.float64)
    return bool((values == np.floor(values)).all())


def multiply(gains: ArrayLike, factor: float) -> WholeNumbers:
    """Each gain times a factor, rounded to a whole number.

    Parameters:
        gains: shape (n,), 0 or more.
        factor: above 0.

    Returns:
        Numbers from 0 to `LARGEST`; the remark gives the largest change, in parts of its gain.

    Raises:
        GainError: a factor that is not positive and finite; a largest number above `LARGEST`; a
            gain above 0 that would become 0, as if the document were not relevant.

    >>> multiply([0.25, 1.5, 0], 100).numbers
    array([ 25, 150,   0])
    >>> multiply([1.25, 1.5], 1).remark
    'the gains times 1, rounded: no gain is changed by more than 33%'
    """
    values = np.asarray(gains, dtype=np.float64)
    if not (np.isfinite(factor) and factor > 0):
        raise GainError(f"the factor {factor:g} is not a number above 0")
    largest = values.max(initial=0.0) * factor
    if largest > LARGEST:
        raise GainError(
            f"times {factor:g} the largest gain is {largest:,.0f}, and readers of whole numbers "
            f"take {LARGEST:,} at most: a smaller factor loses decimals, levels lose less"
        )
    numbers = np.rint(values * factor)
    positive = values > 0
    vanished = positive & (numbers == 0)
    if vanished.any():
        smallest = values[positive].min()
        raise GainError(
            f"times {factor:g} the gain {smallest:g} is rounded to 0, as are {vanished.sum():,} "
            f"of {positive.sum():,} gains above 0: the factor must be above {0.5 / smallest:g}"
        )
    changes = np.abs(numbers[positive] / factor - values[positive]) / values[positive]
    change = changes.max(initial=0.0)
    lost = f"no gain is changed by more than {100 * change:.2g}%" if change else "nothing is lost"
    return WholeNumbers(
        numbers.astype(np.int64), f"the gains times {factor:g}, rounded: {lost}", {}
    )


def in_levels(gains: ArrayLike, n_levels: int) -> WholeNumbers:
    """Levels from 1 for the gains above 0, as many documents in each as equal gains allow.

    A gain of 0 has the level 0. Equal gains have the same level, that of their middle place among
    all gains above 0, so that there may be fewer levels than were asked for; where there are no
    more different gains than levels, each has a level of its own and nothing is lost. A level
    stands for the median of its gains.

    Parameters:
        gains: shape (n,), 0 or more.
        n_levels: from 2 to 127.

    Raises:
        GainError: another number of levels.

    >>> result = in_levels([0, 1, 2, 3, 10, 20, 60], 2)
    >>> result.numbers, dict(result.gain_of_level)
    (array([0, 1, 1, 1, 2, 2, 2]), {1: 2.0, 2: 20.0})
    """
    if not FEWEST_LEVELS <= n_levels <= MOST_LEVELS:
        raise GainError(
            f"{n_levels} levels: expected a whole number from {FEWEST_LEVELS} to {MOST_LEVELS}"
        )
    values = np.asarray(gains, dtype=np.float64)
    levels = np.zeros(len(values), dtype=np.int64)
    positive = values > 0
    levels[positive] = _levels(values[positive], n_levels)
    gain_of_level = {
        int(level): float(np.median(values[levels == level]))
        for level in np.unique(levels)
        if level
    }
    return WholeNumbers(levels, _within_levels(values, levels, gain_of_level), gain_of_level)


def _levels(values: Floats, n_levels: int) -> Ints:
    """The level of each gain above 0, from 1 and without a gap."""
    different, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    if len(different) <= n_levels:
        return place + 1
    twice_the_middle = 2 * np.cumsum(counts) - counts
    share = n_levels * twice_the_middle // (2 * len(values))
    _, without_gaps = np.unique(share, return_inverse=True)
    result: Ints = without_gaps[place] + 1
    return result


def _within_levels(values: Floats, levels: Ints, gain_of_level: Mapping[int, float]) -> str:
    """What is lost by levels: how far a gain is from the one of its level."""
    counted = f"{len(gain_of_level)} levels of the gains above 0"
    positive = levels > 0
    stood_for = np.array([gain_of_level[level] for level in levels[positive].tolist()])
    ratios = np.exp(np.abs(np.log(values[positive] / stood_for)))
    furthest = ratios.max(initial=1.0)
    if furthest == 1:
        return f"{counted}, one for each different gain: nothing is lost but the gains themselves"
    return (
        f"{counted}: documents of one level count alike, and a gain is up to {furthest:.3g} "
        "times as large or as small as the one that its level stands for"
    )


def trec_eval_gains(gain_of_level: Mapping[int, float]) -> str:
    """The gains of levels as trec_eval's `-m ndcg.` takes them: whole numbers, one factor for all.

    trec_eval takes gains that are less than 1 apart for equal when it sorts the ideal list, so
    that a perfect list may score 0; nDCG is the same whatever the factor. The factor is the
    smallest power of ten that leaves no decimals, or the largest by which all stay exact.

    >>> trec_eval_gains({1: 3.5, 2: 9.25})
    '1=350,2=925'
    """
    gains = np.array(list(gain_of_level.values()))
    if not gains.size:
        return ""
    room = int(np.floor(np.log10(EXACT / gains.max())))
    powers = (10.0**power for power in range(min(room, 0), room))
    factor = next((power for power in powers if are_whole(gains * power)), 10.0**room)
    whole = np.rint(gains * factor).astype(np.int64).tolist()
    return ",".join(f"{level}={gain}" for level, gain in zip(gain_of_level, whole, strict=True))
