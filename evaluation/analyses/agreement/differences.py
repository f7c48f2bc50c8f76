"""The documents on which crowd and labels differ most (paper, section 6.2)."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from evaluation.agreement.misplaced import misplaced
from evaluation.analyses.agreement import verdicts
from evaluation.analyses.agreement.verdicts import PAGE
from evaluation.analyses.analysis import Analysis
from evaluation.analyses.study.data import Floats, Ints, StudyData
from evaluation.analyses.study.level_groups import name_of
from evaluation.analyses.telling.parts import Analysed, Table, Tell, percent
from trec.words import count

SHOWN = 40
DOCUMENTS = "documents"  # the table that pages of documents go through
LEAST = 1e-12  # what differs less is equal


class Found(NamedTuple):
    """The documents that lie among those of another level, the strongest first."""

    items: Ints
    own: Floats
    fits: Floats
    there: Floats
    strength: Floats
    compared: int  # documents that could be placed
    labelled: int


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Documents whose gain is nearer to the gains of another level than to those of their own."""
    found = _found(data)
    if not found.labelled:
        return Analysed(["No judged document has a label: there is nothing to differ from."])
    if not found.compared:
        return Analysed(
            [
                f"None of {count(found.labelled, 'labelled document')} can be placed: that needs a "
                "topic with another document of the same level, and one of another level."
            ]
        )
    n, share = len(found.items), percent(len(found.items) / found.compared)
    says = [
        f"Of {count(found.compared, 'labelled document')}, {n:,} ({share}) "
        f"{'has' if n == 1 else 'have'} a gain that is nearer to the gains of another level than "
        "to those of the same level, on the same topic."
    ]
    if not n:
        return Analysed(says)
    up = int((found.fits > data.item_labels[found.items]).sum())
    says.append(
        f"More gain than the label lets expect: {up:,}; less: {n - up:,}. In the "
        "paper, of 34 such documents the labels were wrong on 14 and the crowd on 9, and the topic "
        "was ambiguous for 11. Read yours and record a verdict on each: the shares are below."
    )
    return Analysed(says, [_documents(data, found), _levels(data, found)])


def _found(data: StudyData) -> Found:
    both = np.flatnonzero(~np.isnan(data.gains) & ~np.isnan(data.item_labels))
    gains = data.gains[both]
    labels, topics = data.item_labels[both], data.topic_of_item[both]
    own, fits, there, strength = misplaced(gains, labels, topics, ratios=not data.study.is_graded)
    pairs = np.unique(np.stack([topics, labels]), axis=1)
    several = np.bincount(pairs[0].astype(int), minlength=len(data.topics)) > 1
    compared = ~np.isnan(own) & several[topics]
    out = np.flatnonzero(np.nan_to_num(strength) > LEAST)
    order = out[np.argsort(-np.round(strength[out], 12), kind="stable")]
    return Found(
        *(both[order], own[order], fits[order], there[order], strength[order]),
        *(int(compared.sum()), len(both)),
    )


def _rows(data: StudyData, found: Found) -> Iterator[tuple[object, ...]]:
    for place, item in enumerate(found.items[:SHOWN].tolist()):
        yield (
            *data.pair_name(item),
            name_of(data.item_labels[item]),
            name_of(found.fits[place]),
            *(data.gains[item], found.own[place], found.there[place]),
            found.strength[place],
            int(data.counts[item]),
        )


def _documents(data: StudyData, found: Found) -> Table:
    first = min(SHOWN, len(found.items))
    of = "" if data.study.is_graded else " (of logarithms)"
    return Table(
        DOCUMENTS,
        f"The {count(first, 'document that differs', 'documents that differ')} most",
        (
            *("query_id", "doc_id", "label", "fits_level", "gain"),
            *("median_at_its_level", "median_where_it_fits", "strength", "scores"),
        ),
        list(_rows(data, found)),
        (
            "median at its level: of the other documents with its label, on the same topic. fits "
            "level: the level whose median is nearest, of the higher levels if the gain is above "
            "the median at its own, of the lower ones if it is below. strength: the squared "
            f"distance{of} to the median at its own level, less that to the other one; "
            "above 0 the gain is nearer to the other.",
        ),
        "section 6.2",
        page=PAGE,
    )


def _levels(data: StudyData, found: Found) -> Table:
    labels = data.item_labels[found.items]
    pairs = Counter(zip(labels.tolist(), found.fits.tolist(), strict=True))
    return Table(
        "levels",
        f"All {len(found.items):,} by label and by the level that they fit",
        ("label", "fits_level", "documents", "median_strength"),
        [
            (
                name_of(label),
                name_of(fits),
                n,
                float(np.median(found.strength[(labels == label) & (found.fits == fits)])),
            )
            for (label, fits), n in sorted(pairs.items())
        ],
    )


ANALYSIS = Analysis(
    "differences", "Where do crowd and labels differ most?", analyse, live=verdicts.tables
)
