"""Magnitudes over the unit's N_k by level, and how far they are from usual profiles of gains."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from evaluation.presentation import boxes
from evaluation.presentation.frame import Column, Frame
from evaluation.study import label_levels
from evaluation.study.data import Floats, StudyData
from evaluation.study.label_levels import U
from magnitudes.gains.profiles import Profile, profile

LINEAR, EXPONENTIAL = "linear", "exponential"


def profiles_of(data: StudyData) -> Iterator[Profile]:
    """Of labelled documents and of those without anchors, then of U alone, as of one level."""
    units, top = label_levels.units(data), label_levels.top(data)
    unlabelled = np.where(units.is_unlabelled, 0.0, np.nan)
    for labels, highest in ((units.labels, top), (unlabelled, 0)):
        for which in (labels, np.where(units.is_anchor, np.nan, labels)):
            yield profile(units.scores, which, units.n_k, highest)


def nearer_to_linear(data: StudyData) -> Iterator[float]:
    """By how much medians are nearer to the linear profile, in logarithms, for each topic."""
    units, top = label_levels.units(data), label_levels.top(data)
    for place in range(len(data.topics)):
        of = data.units.topics == place
        if not np.isnan(units.labels[of]).all():
            multiples = profile(units.scores[of], units.labels[of], units.n_k[of], top)
            linear, exponential = multiples.linear, multiples.exponential
            yield distance(multiples, exponential) - distance(multiples, linear)


def distance(multiples: Profile, gains: Floats) -> float:
    """Between the logarithms of medians and of gains, averaged over the levels used."""
    used = multiples.boxes.counts > 0
    return float(np.abs(np.log(multiples.boxes.median[used]) - np.log(gains[used])).mean())


def levels_of(multiples: Profile, unlabelled: Profile) -> Frame:
    """The box of each level's magnitudes over N_k, and what profiles give; U last, if it has any.

    above: how many of the magnitudes are above the limit.
    """

    def frame(levels: Sequence[Any], of: Profile, gains: Sequence[Any]) -> Frame:
        counts = Column(of.boxes.counts, "judgments")
        ends = boxes.columns(of.boxes)
        profiles = dict(zip((LINEAR, EXPONENTIAL), gains, strict=True))
        return Frame.of(level=levels, n=counts, **ends, above=of.above, **profiles)

    of_u = frame([U], unlabelled, ([np.nan], [np.nan]))
    gains = multiples.linear, multiples.exponential
    levels = frame(range(len(multiples.boxes.counts)), multiples, gains)
    return levels.followed_by(of_u.where(of_u["n"] > 0))
