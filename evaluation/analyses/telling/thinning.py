"""Which of many dots are drawn: a page need not carry tens of thousands."""

import numpy as np
from numpy.typing import NDArray

MOST = 1000


def thinned(
    n: int, keep: NDArray[np.int64] | None = None, seed: int = 0, most: int = MOST
) -> list[int]:
    """The places, ascending, of at most `most` out of `n`: those to keep, and others at random.

    >>> thinned(3), len(thinned(5000))
    ([0, 1, 2], 1000)
    """
    if n <= most:
        return list(range(n))
    kept = np.unique(keep) if keep is not None else np.empty(0, dtype=np.int64)
    others = np.setdiff1d(np.arange(n), kept)
    drawn = np.random.default_rng(seed).choice(others, max(most - len(kept), 0), replace=False)
    chosen: list[int] = np.sort(np.concatenate([kept, drawn])).tolist()
    return chosen
