"""Columns of ids as NumPy has them: UTF-8 in as many bytes for each as the longest one needs.

They compare byte by byte, as trec_eval does. No id holds a zero byte, with which NumPy fills up.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.bytes_]

_MIXER = np.uint64(0x9E3779B97F4A7C15)  # an odd number without a pattern


def encoded(texts: Iterable[str]) -> Ids:
    return np.array([text.encode() for text in texts], np.bytes_)


def decoded(ids: Ids) -> list[str]:
    return [text.decode() for text in ids.tolist()]


def codes(ids: Ids) -> tuple[npt.NDArray[np.int32], Ids]:
    """Each id as a number, and what the numbers stand for, by first appearance."""
    # Lines of one topic or run mostly follow each other: one look-up does for all of them.
    differs = np.arange(len(ids)) == 0
    for word in _words(ids):
        differs[1:] |= word[1:] != word[:-1]
    starts = np.flatnonzero(differs)
    firsts = ids[starts].tolist()
    numbers = {text: number for number, text in enumerate(dict.fromkeys(firsts))}
    each = np.array([numbers[text] for text in firsts], np.int32)
    return np.repeat(each, np.diff(starts, append=len(ids))), np.array(list(numbers), ids.dtype)


def has_repeated_pair(left: npt.NDArray[np.int32], right: Ids) -> bool:
    """Whether any (left, right) comes twice."""
    # Telling all ids apart takes long. Where no two pairs have the same hash, none is repeated.
    if not _has_repeated(pair_hashes(left, right)):
        return False
    numbers, distinct = codes(right)
    pairs = left.astype(np.int64) * len(distinct) + numbers
    return len(np.unique(pairs)) < len(pairs)


def pair_hashes(left: npt.NDArray[np.integer[Any]], right: Ids) -> npt.NDArray[np.uint64]:
    """A number for each (left, right), by which one id with different `left` is told apart."""
    hashes = np.zeros(len(right), np.uint64)
    for word in _words(right)[
        ::-1
    ]:  # the last one first: what NumPy fills up with leaves nothing behind
        hashes += word
        hashes *= _MIXER
    return hashes + left.astype(np.uint64)


def _words(ids: Ids) -> npt.NDArray[np.uint64]:
    """The first eight bytes of each, the next eight, and so on: (words, n)."""
    n_words = -(-ids.itemsize // 8)
    return ids.astype(f"S{8 * n_words}", copy=False).view(np.uint64).reshape(-1, n_words).T


def _has_repeated(hashes: npt.NDArray[np.uint64]) -> bool:
    """Whether any comes twice: quicker than sorting where few fall into one slot."""
    n = len(hashes)
    n_bits = (8 * n).bit_length()
    slots = ((hashes ^ hashes >> 32) * _MIXER >> np.uint64(64 - n_bits)).view(np.int64)
    places = np.arange(n, dtype=np.int32)
    last = np.empty(1 << n_bits, np.int32)
    last[slots] = places
    rest = np.flatnonzero(last[slots] != places)  # each slot's last one need not be compared again
    if 2 * len(rest) > n:
        hashes = np.sort(hashes)
        return bool((hashes[1:] == hashes[:-1]).any())
    if (hashes[rest] == hashes[last[slots[rest]]]).any():
        return True
    return rest.size > 0 and _has_repeated(hashes[rest])
