"""The four quality checks (Maddalena et al., section 3.2.5): plain values in, verdict out."""

from collections.abc import Sequence
from itertools import pairwise


def lines_in_order(lengths: Sequence[float], scores: Sequence[float]) -> bool:
    """Check (a): the scores rise strictly when the lines are sorted by length."""
    by_length = [score for _, score in sorted(zip(lengths, scores, strict=True))]
    return all(a < b for a, b in pairwise(by_length))


def right_answer(chosen: str, answer: str) -> bool:
    """Check (b): the right option was chosen."""
    return chosen == answer


def anchors_in_order(h_k: float, n_k: float) -> bool:
    """Check (c): the known-relevant document scores strictly above the known-irrelevant one."""
    return h_k > n_k


def time_on_every_document(seconds: Sequence[float], minimum: float) -> bool:
    """Check (d): at least `minimum` seconds, by the server's clock, on each document."""
    return all(s >= minimum for s in seconds)
