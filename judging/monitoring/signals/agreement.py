"""Whether a worker's numbers go with those of others, or no more than random numbers would.

Of a unit: Spearman's rank correlation between its scores and the medians of what others gave to the
same documents. Of a worker: the mean over their units.

They are compared with random numbers: a permutation test deals the unit's own numbers out to its
documents in any order that passes check (c), which every completed unit has passed. The mean and
the variance over all such orders are computed, not drawn (Hoeffding, A combinatorial central limit
theorem, Annals of Mathematical Statistics 22(4), 1951); of the mean over units 90% are taken to lie
within 1.645 standard deviations.

A worker agrees no more than random numbers would if they lie below the upper end of those 90%, as
19 of 20 who give random numbers do, and if a worker with usual units would do so at most once in 40
times. Where more would, there are too few units to say. Usual units are those of the others, but of
workers who have some and lie low, so that many random givers do not hide each other. Each worker is
one such question: of many careful ones a few come out wrong by chance.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
Z_RANDOM = 1.644854  # of a standard normal: 5% lie above
Z_CAREFUL = 1.959964  # 2.5% lie below minus this
FALSE_ALARMS = 0.025
MIN_UNITS_OF_OUTLIER = 3  # of a worker who lies low: then theirs do not count as usual
MIN_OTHERS = 2  # who judged a document
MIN_DOCUMENTS = 5  # of a unit, both anchors among them


class Verdict(StrEnum):
    MORE = "more than random numbers would"
    NO_MORE = "no more than random numbers would"
    TOO_FEW = "too few to say"


@dataclass(frozen=True)
class Agreement:
    """mean: of the correlations of a worker's units; low, high: where 90% of random numbers lie.

    is_enough: whether a worker whose units were like those of the others would lie above.
    """

    units: int
    mean: float
    low: float
    high: float
    is_enough: bool
    is_low: bool

    @property
    def verdict(self) -> Verdict:
        if not self.is_low:
            return Verdict.MORE
        return Verdict.NO_MORE if self.is_enough else Verdict.TOO_FEW


@dataclass(frozen=True)
class Units:
    """A value a unit; workers: keys; expected, variances: of the correlation of random numbers."""

    workers: Ints
    correlations: Floats
    expected: Floats
    variances: Floats


def agreements(
    workers: Ints, documents: Ints, scores: Floats, *, graded: bool
) -> dict[int, Agreement]:
    """By worker, of those with units that can be compared.

    workers: (units,), keys; documents, scores: (units, unit size), H_k and N_k in the first two
    columns. graded: scores are levels; else magnitudes, which are compared as logs less their
    unit's mean, since everybody has a scale of their own.
    """
    units = comparable_units(workers, documents, scores, graded=graded)
    if not len(units.workers):
        return {}
    keys, places = np.unique(units.workers, return_inverse=True)
    counts = np.bincount(places)
    mean = np.bincount(places, units.correlations) / counts
    expected = np.bincount(places, units.expected) / counts
    margin = Z_RANDOM * np.sqrt(np.bincount(places, units.variances)) / counts
    is_low = mean <= expected + margin
    usual, spread = _usual(units.correlations[~(is_low & (counts >= MIN_UNITS_OF_OUTLIER))[places]])
    spread_of_mean = spread / np.sqrt(counts)
    is_enough = usual - Z_CAREFUL * spread_of_mean >= expected + margin
    return {
        int(key): Agreement(
            int(counts[n]),
            float(mean[n]),
            float(expected[n] - margin[n]),
            float(expected[n] + margin[n]),
            bool(is_enough[n]),
            bool(is_low[n]),
        )
        for n, key in enumerate(keys)
    }


def _usual(correlations: Floats) -> tuple[float, float]:
    """Mean and spread over units; where nobody agrees, of units that do not agree at all."""
    if not len(correlations):
        return 0.0, 1.0
    return float(correlations.mean()), max(float(correlations.std()), 1e-9)


def comparable_units(workers: Ints, documents: Ints, scores: Floats, *, graded: bool) -> Units:
    """The units of which enough documents, both anchors among them, have enough other scores."""
    logs = scores if graded else np.log(scores)
    on_one_scale = logs if graded else logs - logs.mean(axis=1, keepdims=True)
    medians = medians_of_others(documents, on_one_scale)
    counts = ~np.isnan(medians)
    own, others = ranks(scores, counts), ranks(np.nan_to_num(medians), counts)
    size = np.sqrt((own**2).sum(axis=1) * (others**2).sum(axis=1))
    fits = (size > 0) & counts[:, :2].all(axis=1) & (counts.sum(axis=1) >= MIN_DOCUMENTS)
    fits &= scores[:, 0] > scores[:, 1]
    own, others, size = own[fits], others[fits], size[fits]
    expected, variances = random_sums(own, others, counts[fits])
    products = (own * others).sum(axis=1)
    return Units(workers[fits], products / size, expected / size, variances / size**2)


def medians_of_others(documents: Ints, scores: Floats) -> Floats:
    """For each score the median of all other scores of its document; NaN where they are too few."""
    keys, values = documents.ravel(), scores.ravel()
    order = np.lexsort((values, keys))
    keys, values = keys[order], values[order]
    firsts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])
    sizes = np.diff(firsts, append=len(keys))
    first, others = np.repeat(firsts, sizes), np.repeat(sizes, sizes) - 1
    own_rank = np.arange(len(keys)) - first

    def value_at(rank: Ints) -> Floats:
        index = first + rank + (rank >= own_rank)
        return np.asarray(values[np.minimum(index, len(values) - 1)], dtype=np.float64)

    middle = (value_at(np.maximum(others - 1, 0) // 2) + value_at(others // 2)) / 2
    medians = np.empty(len(keys))
    medians[order] = np.where(others >= MIN_OTHERS, middle, np.nan)
    return medians.reshape(documents.shape)


def ranks(values: Floats, counts: Mask) -> Floats:
    """Ranks within rows, less their mean, ties sharing theirs; 0 for what does not count.

    >>> ranks(np.array([[7.0, 2.0, 2.0, 99.0]]), np.array([[True, True, True, False]]))
    array([[ 1. , -0.5, -0.5,  0. ]])
    """
    both = counts[:, :, np.newaxis] & counts[:, np.newaxis, :]
    signs = np.sign(values[:, :, np.newaxis] - values[:, np.newaxis, :])
    return np.asarray(np.where(both, signs, 0).sum(axis=2) / 2, dtype=np.float64)


def random_sums(own: Floats, others: Floats, counts: Mask) -> tuple[Floats, Floats]:
    """Mean and variance of the sum of products when own ranks are dealt out anew.

    H_k and N_k, the first two columns, get any pair of ranks of which the first is higher, each
    such pair as often; the other documents get what is left, in any order. own, others: (units,
    unit size), as from `ranks`; counts: which of them count.
    """
    rest = counts.sum(axis=1) - 2.0
    h_k, n_k = others[:, 0], others[:, 1]
    spread_of_rest = (others**2).sum(axis=1) - h_k**2 - n_k**2 - (h_k + n_k) ** 2 / rest
    h_k, n_k, rest, spread_of_rest = (
        column[:, np.newaxis, np.newaxis] for column in (h_k, n_k, rest, spread_of_rest)
    )
    high, low = own[:, :, np.newaxis], own[:, np.newaxis, :]
    pairs = (high > low) & counts[:, :, np.newaxis] & counts[:, np.newaxis, :]
    mean = h_k * high + n_k * low + (h_k + n_k) * (high + low) / rest
    squares = (own**2).sum(axis=1)[:, np.newaxis, np.newaxis]
    left = squares - high**2 - low**2 - (high + low) ** 2 / rest
    second = left * spread_of_rest / (rest - 1) + mean**2
    number = pairs.sum(axis=(1, 2))
    expected = (mean * pairs).sum(axis=(1, 2)) / number
    return expected, (second * pairs).sum(axis=(1, 2)) / number - expected**2
