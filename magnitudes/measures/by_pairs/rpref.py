"""rpref: how well a ranking keeps the order of judged documents, however many are judged.

    rpref = 1/R · sum over judged k of  rho_k · (1 - 1/N · sum over judged l ranked above k,
                                                   rho_l < rho_k, of (rho_k - rho_l) / rho_k)

    R = sum over judged of rho,  N = sum over judged of (1 - rho)

rho, from 0 to 1, is the gain of a document as a share of the largest among the judged documents of
the topic, or of `largest`. Only judged documents count, and only their order: unjudged ones are as
if they were not in the list, whatever `unjudged` gives them. De Beer and Moens, Rpref: a
generalization of bpref towards graded relevance judgments, SIGIR 2006, equation (1).

- `norm='relative'` (section 2.4): instead of N, the number of judged documents ranked above k, with
  0/0 = 0.
- `partitions=n` (section 3): worth in n steps of equal width. rho from j/n to below (j+1)/n becomes
  j / (n-1), for j = 0..n-1; one on a threshold goes up, and 1 is in the top step. With two it is
  `bpref_de_beer_moens` with `rel` at half the largest gain; with ever more it comes to be rpref.
- `omit_top=1` (section 2.5) leaves the highest ranked judged document, above which none stands,
  out of the outer sum and of R.
- `largest`: what has rho = 1; a gain above it is an error. With `largest=1`, gains are rho.

A document that is not retrieved, or stands below the cutoff, has infinite rank: all judged
documents in the list are above it. It stays in the outer sum, and none stands above another such
one. Taken literally, as here, an empty list therefore scores 1, and a short one is not punished
for being short; but a run has 0 on a topic that it leaves out, as with any measure. Where N = 0,
all judged documents are perfect, none can be misplaced, and the score is 1; where R = 0 it is 0.
If `omit_top` leaves nothing of R, nothing is misplaced: 1.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.gains import GainError
from magnitudes.measures import depth, no_larger, per_topic, shares, validate_gains
from magnitudes.measures.by_pairs.preference import preference


def rpref(
    ranked: ArrayLike,
    judged: ArrayLike,
    k: int | None = None,
    *,
    places: ArrayLike,
    n_judged: ArrayLike | None = None,
    norm: str = "absolute",
    partitions: int | None = None,
    omit_top: int = 0,
    largest: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """rpref of one or many rankings, from 0 to 1; the formula is on top of this page.

    Parameters:
        ranked: shape (..., depth), gains in rank order, as all measures have them. Only checked:
            `places` tells which documents they are.
        judged: shape (..., n), gains of all judged documents of the topic, padded with 0; leading
            axes of the two broadcast.
        k: the cutoff; None takes the whole ranking.
        places: shape (..., depth), whole numbers: the index in `judged` of the document at each
            rank, negative where it is unjudged and where padded.
        n_judged: how many documents of each topic are judged, one number or one per topic; n if
            not given. What `judged` is padded with would otherwise count in N.
        norm, partitions, omit_top, largest: see the top of this page. `largest` may be one number
            or one per topic.

    Returns:
        An array of the leading axes. Computed in n log n steps for n judged documents.

    Raises:
        GainError: gains that are NaN, infinite or negative, or above the largest; shapes, places
            or numbers that do not fit; a document ranked twice; fewer than two partitions.

    Worth 0.5, 1 and 0 in this order: the second document loses (1 - 0.5) / 1 of its own worth to
    the first, over N = 1.5; so 1 - (0.5 / 1.5) / 1.5 = 7/9. Relative to the one document above it,
    it loses 0.5: 1 - 0.5 / 1.5 = 2/3.

    >>> round(float(rpref([2, 4, 0], [4, 2, 0], places=[1, 0, 2])), 4)
    0.7778
    >>> round(float(rpref([2, 4, 0], [4, 2, 0], places=[1, 0, 2], norm="relative")), 4)
    0.6667

    In two partitions both of the first two are relevant, and nothing is misplaced:

    >>> float(rpref([2, 4, 0], [4, 2, 0], places=[1, 0, 2], partitions=2))
    1.0
    """
    k = depth(k)
    _, known, top = validate_gains(ranked, judged)
    if largest is not None:
        most = per_topic(largest, "largest", top.shape)
        no_larger(top[..., np.newaxis], most, "given")
        top = most
    worth = _stepped(shares(known, top), partitions)
    return preference(worth, np.asarray(places)[..., :k], n_judged, norm, omit_top)


def _stepped(rho: NDArray[np.float64], partitions: int | None) -> NDArray[np.float64]:
    if partitions is None:
        return rho
    if partitions < 2:
        raise GainError(f"partitions {partitions!r} is not a number from 2")
    # Twelve digits: 0.29 of 1 is on the threshold of 29 of 100, though 0.29 * 100 is below 29.
    steps = np.floor(np.round(rho * partitions, 12))
    return np.minimum(steps, partitions - 1) / (partitions - 1)
