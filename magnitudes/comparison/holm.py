"""p of many tests, corrected so that the chance of a single false claim stays below the level."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def holm(p: ArrayLike) -> NDArray[np.float64]:
    """Holm's step-down correction (Scandinavian Journal of Statistics 6(2), 1979).

        p'(i) = max over j up to i of min(1, (m - j + 1) p(j))

    of m tests with p(1) ≤ p(2) ≤ ...: wherever p' is below a level, the chance that any of these
    claims is false stays below it, however the tests depend on each other.

    Parameters:
        p: shape (m,), each of one test; NaN of what could not be tested, which does not count.

    Returns:
        p', in the order of p; NaN stays.

    >>> holm([0.01, 0.04, 0.03]), holm([0.02, np.nan])
    (array([0.03, 0.06, 0.06]), array([0.02,  nan]))
    """
    given = np.asarray(p, dtype=np.float64)
    adjusted = np.full_like(given, np.nan)
    known = np.flatnonzero(~np.isnan(given))
    order = known[np.argsort(given[known], kind="stable")]
    steps = given[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return adjusted
