"""How far the crowd agrees with the labels (paper, section 6.1.2, Figures 6 and 7)."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from evaluation.agreement.units import UnitAgreement, unit_agreement
from evaluation.analyses.agreement import by_pairs
from evaluation.analyses.analysis import Analysis
from evaluation.analyses.study.data import StudyData
from evaluation.analyses.study.fits import judged_here
from evaluation.analyses.study.level_groups import TOO_MANY, too_many
from evaluation.analyses.telling import plots
from evaluation.analyses.telling.parts import Analysed, Figure, Table, Tell, percent
from trec.words import count

# Figure 6: the share of units with an agreement of 1, above .8, above .6.
PAPER = {"perfect": 0.50, "above .8": 0.70, "above .6": 0.86}
WITH, WITHOUT = "with anchors", "without anchors"


class Units(NamedTuple):
    """Agreement of all units, with or without the anchors."""

    documents: str
    found: UnitAgreement
    equal: float  # the share of pairs of different label whose scores are equal

    @property
    def known(self) -> np.ndarray:
        """The agreement of units that have a pair, ascending."""
        return np.sort(self.found.shares[self.found.pairs > 0])

    @property
    def shares(self) -> tuple[float, ...]:
        """Of units with a pair: the shares with perfect agreement, above .8, above .6."""
        known = self.known
        if not known.size:
            return (np.nan,) * 3
        return float((known == 1).mean()), float((known > 0.8).mean()), float((known > 0.6).mean())


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Agreement of every unit with the labels; of gains by pairs of levels; of two label sets."""
    if not data.units:
        return Analysed(["No unit is completed yet: there is no score."])
    if not data.levels:
        return Analysed(["No judged document has a label: there is nothing to agree with."])
    units = [_units(data, WITH), _units(data, WITHOUT)]
    tell(0.3)
    if not units[0].known.size:
        return Analysed(["No unit has two documents with different labels."])
    paired = [] if len(data.levels) > TOO_MANY else by_pairs.columns(data)
    tell(0.6)
    parts: list[Figure | Table] = [_figure(units), _table(units)]
    says = [*_says(units)]
    if paired:
        says += by_pairs.says(data, paired)
        parts += [
            by_pairs.figure(data, paired),
            by_pairs.table(paired),
            by_pairs.topics(data, paired),
        ]
    else:
        says.append(too_many(data))
    return Analysed(says, parts, {"perfect_units": units[0].shares[0]})


def _units(data: StudyData, documents: str) -> Units:
    scores, labels = [], []
    for topic in data.topics:
        shown = topic.shown_labels
        if documents == WITHOUT:
            anchor = (topic.places == topic.h_k) | (topic.places == topic.n_k)
            shown = np.where(anchor, np.nan, shown)
        scores.append(topic.scores)
        labels.append(shown)
    given, levels = np.concatenate(scores), np.concatenate(labels)
    found = unit_agreement(given, levels)
    # Equal scores agree upside down as well.
    both = found.shares + unit_agreement(-given, levels).shares - 1
    n = int(found.pairs.sum())
    equal = float(np.nansum(both * found.pairs) / n) if n else np.nan
    return Units(documents, found, equal)


def _says(units: list[Units]) -> Iterator[str]:
    whole, others = units
    single = int((whole.found.pairs == 1).sum())
    none = int((whole.found.pairs == 0).sum())
    perfect, high, middle = map(percent, whole.shares)
    yield (
        f"Of {count(len(whole.known), 'unit')} with documents of different labels, {perfect} put "
        f"every such pair in the order of the labels, {high} more than .8 of their pairs, and "
        f"{middle} more than .6 (the paper: about 50%, 70% and 86%). "
        f"{count(single, 'unit has', 'units have')} a single pair (the paper: 2,376 "
        f"with Sormunen's labels), and {none:,} none. Equal scores, of {percent(whole.equal)} of "
        "the pairs, count as agreement."
    )
    if others.known.size:
        perfect, high, middle = map(percent, others.shares)
        yield (
            "Every completed unit has its anchors in order, by check (c). Without them "
            f"{perfect} of {count(len(others.known), 'unit agrees', 'units agree')} with the "
            f"labels on every pair, {high} on more than .8, and {middle} on more than .6."
        )


def _figure(units: list[Units]) -> Figure:
    rows = [
        (one.documents, float(at), int((one.known >= at).sum()), float((one.known >= at).mean()))
        for one in units
        if one.known.size
        for at in np.unique(np.append(one.known, [0, 1]))
    ]
    paper = [
        {"agreement": at, "share": share, "name": f"the paper: {percent(share)} {above} {at}"}
        for at, share, above in (
            (1, PAPER["perfect"], "reach"),
            (0.8, PAPER["above .8"], "above"),
            (0.6, PAPER["above .6"], "above"),
        )
    ]
    across = plots.x("agreement", "agreement with the labels", domain=(0, 1))
    up = plots.y("share", "share of units with at least this", domain=(0, 1), format="%")
    chart = plots.alt.layer(
        plots.kinds_of_lines("steps", across, up, "documents", [WITH, WITHOUT], step="step-before"),
        plots.points("paper", across, up, shape="diamond", color=plots.OTHER, size=70, opacity=1),
    )
    return Figure(
        "units",
        f"{percent(units[0].shares[0])} of units agree with the labels on every pair",
        "Agreement: the share of a unit's document pairs of different label that its scores do not "
        "put in the wrong order. Diamonds: what the paper reports, at 1 and just above .6 and .8. "
        "Look at the right end, units in perfect agreement, and for a line that falls early. Units "
        "with few pairs make steps.",
        plots.sized(chart),
        {
            "steps": [
                {"documents": of, "agreement": at, "share": share} for of, at, _, share in rows
            ],
            "paper": paper,
        },
        ("documents", "agreement", "units_with_at_least_this", "share"),
        rows,
        "Figure 6",
    )


def _table(units: list[Units]) -> Table:
    rows = []
    for one in units:
        mean = one.known.mean() if one.known.size else np.nan
        pairs, every = one.found.pairs, len(one.found.pairs)
        rows.append(
            (
                *(one.documents, every, int((pairs == 0).sum()), int((pairs == 1).sum())),
                *(len(one.known), mean, *one.shares, one.equal),
            )
        )
    rows.append(("the paper", 7059, None, 2376, None, None, *PAPER.values(), None))
    return Table(
        "units-table",
        "Agreement of units with the labels",
        (
            *("documents", "units", "without_a_pair", "with_one_pair", "with_a_pair"),
            *("mean_agreement", "perfect", "above_.8", "above_.6", "equal_scores"),
        ),
        rows,
        (
            "perfect, above .8, above .6: shares of the units with a pair. A pair: two documents "
            "of a unit with different labels. It agrees unless the document with the lower label "
            "has the higher score; equal scores: the share of pairs that have them.",
        ),
    )


ANALYSIS = Analysis(
    "labels", "How far does the crowd agree with labels?", analyse, fits=judged_here
)
