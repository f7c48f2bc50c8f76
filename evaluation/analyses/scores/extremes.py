"""Pairs and units whose scores lie very far apart, with what was said for them (paper, 6.1.1).

A part of the analysis `numbers`.
"""

from collections.abc import Iterator

import numpy as np

from evaluation.analyses.scores.spread import bins
from evaluation.presentation import plots, published
from evaluation.presentation.frame import ROWS, Column, Frame
from evaluation.presentation.parts import Figure, Part, number
from evaluation.study.data import Floats, Ints, StudyData
from magnitudes.files.words import count
from magnitudes.spread.spread import EXTREME, is_extreme, spread

MAX_LISTED = 150  # of each that are listed, two rows each
LONGEST = 300  # characters of a justification
ENDS = ("smallest", "largest")
OF_ANCHORS = "Anchors have far more scores than others, and so larger ratios."


def within_pairs(data: StudyData) -> Floats:
    """The largest normalised score of each pair over its smallest; NaN of fewer than two."""
    judgments = data.judgments
    return spread(judgments.normalised, judgments.items, len(data.documents)).ratio


def within_units(data: StudyData) -> Floats:
    """The largest score of each unit over its smallest; NaN for a unit of one score."""
    return spread(data.judgments.scores, data.judgments.units, len(data.units)).ratio


def _pairs(data: StudyData, ratios: Floats) -> Frame:
    """The smallest and the largest score of each extreme pair of topic and document."""
    judgments = data.judgments
    at, of_judgment = _ends(ratios, judgments.normalised, judgments.items)
    names = [data.pair_name(item) for item in at.tolist()]
    return Frame.of(
        query_id=[query_id for query_id, _ in names],
        doc_id=[doc_id for _, doc_id in names],
        role=np.array(roles(data))[at],
        scores=np.bincount(judgments.items, minlength=len(ratios))[at],
        ratio=ratios[at],
        gain=data.documents.gains[at],
        score_is=Column(ENDS * (len(at) // 2), "which score"),
        score=[judgments.texts[place] for place in of_judgment],
        normalised=judgments.normalised[of_judgment],
        worker=[data.workers[worker] for worker in judgments.workers[of_judgment]],
        unit=[data.unit_name(int(unit)) for unit in judgments.units[of_judgment]],
        justification=_justifications(data, of_judgment),
    )


def _units(data: StudyData, ratios: Floats) -> Frame:
    """The smallest and the largest score of each extreme unit."""
    judgments = data.judgments
    at, of_judgment = _ends(ratios, judgments.scores, judgments.units)
    items = judgments.items[of_judgment]
    return Frame.of(
        unit=[data.unit_name(unit) for unit in at.tolist()],
        worker=[data.workers[worker] for worker in judgments.workers[of_judgment]],
        ratio=ratios[at],
        score_is=Column(ENDS * (len(at) // 2), "which score"),
        score=[judgments.texts[place] for place in of_judgment],
        doc_id=[data.pair_name(item)[1] for item in items.tolist()],
        role=np.array(roles(data))[items],
        justification=_justifications(data, of_judgment),
    )


def _ends(ratios: Floats, values: Floats, groups: Ints) -> tuple[Ints, Ints]:
    """Groups that are listed, each twice, farthest apart first, and judgments at both ends."""
    far = np.flatnonzero(is_extreme(ratios))
    farthest = far[np.argsort(-ratios[far], kind="stable")][:MAX_LISTED]
    order = np.lexsort((values, groups))
    firsts = np.searchsorted(groups[order], farthest)
    lasts = np.searchsorted(groups[order], farthest, "right") - 1
    return np.repeat(farthest, 2), np.stack([order[firsts], order[lasts]], axis=1).ravel()


def _justifications(data: StudyData, judgments: Ints) -> list[str]:
    texts = [" ".join(text.split()) for text in data.justifications(judgments)]
    return [t if len(t) <= LONGEST else t[: LONGEST - 1] + "…" for t in texts]


def roles(data: StudyData) -> list[str]:
    """H_k, N_k or other, of each item."""
    names = ["other"] * len(data.documents)
    if not data.has_anchors:
        return names
    for topic, start in zip(data.topics, data.offsets.tolist(), strict=False):
        names[start + topic.h_k], names[start + topic.n_k] = "H_k", "N_k"
    return names


def sentence(pairs: Floats, units: Floats) -> str:
    """Of the ratios within pairs and within units."""
    n_pairs, n_units = (int(is_extreme(ratios).sum()) for ratios in (pairs, units))
    if not n_pairs and not n_units:
        return f"No document and no unit has scores {EXTREME:,.0f} times apart."
    return (
        f"{count(n_pairs, 'document has', 'documents have')} normalised scores "
        f"{EXTREME:,.0f} times apart or more "
        + published.quote("(the paper: {far_apart} of {documents}), ")
        + f"and {count(n_units, 'unit has', 'units have')} scores so far apart."
    )


def parts(data: StudyData, pairs: Floats, units: Floats) -> Iterator[Part]:
    """The figure, and the tables that have a row."""
    if (known := units[~np.isnan(units)]).size:
        yield _figure(known)
    apart = f"with scores {EXTREME:,.0f} times apart or more"
    if is_extreme(pairs).any():
        anchors = OF_ANCHORS if data.has_anchors else ""
        reasons = "The paper found two reasons: no zero to give, and carelessness."
        notes, source = (_note(pairs), anchors, reasons), "section 6.1.1"
        yield _pairs(data, pairs).table("extreme-pairs", f"Pairs {apart}", *notes, source=source)
    if is_extreme(units).any():
        yield _units(data, units).table("extreme-units", f"Units {apart}", _note(units))


def _figure(ratios: Floats) -> Figure:
    return bins(ratios, "units").figure(
        "within-units",
        f"Half the units span a factor of {number(np.median(ratios))} or more",
        "Look for a long tail to the right: workers who use very wide scales.",
        plots.bars(ROWS, "largest over smallest score of a unit", "units", "units", log=True),
        label="{from} to {to}: {units:,} units",
    )


def _note(ratios: Floats) -> str:
    n = int(is_extreme(ratios).sum())
    cut = f" The {MAX_LISTED} farthest apart of {n:,} are listed." if n > MAX_LISTED else ""
    return (
        f"Two rows each, farthest apart first: the smallest score and the largest, as typed.{cut}"
    )
