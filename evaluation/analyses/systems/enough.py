"""Whether there are enough judges and topics to show differences, and which more would help.

**Shows** what the parts of the variance predict, for judges and topics times 1, 1.5 and 2: the
half-width of the 95% interval of a difference, averaged over pairs; the share of pairs that would
differ significantly in a paired t-test if all true differences were .02, .05 or .10; and units and
cost. Doubling either costs the same.

**Computed**: the variance of a difference between two systems has three parts: topics differ, a
judge of a topic affects all documents that they judge, and single scores scatter. They are
estimated from expected mean squares: the variance over topics, and the variance over other crowds,
formed from two halves of each topic's judges (20 splits by whole judges, 20 by single scores). A
document with one score cannot be split. It gets the variance of scores within documents, in
logarithms (for levels, untransformed), pooled over the topic's documents with two scores or more,
or over those of all topics if a topic has fewer than 30 degrees of freedom. Because measured gains
already contain an error, both variances over crowds are extrapolated to gains without error (Cook
and Stefanski, JASA 89(428), 1994). A negative estimate is replaced by 0, and the page says so.
Intervals are from 300 draws of topics with replacement. Topics matter most if the interval of their
share of the variance lies above one half, judges if it lies below; otherwise, below 8 topics, and
below 30 degrees of freedom within documents, the page cannot say.

**Beware**: in simulations the half-width that is predicted for twice the judges is 8% too small for
nDCG, which is not linear in gains; for sums of gains, and for twice the topics, predictions are
within 5%.

**Source**: Brennan, *Generalizability theory* (2001).
"""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from evaluation.analyses.analysis import Numbers, OnProgress, analysis
from evaluation.analyses.systems import larger_sizes
from evaluation.analyses.systems.larger_sizes import DIFFERENCES, DRAWS, TIMES
from evaluation.presentation.parts import Result, percent, with_ends
from evaluation.study import judges_apart, scoring
from evaluation.study.data import Floats, StudyData
from evaluation.study.judges_apart import MIN_FREEDOM, SPLITS
from magnitudes.comparison.larger_study import Larger, Range, larger_study
from magnitudes.files.words import count

NOW, TWICE_JUDGES, TWICE_TOPICS = map([*product(TIMES, TIMES)].index, ((1, 1), (1, 2), (2, 1)))
MIN_TOPICS = 8
HALF = 0.5  # of the variance
TOPICS, JUDGES, EITHER = "topics", "judges", "cannot say"  # what more of would help
HEADLINES = {  # the finding, which says no more than the interval does
    TOPICS: "Topics matter more than judges: more topics would help most.",
    JUDGES: "Judges matter more than topics: more of them would help nearly as much.",
    EITHER: "Cannot say whether more judges would help as much as more topics.",
}


def methods(data: StudyData, numbers: Numbers) -> str:
    if "half_width" not in numbers:
        return ""
    return (
        "Variance components of paired differences of systems (topic, judge within topic, rest) "
        f"were estimated from expected mean squares, with {SPLITS} splits of the judges of each "
        "topic into halves; documents that were judged once have the pooled variance of scores "
        f"within documents. Intervals are by {DRAWS} bootstrap draws of topics, seed {data.seed}."
    )


@analysis("Would more topics or more judges help?", methods=methods, of_systems=True)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """Variance components of paired differences, and what other sizes of the study would give."""
    if reason := why_not(data):
        return Result([reason], numbers={"add": EITHER})
    measure = scoring.first(data.study)
    squares = judges_apart.measured(data, measure, lambda share: on_progress(0.8 * share))
    if not np.ptp(squares.values, axis=1).any():
        reason = f"All systems have the same {measure.short} on every topic: no two differ."
        return Result([reason], numbers={"add": EITHER})
    larger = larger_study(squares, TIMES, DIFFERENCES, DRAWS, data.seed)
    title = HEADLINES[more_of(larger.share_of_topics)].rstrip(".")
    sizes = larger_sizes.of_sizes(data, larger)
    figure = larger_sizes.figure(larger, sizes, measure, title)
    parts = [figure, *larger_sizes.tables(data, larger, sizes)]
    return Result([*_sentences(data, larger)], parts, numbers(data, larger, sizes["cost"]))


def why_not(data: StudyData) -> str:
    """Why nothing can be said; empty where something can."""
    if len(data.runs) < 2:
        return "There are fewer than two runs: no systems to compare."
    if len(data.topics) < MIN_TOPICS:
        return (
            "Cannot say yet: how far topics differ cannot be estimated from "
            f"{count(len(data.topics), 'topic')}. It takes {MIN_TOPICS}."
        )
    freedom = judges_apart.pooled(judges_apart.within(data)).freedom
    if freedom < MIN_FREEDOM:
        return (
            "Cannot say yet: how far judges differ is seen on documents with two scores or more, "
            f"by {count(freedom, 'degree')} of freedom so far. It takes {MIN_FREEDOM}."
        )
    return ""


def more_of(share_of_topics: Range) -> str:
    """What more of would help most, as far as the interval tells."""
    if share_of_topics.low > HALF:
        return TOPICS
    return JUDGES if share_of_topics.high < HALF else EITHER


def _sentences(data: StudyData, larger: Larger) -> Iterator[str]:
    share, sizes, differ = larger.share_of_topics, larger.sizes, larger.sizes[NOW].shares[1]
    now, twice_topics, twice_judges = (
        f"±{sizes[at].half_width.value:.3f}" for at in (NOW, TWICE_TOPICS, TWICE_JUDGES)
    )
    yield (
        f"{HEADLINES[more_of(share)]} Of what makes a difference of two systems uncertain, "
        f"{percent(share.value)} is that topics differ (95% interval {percent(share.low)} to "
        f"{percent(share.high)})."
    )
    yield (
        f"By {scoring.first(data.study).short}, a difference of two systems is known to {now} on "
        f"average. With twice the topics it would be {twice_topics}, with twice the judges "
        f"{twice_judges}; either costs as much."
    )
    yield (
        f"If two systems truly differed by {DIFFERENCES[1]:g}, {percent(differ.value)} of pairs "
        f"({percent(differ.low)} to {percent(differ.high)}) would differ significantly (paired "
        "t-test, each pair alone, .05)."
    )
    in_study, in_collection = larger_sizes.topics_of(data)
    if in_collection <= in_study:
        yield "The collection has no more topics: for more, another collection is needed."
    elif in_collection < 2 * len(data.topics):
        yield f"The collection has no more than {count(in_collection - in_study, 'more topic')}."
    raws = zip(("topics", "judges"), larger.components.raw, strict=True)
    if below := [name for name, raw in raws if raw < 0]:
        yield f"The estimate for {' and '.join(below)} came out below 0 and is taken as 0."


def numbers(data: StudyData, larger: Larger, cost: Floats) -> dict[str, Any]:
    """For scripts, and for the overview's card."""
    sizes = {"": NOW, "_twice_topics": TWICE_TOPICS, "_twice_judges": TWICE_JUDGES}
    in_study, in_collection = larger_sizes.topics_of(data)
    numbers = {
        "add": more_of(larger.share_of_topics),
        "no_more_topics": in_collection <= in_study,
        "currency": data.study.currency,
        **with_ends("share_of_topics", *larger.share_of_topics),
        **with_ends("told_apart_.05", *larger.sizes[NOW].shares[1]),
    }
    for name, at in sizes.items():
        numbers |= {f"cost{name}": cost[at]}
        numbers |= with_ends(f"half_width{name}", *larger.sizes[at].half_width)
    return numbers
