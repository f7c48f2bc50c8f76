"""Reasons that are nearly those of another worker.

A reason counts if it has at least five different words. It is alike if its words, in their order,
are those of another worker's reason anywhere in the study, or if nearly all of its different words
are those of another's reason for the same document (a Jaccard index of at least 0.75: Broder, On
the resemblance and containment of documents, 1997). Capitals and punctuation make no difference.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import scipy  # its parts are loaded when they are used
from numpy.typing import NDArray

Ints = NDArray[np.int64]
MIN_WORDS = 5  # different ones: shorter reasons are alike by chance
MIN_JACCARD = 0.75
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class AlikeReasons:
    """All reasons that are long enough, and which are alike.

    workers: (n,), keys; texts: (n,), the same number for the same words; pairs: (m, 2), places of
    reasons for one document that are nearly the same; is_alike: (n,).
    """

    workers: Ints
    texts: Ints
    pairs: Ints
    is_alike: NDArray[np.bool_]

    def counts(self) -> dict[int, tuple[int, int]]:
        """By worker, how many reasons are alike, of how many."""
        keys, places = np.unique(self.workers, return_inverse=True)
        alike = np.bincount(places[self.is_alike], minlength=len(keys)).tolist()
        of_all = np.bincount(places, minlength=len(keys)).tolist()
        return dict(zip(keys.tolist(), zip(alike, of_all, strict=True), strict=True))

    def most_similar(self, worker: int, maximum: int = 3) -> list[tuple[int, int]]:
        """Whose reasons those of a worker are like most often, and how many of them."""
        is_own = self.workers == worker
        own = np.flatnonzero(is_own)
        sides = self.pairs, self.pairs[:, ::-1]
        near = np.concatenate([side[is_own[side[:, 0]]] for side in sides])
        is_own_text = np.zeros(self.texts.max(initial=0) + 1, dtype=np.bool_)
        is_own_text[self.texts[own]] = True
        same = is_own_text[self.texts] & ~is_own
        given = np.unique(np.column_stack([self.texts[same], self.workers[same]]), axis=0)
        place, giver = np.nonzero(self.texts[own][:, None] == given[:, 0])
        like = np.concatenate(
            [
                np.column_stack([near[:, 0], self.workers[near[:, 1]]]),
                np.column_stack([own[place], given[giver, 1]]),
            ]
        )
        others, numbers = np.unique(np.unique(like, axis=0)[:, 1], return_counts=True)
        first = np.argsort(-numbers, kind="stable")[:maximum]
        return list(zip(others[first].tolist(), numbers[first].tolist(), strict=True))


def alike_reasons(workers: Ints, documents: Ints, reasons: Sequence[str]) -> AlikeReasons:
    """workers, documents: (judgments,), keys; reasons: one for each judgment."""
    numbers: dict[str, int] = {}
    words = [
        [numbers.setdefault(word, len(numbers)) for word in _WORD.findall(reason.lower())]
        for reason in reasons
    ]
    rows, columns = _different(words, len(numbers))
    sizes = np.bincount(rows, minlength=len(words))
    long = sizes >= MIN_WORDS
    of_long = long[rows]
    rows, columns = (np.cumsum(long) - 1)[rows[of_long]], columns[of_long]
    workers, documents = workers[long], documents[long]
    texts = _numbered([tuple(words[place]) for place in np.flatnonzero(long)])
    pairs = _near(rows, documents[rows] * len(numbers) + columns, sizes[long])
    pairs = pairs[workers[pairs[:, 0]] != workers[pairs[:, 1]]]
    is_alike = _of_several(texts, workers)
    is_alike[pairs.ravel()] = True
    return AlikeReasons(workers, texts, pairs, is_alike)


def _different(words: Sequence[Sequence[int]], of_all: int) -> tuple[Ints, Ints]:
    """The place of a text and a word of it, for each different word of each text."""
    sizes = np.array([len(row) for row in words], dtype=np.int64)
    flat = np.fromiter(chain.from_iterable(words), np.int64, int(sizes.sum()))
    both = np.unique(np.repeat(np.arange(len(words)), sizes) * max(of_all, 1) + flat)
    return both // max(of_all, 1), both % max(of_all, 1)


def _numbered(texts: Sequence[tuple[int, ...]]) -> Ints:
    numbers: dict[tuple[int, ...], int] = {}
    return np.array([numbers.setdefault(text, len(numbers)) for text in texts], dtype=np.int64)


def _of_several(texts: Ints, workers: Ints) -> NDArray[np.bool_]:
    both = np.unique(np.column_stack([texts, workers]), axis=0)
    givers = np.bincount(both[:, 0], minlength=int(texts.max(initial=-1)) + 1)
    return np.asarray(givers[texts] > 1)


def _near(places: Ints, words: Ints, sizes: Ints) -> Ints:
    """Pairs of texts on one document that share nearly all their words: (m, 2), places.

    places, words: (k,), which text has which word, by document; sizes: different words of each
    text.
    """
    ids, columns = np.unique(words, return_inverse=True)
    ones = np.ones(len(places), dtype=np.int32)
    has = scipy.sparse.coo_array((ones, (places, columns)), (len(sizes), len(ids))).tocsr()
    common = (has @ has.T).tocoo()
    first, second = common.coords
    union = sizes[first] + sizes[second] - common.data
    near = (first < second) & (common.data >= MIN_JACCARD * union)
    return np.column_stack([first[near], second[near]]).astype(np.int64)
