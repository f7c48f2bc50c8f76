"""Opinions on two aspects of the same documents, one beside the other, and their weights."""

import numpy as np

from evaluation.presentation.frame import Column, Frame
from evaluation.study.data import Floats, Ints, StudyData
from magnitudes.agreement.opinions import Opinions
from magnitudes.gains.combined import Combined
from magnitudes.scaling.groups import places_within


def joined(data: StudyData, first: str, second: str) -> tuple[Opinions, Ints]:
    """Opinions on the first aspect, and the same judge's levels on the second, (n,).

    They are on the same document and occasion: of several the first with the first, the second with
    the second.
    """
    every = data.opinions
    aspect, occasion = (
        np.unique(names.astype(str), return_inverse=True)[1]
        for names in (data.aspects, data.occasions)
    )
    whose = np.column_stack([every.items, every.judges, occasion])
    turn = places_within(_codes(np.column_stack([whose, aspect])))
    codes = _codes(np.column_stack([whose, turn]))
    of_first, of_second = (np.flatnonzero(data.aspects == name) for name in (first, second))
    _, with_second, with_first = np.intersect1d(
        codes[of_first], codes[of_second], assume_unique=True, return_indices=True
    )
    return every.where(of_first[with_second]), every.levels[of_second[with_first]]


def _codes(rows: Ints) -> Ints:
    """A number for each row, equal where rows are."""
    return np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)


def weights_of(combination: Combined, alone: Floats, names: list[str]) -> Frame:
    """Combinations that were seen, of the largest weight first; those with the lowest come last."""
    first, second = np.nonzero(combination.observations)
    order = np.lexsort((-first, -second, -combination.weights[first, second]))
    at, named = (first[order], second[order]), np.array(names, dtype=object)
    return Frame.of(
        first=named[at[0]],
        second=named[at[1]],
        labels=combination.observations[at],
        few=np.where(combination.few[at], "yes", ""),
        p=Column(combination.p[at], head="chance"),
        weight=combination.weights[at],
        alone=alone[at[1]],
    )
