"""Pairs and units whose scores lie very far apart, with what was said for them (paper, 6.1.1)."""

import numpy as np

from evaluation.analyses import plots
from evaluation.analyses.data import Floats, Ints, StudyData
from evaluation.analyses.parts import Figure, Table, number
from evaluation.analyses.spread import EXTREME, is_extreme
from evaluation.scaling.spread import spread
from trec.words import count

MOST = 150  # of each that are listed, two rows each
LONGEST = 300  # characters of a justification
BINS = 30


def extremes(data: StudyData) -> tuple[str, list[Figure | Table]]:
    """A sentence, the ratios within units as a figure, and the extreme pairs and units."""
    pairs = spread(data.values, data.items, data.n_items).ratio
    units = spread(data.raw, data.unit_of, data.units).ratio
    found = [np.flatnonzero(is_extreme(ratios)) for ratios in (pairs, units)]
    said = (
        f"{count(len(found[0]), 'topic-document pair has', 'topic-document pairs have')} scores "
        f"(normalised) {EXTREME:,.0f} times apart or more; the paper looked at 23 such of 4,269. "
        f"{count(len(found[1]), 'unit has', 'units have')} scores so far apart."
    )
    parts: list[Figure | Table] = [_ratios(units)]
    if found[0].size:
        parts.append(_pairs(data, found[0], pairs))
    if found[1].size:
        parts.append(_units(data, found[1], units))
    return said, parts


def _ratios(ratios: Floats) -> Figure:
    logs = np.log10(np.minimum(ratios, 1e308))
    counts, edges = np.histogram(logs, bins=BINS, range=(0, max(float(logs.max()), 0.1)))
    bounds = 10 ** np.minimum(edges, 308)
    rows = [*zip(bounds[:-1], bounds[1:], counts.tolist(), strict=True)]
    return Figure(
        "within-units",
        f"Half the units span a factor of {number(np.median(ratios))} or more",
        "Look for a long tail to the right: workers who use very wide scales.",
        plots.bars("bins", "largest over smallest score of a unit", "units", log=True),
        {"bins": [{"from": low, "to": high, "n": n} for low, high, n in rows]},
        ("from", "to", "units"),
        rows,
    )


def _ends(values: Floats, groups: Ints, wanted: Ints) -> Ints:
    """The places of the smallest and of the largest value of each wanted group, side by side."""
    order = np.lexsort((values, groups))
    firsts = np.searchsorted(groups[order], wanted)
    lasts = np.searchsorted(groups[order], wanted, "right") - 1
    return np.stack([order[firsts], order[lasts]], axis=1).ravel()


def _listed(
    data: StudyData, found: Ints, ratios: Floats, values: Floats, groups: Ints
) -> tuple[Ints, Ints, list[str]]:
    """What is listed, farthest apart first: groups, two judgments each, what was said for each."""
    farthest = found[np.argsort(-ratios[found], kind="stable")][:MOST]
    ends = _ends(values, groups, farthest)
    words = [" ".join(text.split()) for text in data.justifications(ends)]
    return farthest, ends, [w if len(w) <= LONGEST else w[: LONGEST - 1] + "…" for w in words]


ENDS = ("smallest", "largest")
UNIT_COLUMNS = ("unit", "worker", "ratio", "score_is", "score", "doc_id", "role", "justification")
PAIR_COLUMNS = (
    *("query_id", "doc_id", "role", "scores", "ratio", "gain"),
    *("score_is", "score", "normalised", "worker", "unit", "justification"),
)


def _pairs(data: StudyData, found: Ints, ratios: Floats) -> Table:
    pairs, judgments, words = _listed(data, found, ratios, data.values, data.items)
    role = roles(data)
    texts = data.texts
    counts = np.bincount(data.items, minlength=data.n_items)
    rows = [
        (
            *data.pair_name(pair),
            role[pair],
            int(counts[pair]),
            ratios[pair],
            data.gains[pair],
            ENDS[n % 2],
            texts[judgment],
            data.values[judgment],
            data.workers[data.worker_of[judgment]],
            data.unit_name(int(data.unit_of[judgment])),
            words[n],
        )
        for n, (pair, judgment) in enumerate(
            zip(np.repeat(pairs, 2).tolist(), judgments.tolist(), strict=True)
        )
    ]
    return Table(
        "extreme-pairs",
        f"Pairs with scores {EXTREME:,.0f} times apart or more",
        PAIR_COLUMNS,
        rows,
        _notes(
            len(found),
            "Anchors have far more scores than others, and so larger ratios.",
            "The paper found two reasons: no zero to give, and carelessness.",
        ),
        "section 6.1.1",
    )


def _units(data: StudyData, found: Ints, ratios: Floats) -> Table:
    units, judgments, words = _listed(data, found, ratios, data.raw, data.unit_of)
    role = roles(data)
    texts = data.texts
    rows = [
        (
            data.unit_name(unit),
            data.workers[data.worker_of[judgment]],
            ratios[unit],
            ENDS[n % 2],
            texts[judgment],
            data.pair_name(int(data.items[judgment]))[1],
            role[data.items[judgment]],
            words[n],
        )
        for n, (unit, judgment) in enumerate(
            zip(np.repeat(units, 2).tolist(), judgments.tolist(), strict=True)
        )
    ]
    return Table(
        "extreme-units",
        f"Units with scores {EXTREME:,.0f} times apart or more",
        UNIT_COLUMNS,
        rows,
        _notes(len(found)),
    )


def _notes(found: int, *more: str) -> tuple[str, ...]:
    cut = f" The {MOST} farthest apart of {found:,} are listed." if found > MOST else ""
    return (
        f"Two rows each, farthest apart first: the smallest score and the largest, as typed.{cut}",
        *more,
    )


def roles(data: StudyData) -> list[str]:
    """H_k, N_k or other, of each item."""
    found = ["other"] * data.n_items
    for topic, start in zip(data.topics, data.offsets.tolist(), strict=False):
        found[start + topic.h_k], found[start + topic.n_k] = "H_k", "N_k"
    return found
