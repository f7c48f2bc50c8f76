"""How the order of systems, and who is on top, depend on a choice that could have been another."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluation.comparison import ComparisonError
from evaluation.comparison.correlation import Tau, tau_interval
from evaluation.comparison.top_set import overlap, top_set


class Row(NamedTuple):
    """One alternative against the reference."""

    name: str
    tau: Tau
    overlap: float  # |A and B| / |A|, A the top set of the reference
    members: int  # of the alternative's top set
    reason: str  # why the overlap is NaN; empty where it is not


def sensitivity(reference: ArrayLike, alternatives: Mapping[str, ArrayLike]) -> list[Row]:
    """Tau with its interval, and overlap of top sets, of a reference with each alternative.

    As Tables III and IV of Maddalena, Mizzaro, Scholer and Turpin (ACM TOIS 35(3), 2017), which
    have gains by labels as the reference, and other gains as alternatives.

    Parameters:
        reference: shape (topics, systems), a measure's values. Means over topics order systems.
        alternatives: by name, values of the same systems, on the same topics or on others.

    Returns:
        A row for each, in their order. Below two topics top sets are not tested, and their overlap
        is NaN.

    Raises:
        ComparisonError: values that are no table, or of other systems.

    >>> values = [[0.9, 0.5, 0.1], [0.8, 0.6, 0.2]]
    >>> [row] = sensitivity(values, {"squares": np.square(values)})
    >>> row.name, row.tau.tau, row.overlap
    ('squares', 1.0, 1.0)
    """
    usual = np.asarray(reference, dtype=np.float64)
    return [
        _row(name, usual, np.asarray(values, dtype=np.float64))
        for name, values in alternatives.items()
    ]


def _row(name: str, usual: NDArray[np.float64], other: NDArray[np.float64]) -> Row:
    if usual.ndim != 2 or other.ndim != 2 or usual.shape[1] != other.shape[1]:
        raise ComparisonError(
            f"values of {name} {other.shape} and of the reference {usual.shape} do not fit: "
            "both must be (topics, systems), with the same systems"
        )
    if not len(usual) or not len(other):
        reason = "there is no topic"
        return Row(name, Tau(np.nan, np.nan, np.nan, reason), np.nan, 0, reason)
    tau = tau_interval(usual.mean(axis=0), other.mean(axis=0))
    of_usual, of_other = top_set(usual), top_set(other)
    reason = "" if min(len(usual), len(other)) > 1 else "one topic cannot tell systems apart"
    if not of_usual.members.any():
        reason = "the reference has no top set"
    share = np.nan if reason else float(overlap(of_usual.members, of_other.members))
    return Row(name, tau, share, int(of_other.members.sum()), reason)
