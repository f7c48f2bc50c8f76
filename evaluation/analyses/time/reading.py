"""How long workers take for documents of different length: the line T_D(l) = a l + b.

Smucker and Clarke (SIGIR 2012), section 3.2.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from evaluation.analyses.analysis import Analysis
from evaluation.analyses.time import held_out, staying, topic_lines, views
from evaluation.analyses.time.views import StudyViews, Views
from evaluation.presentation import plots, published
from evaluation.presentation.parts import Analysed, Figure, Table, Tell, drawn, number, percent
from evaluation.study.data import StudyData
from evaluation.study.fits import judged_here
from magnitudes.files.words import count
from magnitudes.reading_time.binned import binned
from magnitudes.reading_time.line import Lines, intervals, reading_lines
from magnitudes.reading_time.near_duplicates import THRESHOLD

PAPER = "Smucker and Clarke, SIGIR 2012"
FIRST, AGAIN = "first views", "repeated"
_PAPERS_LINE = (
    f"Readers who looked for news took {1000 * published.value('t_d.slope'):g} s for a thousand "
    + published.quote("words and {t_d.intercept} s besides, with an R² of {t_d_r2} ")
    + f"({PAPER})."
)
KINDS = {FIRST: ("circle", plots.MARK), AGAIN: ("diamond", plots.OTHER)}
NUMBERS = (
    *("slope", "intercept", "slope_error", "intercept_error"),
    *("r2", "mean", "mean_error", "views"),
)


class Line(NamedTuple):
    """The line of some views; duplicates: documents of the topic with a near duplicate."""

    views: str
    n: int
    workers: int
    slope: float
    slope_error: float
    intercept: float
    intercept_error: float
    adjusted_r2: float
    mean_seconds: float
    mean_error: float
    duplicates: int | None


class Bin(NamedTuple):
    """Views of documents of about the same length."""

    views: str
    n: int
    mean_words: float
    mean_seconds: float


@dataclass(frozen=True, eq=False)
class Found:
    """Lines of `kinds`: first views, repeated ones, and first ones that are not too long."""

    data: StudyData
    views: StudyViews
    kinds: Lines
    topics: topic_lines.Found
    staying: staying.Found

    @property
    def query_ids(self) -> list[str]:
        return [topic.query_id for topic in self.data.topics]

    @property
    def tells(self) -> bool:
        """Whether length tells something of the time: the slope's 95% interval is above 0."""
        low, _ = self.slope_ends
        return bool(low > 0)

    @property
    def slope_ends(self) -> tuple[float, float]:
        """The 95% interval of the seconds for a thousand words; NaN with one worker."""
        lines = self.kinds
        low, high = intervals(lines.slope[:1], lines.slope_error[:1], lines.workers[:1])
        return 1000 * float(low[0]), 1000 * float(high[0])

    @property
    def numbers(self) -> dict[str, Any]:
        """The line of first views, the mean of later ones, and how long workers stay."""
        line = {name: getattr(self.kinds, name)[0] for name in NUMBERS}
        return {**line, "mean_again": self.kinds.mean[1], **self.staying.numbers}


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Time on a document against its length, in all and by topic, and how well it foretells."""
    if not len(data.units):
        return Analysed(["There is no completed unit yet: nobody has read anything."])
    every = views.of_study(data)
    tell(0.3)
    if not len(every.all):
        return Analysed(
            [
                "The collection has no texts, so that nobody knows how long its documents are: "
                "there is no time to hold against a length."
            ]
        )
    found = compute(data, every)
    tell(0.5)
    if np.isnan(found.kinds.slope[0]):
        reason = f"There is no line of time on length: {found.kinds.reasons[0]}."
        return Analysed([reason], [table(found)])
    left_out = held_out.compute(every.first, data.seed)
    tell(0.9)
    return Analysed(
        [
            *says(found),
            *topic_lines.says(found.topics),
            *_long_views(found),
            held_out.says(left_out),
            *_without_text(every),
        ],
        [
            figure(found),
            *topic_lines.figures(found.topics),
            *held_out.figures(left_out),
            *staying.figures(found.staying),
            table(found),
            held_out.table(left_out),
        ],
        found.numbers,
    )


def compute(data: StudyData, every: StudyViews) -> Found:
    first = every.first
    short = first.where(first.seconds <= 60 * data.study.long_visit_minutes)
    kinds = _lines([first, every.again, short])
    query_ids = [topic.query_id for topic in data.topics]
    by_topic = topic_lines.compute(first, query_ids, kinds)
    return Found(data, every, kinds, by_topic, staying.compute(data))


def _lines(kinds: Sequence[Views]) -> Lines:
    """A line for each kind of views."""
    words, seconds, workers = (
        np.concatenate([getattr(kind, name) for kind in kinds])
        for name in ("words", "seconds", "workers")
    )
    group = np.repeat(np.arange(len(kinds)), [len(kind) for kind in kinds])
    return reading_lines(words, seconds, workers, group, len(kinds))


def says(found: Found) -> Iterator[str]:
    yield _says_line(found)
    yield "This is the time of judging, with the score, the justification and every later visit."
    yield _says_repeated(found)


def _says_line(found: Found) -> str:
    lines = found.kinds
    a, b = lines.slope[0], lines.intercept[0]
    views = (
        f"{count(int(lines.views[0]), 'first view')} by {count(int(lines.workers[0]), 'worker')}"
    )
    if not found.tells:
        return f"{_nothing_yet(found)}. This is from {views}."
    return (
        f"{_title(found)}. The line, from {views}, is T_D(l) = {number(a)} l "
        f"{'+' if b >= 0 else '−'} {number(abs(b))} with standard errors of "
        f"{number(lines.slope_error[0], 2)} and {number(lines.intercept_error[0], 2)}, which allow "
        "for workers who are quick or slow in all they do. "
        f"{_explains(float(lines.r2[0]))}"
    )


def _nothing_yet(found: Found) -> str:
    low, high = found.slope_ends
    if np.isnan(low):
        return "Length tells nothing yet of the time on a document: one worker was timed"
    return (
        "Length tells nothing yet of the time on a document: the 95% interval of the line's slope "
        f"{'includes' if high >= 0 else 'is below'} 0"
    )


def _error(error: float) -> str:
    return f"± {number(error, 2)}" if np.isfinite(error) else "no error is known with one worker"


def _explains(r2: float) -> str:
    if np.isnan(r2):
        return "All times are the same: there is no R²."
    if r2 < 0:
        return "Length explains nothing of how times differ (the adjusted R² is below 0)."
    return f"Length explains {percent(r2, 1)} of how times differ (adjusted R²)."


def _says_least(least: float) -> str:
    if not least:
        return "The study asks for no least number of seconds."
    return (
        f"As no document of a unit may have less than {number(least)} s, short documents take "
        "longer than they would, and the line is flatter than that of reading."
    )


def _says_repeated(found: Found) -> str:
    near = sum(found.views.duplicates)
    duplicates = (
        f" {count(near, 'document has', 'documents have')} a near duplicate on the same topic."
        if near
        else ""
    )
    first, again, _ = found.kinds.mean
    n, error = found.kinds.views[1], found.kinds.mean_error[1]
    if not n:
        return f"Nobody judged a document, or a near duplicate of it, again.{duplicates}"
    sure = f" ({_error(error)})" if np.isfinite(error) else ""
    return (
        f"{count(int(n), 'view is', 'views are')} of a document that the worker had judged before, "
        f"or of a near duplicate, and took {number(again)} s{sure} in the mean, first views "
        f"{number(first)} s.{duplicates} Readers took "
        + published.quote("{duplicates} s for duplicates, as for a document of no words ")
        + f"({PAPER})."
    )


def _long_views(found: Found) -> Iterator[str]:
    """Of views that are so long that nobody reads all the while."""
    first, _, short = found.kinds.views
    if long := int(first - short):
        yield (
            f"{count(long, 'view')} of over {found.data.study.long_visit_minutes:g} minutes "
            f"{'is' if long == 1 else 'are'} counted; the table has the line without."
        )


def _without_text(every: StudyViews) -> Iterator[str]:
    if every.without_text:
        yield f"Left out: {count(every.without_text, 'judged document')} without a text."


def figure(found: Found) -> Figure:
    rows = [*_bins(FIRST, found.views.first), *_bins(AGAIN, found.views.again)]
    a, b = float(found.kinds.slope[0]), float(found.kinds.intercept[0])
    words = [row.mean_words for row in rows]
    across = plots.axis("words", "length of the document, in words")
    up = plots.axis("seconds", "mean seconds on it")
    dots = plots.shaped("bins", across, up, "views", KINDS)
    return Figure(
        "seconds-by-words",
        _title(found),
        "Mean time on documents of about the same length; the line is fitted to single first "
        "views.",
        plots.sized(plots.layer(plots.line("line", across, up), dots)),
        {
            "bins": drawn(rows, "views", _tooltip, words="mean_words", seconds="mean_seconds"),
            "line": _line(a, b, min(words), max(words)),
        },
        Bin,
        rows,
        f"Figure 1 of {PAPER}",
        reading="Look whether dots bend away from the line, and whether repeated documents lie "
        "below. Single views vary far more than these means. "
        f"{_says_least(found.data.study.minimum_seconds)} {_PAPERS_LINE}",
    )


def _title(found: Found) -> str:
    if not found.tells:
        return _nothing_yet(found)
    a, b = found.kinds.slope[0], found.kinds.intercept[0]
    first, more = (f"{number(b)} s, and ", " more") if b >= 0 else ("", "")
    return f"A document takes workers {first}{number(1000 * a)} s{more} for every thousand words"


def _line(a: float, b: float, shortest: float, longest: float) -> list[dict[str, float]]:
    """The ends of a line, as far as it has no time below 0."""
    zero = -b / a if a else shortest
    first = max(shortest, zero) if a > 0 and b < 0 else shortest
    last = min(longest, zero) if a < 0 else longest
    return [{"words": end, "seconds": max(a * end + b, 0.0)} for end in (first, last)]


def _bins(name: str, of_kind: Views) -> list[Bin]:
    if not len(of_kind):
        return []
    columns = (column.tolist() for column in binned(of_kind.words, of_kind.seconds))
    return [Bin(name, *row) for row in zip(*columns, strict=True)]


def _tooltip(row: Bin) -> str:
    return f"{count(row.n, 'view')}: {number(row.mean_words)} words, {number(row.mean_seconds)} s"


def table(found: Found) -> Table:
    by_topic = found.topics.lines
    kinds = [FIRST, AGAIN, f"first, up to {found.data.study.long_visit_minutes:g} minutes"]
    reasons = sorted({*found.kinds.reasons, *by_topic.reasons} - {""})
    return Table(
        "lines",
        "Time on documents by their length, of all views and, of first ones, by topic",
        Line,
        [
            *_rows(found.kinds, kinds, [None] * len(kinds)),
            *_rows(by_topic, found.query_ids, found.views.duplicates),
        ],
        (
            "Slope: seconds per word; intercept: seconds; both as time-biased gain takes them. "
            "Errors are standard errors, clustered by worker. Duplicates: documents of the topic "
            f"that share {percent(THRESHOLD)} of their shingles with another; a dash where "
            "rows are of all topics.",
            *(f"A dash: {reason}." for reason in reasons),
        ),
        f"Table 1 of {PAPER}",
    )


def _rows(lines: Lines, names: Sequence[str], duplicates: Sequence[int | None]) -> list[Line]:
    columns = (
        *(lines.views, lines.workers, lines.slope, lines.slope_error),
        *(lines.intercept, lines.intercept_error, lines.r2, lines.mean, lines.mean_error),
    )
    numbers = (column.tolist() for column in columns)
    return [Line(*row) for row in zip(names, *numbers, duplicates, strict=True)]


ANALYSIS = Analysis("reading", "How long do documents take?", analyse, fits=judged_here)
