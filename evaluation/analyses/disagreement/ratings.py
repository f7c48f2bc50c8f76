"""Ratings of documents from 0 to a highest one, as gains that count unanimity take them."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evaluation.presentation.parts import percent
from evaluation.study import levels
from evaluation.study.data import Floats, Ints, Mask, StudyData
from magnitudes.files.words import count
from magnitudes.gains.scores import LEVELS, Ratings
from magnitudes.gains.unanimity import P as P_PAPER
from magnitudes.gains.unanimity import Unanimity, simulated_ratings, unanimity, usual_number

SOURCE = "of Sakai, EVIA 2017"
P = (0.1, P_PAPER, 0.5)
DRAWS = 20  # of ratings that do not agree
STEPS = 8  # of a scale without levels, for these: the most that the paper has


@dataclass(frozen=True)
class Rated:
    """Ratings of the documents of a study, and what comes of them.

    lowest: what 0 is called; n: with how many ratings a document counts; relevant: (items,), which
    documents are worth something where ratings are drawn, and `relevant_by` what; below, above:
    shares of scores that are at or beyond an end of the scale; lost: topics without a scale.
    """

    given: Ratings
    lowest: str
    n: int
    relevant: Mask
    relevant_by: str
    seed: int
    is_continuous: bool = False
    below: float = 0.0
    above: float = 0.0
    lost: int = 0

    @property
    def d_max(self) -> float:
        return self.given.d_max

    @cached_property
    def counts(self) -> Ints:
        """(items,), how many ratings each has."""
        return np.bincount(self.given.items, minlength=self.given.n_items)

    @cached_property
    def gains(self) -> Unanimity:
        """With the p of the paper."""
        return self.gains_at(P_PAPER)

    def gains_at(self, p: float) -> Unanimity:
        given = self.given
        return unanimity(given.items, given.ratings, given.n_items, given.d_max, self.n, p)

    @cached_property
    def several(self) -> Mask:
        """(items,), which have two ratings or more that count."""
        return np.minimum(self.counts, self.n) > 1

    @cached_property
    def unanimous(self) -> Mask:
        """Of each item with several ratings, whether they are equal."""
        return self.gains.spread[self.several] == 0

    @property
    def steps(self) -> int:
        """The highest of whole numbers that are drawn as ratings."""
        return STEPS if self.is_continuous else int(self.d_max)

    def texts(self, items: Ints) -> list[str]:
        """The ratings that count of some items."""
        order = np.argsort(self.given.items, kind="stable")
        starts = np.searchsorted(self.given.items[order], items)
        ends = starts + np.minimum(self.counts[items], self.n)
        spans, given = zip(starts, ends, strict=True), self.given.ratings[order]
        return [" ".join(f"{rating:.3g}" for rating in given[a:b].tolist()) for a, b in spans]

    def simulated(self, draw: int) -> Unanimity:
        """Gains of ratings that do not agree: equal chances for each of a relevant document."""
        return self._drawn(np.flatnonzero(self.counts), self.relevant, self.seed + draw)

    @cached_property
    def simulated_spread(self) -> Floats:
        """D of ratings that do not agree, of each item with several."""
        items = np.flatnonzero(self.several)
        return self._drawn(items, self.several, self.seed).spread[items]

    def _drawn(self, items: Ints, relevant: Mask, seed: int) -> Unanimity:
        """Of each item as many as it has, as D of few ratings is smaller by chance alone."""
        made = simulated_ratings(relevant[items], self.steps, self.n, seed).ratings
        row, place = np.nonzero(np.arange(self.n) < self.counts[items, np.newaxis])
        ratings = made[row, place] * (self.d_max / self.steps)
        return unanimity(items[row], ratings, self.given.n_items, self.d_max, self.n)


def rated(data: StudyData) -> Rated:
    """Levels as they are; magnitudes from 0 to 1, from N_k to H_k."""
    if data.study.is_graded:
        of = levels.opinions(data).given
        given = Ratings(of.items, of.levels.astype(float), of.n_items, of.n_levels - 1)
        return Rated(given, f"“{data.study.levels[0]}”", *_counting(data, given))
    given = data.magnitudes.ratings
    size = max(given.ratings.size, 1)
    below, above = (int((given.ratings == end).sum()) / size for end in (0, 1))
    lost = len(data.topics) - len(np.unique(data.documents.topics[given.items]))
    zero = "0, as the irrelevant anchor"
    return Rated(given, zero, *_counting(data, given), True, below, above, lost)


def _counting(data: StudyData, given: Ratings) -> tuple[int, Mask, str, int]:
    """N; which documents are worth something, and how this is known; the seed."""
    relevant, by = data.documents.labels > 0, "a label above 0"
    if not relevant.any():
        relevant = np.bincount(given.items, given.ratings, minlength=given.n_items) > 0
        by = "a rating above the lowest"
    n = data.study.max_counted_judgments or usual_number(given.items, given.n_items)
    return n, relevant, by, data.seed


def counted(data: StudyData, rated: Rated) -> Iterator[str]:
    """Which ratings count, how magnitudes became ratings, and what is left out."""
    short, more = int(rated.gains.short.sum()), int((rated.counts > rated.n).sum())
    why = "most have" if data.study.max_counted_judgments is None else "each is to have"
    beyond = f": of {count(more, 'document')} with more, the first {rated.n}" if more else ""
    fewer = (
        f" {count(short, 'document has', 'documents have')} fewer: the sum is scaled up as if "
        "the missing ratings had been like the others, and D may be too small."
    )
    every = f"Every document counts with {count(rated.n, 'rating')}, as many as {why}{beyond}."
    yield f"{every}{fewer if short else ''}"
    if rated.is_continuous:
        cut = data.opinions.given
        of_levels = unanimity(cut.items, cut.levels, cut.n_items, cut.n_levels - 1, rated.n)
        same = (of_levels.spread[rated.several] == 0).mean()
        yield (
            "A magnitude counts as how far up from the irrelevant to the relevant anchor it is, in "
            f"ratios: 0 at the irrelevant one and below ({percent(rated.below)} of scores), 1 at "
            f"the relevant one and above ({percent(rated.above)}). Rounded to {LEVELS} "
            f"levels, {percent(same, 1)} of documents have ratings that are all equal. "
            "Gains of these ratings are compared with each other, not with those of magnitudes."
        )
    if rated.lost:
        yield levels.anchors_alike(rated.lost)
