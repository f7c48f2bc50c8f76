"""Other mappings of levels onto gains, to see how much the order of systems depends on them.

The seven of Table III of Maddalena, Mizzaro, Scholer and Turpin (ACM TOIS 35(3), 2017), section
7.3, where C is the level of a document:

| name      | gain       |
|-----------|------------|
| `C`       | C          |
| `100C`    | 100 C      |
| `1+C`     | 1 + C      |
| `10+C`    | 10 + C     |
| `100+C`   | 100 + C    |
| `10^(1+C)`| 10^(1 + C) |
| `2^(1+C)` | 2^(1 + C)  |

With the last five a document of the lowest level has a gain above 0, and an unjudged one still has
none.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.gains import GainError
from magnitudes.gains.levels import Gains, linear

Floats = NDArray[np.float64]
MAPPINGS: dict[str, Callable[[Floats], Floats]] = {
    "C": lambda level: level,
    "100C": lambda level: 100 * level,
    "1+C": lambda level: 1 + level,
    "10+C": lambda level: 10 + level,
    "100+C": lambda level: 100 + level,
    "10^(1+C)": lambda level: np.power(10.0, 1 + level),
    "2^(1+C)": lambda level: np.exp2(1 + level),
}


def mapped(labels: ArrayLike, mapping: str) -> Gains:
    """Gains of labelled documents by the name of a mapping.

    Parameters:
        labels: any shape, real numbers, 0 for not relevant and higher for better. Negative ones
            are level 0, and counted.
        mapping: a name of MAPPINGS.

    Returns:
        `values` of the same shape and the number of `negative` labels.

    Raises:
        GainError: a label that is NaN or infinite, one too high for its gain to be a double, or an
            unknown mapping.

    >>> mapped([0, 1, 3, -2], "10^(1+C)")
    Gains(values=array([   10.,   100., 10000.,    10.]), negative=1)
    """
    if mapping not in MAPPINGS:
        raise GainError(f"unknown mapping {mapping!r}; there are {', '.join(MAPPINGS)}")
    levels, negative = linear(labels)
    with np.errstate(over="ignore"):
        gains = MAPPINGS[mapping](levels)
    if np.isinf(gains).any():
        raise GainError(f"{mapping} of label {levels.max()} is no finite number")
    return Gains(gains, negative)
