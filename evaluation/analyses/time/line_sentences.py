"""What the line of time on length says, in words. A part of the analysis `reading`."""

from collections.abc import Iterator

import numpy as np

from evaluation.analyses.time.views import StudyViews
from evaluation.presentation import published
from evaluation.presentation.parts import number, percent
from magnitudes.files.words import count
from magnitudes.reading_time.line import Lines, intervals

PAPER = "Smucker and Clarke, SIGIR 2012"


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


def without_text(every: StudyViews) -> Iterator[str]:
    if every.without_text:
        yield f"Left out: {count(every.without_text, 'judged document')} without a text."
