"""How the line of time on length is shown: figures and tables of `reading`."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from evaluation.analyses.study.data import Floats, Ints, StudyData
from evaluation.analyses.telling import plots
from evaluation.analyses.telling.parts import Figure, Row, Table, number, percent
from evaluation.analyses.time.views import Seen, Views
from evaluation.reading.line import LEAST, Lines
from evaluation.reading.near_duplicates import THRESHOLD
from evaluation.reading.time_prediction import HeldOut, Predicted
from trec.words import count

PAPER = "Smucker and Clarke, SIGIR 2012"
BINS, LEAST_IN_BIN = 40, 15
FIRST, AGAIN = "first views", "repeated"


class Found(NamedTuple):
    """Lines of first views, repeated ones, first ones that are not too long; and by topic."""

    seen: Seen
    first: Views
    kinds: Lines
    by_topic: Lines
    out: HeldOut
    predictions: dict[str, Predicted]


def parts(data: StudyData, found: Found) -> list[Figure | Table]:
    """All figures and tables, of a line that there is."""
    return [
        _scatter(found),
        *_topics(data, found),
        *_held_out(found),
        lines(data, found),
        _predictions(found),
    ]


def intervals(values: Floats, errors: Floats, workers: Ints) -> tuple[Floats, Floats]:
    """95% intervals by Student's t, with one degree of freedom less than there are workers.

    By the normal distribution, one in seven would miss where five workers judged a topic.
    """
    half = stdtrit(np.maximum(workers - 1, 1), 0.975) * errors
    return values - half, values + half


def _binned(by: Floats, *others: Floats) -> tuple[Ints, list[Floats]]:
    """Counts, and means of all arrays, of bins of about as many entries each, by the first one."""
    order = np.argsort(by, kind="stable")
    bins = max(1, min(BINS, len(by) // LEAST_IN_BIN))
    parts = np.array_split(order, bins)
    counts = np.array([part.size for part in parts])
    return counts, [np.array([of[part].mean() for part in parts]) for of in (by, *others)]


def _scatter(found: Found) -> Figure:
    kinds = {FIRST: found.first, AGAIN: found.seen.views.where(found.seen.views.again)}
    rows: list[Row] = []
    for name, of in kinds.items():
        if len(of):
            counts, (words, seconds) = _binned(of.words, of.seconds)
            rows += [
                (name, *row)
                for row in zip(counts.tolist(), words.tolist(), seconds.tolist(), strict=True)
            ]
    a, b = float(found.kinds.slope[0]), float(found.kinds.intercept[0])
    ends = [min(row[2] for row in rows), max(row[2] for row in rows)]
    across, up = plots.x("words", "words"), plots.y("seconds", "seconds")
    shapes = {FIRST: ("circle", plots.MARK), AGAIN: ("diamond", plots.OTHER)}
    drawn = plots.shaped("bins", across, up, "views", shapes)
    return Figure(
        "seconds-by-words",
        f"Time on documents by their length: {number(1000 * a)} s for a thousand words, "
        f"{number(b)} s besides",
        "One dot a group of views of documents of about the same length, at their means; the line "
        "is fitted to single first views. Look whether dots bend away from it, and whether "
        "repeated documents lie below. Single views vary far more than these means.",
        plots.sized(plots.alt.layer(plots.line("line", across, up), drawn)),
        {
            "bins": [
                {
                    "name": f"{count(n, 'view')}: {number(words)} words, {number(seconds)} s",
                    "views": name,
                    "words": words,
                    "seconds": seconds,
                }
                for name, n, words, seconds in rows
            ],
            "line": [{"words": words, "seconds": a * words + b} for words in ends],
        },
        ("views", "n", "mean_words", "mean_seconds"),
        rows,
        f"Figure 1 of {PAPER}",
    )


def _topics(data: StudyData, found: Found) -> list[Figure]:
    of = found.by_topic
    if (~np.isnan(of.slope)).sum() < 2:
        return []
    return [
        _of_parameter(
            data,
            "slopes",
            "seconds for a thousand words",
            of.slope,
            of.slope_error,
            of.workers,
            float(found.kinds.slope[0]),
            1000,
        ),
        _of_parameter(
            data,
            "intercepts",
            "seconds whatever the length",
            of.intercept,
            of.intercept_error,
            of.workers,
            float(found.kinds.intercept[0]),
            1,
        ),
    ]


def _of_parameter(
    data: StudyData,
    name: str,
    what: str,
    values: Floats,
    errors: Floats,
    workers: Ints,
    whole: float,
    unit: float,
) -> Figure:
    low, high = intervals(unit * values, unit * errors, workers)
    rows: list[Row] = [
        (topic.query_id, *row)
        for topic, *row in zip(
            data.topics, (unit * values).tolist(), low.tolist(), high.tolist(), strict=True
        )
        if np.isfinite(row[0])
    ]
    ends = low[~np.isnan(low)], high[~np.isnan(high)]
    apart = int((ends[0] > unit * whole).sum() + (ends[1] < unit * whole).sum())
    drawn = [
        {
            "name": f"topic {topic}: {number(mean)} s"
            + (f" ({number(low)} to {number(high)})" if np.isfinite(low) else ", no interval"),
            "topic": topic,
            "mean": mean,
            "low": low,
            "high": high,
        }
        for topic, mean, low, high in rows
    ]
    down = plots.down("topic", [row[0] for row in rows], "topic")
    rule = plots.rule_at("all", along=plots.x("mean", what))
    return Figure(
        name,
        f"{what[0].upper()}{what[1:]}, by topic: {apart} of {ends[0].size} intervals leave out "
        f"{number(unit * whole)}, that of all",
        "One dot a topic with its 95% interval, which allows for workers alike in all they do; the "
        "dashed line is that of all topics. Look for topics whose interval leaves it out: "
        "time-biased gain may take a line of their own.",
        plots.sized(
            plots.alt.layer(rule, plots.intervals("topics", down, what)), max(60, 18 * len(rows))
        ),
        {"topics": drawn, "all": [{"mean": unit * whole}]},
        ("query_id", name[:-1], "low", "high"),
        rows,
        f"Section 4 of {PAPER}",
    )


def _held_out(found: Found) -> list[Figure]:
    one = found.predictions["one line"]
    if one.reason:
        return []
    counts, (foretold, measured) = _binned(found.out.line, found.first.seconds)
    rows = list(zip(counts.tolist(), foretold.tolist(), measured.tolist(), strict=True))
    ends = [float(min(foretold.min(), measured.min())), float(max(foretold.max(), measured.max()))]
    across, up = (
        plots.x("predicted", "predicted seconds"),
        plots.y("measured", "measured seconds"),
    )
    return [
        Figure(
            "held-out",
            "Predicted and measured time in units left out: "
            f"off by {number(one.mean_error)} s in the mean",
            "One dot a group of views with about the same predicted time, at their means; on the "
            "dashed line both are the same. Look whether dots bend away from it: then a line is "
            "not the shape, or short documents are held up by the least number of seconds.",
            plots.sized(
                plots.alt.layer(
                    plots.line("same", across, up, color=plots.INK, strokeDash=[3, 3], opacity=0.5),
                    plots.points("bins", across, up),
                )
            ),
            {
                "bins": [
                    {
                        "name": f"{count(n, 'view')}: {number(x)} s predicted, "
                        f"{number(y)} s measured",
                        "predicted": x,
                        "measured": y,
                    }
                    for n, x, y in rows
                ],
                "same": [{"predicted": end, "measured": end} for end in ends],
            },
            ("n", "mean_predicted_seconds", "mean_measured_seconds"),
            rows,
            f"Figure 2 of {PAPER}, of times to ranks",
        )
    ]


def lines(data: StudyData, found: Found) -> Table:
    names = [FIRST, AGAIN, f"first, up to {data.study.long_visit_minutes:g} minutes"]
    rows = [*_rows(names, found.kinds), *_rows([t.query_id for t in data.topics], found.by_topic)]
    reasons = sorted(
        {reason for of in (found.kinds, found.by_topic) for reason in of.reasons} - {""}
    )
    return Table(
        "lines",
        "Time on documents by their length, of all views and, of first ones, by topic",
        (
            *("views", "n", "workers", "slope", "slope_error", "intercept", "intercept_error"),
            *("adjusted_r2", "mean_seconds", "mean_error", "duplicates"),
        ),
        [
            (*row, *more)
            for row, more in zip(
                rows, [*[(None,)] * 3, *((n,) for n in found.seen.duplicates)], strict=True
            )
        ],
        (
            "slope: seconds per word; intercept: seconds; both as time-biased gain takes them. "
            "Errors are standard errors, clustered by worker. duplicates: documents of the topic "
            f"that share {percent(THRESHOLD)} of their shingles with another; a dash where "
            "rows are of all topics.",
            *(f"A dash: {reason}." for reason in reasons),
        ),
        f"Table 1 of {PAPER}",
    )


def _rows(names: list[str], of: Lines) -> Iterator[Row]:
    columns = (of.slope, of.slope_error, of.intercept, of.intercept_error, of.r2, of.mean)
    for place, name in enumerate(names):
        numbers = (float(column[place]) for column in (*columns, of.mean_error))
        yield (name, int(of.views[place]), int(of.workers[place]), *numbers)


def _predictions(found: Found) -> Table:
    every = found.predictions
    return Table(
        "predictions",
        "How well lines foretell the time on documents of units that they were not fitted to",
        ("line", "views", "without_line", "median_error", "mean_error", "r2", "parts", "seed"),
        [
            (
                *(name, one.views, one.unpredicted, one.median_error, one.mean_error, one.r2),
                *(one.folds, one.seed),
            )
            for name, one in every.items()
        ],
        (
            "Errors are absolute, in seconds. r2: 1 less squared errors over those of the mean "
            "time of the units fitted to, with one line a topic that of their documents of the "
            "topic, so that the two r2 are not to be compared; below 0 a line is worse than that "
            "mean. Units are dealt "
            "to parts at random, and each part is predicted from the others. without_line: views "
            f"of topics that have fewer than {LEAST} views, or one length alone, in the others.",
            *(
                f"A dash: {reason}."
                for reason in sorted({of.reason for of in every.values()} - {""})
            ),
        ),
    )
