"""Opinions that were given elsewhere, as analyses read them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.agreement.opinions import MISSING, Names, Opinions
from judging import completed

Ints = NDArray[np.int64]
Texts = NDArray[np.object_]


@dataclass(frozen=True)
class Said:
    """All opinions on one topic that were given elsewhere, those without a level too.

    places (of the documents in the pool), levels (-1: none), aspects, occasions: (n,), in the order
    in which they were read; judges: (n,), places in `StudyData.workers`, and from its size on those
    of whom there is no level at all.
    """

    places: Ints
    judges: Ints
    levels: Ints
    aspects: Texts
    occasions: Texts


def said(given: completed.Opinions, pool: Ints, workers: Ints) -> Said:
    """Opinions with the keys of documents and workers made places in two ascending lists."""
    judges = np.searchsorted(workers, given.workers)
    strangers = ~np.isin(given.workers, workers)
    judges[strangers] = len(workers) + np.searchsorted(
        np.unique(given.workers[strangers]), given.workers[strangers]
    )
    places = np.searchsorted(pool, given.documents)
    return Said(places, judges, given.levels, given.aspects, given.occasions)


def as_units(given: completed.Opinions, names: list[str]) -> completed.Circumstances:
    """How the units of one document came about that opinions stand as: who gave them is known."""
    there = given.levels != MISSING
    n = int(there.sum())
    texts = np.array([names[level] for level in given.levels[there]], dtype=object)
    return completed.Circumstances(
        workers=given.workers[there],
        numbers=np.arange(1, n + 1),
        finished=np.full(n, np.nan),
        failed=np.zeros(n, dtype=np.int64),
        seconds=np.full((n, 1), np.nan),
        texts=texts.reshape(n, 1),
        words=np.arange(n).reshape(n, 1),
    )


def joined(parts: Sequence[Said], offsets: Ints, names: Names) -> Opinions:
    """Those of all topics as one list; `offsets`: of each topic's first item, and of all items."""
    starts = np.repeat(offsets[:-1], [len(part.levels) for part in parts])
    return Opinions(
        np.concatenate([part.places for part in parts]) + starts,
        np.concatenate([part.levels for part in parts]),
        np.concatenate([part.judges for part in parts]),
        len(names.levels),
        np.repeat(np.arange(len(parts)), np.diff(offsets)),
        names,
    )
