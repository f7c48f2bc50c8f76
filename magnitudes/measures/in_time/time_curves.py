"""Rankings in time: what readers have gained, and how far they have come, after so many seconds.

Smucker and Clarke (SIGIR 2012): G(t), the gain cumulated at time t (section 5.1, Figure 4), and the
rank at time t (section 4, Figure 3). Both are spread evenly over the seconds of each document, so
that they are linear within it; both stay as they are behind the end of a list. No reader stops:
D(t) has no part in them, but in `expected_saved`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.gains import GainError
from magnitudes.measures import total
from magnitudes.measures.in_time.reader import Numbers, Path, Reader, path

Floats = NDArray[np.float64]


class Curves(NamedTuple):
    """Both at given times, (..., times): gain in documents saved, rank in documents passed."""

    gain: Floats
    rank: Floats


class Spread(NamedTuple):
    """The three lines of Figure 3, each (times,)."""

    maximum: Floats
    average: Floats
    minimum: Floats


def curves(
    ranked: ArrayLike,
    judged: ArrayLike,
    times: ArrayLike,
    *,
    listed: ArrayLike,
    words: ArrayLike,
    repeats: ArrayLike | None = None,
    k: int | None = None,
    rel: ArrayLike | None = None,
    duplicates: str = "gain",
    **reader: Numbers,
) -> Curves:
    """G(t) and the rank at time t, without decay.

    Parameters:
        times: (times,), seconds of at least 0, in any order.
        listed: shape of `ranked`, whether there is a document at the rank at all.
        The others are those of `time_biased.tbg`.

    Returns:
        Both of shape (..., times). The rank may be a fraction: 2.5 is half-way through the third
        document. NaN from the time when a document of unknown length begins.

    Raises:
        GainError: as `time_biased.tbg`; times that are negative or not finite.

    The first document takes 4.4 + (0.018 · 100 + 7.8) · 0.64 = 10.544 seconds:

    >>> result = curves([1, 0], [1], [0, 5.272, 100], listed=[True, True], words=[100, 100])
    >>> result.gain.round(4), result.rank
    (array([0.    , 0.2464, 0.4928]), array([0. , 0.5, 2. ]))
    """
    moments = np.asarray(times, dtype=np.float64)
    if moments.ndim != 1 or not ((moments >= 0) & (moments < np.inf)).all():
        raise GainError("times must be a list of seconds of at least 0")
    assumed = Reader(**reader).validate()
    way = path(ranked, judged, words, repeats, assumed, k, rel, duplicates)
    is_document = np.asarray(listed, dtype=bool)[..., :k]
    begins = np.fmax.accumulate(way.begins, axis=-1)  # not before the last that is known
    passed_at = [_at(moment, way, begins) for moment in moments]
    shape = (*way.hits.shape[:-1], 0)
    if not passed_at:
        return Curves(np.empty(shape), np.empty(shape))
    gains = [assumed.gain * total(np.where(way.hits, passed, 0.0)) for passed in passed_at]
    ranks = [total(np.where(is_document, passed, 0.0)) for passed in passed_at]
    return Curves(np.stack(gains, axis=-1), np.stack(ranks, axis=-1))


def _at(moment: float, way: Path, begins: Floats) -> Floats:
    """How much of each document is passed at a time, from 0 to 1; NaN if that is not known."""
    since = moment - begins
    passed = ((since >= 0) & (way.seconds == 0)).astype(np.float64)
    np.divide(since, way.seconds, out=passed, where=~(way.seconds == 0) & (since > 0))
    passed[np.isnan(way.begins) & (since > 0)] = np.nan
    result: Floats = np.clip(passed, 0.0, 1.0)
    return result


def spread(ranks: ArrayLike) -> Spread:
    """Maximum, average and minimum over all lists of the ranks that `curves` gives: Figure 3.

    Parameters:
        ranks: shape (..., times), documents passed at each time.

    Returns:
        Three lines of the shape (times,), in documents. A list of which the rank is not known at a
        time makes all three NaN then.

    Raises:
        GainError: ranks without an axis of lists, or of no list.

    >>> spread([[1, 2], [2, 6]])
    Spread(maximum=array([2., 6.]), average=array([1.5, 4. ]), minimum=array([1., 2.]))
    """
    lists = np.asarray(ranks, dtype=np.float64)
    if lists.ndim < 2 or not lists[..., :1].size:
        raise GainError(f"ranks {lists.shape} must have an axis of lists, with one at least")
    flat = lists.reshape(-1, lists.shape[-1])
    return Spread(flat.max(axis=0), flat.mean(axis=0), flat.min(axis=0))


def expected_saved(
    ranked: ArrayLike,
    judged: ArrayLike,
    *,
    words: ArrayLike,
    repeats: ArrayLike | None = None,
    k: int | None = None,
    rel: ArrayLike | None = None,
    duplicates: str = "gain",
    **reader: Numbers,
) -> Floats:
    """E[sum G_k D(T_k)], equation (10): relevant documents that a reader is expected to save.

    TBG puts the expected time into D, this the time itself. It is a closed form, not a simulation:
    clicks are independent of one another, and are all that is random about T_k, so that

        E[D(T_k)] = product over i < k of  D(T_S) (1 - P(C|r_i) + P(C|r_i) D(T_D(l_i)))

    Parameters, shapes and errors are those of `time_biased.tbg`; it is never below TBG.

    >>> from magnitudes.measures.in_time.time_biased import tbg
    >>> lists = dict(ranked=[1, 0, 1], judged=[1, 1, 0], words=[500, 1000, 300])
    >>> round(float(expected_saved(**lists)), 4), round(float(tbg(**lists)), 4)
    (0.9429, 0.9424)
    """
    assumed = Reader(**reader).validate()
    way = path(ranked, judged, words, repeats, assumed, k, rel, duplicates)
    summary = assumed.staying(np.asarray(assumed.summary)[..., np.newaxis])
    clicks = assumed.clicks(way.relevant)
    stays = summary * (1 - clicks + clicks * assumed.staying(assumed.reading(way.words)))
    reached = np.ones(stays.shape)
    np.cumprod(stays[..., :-1], axis=-1, out=reached[..., 1:])
    return np.asarray(assumed.gain * total(np.where(way.hits, reached, 0.0)))
