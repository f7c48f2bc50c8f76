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
    starts = np.flatnonzero(np.append(True, ids[1:] != ids[:-1])[: len(ids)])
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
    return _has_repeated(left.astype(np.int64) * len(distinct) + numbers)


def pair_hashes(left: npt.NDArray[np.integer[Any]], right: Ids) -> npt.NDArray[np.uint64]:
    """A number for each (left, right), by which one id with different `left` is told apart."""
    n_words = -(-right.itemsize // 8)
    words = right.astype(f"S{8 * n_words}", copy=False).view(np.uint64).reshape(-1, n_words)
    hashes = np.zeros(len(right), np.uint64)
    for word in words.T[::-1]:  # the last one first: what NumPy fills up with leaves nothing behind
        hashes += word
        hashes *= _MIXER
    return hashes + left.astype(np.uint64)


def _has_repeated(numbers: npt.NDArray[Any]) -> bool:
    numbers.sort()
    return bool((numbers[1:] == numbers[:-1]).any())
