"""Near duplicates among texts: documents that share nearly all their shingles.

A shingle is five words in a row, in lower case; the resemblance of two documents is the share of
common shingles among all that either has (Jaccard). Broder, On the resemblance and containment of
documents, Compression and Complexity of Sequences, 1997. Candidates come from MinHash and banding;
of each the resemblance itself is then computed, so that chance may miss a pair near the threshold,
but never makes one. A class is what chains of such pairs hold together.

Smucker and Clarke (SIGIR 2012) take for duplicates only documents of the highest similarity that
their variant knows, all common shingles of its samples being identical. Here that is a threshold.
"""

import re
from collections.abc import Iterable
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from magnitudes.files.lazy import scipy
from magnitudes.reading_time import ReadingError

SHINGLE, PERMUTATIONS, THRESHOLD = 5, 128, 0.9
_WORD = re.compile(r"\w+")
_MISSED = 1e-3  # the chance that a pair at the threshold is no candidate, at most
_MIX = np.random.default_rng(5).integers(1, 2**63, SHINGLE, dtype=np.uint64) | np.uint64(1)
Shingles = NDArray[np.uint64]


class NearDuplicates(NamedTuple):
    """Classes by document, of all that have a near duplicate; and how they were found."""

    classes: dict[str, str]  # each named by the first of its documents
    pairs: int
    threshold: float
    seed: int


def near_duplicates(
    texts: Iterable[tuple[str, str]], threshold: float = THRESHOLD, seed: int = 0
) -> NearDuplicates:
    """Classes of documents that resemble one another.

    Parameters:
        texts: (doc_id, text), each document once; they are read once and not kept.
        threshold: the least resemblance of near duplicates, above 0 and at most 1.
        seed: of MinHash's permutations. What it changes is which pairs are missed, one in a
            thousand of those at the threshold, fewer of those above.

    Raises:
        ReadingError: a threshold out of range.

    >>> words = "one two three four five six seven eight nine ten".split()
    >>> texts = {"a": " ".join(words), "b": " ".join(words).upper(), "c": "something else"}
    >>> near_duplicates(texts.items()).classes
    {'a': 'a', 'b': 'a'}
    """
    if not 0 < threshold <= 1:
        raise ReadingError(f"a threshold of {threshold} does not lie above 0, and up to 1")
    hashes: dict[str, int] = {}
    doc_ids, shingles = [], []
    for doc_id, text in texts:
        doc_ids.append(doc_id)
        shingles.append(_shingles(text, hashes))
    pairs = [
        (first, second)
        for first, second in _candidates(shingles, threshold, seed)
        if resemblance(shingles[first], shingles[second]) >= threshold - 1e-12
    ]
    classes = _joined(len(doc_ids), pairs)
    name_of: dict[int, str] = {}
    for doc_id, number in zip(doc_ids, classes, strict=True):
        name_of.setdefault(number, doc_id)
    alone = np.bincount(classes, minlength=1) < 2 if len(classes) else np.empty(0)
    named = {
        doc_id: name_of[number]
        for doc_id, number in zip(doc_ids, classes, strict=True)
        if not alone[number]
    }
    return NearDuplicates(named, len(pairs), threshold, seed)


def resemblance(first: Shingles, second: Shingles) -> float:
    """The share of common shingles, of two sets of which each is sorted; 0 if both are empty."""
    common = np.intersect1d(first, second, assume_unique=True).size
    either = first.size + second.size - common
    return common / either if either else 0.0


def _shingles(text: str, hashes: dict[str, int]) -> Shingles:
    """The shingles of a text as numbers, sorted, each once; a shorter text is one shingle."""
    words = _WORD.findall(text.lower())
    for word in words:
        if word not in hashes:
            hashes[word] = int.from_bytes(blake2b(word.encode(), digest_size=8).digest())
    numbers = np.array([hashes[word] for word in words], dtype=np.uint64)
    if not words:
        return numbers
    rows = sliding_window_view(numbers, min(SHINGLE, len(words)))
    return np.unique((rows * _MIX[: rows.shape[1]]).sum(axis=1, dtype=np.uint64))


def _candidates(shingles: list[Shingles], threshold: float, seed: int) -> Iterable[tuple[int, int]]:
    """Pairs that may resemble one another, each once."""
    from datasketch import MinHash, MinHashLSH  # a tenth of a web process's start, for one task

    index = MinHashLSH(num_perm=PERMUTATIONS, params=_bands(threshold))
    # MinHash takes numbers of 32 bits, of which the upper half has the better mixed ones.
    sketches = MinHash.generator(
        (row >> np.uint64(32) for row in shingles), num_perm=PERMUTATIONS, seed=seed, hashfunc=int
    )
    for number, sketch in enumerate(sketches):
        if not shingles[number].size:
            continue
        for other in sorted(index.query(sketch)):
            yield other, number
        index.insert(number, sketch, check_duplication=False)


def _bands(threshold: float) -> tuple[int, int]:
    """Bands and rows: as many rows as miss few pairs, since they spare comparisons."""
    rows = np.arange(1, PERMUTATIONS // 2 + 1)
    missed = (1 - threshold**rows) ** (PERMUTATIONS // rows)
    most = int(rows[missed <= _MISSED].max(initial=1))
    return PERMUTATIONS // most, most


def _joined(size: int, pairs: list[tuple[int, int]]) -> list[int]:
    """The class of each document, when documents of a pair are in one."""
    if not pairs:
        return list(range(size))
    first, second = np.array(pairs).T
    graph = scipy.sparse.coo_array((np.ones(len(pairs)), (first, second)), shape=(size, size))
    return list(scipy.sparse.csgraph.connected_components(graph, directed=False)[1].tolist())
