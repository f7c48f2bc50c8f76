"""GAP: graded average precision, of readers who differ in what they find relevant.

    GAP@k = sum over ranks i = 1..k of  1/i · sum over j = 1..i of q(min(level_i, level_j))
            / sum over relevant documents of q(level)

q(level) is the chance that a reader finds documents of that level, or a higher one, relevant: each
reader has a level from which on all is relevant. The denominator is how many relevant documents the
readers expect. Robertson, Kanoulas and Yilmaz, Extending average precision to graded relevance
judgments, SIGIR 2010; in this form in Demeester and others, Exploiting user disagreement for web
search evaluation, WSDM 2014, equation (7).

Gains are read as q, up to a factor: a document of half the largest gain is relevant to half of the
readers. As q rises with the level, q(min(level_i, level_j)) = min(G_i, G_j), and a factor on all
gains of a topic divides out. Weights of the levels, such as those of Demeester and others, are
therefore given as gains; with 0 and 1, this is AP over the relevant documents of the list.

Equation (7) counts the relevant documents of the list, cut at k, in its denominator: a list with a
single relevant document, in first place, scores 1. `over='topic'` counts all judged documents of
the topic instead, as AP does.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.gains import GainError
from magnitudes.measures import depth, no_larger, per_topic, ratio, total, validate_gains
from magnitudes.measures.by_pairs.misplacement import CHUNK_SIZE, as_rows, misplaced, together

OVER = ("list", "topic")


def gap(
    ranked: ArrayLike,
    judged: ArrayLike,
    k: int | None = None,
    over: str = "list",
    largest: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """GAP@k of one or many rankings, from 0 to 1; the formula is on top of this page.

    Parameters:
        ranked, judged, k: as all measures have them; see `magnitudes.measures`.
        over: the documents in the denominator, those of the `list` or of the `topic`.
        largest: the gain that all readers find relevant, one number or one per topic, where gains
            may not be above it: 1 for chances. The value does not depend on it.

    Returns:
        An array of the leading axes; 0 where no document that is counted has a gain. Computed in
        n log n steps for n documents with a gain:

            GAP = 1 - sum over i of 1/i · sum over j < i, G_j < G_i, of (G_i - G_j) / sum of G

    Raises:
        GainError: as all measures; gains above the largest; an unknown `over`.

    Chances 0.5, 0, 1: (0.5 + (0.5 + 0 + 1) / 3) / (0.5 + 1); in a topic with another of 0.5, two
    expected documents divide.

    >>> round(float(gap([0.5, 0, 1], [1, 0.5, 0.5])), 4)
    0.6667
    >>> float(gap([0.5, 0, 1], [1, 0.5, 0.5], over="topic"))
    0.5
    """
    k = depth(k)
    if over not in OVER:
        raise GainError(f"over {over!r} must be one of {', '.join(OVER)}")
    listed, known, top = validate_gains(ranked, judged)
    if largest is not None:
        no_larger(top[..., np.newaxis], per_topic(largest, "largest", top.shape), "given")
    gains = listed[..., :k]
    summed = total(gains)
    best = np.flip(np.sort(known, axis=-1), axis=-1)  # in which order a perfect list adds them up
    return ratio(summed - _lost(gains), summed if over == "list" else total(best))


def _lost(gains: NDArray[np.float64]) -> NDArray[np.float64]:
    """What documents lose to those of lower gain above them, each over its rank."""
    rows = as_rows(gains)
    lost = np.zeros(len(rows))
    step = max(1, CHUNK_SIZE // max(gains.shape[-1], 1))
    for start in range(0, len(rows), step):
        lost[start : start + step] = _of_rows(rows[start : start + step])
    return lost.reshape(gains.shape[:-1])


def _of_rows(gains: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same for (rows, depth): documents without gain are counted, the others put together."""
    row, above, column = together(gains > 0)
    shape = (len(gains), column.max(initial=-1) + 1)
    worth, weights, without = np.zeros(shape), np.zeros(shape), np.zeros(shape, dtype=np.int64)
    worth[row, column] = gains[row, above]
    weights[row, column] = 1 / (above + 1)
    without[row, column] = above - column
    return misplaced(worth, without, weights)
