"""How far the crowd agrees with the labels (paper, section 6.1.2, Figures 6 and 7).

**Shows** how many units agree with the labels to what extent, with and without anchors (the paper:
about 50% perfectly, 70% above .8, 86% above .6); how often gains are in the labels' order, by pair
of levels and overall, topic by topic with the mean; and the same for the collection's other label
sets against the labels shown, both as binary labels, level > 0 (the paper: 85% between its two).

**Computed**: over pairs of documents with different labels, the share that is not in the wrong
order; equal scores, and equal labels of the other set, agree. Left out are documents without a
label, unless they count as 0 (see [Documents without a label](#documents-without-a-label)), and
units, or topics, without a pair. Units with a single pair are counted separately: they agree
completely or not at all. If all labels of judged documents have one level there is no pair: the
analysis says so, and how many documents without a label could be included.

**Source**: section 6.1.2, Figures 6 and 7.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evaluation.analyses.agreement import pairs_of_levels
from evaluation.analyses.analysis import Analysis
from evaluation.presentation import plots, published
from evaluation.presentation.parts import Figure, OnProgress, Result, Table, drawn, percent
from evaluation.study import label_levels
from evaluation.study.applies_to import in_units
from evaluation.study.data import Floats, StudyData
from evaluation.study.label_levels import TOO_MANY, too_many, why_no_pair
from magnitudes.agreement.units import unit_agreement
from magnitudes.files.words import count

WITH, WITHOUT = "with anchors", "without anchors"
EVERYTHING = "all documents"  # where there are no anchors
PAPER = dict(zip((1, 0.8, 0.6), published.values("unit_agreement").values(), strict=True))
PAPER_SAYS = published.quote(
    " (the paper: about {unit_agreement.perfect}, {unit_agreement.above_8} and "
    "{unit_agreement.above_6})"
)
PAPER_UNITS = published.value("units"), None, published.value("one_pair"), None, None
IN_PAPER = ("the paper", *PAPER_UNITS, *PAPER.values(), None)


class Units(NamedTuple):
    """Agreement of all units. Shares are of those with a pair, but for that of equal scores."""

    documents: str
    units: int
    without_a_pair: int
    with_one_pair: int
    with_a_pair: int
    mean_agreement: float
    perfect: float
    above_8: float
    above_6: float
    equal_scores: float

    @property
    def in_words(self) -> tuple[str, str, str]:
        """The shares that agree on all pairs, on more than .8, and on more than .6."""
        return percent(self.perfect), percent(self.above_8), percent(self.above_6)


class Step(NamedTuple):
    """How many units, and which share of those with a pair, agree by so much or more."""

    documents: str
    agreement: float
    units_with_at_least_this: int
    share: float


@dataclass(frozen=True)
class Found:
    """Agreement of units with the labels, with the anchors and without; steps: as it is drawn."""

    whole: Units
    others: Units | None  # None: there are no anchors, or none is compared
    steps: list[Step]

    @property
    def unforced(self) -> Units:
        """Those of which sentences speak: without the anchors, where a unit then has a pair."""
        return self.others if self.others and self.others.with_a_pair else self.whole

    @property
    def without_anchors(self) -> bool:
        """Whether the units of which sentences speak are compared without them."""
        return self.unforced.documents == WITHOUT


def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """Agreement of every unit with the labels; of gains by pairs of levels; of two label sets."""
    if not len(data.units):
        return Result(["No unit is completed yet: there is no score."])
    if not data.levels:
        return Result(["No judged document has a label: there is nothing to agree with."])
    found = compute(data)
    on_progress(0.3)
    if not found.whole.with_a_pair:
        several = "No unit has two documents with different labels."
        return Result([why_no_pair(data, several)])
    sentences = [*says(found)]
    parts: list[Figure | Table] = [figure(found), table(found)]
    of_units = numbers(found)
    if len(data.with_zeros.levels) > TOO_MANY:
        sentences.append(too_many(data))
    else:
        pairs = pairs_of_levels.compute(data)
        sentences += pairs_of_levels.says(pairs)
        parts += [pairs_of_levels.figure(pairs), *pairs_of_levels.tables(pairs)]
        of_units |= pairs_of_levels.numbers(pairs)
    return Result(sentences, parts, of_units)


def numbers(found: Found) -> dict[str, float | int | str]:
    """How many units agree with the labels; as the paper counts them, where that can be done."""
    whole, shares = found.whole, {"perfect_units": found.whole.perfect}
    if found.without_anchors:
        shares["perfect_units_without_anchors"] = found.unforced.perfect
    if whole.documents == WITHOUT:
        return {**shares}
    return {
        **shares,
        "perfect_of_all": whole.perfect,
        "above_8": whole.above_8,
        "above_6": whole.above_6,
        "units_of": whole.documents,
    }


def compute(data: StudyData) -> Found:
    counted = data.with_zeros
    units = label_levels.units(counted)
    if counted is not data or not data.has_anchors:
        documents = WITHOUT if data.has_anchors else EVERYTHING
        whole, steps = _agreement(documents, units.scores, units.labels)
        return Found(whole, None, [*steps])
    whole, steps = _agreement(WITH, units.scores, units.labels)
    others = np.where(units.is_anchor, np.nan, units.labels)
    without, further_steps = _agreement(WITHOUT, units.scores, others)
    return Found(whole, without, [*steps, *further_steps])


def _agreement(documents: str, scores: Floats, labels: Floats) -> tuple[Units, Iterator[Step]]:
    shares, pairs, _ = unit_agreement(scores, labels)
    # Equal scores agree upside down as well.
    equal = shares + unit_agreement(-scores, labels).shares - 1
    known, n = shares[pairs > 0], int(pairs.sum())
    mean, perfect, high, middle = (
        float(kind.mean()) if n else np.nan
        for kind in (known, known == 1, known > 0.8, known > 0.6)
    )
    units = Units(
        documents,
        len(pairs),
        int((pairs == 0).sum()),
        int((pairs == 1).sum()),
        len(known),
        mean,
        perfect,
        high,
        middle,
        float(np.nansum(equal * pairs) / n) if n else np.nan,
    )
    return units, _steps(documents, known)


def _steps(documents: str, shares: Floats) -> Iterator[Step]:
    """Nothing, where no unit has a pair."""
    for agreement in np.unique(np.append(shares, [0, 1])) if shares.size else []:
        reached = shares >= agreement
        yield Step(documents, float(agreement), int(reached.sum()), float(reached.mean()))


def says(found: Found) -> Iterator[str]:
    whole, unforced = found.whole, found.unforced
    _, high, middle = unforced.in_words
    yield (
        f"{_title(found)}. {high} agree on more than .8 of the pairs, {middle} on more than .6"
        f"{'' if found.without_anchors else PAPER_SAYS}."
    )
    if unforced is not whole:
        perfect, high, middle = whole.in_words
        yield (
            "Check (c) lets no unit end whose anchors are out of order: with them the shares are "
            f"{perfect}, {high} and {middle} of {count(whole.with_a_pair, 'unit')}{PAPER_SAYS}."
        )
    yield from _few_pairs(unforced)
    yield f"Equal scores, of {percent(unforced.equal_scores)} of the pairs, count as agreement."


def _few_pairs(units: Units) -> Iterator[str]:
    """What is said of units with one pair or none, where there are such."""
    if units.with_one_pair:
        single = count(units.with_one_pair, "unit has", "units have")
        yield f"{single} a single such pair, and can only agree wholly or not at all."
    if units.without_a_pair:
        left_out = count(units.without_a_pair, "unit has", "units have")
        yield f"Left out: {left_out} no two such documents with different labels."


def figure(found: Found) -> Figure:
    across = plots.axis("agreement", "agreement with the labels", domain=(0, 1))
    up = plots.axis("share", "share of units with at least this", domain=(0, 1), percent=True)
    kinds = [WITH, WITHOUT] if found.others else [found.whole.documents]
    chart = plots.layer(
        plots.kinds_of_lines("steps", across, up, "documents", kinds, step="before"),
        plots.points("paper", across, up, shape="diamond", colour=plots.INK, size=70, opacity=1),
    )
    return Figure(
        "units",
        _title(found),
        "The share of units that agree so much or more; diamonds: what the paper reports, with "
        "anchors.",
        plots.sized(chart),
        {
            "steps": drawn(found.steps, "documents agreement share"),
            "paper": [
                {"agreement": at, "share": share, "name": _tooltip(at, share)}
                for at, share in PAPER.items()
            ],
        },
        Step,
        found.steps,
        "Figure 6",
        reading="Agreement: the share of a unit's pairs of documents with different labels that "
        "its scores do not put in the wrong order. Look at the right end, units in perfect "
        "agreement, and for a line that falls early. Units with few pairs make steps.",
    )


def _title(found: Found) -> str:
    """The share that no check forces."""
    unforced = found.unforced
    units = count(unforced.with_a_pair, "unit agrees", "units agree")
    without = ", the anchors left aside" if found.without_anchors else ""
    return f"{percent(unforced.perfect)} of {units} with the labels on every pair{without}"


def _tooltip(agreement: float, share: float) -> str:
    return f"the paper: {percent(share)} {'reach' if agreement == 1 else 'above'} {agreement}"


def table(found: Found) -> Table:
    return Table(
        "units-table",
        "Agreement of units with the labels",
        tuple(field.replace("above_", "above_.") for field in Units._fields),
        [found.whole, *([found.others] if found.others else []), IN_PAPER],
        (
            "Shares are of the units with a pair: two documents of a unit with different labels. "
            "It agrees unless the document with the lower label has the higher score. Equal "
            "scores: the share of pairs that have them. The paper's are with anchors, and those "
            "with a single pair by its graded labels.",
        ),
    )


ANALYSIS = Analysis(
    "labels",
    "How far does the crowd agree with the labels?",
    analyse,
    applies_to=in_units,
    titled=True,
    counts_unlabelled=True,
)
