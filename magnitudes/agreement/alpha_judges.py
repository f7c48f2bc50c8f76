"""How much less sure alpha is because a judge's values of many items depend on one another."""

from typing import NamedTuple

import numpy as np

from magnitudes.agreement.alpha_draws import Ranks
from magnitudes.agreement.alpha_pools import Pool
from magnitudes.agreement.alpha_sums import Floats, Ids


class _OfValues(NamedTuple):
    """Derivatives of observed and expected disagreement by the weight of each value, (n,)."""

    observed: Floats
    expected: Floats


def widening(pools: list[Pool], judges: Ids) -> float:
    """The standard error of alpha over items and judges, in parts of that over items alone.

    Draws of items leave out that the values of one judge go up and down together, as those of a
    unit do that are normalised by its mean, and those of somebody who is careless. Variances of
    cells are in both that of items and that of judges, and are taken off once (Cameron, Gelbach and
    Miller, Journal of Business & Economic Statistics 29(2), 2011).

    Parameters:
        judges: of all values that were given, as in `pools`.

    Returns:
        1 or more: judges who differ by less than their values would lead to expect narrow nothing.
    """
    observed = sum(pool.observed for pool in pools)
    expected = sum(pool.expected for pool in pools)
    of_pools = [_of_values(pool) for pool in pools]
    off = np.concatenate([of.observed / observed - of.expected / expected for of in of_pools])
    items = np.concatenate([np.repeat(pool.starts, pool.counts) for pool in pools])
    places = np.concatenate([np.full(len(pool.values), at) for at, pool in enumerate(pools)])
    by_item = _variance(np.stack([places, items]), off)
    judge = judges[np.concatenate([pool.places for pool in pools])]
    by_judge, by_both = (
        _variance(np.stack(codes), off) for codes in ([judge], [places, items, judge])
    )
    return float(np.sqrt(max(1 + (by_judge - by_both) / by_item, 1))) if by_item > 0 else 1.0


def _variance(codes: Ids, off: Floats) -> float:
    """Of a sum over clusters that do not depend on each other; codes: (k, n)."""
    clusters = np.unique(codes, axis=1, return_inverse=True)[1].ravel()
    sums = np.bincount(clusters, off)
    return float((sums**2).sum() * len(sums) / max(len(sums) - 1, 1))


def _of_values(pool: Pool) -> _OfValues:
    level, values, counts = pool.level, pool.values, pool.counts
    within = level.rows(values, pool.starts)
    across = level.rows(values, np.zeros(1, dtype=np.int64))
    m, sizes = np.repeat(counts, counts), np.repeat(pool.group_sizes, pool.group_sizes)
    if pool.repeats:
        own = level.rows(values, pool.groups)
        within, across = within - own, across - own
    item_pairs = counts**2 - pool.own_pairs
    mean = np.repeat(np.add.reduceat(within, pool.starts) / item_pairs, counts)
    by_observed = mean + 2 * m * (within - (m - sizes) * mean) / np.repeat(item_pairs, counts)
    n, pairs, total = len(values), pool.pairs, across.sum()
    by_expected = (total + 2 * n * across - 2 * n * total / pairs * (n - sizes)) / pairs
    if level.by_ranks:
        of_ranks = _of_ranks(pool)
        by_observed, by_expected = by_observed + of_ranks.observed, by_expected + of_ranks.expected
    return _OfValues(by_observed, by_expected)


def _of_ranks(pool: Pool) -> _OfValues:
    """What the weight of a value changes by the ranks of others."""
    values, counts, sizes = pool.values, pool.counts, pool.group_sizes
    m, own = np.repeat(counts, counts), np.repeat(sizes, sizes)
    of_item = m * values - np.repeat(np.add.reduceat(values, pool.starts), counts)
    of_own = own * values - np.repeat(np.add.reduceat(values, pool.groups), sizes)
    n, ranks = len(values), Ranks(pool)
    by_rank = np.repeat(pool.factors, counts) * 4 * (of_item - of_own)
    by_expected = 4 * n / pool.pairs * (n * values - values.sum() - of_own)
    return _OfValues(*(ranks.by_value(by[:, np.newaxis])[:, 0] for by in (by_rank, by_expected)))
