"""What counts as relevant, for measures that know only relevant documents and others.

A document is relevant if its gain is at least `rel`, or, where none is given, above 0, as with
labels in levels. Magnitudes are never 0, so that they need a threshold. `rel='anchors'` is one for
each topic, sqrt(G(H_k) G(N_k)): midway between its anchors on the scale of ratios.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.gains import GainError
from magnitudes.measures import per_topic


def relevant(
    gains: NDArray[np.float64], rel: ArrayLike | None, topics: tuple[int, ...]
) -> NDArray[np.bool_]:
    """Which documents are relevant: (..., documents), `gains` and topics broadcast.

    `rel` is one number or one per topic, `topics` the shape of topics. GainError for a `rel` that
    is not positive and finite, or of another shape.
    """
    each = np.broadcast_to(gains, np.broadcast_shapes(gains.shape, (*topics, 1)))
    return each > 0 if rel is None else each >= per_topic(rel, "rel", topics)[..., np.newaxis]


def between(h_k: ArrayLike, n_k: ArrayLike) -> NDArray[np.float64]:
    """sqrt(G(H_k) G(N_k)): the threshold between the gains of a topic's anchors.

    Parameters:
        h_k, n_k: any shapes that broadcast; positive gains.

    Returns:
        The geometric means; exactly their gain where both have the same.

    Raises:
        GainError: a gain that is not positive and finite.

    >>> float(between(50, 2))
    10.0
    """
    high, low = np.asarray(h_k, dtype=np.float64), np.asarray(n_k, dtype=np.float64)
    for gains in (high, low):
        if not ((gains > 0) & np.isfinite(gains)).all():
            raise GainError("an anchor's gain is not positive and finite")
    return np.sqrt(high * low)
