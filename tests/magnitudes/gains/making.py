"""Opinions made up for tests."""

import numpy as np

from magnitudes.agreement.opinions import Opinions
from magnitudes.gains.unanimity import P, unanimity


def made_up(seed, items=12, judges=5, n_levels=3, said=40, topics=3):
    """Opinions in no order, some missing, some twice by one judge, some items without any."""
    rng = np.random.default_rng(seed)
    return Opinions(
        rng.integers(items, size=said),
        rng.integers(-1, n_levels, said),
        rng.integers(judges, size=said),
        n_levels,
        np.sort(rng.integers(topics, size=items)),
    )


def of_documents(*documents, n_levels=3):
    """Opinions of one topic, each document a list of levels by judges 0, 1, ..."""
    items = [item for item, levels in enumerate(documents) for _ in levels]
    judges = [judge for levels in documents for judge in range(len(levels))]
    levels = [level for levels in documents for level in levels]
    return Opinions(items, levels, judges, n_levels, [0] * len(documents))


def unanimity_of_table(ratings, d_max, p=P, n=None):
    """Gains of a table of ratings, one item a row, in order of completion; NaN for none."""
    table = np.asarray(ratings, dtype=float)
    rated = ~np.isnan(table)
    wanted = table.shape[1] if n is None else n
    return unanimity(np.nonzero(rated)[0], table[rated], len(table), d_max, wanted, p)
