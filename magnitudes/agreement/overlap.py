"""How far two judges find the same documents relevant, and how far each agrees with themself.

Overlap: Voorhees, Variations in relevance judgments and the measurement of retrieval effectiveness,
Information Processing & Management 36, 2000; by levels in Demeester, Aly, Hiemstra, Nguyen,
Trieschnigg and Develder, Exploiting user disagreement for web search evaluation: an experimental
approach, WSDM 2014, section 3.3.1.

Self against cross: where two judges each labelled the same documents more than once, independently,
one list of labels can be drawn for each judge again and again. Two lists of one judge differ by
what a judge is inconsistent in, lists of different judges by that and by what they disagree on.
Demeester and others, section 3.3.2, Figures 2 and 3.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from magnitudes.agreement import AgreementError
from magnitudes.agreement.opinions import MISSING, Ids, Opinions
from magnitudes.scaling.groups import chunks, mean_and_sd, ratio

Floats = NDArray[np.float64]


class LevelOverlap(NamedTuple):
    """Overlaps of two judges, counting as relevant what has a level or a higher one."""

    pooled: Floats  # (levels,), over the documents of all topics
    by_topic: Floats  # (topics, levels)
    mean: Floats  # (levels,), of the topics where either judge found something


def level_overlap(opinions: Opinions, first: int, second: int) -> LevelOverlap:
    """The overlap |A and B| / |A or B| of two judges, at each level.

    A are the documents that the first judge gave at least that level, B those that the second did,
    among those that both labelled.

    Parameters:
        opinions: where a judge labelled an item more than once, the first label counts.
        first, second: the judges.

    Returns:
        See `LevelOverlap`. NaN where neither gave a document such a level. At level 0 it is 1.

    >>> labels = Opinions([0, 0, 1, 1, 2, 2], [2, 2, 2, 1, 1, 0], [0, 1, 0, 1, 0, 1], 3, [0, 0, 0])
    >>> level_overlap(labels, 0, 1).pooled.round(3)
    array([1.   , 0.667, 0.5  ])
    """
    first_levels, second_levels = (
        opinions.of_judge(judge)[:, np.newaxis] for judge in (first, second)
    )
    both = (first_levels != MISSING) & (second_levels != MISSING)
    levels = np.arange(opinions.n_levels)
    common = both & (first_levels >= levels) & (second_levels >= levels)
    either = both & ((first_levels >= levels) | (second_levels >= levels))
    n_topics = int(opinions.topic_of_item.max(initial=-1)) + 1
    topics = np.zeros((n_topics, opinions.n_levels)), np.zeros((n_topics, opinions.n_levels))
    for totals, counted in zip(topics, (common, either), strict=True):
        np.add.at(totals, opinions.topic_of_item, counted)
    by_topic = ratio(*topics)
    known = ~np.isnan(by_topic)
    mean = ratio(np.where(known, by_topic, 0).sum(axis=0), known.sum(axis=0))
    return LevelOverlap(ratio(common.sum(axis=0), either.sum(axis=0)), by_topic, mean)


class Spread(NamedTuple):
    """p(T|i) in each draw, and averaged over draws."""

    draws: Floats  # (draws, levels), NaN where a draw never has a level
    mean: Floats  # (levels,)
    sd: Floats  # (levels,), with n - 1 in the denominator


class SelfAndCross(NamedTuple):
    """p(T|i) between two labels of the same judge, and of different judges."""

    own: Spread
    cross: Spread
    items: int  # that both judges labelled at least twice
    seed: int


def self_and_cross(
    opinions: Opinions,
    first: int,
    second: int,
    draws: int = 1000,
    replacement: bool = True,
    *,
    seed: int,
) -> SelfAndCross:
    """p(T|i) of a judge against themself and against another, in lists drawn again and again.

    In each draw every item gets two labels of each judge, each of a judge's own labels with the
    same chance. The first ones of both judges are compared for `cross`, the two of each judge for
    `own`, both judges pooled, and both directions of every pair count.

    Parameters:
        opinions: only items that both judges labelled at least twice are taken.
        first, second: the judges.
        draws: how often.
        replacement: whether the two labels of a judge may be one and the same, as in a bootstrap.
            It then makes `own` higher than the judge is consistent: with k labels, one pair in k
            is a label with itself. False draws two different ones.
        seed: of `numpy.random.default_rng`.

    Returns:
        See `SelfAndCross`; means and standard deviations leave NaN out.

    Raises:
        AgreementError: no item that both judges labelled twice; the same judge twice; fewer than
            one draw.

    >>> labels = Opinions([0] * 4 + [1] * 4, [1, 1, 1, 1, 1, 1, 0, 0], [0, 0, 1, 1] * 2, 2, [0, 0])
    >>> result = self_and_cross(labels, 0, 1, seed=1)
    >>> result.own.mean.round(2), result.cross.mean.round(2), result.items
    (array([0., 1.]), array([1.  , 0.67]), 2)
    """
    if first == second:
        raise AgreementError(f"judge {first} cannot be compared as another with themself")
    if draws < 1:
        raise AgreementError(f"at least one draw must be made, not {draws}")
    known = opinions.given
    labels = [
        np.bincount(known.items[known.judges == judge], minlength=known.n_items)
        for judge in (first, second)
    ]
    items = np.flatnonzero(np.minimum(*labels) >= 2)
    if not items.size:
        raise AgreementError(f"judges {first} and {second} labelled no item twice each")
    decks = [_Deck.of(known, judge, items) for judge in (first, second)]
    own, cross = np.empty((2, draws, known.n_levels))
    random = np.random.default_rng(seed)
    for part in chunks(draws, 4 * len(items)):
        chances = random.random((part.stop - part.start, 4, len(items)))
        one_label, one_again = decks[0].two(chances[:, 0], chances[:, 1], replacement)
        other_label, other_again = decks[1].two(chances[:, 2], chances[:, 3], replacement)
        cross[part] = _p(one_label, other_label, known.n_levels)
        both = np.hstack([one_label, other_label]), np.hstack([one_again, other_again])
        own[part] = _p(*both, known.n_levels)
    return SelfAndCross(_spread(own), _spread(cross), len(items), seed)


class _Deck(NamedTuple):
    """The labels of one judge, item by item."""

    levels: Ids
    starts: Ids
    sizes: Ids

    @classmethod
    def of(cls, opinions: Opinions, judge: int, items: Ids) -> "_Deck":
        places = np.flatnonzero((opinions.judges == judge) & np.isin(opinions.items, items))
        places = places[np.argsort(opinions.items[places], kind="stable")]
        _, starts, sizes = np.unique(opinions.items[places], return_index=True, return_counts=True)
        return cls(opinions.levels[places], starts, sizes)

    def two(self, chance: Floats, other: Floats, replacement: bool) -> tuple[Ids, Ids]:
        """Two labels of each item, by chances (draws, items) from 0 to below 1."""
        first_place = (chance * self.sizes).astype(np.int64)
        if replacement:
            second_place = (other * self.sizes).astype(np.int64)
        else:
            second_place = (
                first_place + 1 + (other * (self.sizes - 1)).astype(np.int64)
            ) % self.sizes
        return self.levels[self.starts + first_place], self.levels[self.starts + second_place]


def _p(first: Ids, second: Ids, n_levels: int) -> Floats:
    """p(T|i), (draws, levels), of pairs of labels (draws, pairs), in both directions."""
    levels, others = np.hstack([first, second]), np.hstack([second, first])
    cells = np.arange(len(levels))[:, np.newaxis] * n_levels + levels
    size = len(levels) * n_levels
    total = np.bincount(cells.ravel(), minlength=size)
    top = np.bincount(cells[others == n_levels - 1], minlength=size)
    return ratio(top, total).reshape(-1, n_levels)


def _spread(draws: Floats) -> Spread:
    return Spread(draws, *mean_and_sd(draws))
