"""Observed and expected disagreement of items drawn again and again, and their variances.

Item i of a draw counts w_i times. Pairs of values of two copies of one item are none of two items,
and are left out of what is expected: with them, draws of few items would expect too little.

Observed and expected disagreement are functions of w, and their derivatives by w give the variances
and the covariance that one draw by itself leads to expect (the infinitesimal jackknife), by which
alpha is studentised.
"""

from typing import NamedTuple

import numpy as np

from magnitudes.agreement.alpha_pools import Pool
from magnitudes.agreement.alpha_sums import Floats, Ids
from magnitudes.scaling.groups import Resamples

ALL_AGREE = 1e-12  # observed over expected disagreement that is as good as 0


class Moments(NamedTuple):
    """Of each draw, (draws,): the disagreements of `Pool`, their variances and covariance."""

    observed: Floats
    expected: Floats
    of_observed: Floats
    of_both: Floats
    of_expected: Floats

    @property
    def quotient(self) -> Floats:
        """Observed over expected: 1 - alpha; NaN where nothing is expected."""
        expected = np.where(self.expected > 0, self.expected, np.nan)
        quotient = np.asarray(self.observed / expected)
        return np.where(quotient <= ALL_AGREE, 0.0, quotient)

    @property
    def error(self) -> Floats:
        """The standard error of the logarithm of `quotient`; NaN where there is none."""
        observed = np.where(self.quotient > 0, self.observed, np.nan)
        expected = np.where(self.expected > 0, self.expected, np.nan)
        variance = self.of_observed / observed**2 + self.of_expected / expected**2
        variance -= 2 * self.of_both / (observed * expected)
        return np.sqrt(np.where(variance > 0, variance, np.nan))


class _Derived(NamedTuple):
    """Observed and expected, (draws,), and their derivatives by the weight of each item."""

    observed: Floats
    expected: Floats
    by_observed: Floats  # (draws, items)
    by_expected: Floats


def moments(pools: list[Pool], resamples: int, seed: int) -> Moments:
    """Draws of the items of every pool, each from its own, added up."""
    of_pools = [_of_pool(pool, resamples, seed + place) for place, pool in enumerate(pools)]
    return Moments(*np.sum(of_pools, axis=0))


def as_they_are(pools: list[Pool]) -> Moments:
    """The items themselves, each once: arrays of one."""
    of_pools = [_moments(pool, np.ones((1, len(pool.counts)))) for pool in pools]
    return Moments(*np.sum(of_pools, axis=0))


def _of_pool(pool: Pool, resamples: int, seed: int) -> Moments:
    of_draws = np.empty((len(Moments._fields), resamples))
    width = len(pool.values) if pool.level.by_ranks else len(pool.counts)
    for part, weights in Resamples(len(pool.counts), resamples, seed).chunks(width):
        of_draws[:, part] = _moments(pool, weights)
    return Moments(*of_draws)


def _moments(pool: Pool, weights: Floats) -> Moments:
    derived = _by_ranks(pool, weights) if pool.level.by_ranks else _by_sums(pool, weights)
    items = weights.shape[1]
    x, y = derived.by_observed, derived.by_expected
    wx, wy = weights * x, weights * y
    variances = (
        (np.einsum("ij,ij->i", one, other) - mine * theirs / items) * items / (items - 1)
        for one, other, mine, theirs in (
            (wx, x, wx.sum(axis=1), wx.sum(axis=1)),
            (wx, y, wx.sum(axis=1), wy.sum(axis=1)),
            (wy, y, wy.sum(axis=1), wy.sum(axis=1)),
        )
    )
    return Moments(derived.observed, derived.expected, *variances)


def _by_sums(pool: Pool, weights: Floats) -> _Derived:
    """Where δ² of two values is the same in every draw."""
    sums, own_pairs = pool.sums, pool.own_pairs
    each = pool.factors * (sums.within - pool.own)
    n, squares, parts = weights @ pool.counts, weights @ sums.squares, weights @ sums.parts
    copies, counts2 = weights**2 - weights, pool.counts**2
    across = n * squares - (parts**2).sum(axis=1) - weights @ pool.own - copies @ sums.within
    pairs = n**2 - weights @ own_pairs - copies @ counts2
    expected = n * across / pairs
    terms = np.stack([pool.counts, sums.squares, sums.within - pool.own, own_pairs - counts2])
    by_terms = [across + n * squares - 2 * n * expected, n**2, n, expected]
    by_expected = np.stack(by_terms / pairs, axis=1) @ terms
    by_expected -= ((2 * n / pairs)[:, np.newaxis] * parts) @ sums.parts.T
    by_copies = np.stack([-n, expected] / pairs, axis=1) @ np.stack([sums.within, counts2])
    by_expected += 2 * weights * by_copies
    by_observed = np.broadcast_to(each, weights.shape)
    return _Derived(weights @ each, expected, by_observed, by_expected)


