"""Krippendorff's alpha by its definition, with loops and a table of all values by all values."""

import numpy as np
from scipy.stats import rankdata


def differences(level, values):
    """δ² of all pairs of values, in a table."""
    if level == "ordinal":
        values = rankdata(values)
    a, b = values[:, np.newaxis], values
    if level == "nominal":
        return (a != b).astype(float)
    return ((a - b) / (a + b if level == "ratio" else 1)) ** 2


def disagreements(values, items, judges, level, originals):
    """n, n D_o, n D_e; values of two copies of one original are in no pair of D_e."""
    table, n = differences(level, values), len(values)
    observed = 0.0
    for item in np.unique(items):
        places = np.flatnonzero(items == item)
        pairs = [table[a, b] for a in places for b in places if judges[a] != judges[b]]
        observed += len(places) * np.mean(pairs)
    expected = [
        table[a, b]
        for a in range(n)
        for b in range(n)
        if not (items[a] == items[b] and judges[a] == judges[b])
        and (items[a] == items[b] or originals[a] != originals[b])
    ]
    return n, observed, n * np.mean(expected)


def counted(items, judges):
    """The places of values of items that two judges gave values to."""
    several = [item for item in np.unique(items) if len(set(judges[items == item])) > 1]
    return np.flatnonzero(np.isin(items, several))


def alpha(values, items, judges, level="ratio", originals=None):
    places = counted(items, judges)
    of = items if originals is None else originals
    _, observed, expected = disagreements(
        values[places], items[places], judges[places], level, of[places]
    )
    return 1 - observed / expected
