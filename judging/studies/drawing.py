from __future__ import annotations  # which would load NumPy

import math
from collections.abc import Collection
from typing import TYPE_CHECKING

from magnitudes.files.lazy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def units_needed(documents: int, redundancy: int, unit_size: int) -> int:
    """ceil((D - 2) R / (unit size - 2)), with D documents, the two anchors among them."""
    return -(-(documents - 2) * redundancy // (unit_size - 2))


def people_needed(units_of_topics: Collection[int], units_each: float) -> int:
    """How many people units take of whom each does so many, none two of one topic.

    >>> people_needed([14, 9], 2), people_needed([14, 9], 1), people_needed([], 1)
    (14, 23, 0)
    """
    largest = max(units_of_topics, default=0)
    return max(largest, math.ceil(sum(units_of_topics) / units_each) if units_each else 0)


def draw_units(
    documents: int, per_unit: int, redundancy: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Sets of `per_unit` different documents, out of 0..`documents` - 1, one row a unit.

    Each document is in at least `redundancy` rows, and the numbers of rows differ by at most one.
    So any pool that holds a unit can be dealt out, and documents meet in all combinations.
    """
    if documents < per_unit:
        raise ValueError(f"{documents} documents, but a unit holds {per_unit}")
    rows = -(-documents * redundancy // per_unit)
    need, extra = np.divmod(rows * per_unit, documents)
    uses = np.full(documents, need)
    uses[rng.permutation(documents)[:extra]] += 1
    return _deal(uses, rows, per_unit, rng)


def draw_more(
    used: NDArray[np.int64],
    chosen: NDArray[np.bool_],
    per_unit: int,
    redundancy: int,
    rng: np.random.Generator,
) -> NDArray[np.intp]:
    """Sets for more judges of chosen documents, out of those that have been `used` so often.

    Each chosen document is in at least `redundancy` rows. Where fewer are chosen than a unit holds,
    all of them are in each row and others fill it; else no others are taken. What there is to fill
    goes to the least used first, by lot among equals, and evenly: the numbers of rows of chosen
    documents differ by at most one, and so do those of the others.

    used, chosen: (documents,); the result: (rows, per_unit), as `draw_units`.
    """
    n_chosen = int(chosen.sum())
    if not n_chosen or len(used) < per_unit:
        raise ValueError(f"{n_chosen} of {len(used)} documents, but a unit holds {per_unit}")
    rows = max(redundancy, -(-n_chosen * redundancy // per_unit))
    uses = np.where(chosen, redundancy, 0)
    fillers = np.flatnonzero(chosen if n_chosen >= per_unit else ~chosen)
    if spare := rows * per_unit - n_chosen * redundancy:
        least_used = fillers[np.lexsort((rng.random(len(fillers)), used[fillers]))]
        each, extra = divmod(spare, len(fillers))
        uses[least_used] += each
        uses[least_used[:extra]] += 1
    return _deal(uses, rows, per_unit, rng)


def _deal(
    uses: NDArray[np.int64], rows: int, per_unit: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Rows of different documents in which each stands as often as `uses` says.

    Rows are drawn one after the other: a document that must stand in every row still to come is
    taken; the rest are drawn with chances proportional to the rows they still need.
    """
    left = uses.copy()
    units = np.empty((rows, per_unit), dtype=np.intp)
    for row in range(rows):
        # The smallest of independent exponential waits: sampling without replacement by weight.
        with np.errstate(divide="ignore"):
            wait = rng.exponential(size=len(left)) / left
        wait[left == rows - row] = -1.0
        units[row] = np.argpartition(wait, per_unit - 1)[:per_unit]
        left[units[row]] -= 1
    return units
