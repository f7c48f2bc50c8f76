"""Weights of levels as they are predicted, and as they are seen where documents have many labels.

`level_weights` predicts from p(T|i), for which two labels of a document do, the chance that at
least M of N users say T when one of them says i. Where documents have N labels or more it can be
seen: one label of each document is drawn, then N - 1 of the others, and it is counted, by the level
of the first, in how many documents at least M of the N labels are T. Here every label counts for
itself, whoever gave it, and only documents with at least six are taken, as the authors have it.

Source: Demeester, Aly, Hiemstra, Nguyen, Trieschnigg and Develder, Exploiting user disagreement for
web search evaluation: an experimental approach, WSDM 2014, sections 3.2, 4.2 and 4.5: Figures 1 and
5, Table 1.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.agreement.opinions import Ids, Opinions
from magnitudes.files.lazy import scipy
from magnitudes.gains import GainError
from magnitudes.gains.level_weights import users_of
from magnitudes.scaling.groups import mean_and_sd, ratio

Floats = NDArray[np.float64]
MIN_LABELS_AS_PRINTED = 6  # labels of a document


class Sampled(NamedTuple):
    """Means over the repeats, and how far the repeats are apart."""

    mean: Floats  # (rows, levels), NaN where a level was never drawn first
    sd: Floats  # (rows, levels), with repeats - 1 in the denominator
    documents: int
    seed: int


def observed_weights(
    opinions: Opinions, m: ArrayLike = 1, n: ArrayLike = 3, least: int = MIN_LABELS_AS_PRINTED
) -> Floats:
    """The share of documents in which at least M of N labels are T, by the level of one of them.

    The exact expectation of the experiment on top of this page (that is, of what it counts over
    what it counts in): each label of a document is the first with the same chance, and the others
    are drawn without replacement.

    Parameters:
        opinions: those missing count as none.
        m, n: see `level_weights`; whole numbers or lists of one length.
        least: how many labels a document must have, at least n.

    Returns:
        Shape (levels,), or (rows, levels) with lists; NaN for a level that no document has.

    Raises:
        GainError: as `level_weights`; n above `least`; no document with as many labels.

    Of six labels one is level 1 and two are T: in 7 of 10 draws of two others, one is T.

    >>> from magnitudes.agreement.opinions import Opinions
    >>> opinions = Opinions([0] * 6, [1, 2, 2, 0, 0, 0], range(6), n_levels=3, topic_of_item=[0])
    >>> observed_weights(opinions, m=1, n=3).round(3)
    array([0.7, 0.7, 1. ])
    """
    least_tops, users = _wanted(m, n, least)
    counts = opinions.counts[opinions.counts.sum(axis=1) >= least]
    _refuse_none(len(counts), least)
    size = counts.sum(axis=1)[:, np.newaxis]  # (documents, levels) from here, rows before them
    said_top = np.arange(opinions.n_levels) == opinions.n_levels - 1
    tops = np.clip(counts[:, -1:] - said_top, 0, size - 1)  # where there is no such label, any
    rows = (*least_tops.shape, 1, 1)
    tops_needed, others = least_tops.reshape(rows) - said_top, users.reshape(rows) - 1
    chance = np.zeros(np.broadcast_shapes(tops_needed.shape, tops.shape))
    for tops_drawn in range(int(others.max()) + 1):
        chance += (tops_drawn >= tops_needed) * scipy.stats.hypergeom.pmf(
            tops_drawn, size - 1, tops, others
        )
    share = counts / size
    return ratio((share * chance).sum(axis=-2), share.sum(axis=0))


def sampled_weights(
    opinions: Opinions,
    m: ArrayLike = 1,
    n: ArrayLike = 3,
    least: int = MIN_LABELS_AS_PRINTED,
    repeats: int = 50,
    *,
    seed: int,
) -> Sampled:
    """The same by drawing, again and again: the markers of Figure 5, and Table 1.

    Parameters:
        opinions, m, n, least: see `observed_weights`.
        repeats: how often each document is drawn from.
        seed: of `numpy.random.default_rng`.

    Returns:
        See `Sampled`; one row for each of m and n. A repeat in which no document has a level first
        is left out of that level's mean.

    Raises:
        GainError: as `observed_weights`; fewer than two repeats.
    """
    least_tops, users = (np.atleast_1d(numbers) for numbers in _wanted(m, n, least))
    return _repeated(
        opinions, least, repeats, seed, lambda tops: tops[:, users - 1] >= least_tops, len(users)
    )


def p_by_labels(
    opinions: Opinions, least: int = MIN_LABELS_AS_PRINTED, repeats: int = 50, *, seed: int
) -> Sampled:
    """p(T|i) from 2, 3, ... `least` labels of each document, drawn without replacement: Figure 1.

    One label of a document is drawn, and the share of T counted among 1, 2, ... least - 1 of the
    others. All rows have the same expectation, that of `disagreement` if every label were of a
    judge of its own. They differ in how far the repeats are apart: further with fewer labels.

    Parameters:
        opinions, repeats, seed: see `sampled_weights`.
        least: how many labels a document must have, and the most that are drawn.

    Returns:
        See `Sampled`; rows are 2, 3, ... `least` labels, the first one counted.

    Raises:
        GainError: as `sampled_weights`; `least` below 2.
    """
    if least < 2:
        raise GainError(f"disagreement needs 2 labels of a document, not {least}")

    def shares(tops: Ids) -> Floats:
        return (tops[:, 1:] - tops[:, :1]) / np.arange(1, least)

    return _repeated(opinions, least, repeats, seed, shares, least - 1)


def _wanted(m: ArrayLike, n: ArrayLike, least: int) -> tuple[Ids, Ids]:
    least_tops, users = np.broadcast_arrays(*users_of(m, n))
    if least_tops.ndim > 1:
        raise GainError(f"m and n must be numbers or lists of one length, not {least_tops.shape}")
    if users.max(initial=0) > least:
        raise GainError(f"N = {users.max()} labels of documents with at least {least}")
    return least_tops, users


def _refuse_none(documents: int, least: int) -> None:
    if not documents:
        raise GainError(f"no document has at least {least} labels")


def _repeated(
    opinions: Opinions,
    least: int,
    repeats: int,
    seed: int,
    score: Callable[[Ids], NDArray[np.generic]],
    rows: int,
) -> Sampled:
    """Means by the level of the first of `least` labels, drawn from each document.

    `score` makes (documents, rows) of how many of the first 1, 2, ... `least` labels are T.
    """
    if repeats < 2:
        raise GainError(f"a spread needs at least 2 repeats, not {repeats}")
    known, top = opinions.given, opinions.n_levels - 1
    ordered = np.argsort(known.items, kind="stable")
    items, levels = known.items[ordered], known.levels[ordered]
    _, starts, sizes = np.unique(items, return_index=True, return_counts=True)
    starts = starts[sizes >= least]
    _refuse_none(len(starts), least)
    places = starts[:, np.newaxis] + np.arange(least)
    random = np.random.default_rng(seed)
    means = np.full((repeats, rows, opinions.n_levels), np.nan)
    for repeat in means:
        drawn = levels[np.lexsort((random.random(len(items)), items))[places]]
        worth = score(np.cumsum(drawn == top, axis=1))
        first = (drawn[:, :1] == np.arange(opinions.n_levels)).astype(np.float64)
        np.divide(worth.T @ first, first.sum(axis=0), out=repeat, where=first.any(axis=0))
    return Sampled(*mean_and_sd(means), len(starts), seed)
