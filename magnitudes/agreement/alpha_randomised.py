"""Whether scores of a document agree better than chance: a randomisation test of alpha."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from magnitudes.agreement import AgreementError
from magnitudes.agreement.alpha_pools import Pool, pools
from magnitudes.agreement.alpha_sums import NO_DIFFERENCE, Floats, Ids
from magnitudes.scaling.groups import chunks, validate_codes

STAYS = -1  # block of a value that is not permuted
TOLERANCE = 1e-12


class Randomised(NamedTuple):
    """The share of permutations with an alpha as high as that of the values as they are."""

    p: float  # (b + 1) / (B + 1); NaN where alpha is not defined, or nothing can change places
    alphas: Floats  # (permutations,), NaN likewise
    seed: int


def randomisation_test(
    values: ArrayLike,
    items: ArrayLike,
    blocks: ArrayLike,
    level: str = "ratio",
    first: int | None = None,
    permutations: int = 999,
    *,
    seed: int,
    judges: ArrayLike | None = None,
    strata: ArrayLike | None = None,
) -> Randomised:
    """The test of no agreement: whether alpha is higher than where values are given at random.

    Where nobody agrees on which document is better, the values that were given in one block (a
    unit) might as well stand with one of its documents as with another. They are permuted within
    each block, all blocks anew for each permutation, and alpha is computed of what results. What
    differs between blocks and strata stays as it is: pooled alpha of topics whose scores lie apart
    exceeds 0 without any agreement, in every permutation as in the values themselves.

    Parameters:
        values, items, level, first, judges, strata: see `alpha.krippendorff_alpha`.
        blocks: shape (n,), whole numbers from 0: what each value may change places within; -1: it
            stays, as those of anchors do, whose order a check forces. Only values that count for
            alpha change places, and only with each other.
        permutations: how many, B.
        seed: of `numpy.random.default_rng`.

    Returns:
        See `Randomised`: b permutations have an alpha as high or higher (to 1e-12), one-sided.

    Raises:
        AgreementError: fewer than one permutation; else as `krippendorff_alpha`.
        ScalingError: as `krippendorff_alpha`.

    >>> values, items = [1, 5, 20, 2, 8, 30, 1, 6, 25], [0, 1, 2] * 3
    >>> round(randomisation_test(values, items, [0, 0, 0, 1, 1, 1, 2, 2, 2], seed=1).p, 2)
    0.04
    """
    if permutations < 1:
        raise AgreementError(f"there must be at least one permutation, not {permutations}")
    parts = pools(values, items, level, first, judges, strata)
    codes = np.asarray(blocks)
    block = validate_codes(codes - STAYS, codes.size, np.iinfo(np.int64).max, "blocks") + STAYS
    movable = [_movable(block[pool.places]) for pool in parts]
    expected = sum(pool.expected for pool in parts)
    if not any(map(len, movable)) or expected <= NO_DIFFERENCE * sum(len(p.values) for p in parts):
        return Randomised(np.nan, np.full(permutations, np.nan), seed)
    random = np.random.default_rng(seed)
    alphas = 1 - _quotients(parts, [block[p.places] for p in parts], permutations, random)
    higher = int((alphas[1:] >= alphas[0] - TOLERANCE).sum())
    return Randomised((higher + 1) / (permutations + 1), alphas[1:], seed)


def _quotients(
    parts: list[Pool], blocks: list[Ids], permutations: int, random: np.random.Generator
) -> Floats:
    """(1 + permutations,), observed over expected disagreement, first of values as they are."""
    totals = np.zeros((2, permutations + 1))
    for pool, block in zip(parts, blocks, strict=True):
        for part in chunks(permutations + 1, len(pool.values)):
            size, is_first = part.stop - part.start, part.start == 0
            rows = _permuted(pool.values, block, size, is_first, random)
            totals[:, part] += _disagreements(pool, rows)
    return np.asarray(totals[0] / totals[1])


def _permuted(
    values: Floats, block: Ids, rows: int, as_they_are: bool, random: np.random.Generator
) -> Floats:
    """(rows, n): values that changed places within their block; the first row may be untouched."""
    moved = _movable(block)
    order = moved[np.argsort(block[moved], kind="stable")]
    permuted = np.tile(values, (rows, 1))
    if len(order):
        lots = np.argsort(block[order] + random.random((rows, len(order))), axis=1)
        start = int(as_they_are)
        permuted[start:, order] = values[order][lots[start:]]
    return permuted


def _movable(block: Ids) -> Ids:
    """The places of values that share their block with another."""
    _, of, sizes = np.unique(block, return_inverse=True, return_counts=True)
    return np.flatnonzero((sizes[of] > 1) & (block != STAYS))


def _disagreements(pool: Pool, rows: Floats) -> Floats:
    """Observed and expected disagreement, (2, rows), of other values in a pool's places."""
    shape, whole = (len(rows), len(pool.counts)), rows.ravel()
    starts = np.add.outer(np.arange(len(rows)) * len(pool.values), pool.starts).ravel()
    within = pool.level.within(whole, starts).reshape(shape)
    own = np.stack([pool.own_of(row) for row in rows]) if pool.repeats else np.zeros(shape)
    observed = (within - own) @ pool.factors
    across = pool.sums.across(pool.counts) - own.sum(axis=1)
    return np.stack([observed, len(pool.values) * across / pool.pairs])
