"""One topic as it is judged again and again: some of each document's scores, drawn at random."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from magnitudes.comparison import ComparisonError
from magnitudes.scaling.aggregation import aggregate

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Topic:
    """The ranked lists of one topic, and all normalised scores of its documents.

    codes: (systems, depth), the document at each rank, -1 below the end of a list.
    scores: (n,), above zero, in any order; documents: (n,), the document of each score.
    size: how many documents there are, codes from 0 to size - 1; those without a score are
        unjudged.
    h_k, n_k: the codes of the anchors, for measures that ask for their gains.

    Raises:
        ComparisonError: codes or documents that are out of range, or arrays that do not fit.
    """

    codes: Ids
    scores: Floats
    documents: Ids
    size: int
    h_k: int | None = None
    n_k: int | None = None

    def __post_init__(self) -> None:
        if self.codes.ndim != 2 or self.scores.ndim != 1:
            raise ComparisonError(
                f"codes {self.codes.shape} and scores {self.scores.shape} "
                "must be (systems, depth) and (n,)"
            )
        if self.codes.min(initial=0) < -1 or self.codes.max(initial=-1) >= self.size:
            raise ComparisonError(f"codes must lie from -1 to {self.size - 1}")
        self.aggregated  # noqa: B018  (which checks the scores)

    @cached_property
    def aggregated(self) -> Floats:
        """(size,), the median of all scores of each document; NaN where unjudged."""
        return aggregate(self.scores, self.documents, self.size).values

    @cached_property
    def counts(self) -> Ids:
        """(size,), how many scores each document has."""
        return np.bincount(self.documents, minlength=self.size)

    @cached_property
    def _by_document(self) -> tuple[Floats, Ids]:
        """The scores, those of one document side by side, and where each document begins."""
        order = np.lexsort((self.scores, self.documents))
        return self.scores[order], np.cumsum(self.counts) - self.counts

    def draw(self, rng: np.random.Generator, draws: int, judges: int = 1) -> Floats:
        """Gains as fewer judges would have given them, many times over.

        Of each document `judges` scores are drawn without replacement, every choice of them with
        the same chance, and their median is the gain. A document with fewer has the median of all.

        Returns:
            Shape (size, draws); NaN where a document is unjudged. Draws made some at a time, with
            one generator, are those that are made all at once.

        Raises:
            ComparisonError: fewer than one judge.
        """
        if judges < 1:
            raise ComparisonError(f"{judges} judges give no gains")
        gains = np.repeat(self.aggregated[:, np.newaxis], draws, axis=1)
        with_more = np.flatnonzero(self.counts > judges)
        scores, starts = self._by_document
        picks = _choices(rng, self.counts[with_more], judges, draws)
        picks += starts[with_more, np.newaxis]
        gains[with_more] = _median(scores[picks])
        return gains


def _choices(rng: np.random.Generator, counts: Ids, wanted: int, draws: int) -> Ids:
    """(wanted, documents, draws): different whole numbers below each count, which is larger.

    R. W. Floyd's way (Bentley, Programming pearls, CACM 30(9), 1987): a number that was taken
    before stands for the largest that may be taken, which never was. It takes as long for a
    document with hundreds of scores as for one with ten.
    """
    chances = rng.random((draws, wanted, len(counts))).transpose(1, 2, 0)
    picks = np.empty((wanted, len(counts), draws), dtype=np.int64)
    for done in range(wanted):
        largest = (counts - wanted + done)[:, np.newaxis]
        # A double below 1 times a count rounds to less than the count.
        pick = (chances[done] * (largest + 1)).astype(np.int64)
        if done:
            pick = np.where((picks[:done] == pick).any(axis=0), largest, pick)
        picks[done] = pick
    return picks


def _median(scores: Floats) -> Floats:
    """Along the first axis; of an even number, the mean of the middle two."""
    count = len(scores)
    ordered = scores if count == 1 else np.sort(scores, axis=0)
    median: Floats = (ordered[(count - 1) // 2] + ordered[count // 2]) / 2
    return median
