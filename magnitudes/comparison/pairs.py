"""What the tests of pairs of systems share: values that can be tested, pairs, and a tolerance.

The three tests of single pairs (`paired_t`, `random_signs`, `bootstrap`) ask of every pair alone
whether it differs, two-sided, and do not correct for how many pairs there are. They serve to
compare measures, see `discrimination`. Which pairs of many differ is asked with `tukey`.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.comparison import ComparisonError
from magnitudes.comparison.ranks import rounded

Floats = NDArray[np.float64]
CHUNK_SIZE = 2**17  # doubles that are worked on at once: what stays in the processor's cache
SLACK = 1e-12
TURNS = 1000


class PairTests(NamedTuple):
    """p-values of all pairs; `reason` says why one is NaN, or is empty."""

    p: Floats  # (systems, systems), symmetric, 1 on the diagonal
    seed: int | None  # None where nothing was left to chance
    reason: str


def checked(values: ArrayLike) -> tuple[Floats, str]:
    """Values (topics, systems) to 12 digits, and why no pair of systems can be tested, or "".

    Raises:
        ComparisonError: values that are no table, or an infinite one.

    >>> checked([[0.1 + 0.2, 0.5]])
    (array([[0.3, 0.5]]), 'one topic cannot show a difference')
    """
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2:
        raise ComparisonError(f"values must have the shape (topics, systems), not {table.shape}")
    if np.isinf(table).any():
        topic, system = np.argwhere(np.isinf(table))[0]
        raise ComparisonError(f"the value of system {system} on topic {topic} is infinite")
    topics, systems = table.shape
    reason = ""
    if topics < 2:
        reason = "one topic cannot show a difference" if topics else "there is no topic"
    if systems < 2:
        reason = f"a pair needs 2 systems, not {systems}"
    return rounded(table), reason


def missing(values: Floats) -> str:
    """Which system is the first without a value on a topic; "" where none is."""
    nan = np.argwhere(np.isnan(values))
    return f"system {nan[0][1]} has no value on topic {nan[0][0]}" if len(nan) else ""


def slack(values: Floats) -> float:
    """How much less counts as "at least as large": 1e-12 of the largest value, or of 1.

    >>> slack(np.array([0.5, -4.0]))
    4e-12
    """
    return SLACK * float(np.abs(values).max(initial=1))


def positive(name: str, number: int) -> int:
    """A number of draws, if it is at least 1.

    >>> positive("n_resamples", 0)
    Traceback (most recent call last):
        ...
    magnitudes.comparison.ComparisonError: n_resamples must be at least 1, not 0
    """
    if number < 1:
        raise ComparisonError(f"{name} must be at least 1, not {number}")
    return number


def share_of_draws(extreme: ArrayLike, draws: int) -> Floats:
    """p from the number of draws that are at least as extreme as what was observed.

    (b + 1) / (B + 1): what was observed is one of the arrangements, too, so that p is never 0 and
    no test calls more different than its level says. Phipson and Smyth, Permutation p-values should
    never be zero, Statistical Applications in Genetics and Molecular Biology 9(1), 2010.

    >>> share_of_draws([0, 49], 999)
    array([0.001, 0.05 ])
    """
    return (np.asarray(extreme, dtype=np.float64) + 1) / (draws + 1)


def differences(values: Floats) -> Iterator[tuple[int, slice, Floats]]:
    """How systems differ on each topic, to 12 digits: one of them and all after it, in turn.

    Yields a system, which ones come after it, and by how much these exceed it, shape (those,
    topics). A pair comes once.

    >>> [(system, more.tolist()) for system, _, more in differences(np.array([[1.0, 2, 4]]))]
    [(0, [[1.0], [3.0]]), (1, [[2.0]])]
    """
    rows = np.ascontiguousarray(values.T)
    for system in range(len(rows) - 1):
        later = slice(system + 1, len(rows))
        yield system, later, rounded(rows[later] - rows[system])


def p_values(values: ArrayLike, test: Callable[[Floats], Floats]) -> tuple[Floats, str]:
    """All p-values and why one is NaN, or "".

    Parameters:
        values: shape (topics, systems).
        test: takes those of at least two systems on at least two topics, with no NaN, and returns
            a square of p-values, of which what is above the diagonal is read.

    Raises:
        ComparisonError: values that are no table, or infinite.
    """
    table, reason = checked(values)
    p = np.full((table.shape[1], table.shape[1]), np.nan)
    known = np.flatnonzero(~np.isnan(table).any(axis=0))
    reasons = [reason] if reason else [missing(table)]
    if not reason and len(known) > 1:
        upper = np.triu(test(table[:, known]), 1)
        p[np.ix_(known, known)] = upper + upper.T + np.eye(len(known))
        if np.isnan(upper).any():
            reasons.append("pairs that differ by the same on all topics cannot be tested")
    return p, "; ".join(filter(None, reasons))


def ordered_pairs(means: Floats, p: Floats) -> list[tuple[int, int]]:
    """All pairs of runs, the better one first; the smallest p, then the largest difference, first.

    means: (runs,); p: (runs, runs), symmetric.

    >>> ordered_pairs(np.array([0.1, 0.9]), np.ones((2, 2)))
    [(1, 0)]
    """
    first, second = np.triu_indices(len(means), 1)
    swap = means[first] < means[second]
    better, worse = np.where(swap, second, first), np.where(swap, first, second)
    order = np.lexsort((means[worse] - means[better], p[better, worse]))
    return list(zip(better[order].tolist(), worse[order].tolist(), strict=True))
