"""The reader of time-biased gain: how long each document takes, and which ones bring a gain.

A reader sees the summary of each document in turn, which takes T_S seconds, clicks on it with the
probability P(C|R), and then reads its l words in T_D(l) = a · l + b seconds. Smucker and Clarke,
Time-Based Calibration of Effectiveness Measures, SIGIR 2012, section 3; their Table 1 has the
values that stand here if no others are given.

A document that is a near duplicate of an earlier one of the list is read as one of no words.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.gains import GainError
from magnitudes.measures import depth, validate_gains
from magnitudes.measures.relevance import relevant

Floats = NDArray[np.float64]
Numbers = float | Floats  # for all, or one per topic
DUPLICATES = ("gain", "nothing")
_SECONDS, _SHARE = (0.0, 1e9), (0.0, 1.0)
# From least to most: what lies outside is no reader, and within them nothing overflows.
BOUNDS = {
    "half_life": (1e-6, 1e9),
    "summary": _SECONDS,
    "slope": _SECONDS,
    "intercept": _SECONDS,
    "click": _SHARE,
    "click_nonrel": _SHARE,
    "save": _SHARE,
}
LONGEST = 1e12  # words


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

    def validate(self) -> "Reader":
        """The same as doubles; GainError where a number cannot be one."""
        numbers = Reader(*(np.asarray(number, dtype=np.float64) for number in self))
        for (name, (least, most)), number in zip(BOUNDS.items(), numbers, strict=True):
            each = np.asarray(number)
            if not ((each >= least) & (each <= most)).all():
                raise GainError(f"{name} {number!s} does not lie from {least:g} to {most:g}")
        return numbers

    def fit(self, topics: tuple[int, ...]) -> None:
        """GainError where numbers are not one for all or one for each of some topics."""
        for name, number in zip(self._fields, self, strict=True):
            shape = np.shape(number)
            try:
                fits = np.broadcast_shapes(shape, topics) == topics
            except ValueError:
                fits = False
            if not fits:
                raise GainError(f"{name} has the shape {shape}, and the topics have {topics}")

    @property
    def gain(self) -> Floats:
        """P(C=1|R=1) P(S=1|R=1), what a relevant document is worth; 0.4928 by Table 1."""
        result: Floats = np.asarray(self.click, dtype=np.float64) * np.asarray(self.save)
        return result

    def staying(self, seconds: Floats) -> Floats:
        """D(t) = exp(-t ln 2 / h), equation (6): the share of readers who are still there."""
        result: Floats = np.exp2(seconds / -np.asarray(self.half_life)[..., np.newaxis])
        return result

    def saved(self, hits: NDArray[np.bool_], begins: Floats) -> Floats:
        """sum g D(T(k)) over the hits of each list, added from the first rank to the last."""
        *lists, ranks = hits.shape
        places = np.flatnonzero(hits)
        list_of = places // max(ranks, 1)
        half_life = np.broadcast_to(self.half_life, lists).ravel()[list_of]
        stays = np.exp2(begins.ravel()[places] / -half_life)
        summed = np.bincount(list_of, stays, minlength=math.prod(lists)).reshape(lists)
        return np.asarray(self.gain * summed)

    def leaving(self, seconds: Floats) -> Floats:
        """1 - D(t): the share of readers who have stopped."""
        half_life = np.asarray(self.half_life)[..., np.newaxis]
        return np.asarray(-np.expm1(-seconds / half_life * np.log(2)))

    def clicks(self, hits: NDArray[np.bool_]) -> Floats:
        """P(C=1|r) of documents."""
        relevant_rate, other_rate = (
            np.asarray(number)[..., np.newaxis] for number in (self.click, self.click_nonrel)
        )
        return np.asarray(other_rate + (relevant_rate - other_rate) * hits)

    def reading(self, words: Floats) -> Floats:
        """T_D(l) of documents."""
        a, b = (np.asarray(number)[..., np.newaxis] for number in (self.slope, self.intercept))
        return np.asarray(a * words + b)

    def seconds(self, hits: NDArray[np.bool_], words: Floats) -> Floats:
        """T_S + T_D(l) P(C=1|r) of documents: the terms of equation (4)."""
        clicked = self.reading(words) * self.clicks(hits)
        return np.asarray(clicked + np.asarray(self.summary)[..., np.newaxis])


class Path(NamedTuple):
    """A reader's way down rankings, all (..., ranks).

    relevant: which documents are; hits: those of them that bring a gain; words: l; seconds: T_S +
    T_D(l) P(C=1|r); begins: T(k), their sum before each rank, equation (4). NaN where a length is
    not known, and, in `begins`, behind it.
    """

    relevant: NDArray[np.bool_]
    hits: NDArray[np.bool_]
    words: Floats
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
    """How readers come down rankings; parameters and errors are those of `time_biased.tbg`."""
    if duplicates not in DUPLICATES:
        raise GainError(f"unknown duplicates {duplicates!r}; there are {', '.join(DUPLICATES)}")
    listed, _, top = validate_gains(ranked, judged)
    lengths, repeated = documents(listed, words, repeats)
    cut = slice(depth(k))
    lengths, repeated = lengths[..., cut], repeated[..., cut]
    is_relevant = relevant(listed[..., cut], rel, top.shape)
    reader.fit(is_relevant.shape[:-1])
    hits = is_relevant & ~repeated if duplicates == "nothing" else is_relevant
    read = lengths if repeats is None else np.where(repeated, 0.0, lengths)
    seconds = reader.seconds(is_relevant, read)
    return Path(is_relevant, hits, read, seconds, before(seconds))


def before(seconds: Floats) -> Floats:
    """When each rank is reached: the seconds of all ranks before it."""
    begins = np.zeros(seconds.shape)
    np.cumsum(seconds[..., :-1], axis=-1, out=begins[..., 1:])
    return begins


def documents(
    listed: Floats, words: ArrayLike, repeats: ArrayLike | None
) -> tuple[Floats, NDArray[np.bool_]]:
    """Lengths and marks of repeats that go with gains; GainError where they do not."""
    lengths = np.asarray(words, dtype=np.float64)
    repeated = np.zeros(listed.shape, dtype=bool) if repeats is None else np.asarray(repeats)
    if repeated.dtype != np.bool_:
        raise GainError(f"repeats must be true or false for each document, not {repeated.dtype}")
    for name, array in (("words", lengths), ("repeats", repeated)):
        if array.shape != listed.shape[listed.ndim - array.ndim :]:
            raise GainError(f"{name} {array.shape} must have the shape of gains, {listed.shape}")
    if not (lengths.min(initial=0.0) >= 0 and lengths.max(initial=0.0) <= LONGEST):
        known = lengths[~np.isnan(lengths)]
        if not (known.min(initial=0.0) >= 0 and known.max(initial=0.0) <= LONGEST):
            raise GainError(f"a document's length does not lie from 0 to {LONGEST:g} words")
    return lengths, repeated
