"""Gains from the units of each document whose order agrees best with labels (section 7.2); and from
those with a narrow or a wide scale alone, as the analysis `widths` has them (Table IV).
"""

import numpy as np
from numpy.typing import NDArray

from evaluation.analyses.systems import ranked_systems
from evaluation.analyses.systems.ranked_systems import Systems
from evaluation.presentation import published
from evaluation.presentation.frame import Frame
from evaluation.presentation.parts import percent
from evaluation.study import scoring
from evaluation.study.data import Floats, Mask, StudyData
from evaluation.study.scoring import GainsOf
from evaluation.study.topics import TopicData
from magnitudes.agreement.units import HOW_MANY, Chosen, aggregate_best, unit_agreement
from magnitudes.comparison.compared import compare
from magnitudes.files.words import count
from magnitudes.scaling.groups import as_table

NAME = f"{HOW_MANY} best units"
WIDTHS = NARROW, WIDE, ALL = ("narrow", "wide", "all")
COLUMNS = "systems labels measure " + " ".join(
    f"{of}_{w}" for of in ("tau", "overlap") for w in WIDTHS
)


def gains(topic: TopicData, gains_of: GainsOf) -> Floats:
    """The gains of the pool, (d,), from the best units of any kind; NaN without a score."""
    return choose(topic, gains_of).values


def choose(topic: TopicData, gains_of: GainsOf, kind: NDArray[np.bool_] | None = None) -> Chosen:
    """One number for each pooled document, from its best units, or its best ones of a kind, (u,).

    Best are units that agree most with the labels as `gains_of` reads them: as binary ones, say.
    """
    labels = np.full(topic.labels.shape, np.nan)
    known = ~np.isnan(topic.labels)
    labels[known] = gains_of(topic.labels[known])
    units = np.repeat(topic.unit_of_row, topic.scores.shape[1])
    labels_shown = labels[topic.places].ravel()
    agreement = unit_agreement(
        as_table(topic.scores.ravel(), units, empty=1), as_table(labels_shown, units, empty=np.nan)
    )
    return aggregate_best(
        topic.normalised.ravel(),
        topic.places.ravel(),
        units,
        len(topic.doc_ids),
        agreement.shares,
        np.bincount(units, np.isnan(labels_shown), topic.n_units),
        topic.numbers[np.unique(topic.unit_of_row, return_index=True)[1]],
        kind,
    )


def compare_widths(data: StudyData, narrow: dict[str, Mask]) -> tuple[Frame, list[str]]:
    """Orders of systems by gains from units of each width, against those by labels.

    narrow: of each topic, which units are, (u,).

    Returns tau and the overlap of top sets by width; and how many documents have no unit of a
    width, and why numbers are not defined.
    """
    rows, without, reasons = [], [], []
    names = ("ranking by labels", "ranking by magnitudes")
    for systems in ranked_systems.both(data):
        sources = {}
        for kind in scoring.kinds(systems.topics):
            sources[kind], fell_back = _by_width(systems, narrow, scoring.KINDS[kind])
            without.append(_fell_back(systems, fell_back))
        for kind, measure, (by_labels, _) in systems.by_labels():
            by_width = (systems.measure(sources[kind][width], measure).values for width in WIDTHS)
            compared = [compare(by_labels, values, names) for values in by_width]
            taus, overlaps = [one.tau.tau for one in compared], [one.overlap for one in compared]
            rows.append((systems.kind, kind, str(measure), *taus, *overlaps))
            reasons += [f"A dash: {one.reason}." for one in compared if one.reason]
    return Frame.of_rows(COLUMNS, rows), list(dict.fromkeys([*without, *reasons]))


def _by_width(
    systems: Systems, narrow: dict[str, Mask], gains_of: GainsOf
) -> tuple[dict[str, list[scoring.Source]], dict[str, int]]:
    """By width, what documents are worth, and how many have no unit of it."""
    sources: dict[str, list[scoring.Source]] = {width: [] for width in WIDTHS}
    fell_back = dict.fromkeys(WIDTHS, 0)
    for topic in systems.topics:
        units = narrow[topic.query_id]
        for width, wanted in ((NARROW, units), (WIDE, ~units), (ALL, None)):
            best = choose(topic, gains_of, wanted)
            sources[width].append(scoring.magnitudes(topic, best.values))
            fell_back[width] += int(best.fell_back.sum())
    return sources, fell_back


def _fell_back(systems: Systems, fell_back: dict[str, int]) -> str:
    documents = sum(int((topic.counts > 0).sum()) for topic in systems.topics)
    without = " and ".join(
        f"{n:,} ({percent(n / documents, 1)}) {'has' if n == 1 else 'have'} no {width} unit"
        for width, n in fell_back.items()
        if width != ALL
    )
    paper = published.quote(f"{{no_such_unit.{systems.kind}}}")
    return (
        f"Of {count(documents, 'document')} on the topics of {systems.called}, {without}: the best "
        f"units of any width stand in (the paper: {paper})."
    )
