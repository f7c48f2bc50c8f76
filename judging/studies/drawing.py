"""The random draw of units from a pool: numbers in, numbers out."""

import numpy as np
from numpy.typing import NDArray


def units_needed(documents: int, redundancy: int, unit_size: int) -> int:
    """How many units give every non-anchor document `redundancy` scores.

    ceil((D - 2) R / (unit size - 2)), with D documents, the two anchors among them.
    """
    return -(-(documents - 2) * redundancy // (unit_size - 2))


def draw_units(
    documents: int, per_unit: int, redundancy: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Sets of `per_unit` different documents, out of 0..`documents` - 1, one row a unit.

    Each document stands in at least `redundancy` rows, and the numbers of rows differ by at most
    one. Rows are drawn one after the other: a document that must stand in every row still to
    come is taken; the rest are drawn with chances proportional to the rows they still need. So
    any pool that holds a unit can be dealt out, and documents meet in all combinations.

    Raises:
        ValueError: fewer documents than a unit holds.
    """
    if documents < per_unit:
        raise ValueError(f"{documents} documents, but a unit holds {per_unit}")
    rows = -(-documents * redundancy // per_unit)
    need, extra = np.divmod(rows * per_unit, documents)
    left = np.full(documents, need)
    left[rng.permutation(documents)[:extra]] += 1
    units = np.empty((rows, per_unit), dtype=np.intp)
    for row in range(rows):
        # The smallest of independent exponential waits: sampling without replacement by weight.
        with np.errstate(divide="ignore"):
            wait = rng.exponential(size=documents) / left
        wait[left == rows - row] = -1.0
        units[row] = np.argpartition(wait, per_unit - 1)[:per_unit]
        left[units[row]] -= 1
    return units
