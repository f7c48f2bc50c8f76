"""How long workers take for documents of different length: the line T_D(l) = a l + b.

The analyses of this section follow Smucker and Clarke, Time-Based Calibration of Effectiveness
Measures, SIGIR 2012. They are for collections with texts, whose lengths in words are known.

**Shows** how long workers take for a document as a function of its length, T_D(l) = a l + b: means
of groups of views and the fitted line; a and b with standard errors, for first views, for repeated
ones, for those that are not too long, and by topic; adjusted R²; and how far the times in units
that the line was not fitted to are from its predictions. For studies judged here.

**Computed** by least squares from all first views, including those of anchors; errors are clustered
by worker (CR1), because one worker's times are correlated. A view is a worker's whole time on one
document of a unit. It is repeated if the worker has judged the document before, on any topic, or a
near duplicate of it on the same topic: near duplicates share 90% of their shingles of five words or
more. Units are divided into ten parts; each is predicted from the other nine. The chart shows means
of up to 40 groups of at least 15 views. Length is called informative if the slope's 95% interval is
above 0. T(k), the seconds until a worker reaches the k-th document of a unit, adds up the mean
times of first views at the positions before k, as observed and as predicted by the line of other
units; the shaded area contains four of five units that were timed completely. D(t) is the share of
workers who spent more than t seconds on documents, beside the exponential decay that fits it by
least squares over all t, for at least 6 workers.

**Beware**: this is the time of judging, including the score, the justification and later visits,
and no unit is completed with less than the study's minimum seconds on a document, which makes the
line flatter than that of reading. R² is small, because times vary more between workers than between
documents. A view that was left open counts in full. Workers stop at the end of a unit, and a study
may limit their number of units: D(t) therefore has steps and an end, and is not a half-life of
readers.

**Source**: sections 3.2, 4 and 5.2, Figures 1, 2 and 5, Table 1.
"""

from collections.abc import Sequence

import numpy as np

from evaluation.analyses.analysis import OnProgress, analysis
from evaluation.analyses.time import held_out, line, staying, topic_lines, views
from evaluation.analyses.time.line import AGAIN, FIRST
from evaluation.analyses.time.views import PAPER, StudyViews, Views
from evaluation.presentation.frame import Column, Frame
from evaluation.presentation.parts import Result, Table, dashes, percent
from evaluation.study.applies_to import judged_here
from evaluation.study.data import StudyData
from magnitudes.files.words import count
from magnitudes.reading_time.line import Lines, reading_lines
from magnitudes.reading_time.near_duplicates import THRESHOLD

NO_TEXTS = (
    "The collection has no texts, so that nobody knows how long its documents are: there is no "
    "time to hold against a length."
)
NUMBERS = "slope intercept slope_error intercept_error r2 mean mean_error views".split()


@analysis("How long do documents take?", applies_to=judged_here)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """Time on a document against its length, in all and by topic, and how well it is predicted."""
    if not len(data.units):
        return Result(["There is no completed unit yet: nobody has read anything."])
    every = views.of_study(data)
    on_progress(0.3)
    if not len(every.all):
        return Result([NO_TEXTS])
    first, minutes = every.first, data.study.long_visit_minutes
    kinds = _lines([first, every.again, first.where(first.seconds <= 60 * minutes)])
    columns = first.words, first.seconds, first.workers, first.topics
    by_topic = reading_lines(*columns, len(data.topics))
    table = _table(data, every, kinds, by_topic)
    on_progress(0.5)
    if np.isnan(kinds.slope[0]):
        return Result([f"There is no line of time on length: {kinds.reasons[0]}."], [table])
    predictions = held_out.compute(first, data.seed)
    on_progress(0.9)
    parameters = topic_lines.parameters([topic.query_id for topic in data.topics], by_topic, kinds)
    times, half_life = staying.compute(data)
    without_text = count(every.without_text, "judged document")
    numbers = {name: getattr(kinds, name)[0] for name in NUMBERS}
    again = {"mean_again": kinds.mean[1], "mean_again_error": kinds.mean_error[1]}
    return Result(
        [
            *line.sentences(kinds, every),
            *topic_lines.sentences(parameters),
            *line.long_views(kinds, minutes),
            held_out.sentence(predictions),
            *[f"Left out: {without_text} without a text."] * bool(every.without_text),
        ],
        [
            line.figure(kinds, every, data.study.minimum_seconds),
            *topic_lines.figures(parameters),
            *held_out.figures(predictions),
            *staying.figures(times, half_life),
            table,
            held_out.table(predictions),
        ],
        numbers | again | half_life,
    )


def _lines(kinds: Sequence[Views]) -> Lines:
    """A line for each kind of views."""
    words, seconds, workers = (
        np.concatenate([getattr(kind, name) for kind in kinds])
        for name in ("words", "seconds", "workers")
    )
    group = np.repeat(np.arange(len(kinds)), [len(kind) for kind in kinds])
    return reading_lines(words, seconds, workers, group, len(kinds))


def _table(data: StudyData, every: StudyViews, kinds: Lines, by_topic: Lines) -> Table:
    names = [FIRST, AGAIN, f"first, up to {data.study.long_visit_minutes:g} minutes"]
    query_ids = [topic.query_id for topic in data.topics]
    lines = _frame(kinds, names, [None] * len(names)).followed_by(
        _frame(by_topic, query_ids, every.duplicates)
    )
    return lines.table(
        "lines",
        "Time on documents by their length, of all views and, of first ones, by topic",
        "Slope: seconds per word; intercept: seconds; both as time-biased gain takes them. "
        "Errors are standard errors, clustered by worker. Duplicates: documents of the topic "
        f"that share {percent(THRESHOLD)} of their shingles with another; a dash where "
        "rows are of all topics.",
        *dashes([*kinds.reasons, *by_topic.reasons]),
        source=f"Table 1 of {PAPER}",
    )


def _frame(lines: Lines, names: Sequence[str], duplicates: Sequence[int | None]) -> Frame:
    """duplicates: documents of the topic with a near duplicate."""
    return Frame.of(
        views=names,
        n=Column(lines.views, "how many"),
        workers=lines.workers,
        slope=lines.slope,
        slope_error=lines.slope_error,
        intercept=lines.intercept,
        intercept_error=lines.intercept_error,
        adjusted_r2=Column(lines.r2, "adjusted R²"),
        mean_seconds=lines.mean,
        mean_error=lines.mean_error,
        duplicates=duplicates,
    )
