"""Scores of documents with one of each person: the median of those that they gave to a document."""

import numpy as np
from numpy.typing import NDArray

from magnitudes.scaling.aggregation import aggregate

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]


def by_person(values: Floats, items: Ids, people: Ids) -> tuple[Floats, Ids]:
    """Values and their items; as they came where nobody scored an item twice.

    >>> by_person(np.array([1.0, 3, 9]), np.array([4, 4, 4]), np.array([0, 0, 1]))
    (array([2., 9.]), array([4, 4]))
    """
    cells, of = np.unique(np.stack([items, people]), axis=1, return_inverse=True)
    n = cells.shape[1]
    if n == len(values):
        return values, items
    return aggregate(values, of.ravel(), n).values, cells[0]