def _by_ranks(pool: Pool, weights: Floats) -> _Derived:
    """Where δ² is of ranks, which are those among the values of the draw.

    Arrays are (n, draws) and (items, draws): rows are gathered faster than columns.
    """
    counts, sizes = pool.counts[:, np.newaxis], pool.group_sizes[:, np.newaxis]
    item_weights = np.ascontiguousarray(weights.T)
    weight, ranks = np.repeat(item_weights, pool.counts, axis=0), Ranks(pool)
    r = ranks.of(weight)
    r2 = r**2
    sums, squares = _sums(r, pool.starts), _sums(r2, pool.starts)
    own_sums = _sums(r, pool.groups)
    own = 2 * (sizes * _sums(r2, pool.groups) - own_sums**2)
    own = _sums(own, np.searchsorted(pool.groups, pool.starts))
    factors = pool.factors[:, np.newaxis]
    within = 2 * (counts * squares - sums**2)
    each = factors * (within - own)
    copies, counts2 = item_weights**2 - item_weights, counts**2
    n, total, total2 = ((item_weights * of).sum(axis=0) for of in (counts, sums, squares))
    pairs = n**2 - weights @ pool.own_pairs - (copies * counts2).sum(axis=0)
    across = 2 * (n * total2 - total**2) - (item_weights * own + copies * within).sum(axis=0)
    expected = n * across / pairs
    of_own = np.repeat(sizes, pool.group_sizes, axis=0) * r
    of_own -= np.repeat(own_sums, pool.group_sizes, axis=0)
    of_item = np.repeat(counts, pool.counts, axis=0) * r - np.repeat(sums, pool.counts, axis=0)
    of_item -= of_own
    by_observed = each + ranks.by_weight(
        4 * weight * np.repeat(factors, pool.counts, axis=0) * of_item
    )
    by_across = counts * 2 * total2 + 2 * n * squares - 4 * total * sums - own
    by_across -= (2 * item_weights - 1) * within
    by_rank = weight * (n * r - total - of_own)
    by_rank -= np.repeat(copies, pool.counts, axis=0) * (of_item + of_own)
    by_across += ranks.by_weight(4 * by_rank)
    by_pairs = 2 * n * counts - pool.own_pairs[:, np.newaxis] - (2 * item_weights - 1) * counts2
    by_expected = (across * counts + n * by_across - expected * by_pairs) / pairs
    observed = (item_weights * each).sum(axis=0)
    return _Derived(observed, expected, by_observed.T, by_expected.T)


class Ranks:
    """Mean ranks of a pool's values where each counts as often as its item: all less one half."""

    def __init__(self, pool: Pool) -> None:
        self.items = pool.starts
        self.codes = np.unique(pool.values, return_inverse=True)[1]
        self.order = np.argsort(self.codes, kind="stable")
        self.starts = np.flatnonzero(np.diff(self.codes[self.order], prepend=-1))

    def of(self, weight: Floats) -> Floats:
        """(n, draws), from the weight of each value."""
        equal = _sums(weight[self.order], self.starts)
        return np.asarray((np.cumsum(equal, axis=0) - equal / 2)[self.codes])

    def by_weight(self, by_rank: Floats) -> Floats:
        """A derivative by the weight of each item, from that by the rank of each value."""
        return _sums(self.by_value(by_rank), self.items)

    def by_value(self, by_rank: Floats) -> Floats:
        """A derivative by the weight of each value, from that by its rank.

        A value that counts more lifts all that lies above it, and by half what equals it.
        """
        equal = _sums(by_rank[self.order], self.starts)
        above = np.cumsum(equal[::-1], axis=0)[::-1] - equal / 2
        return np.asarray(above[self.codes])


def _sums(table: Floats, starts: Ids) -> Floats:
    """Of each column, the sums from each start to the next."""
    return np.asarray(np.add.reduceat(table, starts, axis=0))
