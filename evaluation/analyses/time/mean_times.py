"""Mean time on documents of about the same length, and the line. A part of `reading`.

Smucker and Clarke (SIGIR 2012), Figure 1.
"""

from evaluation.analyses.time.line_sentences import PAPER, title
from evaluation.analyses.time.views import StudyViews, Views
from evaluation.presentation import plots, published
from evaluation.presentation.frame import ROWS, Column, Frame
from evaluation.presentation.parts import Figure, number
from magnitudes.files.words import count
from magnitudes.reading_time.binned import binned
from magnitudes.reading_time.line import Lines

FIRST, AGAIN = "first views", "repeated"
KINDS = {FIRST: ("circle", plots.MARK), AGAIN: ("diamond", plots.OTHER)}


def figure(kinds: Lines, every: StudyViews, least: float) -> Figure:
    """Views of documents of about the same length; least: seconds that a document must have."""
    bins = _bins(FIRST, every.first).followed_by(_bins(AGAIN, every.again))
    words = bins["mean_words"]
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
        plots.sized(plots.layer(plots.line("line", across, up), dots)),
        label=lambda row: (
            f"{count(row.n, 'view')}: {number(row.mean_words)} words, {number(row.mean_seconds)} s"
        ),
        data={
            "line": _line(
                float(kinds.slope[0]), float(kinds.intercept[0]), words.min(), words.max()
            )
        },
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


def _line(a: float, b: float, shortest: float, longest: float) -> list[dict[str, float]]:
    """The ends of a line, as far as it has no time below 0."""
    zero = -b / a if a else shortest
    first = max(shortest, zero) if a > 0 and b < 0 else shortest
    last = min(longest, zero) if a < 0 else longest
    return [{"mean_words": end, "mean_seconds": max(a * end + b, 0.0)} for end in (first, last)]
