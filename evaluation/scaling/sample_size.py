"""How many workers a document needs.

Source: Maddalena, Mizzaro, Scholer and Turpin (ACM TOIS 35(3), 2017), section 6.3.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluation.scaling import ScalingError

Z95 = 1.96


def workers_needed(sigma: ArrayLike, error: ArrayLike, z: float = Z95) -> NDArray[np.float64]:
    """The workers that bring a document's mean score within `error` of the true one.

        n = ⌈z² σ² / E²⌉, and at least 1

    Parameters:
        sigma: σ, standard deviation of a document's normalised scores; any shape, at least 0.
        error: E, how far off the mean may be, in the unit of the scores; above 0. The two
            broadcast.
        z: quantile of the standard normal distribution: 1.96 to be 95% confident, 2.576 for 99%.

    Returns:
        Whole numbers, as doubles, of the broadcast shape; NaN where σ is NaN. A quotient that is
        whole but for rounding is not raised to the next number.

    The paper's formula and text say 1.96, and its Table II 95%; but all 60 cells of that table
    are what z = 2.576 gives.

    Raises:
        ScalingError: a negative or infinite σ; an E or z that is not positive and finite.

    >>> workers_needed([1, 2, 3], error=2), workers_needed([1, 2, 3], error=2, z=2.576)
    (array([1., 4., 9.]), array([ 2.,  7., 15.]))
    """
    deviation = np.asarray(sigma, dtype=np.float64)
    tolerated = np.asarray(error, dtype=np.float64)
    if (deviation < 0).any() or np.isinf(deviation).any():
        raise ScalingError("a standard deviation must be finite and at least 0")
    if not ((tolerated > 0) & np.isfinite(tolerated)).all():
        raise ScalingError("the error that is tolerated must be above 0 and finite")
    if not 0 < z < np.inf:
        raise ScalingError(f"z must be above 0 and finite, not {z!r}")
    with np.errstate(over="ignore"):
        exact = (z * (deviation / tolerated)) ** 2
    return np.maximum(np.ceil(exact * (1 - 1e-12)), 1)
