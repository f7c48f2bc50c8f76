"""Which pairs of systems differ, when all pairs are asked about at once: randomised Tukey HSD."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.comparison import ComparisonError
from magnitudes.comparison.pairs import (
    CHUNK_SIZE,
    SLACK,
    Floats,
    checked,
    missing,
    positive,
    share_of_draws,
    slack,
)
from magnitudes.comparison.ranks import DIGITS, rounded
from magnitudes.comparison.top_set import LEVEL
from magnitudes.scaling.groups import chunks

N_RESAMPLES = 5000


class Tukey(NamedTuple):
    """All pairs, row against column; `reason` says why something is NaN, or is empty."""

    p: Floats  # (systems, systems), symmetric, 1 on the diagonal
    difference: Floats  # (systems, systems), mean of the row's system less the column's
    effect: Floats  # (systems, systems), |difference| in residual standard deviations
    n_resamples: int
    seed: int
    reason: str
    ranges: Floats  # (n_resamples,), of the means by chance, ascending; empty where p is NaN
    tolerance: float  # by which a range may be smaller than a difference and count


class Discrepancies(NamedTuple):
    """Pairs that are significant under one definition alone; columns are the two definitions."""

    pairs: NDArray[np.int64]  # (n, 2), the system that the first definition has higher comes first
    p: Floats  # (n, 2)
    difference: Floats  # (n, 2), first system less second; below 0 the second definition swaps them
    effect: Floats  # (n, 2)
    reason: str  # why nothing could be compared, or empty


def tukey_hsd(values: ArrayLike, n_resamples: int = N_RESAMPLES, seed: int = 0) -> Tukey:
    """Randomised Tukey HSD ("honestly significant difference"), paired by topic.

    If systems did not differ, the values of a topic could as well stand in any other order. They
    are put in a random order on each topic, independently; of the means of the columns that come
    about, the largest and the smallest are kept, and

        p = (1 + draws with  largest mean - smallest mean >= |difference of the pair|) / (B + 1)
        effect = |difference| / √(residual mean square)
        residual mean square = Σ (x - topic's mean - system's mean + mean)² / ((n - 1) (m - 1))

    with n topics and m systems. As every pair is compared with the range of all systems, the chance
    that even one pair is called different where none is, is the level that p is compared with: no
    correction for many tests is needed. Adding a number to all values of a topic changes nothing.

    Carterette, Multiple testing in statistical analysis of systems-based information retrieval
    experiments, ACM TOIS 30(1), 2012. The effect size is that of Sakai, Statistical reform in
    information retrieval?, SIGIR Forum 48(1), 2014. `scipy.stats.tukey_hsd` is another test: it
    does not pair by topic.

    Parameters:
        values: shape (topics, systems), a measure's values; taken to 12 digits.
        n_resamples: B, how often. p has a standard error of √(p (1 - p) / B): of 5,000, .003 at
            .05. As the values as they are count as a draw, it is never 0 (see `share_of_draws`).
        seed: what `numpy.random.default_rng` starts with. The same seed gives tables of the same
            shape the same orders, so that two definitions of gain are not told apart by chance.

    Returns:
        `p`, `difference` (in the unit of the measure), `effect` (without unit) and `reason`. Below
        two topics or systems, or where a value is NaN, all three are NaN: a range is over all
        systems, so no pair has a p of its own. Where systems differ by the same on all topics
        there is no residual, and effects alone are NaN.

    Time grows with draws · topics · systems; memory does not grow with draws.

    Raises:
        ComparisonError: values that are no table, or infinite; fewer than one draw.

    >>> tested = tukey_hsd([[0.9, 0.5, 0.4], [0.8, 0.3, 0.4], [0.9, 0.4, 0.5], [0.7, 0.5, 0.3]])
    >>> tested.p.round(2)
    array([[1.  , 0.05, 0.04],
           [0.05, 1.  , 1.  ],
           [0.04, 1.  , 1.  ]])
    >>> tested.effect[0].round(2)
    array([0.  , 4.62, 4.91])
    """
    table, reason = checked(values)
    positive("n_resamples", n_resamples)
    reason = reason or missing(table)
    topics, systems = table.shape
    p, difference, effect = np.full((3, systems, systems), np.nan)
    if reason:
        return Tukey(p, difference, effect, n_resamples, seed, reason, np.empty(0), 0.0)
    centred = table - table.mean(axis=1, keepdims=True)
    means = centred.mean(axis=0)
    difference = rounded(means[:, np.newaxis] - means)
    ranges = np.sort(_ranges(centred, n_resamples, seed))
    tolerance = slack(table)
    p = share_of_draws(
        n_resamples - np.searchsorted(ranges, np.abs(difference) - tolerance), n_resamples
    )
    residuals = rounded(centred - means)
    square = (residuals**2).sum() / ((topics - 1) * (systems - 1))
    if square > 0:
        effect = np.abs(difference) / np.sqrt(square)
    else:
        reason = "systems differ by the same on all topics, so effects have no unit"
    return Tukey(p, difference, effect, n_resamples, seed, reason, ranges, tolerance)


def critical_difference(tukey: Tukey, level: float = LEVEL) -> float:
    """The one difference that decides: the smallest with p < level, to 12 digits.

    p of `tukey_hsd` depends on a pair's difference alone, as each is compared with the same ranges.
    With bars of half of this to both sides of every mean, two systems differ if and only if their
    bars do not overlap.

    Parameters:
        tukey: what `tukey_hsd` gives.
        level: above 0, below which p is significant.

    Returns:
        In the unit of the measure: just above the largest range of which, with all that are larger
        and 1, there are level · (n_resamples + 1) or more. NaN where p is; infinite where there are
        too few draws for any p below the level.

    >>> tested = tukey_hsd([[0.9, 0.5, 0.4], [0.8, 0.3, 0.4], [0.9, 0.4, 0.5], [0.7, 0.5, 0.3]])
    >>> round(critical_difference(tested), 3), np.abs(tested.difference[0]).round(3)
    (0.4, array([0.   , 0.4  , 0.425]))
    """
    if not tukey.ranges.size:
        return np.nan
    reaching = int(np.ceil((tukey.n_resamples + 1) * level - SLACK)) - 1
    if reaching < 1:
        return np.inf
    step = 10.0**-DIGITS
    return float(rounded(tukey.ranges[-reaching] + tukey.tolerance) + step)


def _ranges(centred: Floats, n_resamples: int, seed: int) -> Floats:
    """The range of the means of systems in each draw."""
    rng = np.random.default_rng(seed)
    step = max(1, CHUNK_SIZE // centred.size)
    ranges, work = np.empty(n_resamples), np.empty((step, *centred.shape))
    for part in chunks(n_resamples, centred.size, CHUNK_SIZE):
        shuffled = work[: part.stop - part.start]
        shuffled[:] = centred
        rng.permuted(shuffled, axis=-1, out=shuffled)
        ranges[part] = np.ptp(np.einsum("ijk->ik", shuffled), axis=1) / len(centred)
    return ranges


def discrepancies(first: Tukey, second: Tukey, level: float = LEVEL) -> Discrepancies:
    """The pairs that are significant (p < level) under one of two definitions and not the other.

    Table 3 of Sakai, Unanimity-Aware Gain for Highly Subjective Assessments, EVIA 2017.

    Parameters:
        first, second: of the same systems, in the same order; with the same seed, if chance is not
            to add to what differs.

    Returns:
        Pairs in the order of systems, and what each definition says of them.

    Raises:
        ComparisonError: different numbers of systems.

    >>> first = tukey_hsd([[0.9, 0.5], [0.8, 0.3], [0.9, 0.4], [0.7, 0.5], [0.6, 0.5], [0.8, 0.6]])
    >>> second = tukey_hsd([[0.9, 0.5], [0.8, 0.3], [0.9, 0.4], [0.7, 0.5], [0.6, 0.5], [0.2, 0.6]])
    >>> result = discrepancies(first, second)
    >>> result.pairs, result.p.round(2)
    (array([[0, 1]]), array([[0.03, 0.18]]))
    """
    if first.p.shape != second.p.shape:
        raise ComparisonError(
            f"the definitions have {len(first.p)} and {len(second.p)} systems; "
            "they must be the same"
        )
    unknown = [tukey.reason for tukey in (first, second) if np.isnan(tukey.p).any()]
    pairs = np.argwhere(np.triu((first.p < level) != (second.p < level), 1))
    if unknown:
        pairs = pairs[:0]
    worse = first.difference[tuple(pairs.T)] < 0
    pairs[worse] = pairs[worse, ::-1]
    p, difference, effect = (
        np.stack([a[tuple(pairs.T)], b[tuple(pairs.T)]], axis=1)
        for a, b in zip(first[:3], second[:3], strict=True)
    )
    return Discrepancies(pairs, p, difference, effect, unknown[0] if unknown else "")
