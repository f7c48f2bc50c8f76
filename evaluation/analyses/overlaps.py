"""Which share of what one of two judges found good both did, level by level.

Demeester and others (WSDM 2014), section 3.3.1.
"""

from typing import NamedTuple

import numpy as np

from evaluation.analyses import in_levels
from evaluation.analyses.data import Floats
from evaluation.analyses.in_levels import Two
from evaluation.comparison.judge_overlap import LevelOverlap, level_overlap
from evaluation.gains.opinions import Opinions


class Overlaps(NamedTuple):
    """Overlap at each level, of the two judges of each topic and of any two of a document."""

    two: Two
    found: LevelOverlap
    any_two: Floats  # (levels,)
    documents: int  # with two judges


def overlaps(said: Opinions) -> Overlaps:
    two = in_levels.best_two(said)
    return Overlaps(two, level_overlap(two.opinions, 0, 1), *_any_two(said))


def _any_two(said: Opinions) -> tuple[Floats, int]:
    """The chance that both of two judges give the level or more, over that one of them does."""
    given = said.given
    keys = given.items * (given.judges.max(initial=0) + 1) + given.judges
    _, first = np.unique(keys, return_index=True)
    counts = given.where(np.isin(np.arange(len(keys)), first)).counts
    size = counts.sum(axis=1)
    counts, size = counts[size > 1], size[size > 1, np.newaxis]
    reached = counts[:, ::-1].cumsum(axis=1)[:, ::-1]
    pairs = size * (size - 1)
    both = reached * (reached - 1) / pairs
    neither = (size - reached) * (size - reached - 1) / pairs
    either = (1 - neither).sum(axis=0)
    found = np.full(either.shape, np.nan)
    np.divide(both.sum(axis=0), either, out=found, where=either > 1e-12)
    return found, len(counts)
