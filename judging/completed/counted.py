"""Which completed units count, where a batch has brought more than a study's redundancy."""

import numpy as np
from numpy.typing import NDArray


def counted(
    documents: NDArray[np.int64], of_batch: NDArray[np.bool_], redundancy: int
) -> NDArray[np.bool_]:
    """All units of the plan, and of batches those that make up for what is missing.

    One after the other, in their order, a unit of a batch counts if one of its documents has fewer
    than `redundancy` scores of units that count. It counts whole, since all its scores are on one
    scale.

    Args:
        documents: (units, unit size), keys, in the order of completion.
        of_batch: (units,).

    Returns:
        (units,)

    >>> plan, batch = [[1, 2], [2, 3]], [[2, 4], [1, 2], [1, 3]]
    >>> counted(np.array(plan + batch), np.array([False] * 2 + [True] * 3), 2)
    array([ True,  True,  True,  True,  True])
    >>> counted(np.array(plan + batch), np.array([False] * 2 + [True] * 3), 1)
    array([ True,  True,  True, False, False])
    """
    keys, places = np.unique(documents, return_inverse=True)
    places = places.reshape(documents.shape)
    scores = np.bincount(places[~of_batch].ravel(), minlength=len(keys))
    counts = ~of_batch
    for unit in np.flatnonzero(of_batch):
        if (scores[places[unit]] < redundancy).any():
            counts[unit] = True
            scores[places[unit]] += 1
    return counts
