"""How long workers take for documents of different length: the line T_D(l) = a l + b.

Smucker and Clarke (SIGIR 2012), section 3.2, and, for lines of single topics, section 4.
"""

from collections.abc import Iterator

import numpy as np

from evaluation.analyses.analysis import Analysis
from evaluation.analyses.study.data import StudyData
from evaluation.analyses.study.fits import judged_here
from evaluation.analyses.telling.parts import Analysed, Tell, number, percent
from evaluation.analyses.time import reading_shown, views
from evaluation.analyses.time.reading_shown import PAPER, Found, intervals
from evaluation.analyses.time.views import Seen
from evaluation.reading.line import Lines, reading_lines
from evaluation.reading.near_duplicates import THRESHOLD
from evaluation.reading.time_prediction import held_out, predicted
from trec.words import count


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Time on a document against its length, in all and by topic, and how well it foretells."""
    if not data.units:
        return Analysed(["There is no completed unit yet: nobody has read anything."])
    seen = views.seen(data)
    tell(0.3)
    if not len(seen.views):
        return Analysed(
            [
                "The collection has no texts, so that nobody knows how long its documents are: "
                "there is no time to hold against a length."
            ]
        )
    found = _found(data, seen)
    tell(0.9)
    if np.isnan(found.kinds.slope[0]):
        return Analysed(
            [f"There is no line of time on length: {found.kinds.reasons[0]}."],
            [reading_shown.lines(data, found)],
        )
    line = {name: getattr(found.kinds, name)[0] for name in Lines._fields[:8]}
    return Analysed([*_says(data, found)], reading_shown.parts(data, found), line)


def _found(data: StudyData, seen: Seen) -> Found:
    every = seen.views
    first = every.where(~every.again)
    short = first.where(first.seconds <= 60 * data.study.long_visit_minutes)
    kinds = [first, every.where(every.again), short]
    group = np.repeat(np.arange(3), [len(kind) for kind in kinds])
    words, seconds, workers = (
        np.concatenate([getattr(kind, name) for kind in kinds])
        for name in ("words", "seconds", "workers")
    )
    by_topic = first.words, first.seconds, first.workers, first.topics
    of_units = first.words, first.seconds, first.workers, first.units
    return Found(
        seen,
        first,
        reading_lines(words, seconds, workers, group, 3),
        reading_lines(*by_topic, len(data.topics)),
        held_out(*of_units, seed=data.seed),
        {
            "one line": predicted(*of_units, seed=data.seed),
            "one line a topic": predicted(*of_units, first.topics, seed=data.seed),
        },
    )


def _says(data: StudyData, found: Found) -> Iterator[str]:
    line, first = found.kinds, found.first
    a, b = line.slope[0], line.intercept[0]
    shape = f"the rest is {number(b)} s ({_error(line.intercept_error[0])}) whatever its length"
    yield (
        f"A document takes {number(1000 * a)} s ({_error(1000 * line.slope_error[0])}) for a "
        f"thousand words, and {shape}: T_D(l) = {number(a)} l + {number(b)}, from "
        f"{count(len(first), 'first view')} by {count(int(line.workers[0]), 'worker')}. "
        f"± is the standard error, which allows for workers who are quick or slow in all they do. "
        f"{_explains(float(line.r2[0]))} Readers who looked for news took 18 s for a thousand "
        f"words and 7.8 s besides, with an R² of .12 ({PAPER})."
    )
    least = data.study.minimum_seconds
    yield (
        "This is the time of judging: it includes the score, the justification and every later "
        "visit. "
        + (
            f"As no document of a unit may have less than {number(least)} s, short documents take "
            "longer than they would, and the line is flatter than that of reading."
            if least
            else "The study asks for no least number of seconds."
        )
    )
    yield _repeats(found)
    yield from _of_topics(found)
    yield from _beyond(data, found)
    if found.seen.without:
        yield f"Left out: {count(found.seen.without, 'judged document')} without a text."


def _error(error: float) -> str:
    return f"± {number(error, 2)}" if np.isfinite(error) else "no error is known with one worker"


def _explains(r2: float) -> str:
    if np.isnan(r2):
        return "All times are the same: there is no R²."
    if r2 < 0:
        return "Length explains nothing of how times differ (the adjusted R² is below 0)."
    return f"Length explains {percent(r2, 1)} of how times differ (adjusted R²)."


def _repeats(found: Found) -> str:
    pairs = sum(found.seen.duplicates)
    common = (
        f"Near duplicates share {percent(THRESHOLD)} of their shingles or more; "
        f"{count(pairs, 'document has', 'documents have')} one on the same topic."
    )
    n, mean, error = found.kinds.views[1], found.kinds.mean[1], found.kinds.mean_error[1]
    if not n:
        return f"Nobody judged a document, or a near duplicate of it, again. {common}"
    sure = f" ({_error(error)})" if np.isfinite(error) else ""
    return (
        f"{count(int(n), 'view is', 'views are')} of a document that the worker had judged before, "
        f"or of a near duplicate, and took {number(mean)} s{sure} in the mean, first views "
        f"{number(found.kinds.mean[0])} s. {common} Readers took 6.8 s for duplicates, as for a "
        f"document of no words ({PAPER})."
    )


def _of_topics(found: Found) -> Iterator[str]:
    slopes = found.by_topic.slope
    known = slopes[~np.isnan(slopes)]
    if known.size < 2:
        return
    low, high = intervals(slopes, found.by_topic.slope_error, found.by_topic.workers)
    sure = ~np.isnan(low)
    apart = int(((low > found.kinds.slope[0]) | (high < found.kinds.slope[0]))[sure].sum())
    yield (
        f"By topic, a thousand words take from {number(1000 * known.min())} s to "
        f"{number(1000 * known.max())} s. {apart} of {count(int(sure.sum()), '95% interval')} "
        f"leave out the slope of all topics; about {number(0.05 * sure.sum(), 2)} would by chance."
    )


def _beyond(data: StudyData, found: Found) -> Iterator[str]:
    """Views that are so long that nobody reads all the while, and how well lines foretell."""
    long = int(found.kinds.views[0] - found.kinds.views[2])
    if long:
        yield (
            f"{count(long, 'view', 'views')} of over {data.study.long_visit_minutes:g} minutes "
            f"{'is' if long == 1 else 'are'} counted; the table has the line without."
        )
    one = found.predictions["one line"]
    if one.reason:
        yield f"Times cannot be predicted for units left out: {one.reason}."
        return
    yield (
        f"In units that the line was not fitted to, half of the documents lie within "
        f"{number(one.median_error)} s of what it says (R² {number(one.r2)}; units in "
        f"{count(one.folds, 'part')}, seed {one.seed})."
    )


ANALYSIS = Analysis("reading", "How long do documents take?", analyse, fits=judged_here)
