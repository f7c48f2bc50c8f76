import numpy as np
from numpy.typing import NDArray


def counted(
    documents: NDArray[np.int64], of_batch: NDArray[np.bool_], redundancy: int
) -> NDArray[np.bool_]:
    """All units of the plan count; of batches those that make up for missing scores.

    Units of batches are taken in order. One counts, whole, as its scores are on one scale, if any
    of its documents has fewer than `redundancy` scores of units that count.

    documents: (units, unit size), keys, in the order of completion; of_batch and the result:
    (units,).

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
