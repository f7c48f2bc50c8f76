"""How far the crowd agrees with the labels (paper, section 6.1.2, Figures 6 and 7).

**Shows** how many units agree with the labels to what extent, with and without anchors; how often
gains are in the labels' order, by pair of levels and overall, topic by topic with the mean; and the
same for the collection's other label sets against the labels shown, both as binary labels, level >
0.

**Computed**: over pairs of documents with different labels, the share that is not in the wrong
order; equal scores, and equal labels of the other set, agree. Left out are documents without a
label, unless they count as 0 (see [Documents without a label](#documents-without-a-label)), and
units, or topics, without a pair. Units with a single pair are counted separately: they agree
completely or not at all. If all labels of judged documents have one level there is no pair: the
analysis says so, and how many documents without a label could be included.

**Source**: section 6.1.2, Figures 6 and 7.
"""

from collections.abc import Iterator

import numpy as np

from evaluation.analyses.agreement import agreeing_units, pairs_of_levels
from evaluation.analyses.agreement.agreeing_units import REACHED, WITHOUT, Agreement, unforced
from evaluation.analyses.analysis import OnProgress, analysis
from evaluation.presentation import plots, published
from evaluation.presentation.frame import Frame
from evaluation.presentation.parts import Figure, Result, Table, percent
from evaluation.study.applies_to import in_units
from evaluation.study.data import StudyData
from evaluation.study.label_levels import TOO_MANY, too_many, why_no_pair
from evaluation.study.shares_of_units import of_workers
from magnitudes.files.words import count

COLUMNS = "documents units without_a_pair with_one_pair with_a_pair mean_agreement".split()
PAPER = dict(zip((1, 0.8, 0.6), published.values("unit_agreement").values(), strict=True))
PAPER_SAYS = published.quote(
    " (the paper: about {unit_agreement.perfect}, {unit_agreement.above_8} and "
    "{unit_agreement.above_6})"
)
PAPER_UNITS = published.value("units"), None, published.value("one_pair"), None, None
IN_PAPER = ("the paper", *PAPER_UNITS, *PAPER.values(), None)


@analysis(
    "How far does the crowd agree with the labels?",
    applies_to=in_units,
    titled=True,
    counts_unlabelled=True,
)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """Agreement of every unit with the labels; of gains by pairs of levels; of two label sets."""
    if not len(data.units):
        return Result(["No unit is completed yet: there is no score."])
    if not data.levels:
        return Result(["No judged document has a label: there is nothing to agree with."])
    units = agreeing_units.compute(data)
    on_progress(0.3)
    if not units[0].known.size:
        several = "No unit has two documents with different labels."
        return Result([why_no_pair(data, several)])
    by_units = Result([*_sentences(units)], [_figure(units), _table(units)], _numbers(data, units))
    if len(data.with_zeros.levels) > TOO_MANY:
        return by_units.followed_by(Result([too_many(data)]))
    return by_units.followed_by(pairs_of_levels.analyse(data))


def _numbers(data: StudyData, units: list[Agreement]) -> dict[str, float | str]:
    """How many units agree with the labels; as the paper counts them, where that can be done."""
    whole, others = units[0], unforced(units)
    shares: dict[str, float | str] = {"perfect_units": whole.reached[0]}
    if others.documents == WITHOUT:
        shares["perfect_units_without_anchors"] = others.reached[0]
    if whole.documents == WITHOUT:
        return shares
    known, workers = whole.known, data.units.workers[whole.pairs > 0]
    as_in_paper = {"perfect_of_all": known == 1, "above_8": known > 0.8, "above_6": known > 0.6}
    for name, agree in as_in_paper.items():
        shares |= of_workers(name, agree, workers)
    return {**shares, "units_of": whole.documents}


def _sentences(units: list[Agreement]) -> Iterator[str]:
    whole, others = units[0], unforced(units)
    _, high, middle = map(percent, others.reached)
    yield (
        f"{_title(others)}. {high} agree on more than .8 of the pairs, {middle} on more than .6"
        f"{'' if others.documents == WITHOUT else PAPER_SAYS}."
    )
    if others is not whole:
        perfect, high, middle = map(percent, whole.reached)
        yield (
            "Check (c) lets no unit end whose anchors are out of order: with them the shares are "
            f"{perfect}, {high} and {middle} of {count(len(whole.known), 'unit')}{PAPER_SAYS}."
        )
    if one := int((others.pairs == 1).sum()):
        single = count(one, "unit has", "units have")
        yield f"{single} a single such pair, and can only agree wholly or not at all."
    if none := int((others.pairs == 0).sum()):
        left_out = count(none, "unit has", "units have")
        yield f"Left out: {left_out} no two such documents with different labels."
    yield f"Equal scores, of {percent(others.equal_scores)} of the pairs, count as agreement."


def _title(units: Agreement) -> str:
    """The share that no check forces."""
    agree = count(len(units.known), "unit agrees", "units agree")
    without = ", without the anchors" if units.documents == WITHOUT else ""
    return f"{percent(units.reached[0])} of {agree} with the labels on every pair{without}"


def _figure(units: list[Agreement]) -> Figure:
    diamonds = plots.paper(agreeing_units.ACROSS, agreeing_units.UP)
    far = ["reach 1" if agreement == 1 else f"above {agreement}" for agreement in PAPER]
    paper = Frame.of(agreement=list(PAPER), share=list(PAPER.values()), far=far)
    return agreeing_units.figure(
        {each.documents: each for each in units},
        ("documents", "units_with_at_least_this"),
        _title(unforced(units)),
        "The share of units that agree so much or more.",
        "Look at the right end, units in perfect agreement, and for a line that falls early. Units "
        "with few pairs make steps.",
        diamonds,
        of_paper=paper.marks("the paper: {share:percent} {far}"),
    )


def _table(units: list[Agreement]) -> Table:
    rows = [
        (
            each.documents,
            len(each.pairs),
            *(int((each.pairs == n).sum()) for n in (0, 1)),
            len(each.known),
            float(each.known.mean()) if each.known.size else np.nan,
            *each.reached,
            each.equal_scores,
        )
        for each in units
    ]
    frame = Frame.of_rows([*COLUMNS, *REACHED, "equal_scores"], [*rows, IN_PAPER])
    return frame.with_heads(**REACHED).table(
        "units-table",
        "Agreement of units with the labels",
        "Shares are of the units with a pair: two documents of a unit with different labels. "
        "It agrees unless the document with the lower label has the higher score. Equal "
        "scores: the share of pairs that have them. The paper's are with anchors, and those "
        "with a single pair by its graded labels.",
    )
