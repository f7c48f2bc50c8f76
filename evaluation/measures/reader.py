"""The reader of time-biased gain: how long each document takes, and which ones bring a gain.

A reader sees the summary of each document in turn, which takes T_S seconds, clicks on it with the
probability P(C|R), and then reads its l words in T_D(l) = a · l + b seconds. Smucker and Clarke,
Time-Based Calibration of Effectiveness Measures, SIGIR 2012, section 3; their Table 1 has the
values that stand here if no others are given.

A document that is a near duplicate of an earlier one of the list is read as one of no words.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluation.gains import GainError
from evaluation.measures import checked, depth
from evaluation.measures.relevance import relevant

Floats = NDArray[np.float64]
Numbers = float | Floats  # for all, or one per topic
DUPLICATES = ("gain", "nothing")


class Reader(NamedTuple):
    """What is known of readers, each one number or one per topic; the values of Table 1.

    half_life: seconds after which half of the readers have stopped; summary: T_S, seconds per
    summary; slope, intercept: a, in seconds per word, and b, in seconds, of T_D; click,
    click_nonrel: P(C=1|R=1) and P(C=1|R=0); save: P(S=1|R=1).
    """

    half_life: Numbers = 224.0
    summary: Numbers = 4.4
    slope: Numbers = 0.018
    intercept: Numbers = 7.8
    click: Numbers = 0.64
    click_nonrel: Numbers = 0.39
    save: Numbers = 0.77

    def checked(self) -> "Reader":
        """The same as doubles; GainError where a number cannot be one."""
        numbers = Reader(*(np.asarray(number, dtype=np.float64) for number in self))
        for name, number in zip(self._fields, numbers, strict=True):
            each = np.asarray(number)
            most = 1.0 if name in _PROBABILITIES else np.finfo(np.float64).max
            if not ((each >= 0) & (each <= most)).all():
                raise GainError(f"{name} {number!s} does not lie from 0 to {most:g}")
        if not np.all(np.asarray(numbers.half_life) > 0):
            raise GainError(f"half_life {numbers.half_life!s} is not above 0")
        return numbers

    @property
    def gain(self) -> Floats:
        """P(C=1|R=1) P(S=1|R=1), what a relevant document is worth; 0.4928 by Table 1."""
        return np.asarray(self.click, dtype=np.float64) * np.asarray(self.save)

    def staying(self, seconds: Floats) -> Floats:
        """D(t) = exp(-t ln 2 / h), equation (6): the share of readers who are still there."""
        return np.exp2(-seconds / np.asarray(self.half_life)[..., np.newaxis])

    def leaving(self, seconds: Floats) -> Floats:
        """1 - D(t): the share of readers who have stopped."""
        half_life = np.asarray(self.half_life)[..., np.newaxis]
        return np.asarray(-np.expm1(-seconds / half_life * np.log(2)))

    def clicks(self, hits: NDArray[np.bool_]) -> Floats:
        """P(C=1|r) of documents."""
        one, zero = (
            np.asarray(number)[..., np.newaxis] for number in (self.click, self.click_nonrel)
        )
        return np.asarray(np.where(hits, one, zero), dtype=np.float64)

    def reading(self, words: Floats) -> Floats:
        """T_D(l) of documents."""
        a, b = (np.asarray(number)[..., np.newaxis] for number in (self.slope, self.intercept))
        return np.asarray(a * words + b)

    def seconds(self, hits: NDArray[np.bool_], words: Floats) -> Floats:
        """T_S + T_D(l) P(C=1|r) of documents: the terms of equation (4)."""
        read = self.reading(words) * self.clicks(hits)
        return np.asarray(np.asarray(self.summary)[..., np.newaxis] + read)


_PROBABILITIES = ("click", "click_nonrel", "save")


class Path(NamedTuple):
    """A reader's way down rankings, all (..., ranks).

    hits: relevant documents that bring a gain; clicks: P(C=1|r); reading: T_D(l); seconds: T_S +
    T_D(l) P(C=1|r); begins: T(k), their sum before each rank, equation (4). NaN where a length is
    not known, and, in `begins`, behind it.
    """

    hits: NDArray[np.bool_]
    clicks: Floats
    reading: Floats
    seconds: Floats
    begins: Floats


def path(
    ranked: ArrayLike,
    judged: ArrayLike,
    words: ArrayLike,
    repeats: ArrayLike | None,
    reader: Reader,
    k: int | None = None,
    rel: ArrayLike | None = None,
    duplicates: str = "gain",
) -> Path:
    """How readers come down rankings; parameters are those of `time_biased.tbg`."""
    if duplicates not in DUPLICATES:
        raise GainError(f"unknown duplicates {duplicates!r}; there are {', '.join(DUPLICATES)}")
    listed, _, top = checked(ranked, judged)
    lengths, again = documents(listed, words, repeats)
    cut = slice(depth(k))
    hits = relevant(listed[..., cut], rel, top.shape)
    again = again[..., cut]
    clicks, reading = reader.clicks(hits), reader.reading(np.where(again, 0.0, lengths[..., cut]))
    seconds = np.asarray(reader.summary)[..., np.newaxis] + reading * clicks
    bring = hits & ~again if duplicates == "nothing" else hits
    return Path(bring, clicks, reading, seconds, before(seconds))


def before(seconds: Floats) -> Floats:
    """When each rank is reached: the seconds of all ranks before it."""
    begins = np.zeros(seconds.shape)
    np.cumsum(seconds[..., :-1], axis=-1, out=begins[..., 1:])
    return begins


def documents(
    listed: Floats, words: ArrayLike, repeats: ArrayLike | None
) -> tuple[Floats, NDArray[np.bool_]]:
    """Lengths and marks of repeats that go with gains."""
    lengths = np.asarray(words, dtype=np.float64)
    again = np.zeros(listed.shape, dtype=bool) if repeats is None else np.asarray(repeats)
    if again.dtype != np.bool_:
        raise GainError(f"repeats must be true or false for each document, not {again.dtype}")
    for name, array in (("words", lengths), ("repeats", again)):
        if array.shape != listed.shape[listed.ndim - array.ndim :]:
            raise GainError(f"{name} {array.shape} must have the shape of gains, {listed.shape}")
    if not (lengths.min(initial=0.0) >= 0 and lengths.max(initial=0.0) < np.inf):
        known = lengths[~np.isnan(lengths)]
        if not (known.min(initial=0.0) >= 0 and known.max(initial=0.0) < np.inf):
            raise GainError("a document's length is negative or infinite")
    return lengths, again


def repeats(classes: ArrayLike) -> NDArray[np.bool_]:
    """Which documents of lists are near duplicates of an earlier one of their list.

    `classes`: shape (..., depth), whole numbers from 0, the same for near duplicates; a negative
    one for a document without any. Returns the same shape.

    >>> repeats([[3, -1, 3, -1], [-1, 3, 5, 3]])
    array([[False, False,  True, False],
           [False, False, False,  True]])
    """
    of = np.asarray(classes, dtype=np.int64)
    marks = np.zeros(of.shape, dtype=bool)
    lists = of.reshape(-1, of.shape[-1]) if of.size else of.reshape(0, 1)
    row, rank = np.nonzero(lists >= 0)
    found = lists[row, rank]
    _, first = np.unique(row * (found.max(initial=0) + 1) + found, return_index=True)
    again = np.ones(len(row), dtype=bool)
    again[first] = False
    marks.reshape(lists.shape)[row, rank] = again
    return marks
