"""Reasons that are nearly those of another worker.

A reason counts if it has at least five different words. It is alike if its words, in their order,
are those of another worker's reason anywhere in the study, or if nearly all of its different words
are those of another's reason for the same document (a Jaccard index of at least 0.75: Broder, On
the resemblance and containment of documents, 1997). Capitals and punctuation make no difference.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

Ints = NDArray[np.int64]
FEWEST_WORDS = 5  # different ones: shorter reasons are alike by chance
RESEMBLANCE = 0.75
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class AlikeReasons:
    """All reasons that are long enough, and which are alike.

    workers: (n,), keys; texts: (n,), the same number where the words are the same; pairs: (m, 2),
    places of reasons for one document that are nearly the same; is_alike: (n,).
    """

    workers: Ints
    texts: Ints
    pairs: Ints
    is_alike: NDArray[np.bool_]

    def counts(self) -> dict[int, tuple[int, int]]:
        """For each worker how many reasons are alike, of how many."""
        keys, places = np.unique(self.workers, return_inverse=True)
        alike = np.bincount(places[self.is_alike], minlength=len(keys)).tolist()
        of_all = np.bincount(places, minlength=len(keys)).tolist()
        return dict(zip(keys.tolist(), zip(alike, of_all, strict=True), strict=True))

    def most_like(self, worker: int, most: int = 3) -> list[tuple[int, int]]:
        """Whose reasons those of a worker are like most often, and how many of them."""
        pairs = np.concatenate([self.pairs, self.pairs[:, ::-1]])
        near = pairs[self.workers[pairs[:, 0]] == worker]
        like = {(int(own), int(self.workers[other])) for own, other in near}
        for own in np.flatnonzero(self.workers == worker):
            others = set(self.workers[self.texts == self.texts[own]].tolist()) - {worker}
            like |= {(int(own), other) for other in others}
        return Counter(other for _, other in like).most_common(most)


def alike_reasons(workers: Ints, documents: Ints, reasons: Sequence[str]) -> AlikeReasons:
    """Which reasons are nearly those of another worker.

    Args:
        workers, documents: (judgments,), keys.
        reasons: what was given for each judgment.
    """
    words = [tuple(_WORD.findall(reason.lower())) for reason in reasons]
    long = np.array([len(set(row)) >= FEWEST_WORDS for row in words], dtype=bool)
    rows = [words[place] for place in np.flatnonzero(long)]
    workers, documents = workers[long], documents[long]
    numbers: dict[tuple[str, ...], int] = {}
    texts = np.array([numbers.setdefault(row, len(numbers)) for row in rows], dtype=np.int64)
    pairs = _near(documents, [set(row) for row in rows])
    pairs = pairs[workers[pairs[:, 0]] != workers[pairs[:, 1]]]
    is_alike = _of_several(texts, workers)
    is_alike[pairs.ravel()] = True
    return AlikeReasons(workers, texts, pairs, is_alike)


def _of_several(texts: Ints, workers: Ints) -> NDArray[np.bool_]:
    """Which texts several workers gave."""
    both = np.unique(np.column_stack([texts, workers]), axis=0)
    givers = np.bincount(both[:, 0], minlength=int(texts.max(initial=-1)) + 1)
    return np.asarray(givers[texts] > 1)


def _near(documents: Ints, words: Sequence[set[str]]) -> Ints:
    """Pairs of texts on one document that share nearly all their words, (m, 2), places."""
    ids: dict[tuple[int, str], int] = {}
    keys = documents.tolist()
    columns = [
        [ids.setdefault((key, word), len(ids)) for word in row]
        for key, row in zip(keys, words, strict=True)
    ]
    sizes = np.array([len(row) for row in columns], dtype=np.int64)
    flat = np.fromiter((column for row in columns for column in row), np.int64, int(sizes.sum()))
    places = np.repeat(np.arange(len(sizes)), sizes)
    has = coo_array((np.ones(len(flat), np.int32), (places, flat)), (len(sizes), len(ids))).tocsr()
    common = (has @ has.T).tocoo()
    first, second = common.coords
    either = sizes[first] + sizes[second] - common.data
    near = (first < second) & (common.data >= RESEMBLANCE * either)
    return np.column_stack([first[near], second[near]]).astype(np.int64)
