"""Pairs and units whose scores lie very far apart, with what was said for them (paper, 6.1.1).

A part of the analysis `numbers`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evaluation.analyses.scores.spread import bins
from evaluation.presentation import plots, published
from evaluation.presentation.frame import ROWS
from evaluation.presentation.parts import Figure, Table, number
from evaluation.study.data import Floats, Ints, StudyData
from magnitudes.files.words import count
from magnitudes.spread.spread import EXTREME, is_extreme, spread

MOST = 150  # of each that are listed, two rows each
LONGEST = 300  # characters of a justification
ENDS = ("smallest", "largest")
OF_ANCHORS = "Anchors have far more scores than others, and so larger ratios."


class PairEnd(NamedTuple):
    """The smallest or the largest score of a pair of topic and document."""

    query_id: str
    doc_id: str
    role: str
    scores: int
    ratio: float
    gain: float
    score_is: str
    score: str
    normalised: float
    worker: str
    unit: str
    justification: str


class UnitEnd(NamedTuple):
    """The smallest or the largest score of a unit."""

    unit: str
    worker: str
    ratio: float
    score_is: str
    score: str
    doc_id: str
    role: str
    justification: str


@dataclass(frozen=True)
class Found:
    """Ratios within units of several scores; how many pairs and units are extreme, and which."""

    within_units: Floats
    n_pairs: int
    n_units: int
    pairs: list[PairEnd]
    units: list[UnitEnd]
    has_anchors: bool


def compute(data: StudyData) -> Found:
    judgments = data.judgments
    pairs = spread(judgments.normalised, judgments.items, len(data.documents)).ratio
    units = spread(judgments.scores, judgments.units, len(data.units)).ratio
    far_pairs, far_units = (np.flatnonzero(is_extreme(ratios)) for ratios in (pairs, units))
    return Found(
        units[~np.isnan(units)],
        len(far_pairs),
        len(far_units),
        [*_pair_ends(data, far_pairs, pairs)] if far_pairs.size else [],
        [*_unit_ends(data, far_units, units)] if far_units.size else [],
        data.has_anchors,
    )


class End(NamedTuple):
    """One end of a group's scores: the judgment, and what was said for it."""

    group: int
    judgment: int
    score_is: str
    justification: str


def _ends(data: StudyData, far: Ints, ratios: Floats, values: Floats, groups: Ints) -> list[End]:
    """The smallest and the largest value of each group that is listed, farthest apart first."""
    farthest = far[np.argsort(-ratios[far], kind="stable")][:MOST]
    order = np.lexsort((values, groups))
    firsts = np.searchsorted(groups[order], farthest)
    lasts = np.searchsorted(groups[order], farthest, "right") - 1
    judgments = np.stack([order[firsts], order[lasts]], axis=1).ravel()
    texts = [" ".join(text.split()) for text in data.justifications(judgments)]
    shortened = [t if len(t) <= LONGEST else t[: LONGEST - 1] + "…" for t in texts]
    columns = (np.repeat(farthest, 2).tolist(), judgments.tolist(), ENDS * len(farthest))
    return [End(*row) for row in zip(*columns, shortened, strict=True)]


def _pair_ends(data: StudyData, far: Ints, ratios: Floats) -> Iterator[PairEnd]:
    role, judgments = roles(data), data.judgments
    counts = np.bincount(judgments.items, minlength=len(data.documents))
    ends = _ends(data, far, ratios, judgments.normalised, judgments.items)
    for pair, judgment, score_is, justification in ends:
        yield PairEnd(
            *data.pair_name(pair),
            role[pair],
            int(counts[pair]),
            ratios[pair],
            data.documents.gains[pair],
            score_is,
            judgments.texts[judgment],
            judgments.normalised[judgment],
            data.workers[judgments.workers[judgment]],
            data.unit_name(int(judgments.units[judgment])),
            justification,
        )


def _unit_ends(data: StudyData, far: Ints, ratios: Floats) -> Iterator[UnitEnd]:
    role, judgments = roles(data), data.judgments
    ends = _ends(data, far, ratios, judgments.scores, judgments.units)
    for unit, judgment, score_is, justification in ends:
        item = int(judgments.items[judgment])
        yield UnitEnd(
            data.unit_name(unit),
            data.workers[judgments.workers[judgment]],
            ratios[unit],
            score_is,
            judgments.texts[judgment],
            data.pair_name(item)[1],
            role[item],
            justification,
        )


def roles(data: StudyData) -> list[str]:
    """H_k, N_k or other, of each item."""
    names = ["other"] * len(data.documents)
    if not data.has_anchors:
        return names
    for topic, start in zip(data.topics, data.offsets.tolist(), strict=False):
        names[start + topic.h_k], names[start + topic.n_k] = "H_k", "N_k"
    return names


def says(found: Found) -> str:
    pairs = count(found.n_pairs, "document has", "documents have")
    units = count(found.n_units, "unit has", "units have")
    if not found.n_pairs and not found.n_units:
        return f"No document and no unit has scores {EXTREME:,.0f} times apart."
    return (
        f"{pairs} normalised scores {EXTREME:,.0f} times apart or more "
        + published.quote("(the paper looked at {far_apart} of {documents}), ")
        + f"and {units} scores so far apart."
    )


def parts(found: Found) -> Iterator[Figure | Table]:
    """The figure, and the tables that have a row."""
    if found.within_units.size:
        yield _figure(found.within_units)
    if found.pairs:
        yield Table(
            "extreme-pairs",
            f"Pairs with scores {EXTREME:,.0f} times apart or more",
            PairEnd,
            found.pairs,
            (
                _note(found.n_pairs),
                *([OF_ANCHORS] if found.has_anchors else []),
                "The paper found two reasons: no zero to give, and carelessness.",
            ),
            "section 6.1.1",
        )
    if found.units:
        yield Table(
            "extreme-units",
            f"Units with scores {EXTREME:,.0f} times apart or more",
            UnitEnd,
            found.units,
            (_note(found.n_units),),
        )


def _figure(ratios: Floats) -> Figure:
    return bins(ratios, "units").figure(
        "within-units",
        f"Half the units span a factor of {number(np.median(ratios))} or more",
        "Look for a long tail to the right: workers who use very wide scales.",
        plots.bars(ROWS, "largest over smallest score of a unit", "units", "units", log=True),
    )


def _note(n: int) -> str:
    cut = f" The {MOST} farthest apart of {n:,} are listed." if n > MOST else ""
    return (
        f"Two rows each, farthest apart first: the smallest score and the largest, as typed.{cut}"
    )
