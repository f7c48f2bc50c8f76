"""Mean time on documents of about the same length, and the line: as a figure and in words.

Smucker and Clarke (SIGIR 2012), Figure 1. A part of the analysis `reading`.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from evaluation.analyses.time.views import PAPER, StudyViews, Views
from evaluation.presentation import plots, published
from evaluation.presentation.frame import ROWS, Column, Frame
from evaluation.presentation.parts import OF_PAPER, Figure, number, percent
from magnitudes.files.words import count
from magnitudes.reading_time.binned import binned
from magnitudes.reading_time.line import Lines, intervals

FIRST, AGAIN = "first views", "repeated"
KINDS = {FIRST: ("circle", plots.MARK), AGAIN: ("diamond", plots.OTHER)}


def title(kinds: Lines) -> str:
    """Of the line of first views, the first of these."""
    lines = (kinds.slope[:1], kinds.slope_error[:1], kinds.workers[:1])
    low, high = (1000 * float(end[0]) for end in intervals(*lines))
    if low > 0:
        a, b = kinds.slope[0], kinds.intercept[0]
        first, more = (f"{number(b)} s, and ", " more") if b >= 0 else ("", "")
        thousand = f"{number(1000 * a)} s{more}"
        return f"A document takes workers {first}{thousand} for every thousand words"
    nothing = "Length tells nothing yet of the time on a document"
    if np.isnan(low):
        return f"{nothing}: one worker was timed"
    where = "includes" if high >= 0 else "is below"
    return f"{nothing}: the 95% interval of the line's slope {where} 0"


def sentences(kinds: Lines, views: StudyViews) -> Iterator[str]:
    """kinds: the lines of first views, and of repeated ones."""
    what = title(kinds)
    of = f"{count(int(kinds.views[0]), 'first view')} by {count(int(kinds.workers[0]), 'worker')}"
    if what.startswith("Length"):
        yield f"{what}. This is from {of}."
    else:
        a, b = kinds.slope[0], kinds.intercept[0]
        yield (
            f"{what}. The line, from {of}, is T_D(l) = {number(a)} l "
            f"{'+' if b >= 0 else '−'} {number(abs(b))} with standard errors of "
            f"{number(kinds.slope_error[0], 2)} and {number(kinds.intercept_error[0], 2)}, which "
            "allow for workers who are quick or slow in all they do. "
            f"{_explains(float(kinds.r2[0]))}"
        )
    yield "This is the time of judging, with the score, the justification and every later visit."
    yield _repeated(kinds, sum(views.duplicates))


def _explains(r2: float) -> str:
    if np.isnan(r2):
        return "All times are the same: there is no R²."
    if r2 < 0:
        return "Length explains nothing of how times differ (the adjusted R² is below 0)."
    return f"Length explains {percent(r2, 1)} of how times differ (adjusted R²)."


def _repeated(kinds: Lines, near: int) -> str:
    """near: how many documents have a near duplicate."""
    documents = count(near, "document has", "documents have")
    duplicates = f" {documents} a near duplicate on the same topic." if near else ""
    n, error = kinds.views[1], kinds.mean_error[1]
    if not n:
        return f"Nobody judged a document, or a near duplicate of it, again.{duplicates}"
    first, again = (number(mean) for mean in kinds.mean[:2])
    within = f" (± {number(error, 2)})" if np.isfinite(error) else ""
    return (
        f"{count(int(n), 'view is', 'views are')} of a document that the worker had judged before, "
        f"or of a near duplicate, and took {again} s{within} on average, first views "
        f"{first} s.{duplicates} Readers took "
        + published.quote("{duplicates} s for duplicates, as for a document of no words ")
        + f"({PAPER})."
    )


def long_views(kinds: Lines, minutes: float) -> Iterator[str]:
    """Of views that are so long that nobody reads all the while."""
    first, _, short = kinds.views
    if long := int(first - short):
        yield (
            f"{count(long, 'view')} of over {minutes:g} minutes "
            f"{'is' if long == 1 else 'are'} counted; the table has the line without."
        )


def figure(kinds: Lines, every: StudyViews, least: float) -> Figure:
    """Views of documents of about the same length; least: seconds that a document must have."""
    bins = _bins(FIRST, every.first).followed_by(_bins(AGAIN, every.again))
    ends = bins["mean_words"].min(), bins["mean_words"].max()
    across = plots.axis("mean_words", "length of the document, in words")
    up = plots.axis("mean_seconds", "mean seconds on it")
    dots = plots.shaped(ROWS, across, up, "views", KINDS)
    held_up = (
        f"As no document of a unit may have less than {number(least)} s, short documents take "
        "longer than they would, and the line is flatter than that of reading."
        if least
        else "The study asks for no least number of seconds."
    )
    slope = 1000 * published.value("t_d.slope")
    return bins.figure(
        "seconds-by-words",
        title(kinds),
        "Mean time on documents of about the same length; the line is fitted to single first "
        "views.",
        plots.sized(plots.layer(plots.line("line", across, up), dots, plots.paper(across, up))),
        label=lambda row: (
            f"{count(row.n, 'view')}: {number(row.mean_words)} words, {number(row.mean_seconds)} s"
        ),
        data={"line": _line(kinds, *ends), OF_PAPER: [*_of_paper(*ends)]},
        source=f"Figure 1 of {PAPER}",
        reading="Look whether dots bend away from the line, and whether repeated documents lie "
        f"below. Single views vary far more than these means. {held_up} "
        f"Readers who looked for news took {slope:g} s for a thousand "
        + published.quote("words and {t_d.intercept} s besides, with an R² of {t_d_r2} ")
        + f"({PAPER}).",
    )


def _bins(name: str, of_kind: Views) -> Frame:
    counts, words, seconds = binned(of_kind.words, of_kind.seconds) if len(of_kind) else [()] * 3
    n = Column(counts, "views")
    return Frame.of(views=[name] * len(counts), n=n, mean_words=words, mean_seconds=seconds)


def _of_paper(shortest: float, longest: float) -> Iterator[dict[str, Any]]:
    """Its line, at three lengths."""
    slope, intercept = published.value("t_d.slope"), published.value("t_d.intercept")
    for words in np.unique([shortest, (shortest + longest) / 2, longest]).tolist():
        seconds = slope * words + intercept
        name = f"the paper's line: {number(words)} words, {number(seconds)} s"
        yield {"mean_words": words, "mean_seconds": seconds, "name": name}


def _line(kinds: Lines, shortest: float, longest: float) -> list[dict[str, float]]:
    """The ends of the line, as far as it has no time below 0."""
    a, b = float(kinds.slope[0]), float(kinds.intercept[0])
    zero = -b / a if a else shortest
    first = max(shortest, zero) if a > 0 and b < 0 else shortest
    last = min(longest, zero) if a < 0 else longest
    return [{"mean_words": end, "mean_seconds": max(a * end + b, 0.0)} for end in (first, last)]
