"""The documents on which crowd and labels differ most (paper, section 6.2).

**Shows** the 40 documents whose gain lies most clearly among the gains of another level, each with
a page of its own: the topic, the text, every score with its reason, and a form for the verdict:
labels wrong, crowd wrong, or topic ambiguous, with a note. Below are the shares of verdicts beside
the paper's, and all verdicts. Verdicts are specific to a label set; a later one replaces an earlier
one; they appear immediately, also in the report and the API.

**Computed**: on the topic, the median logarithm of the gains of the *other* documents with the same
label, and those of other levels: of higher levels if the gain is above that median, of lower ones
if it is below. Strength is the squared distance to the former minus the squared distance to the
nearest of the latter. It is above 0 if the gain is nearer to the other level, and grows with the
distance between the two levels and with how far the gain is beyond the middle. A document that is
the only one of its level on a topic cannot be placed.

**Source**: section 6.2, whose authors chose documents by eye.
"""

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from evaluation.analyses.agreement.verdicts import PAGE, verdicts
from evaluation.analyses.analysis import OnProgress, analysis
from evaluation.presentation import published
from evaluation.presentation.frame import Frame
from evaluation.presentation.parts import Result, Table, percent
from evaluation.study.data import StudyData
from evaluation.study.label_levels import name_of
from magnitudes.agreement.misplaced import misplaced
from magnitudes.files.words import count

LISTED = 40
DOCUMENTS = "documents"  # the table that pages of documents go through
MIN_STRENGTH = 1e-12  # what differs less is equal
IN_PAPER = published.quote(
    "In the paper the labels were wrong on {verdicts.labels} of {examined} such documents, the "
    "crowd on {verdicts.crowd}, and {verdicts.topic} had ambiguous topics."
)


@analysis("Where do crowd and labels differ most?", live=verdicts)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """Documents whose gain is nearer to the gains of another level than to those of their own."""
    documents, compared, labelled = _documents(data)
    numbers = {
        "differ": len(documents),
        "compared": compared,
        "documents": [
            [row.query_id, row.doc_id, row.label, row.fits_level] for row in documents.first(LISTED)
        ],
    }
    tables = [_most(data, documents.first(LISTED)), _levels(documents)] if len(documents) else []
    return Result([*_sentences(documents, compared, labelled)], tables, numbers)


def _documents(data: StudyData) -> tuple[Frame, int, int]:
    """Documents whose gain lies among those of another level, the strongest first.

    With how many could be placed, and how many have a label.
    """
    documents = data.documents
    items = np.flatnonzero(~np.isnan(documents.gains) & ~np.isnan(documents.labels))
    gains, labels, topics = (
        column[items] for column in (documents.gains, documents.labels, documents.topics)
    )
    own, fits, there, strength = misplaced(gains, labels, topics, ratios=not data.study.is_graded)
    levels = np.unique(np.stack([topics, labels]), axis=1)
    several = np.bincount(levels[0].astype(int), minlength=len(data.topics)) > 1
    out = np.flatnonzero(np.nan_to_num(strength) > MIN_STRENGTH)
    order = out[np.argsort(-np.round(strength[out], 12), kind="stable")]
    frame = Frame.of_rows("query_id doc_id", map(data.pair_name, items[order].tolist()))
    frame = frame.with_columns(
        label=[name_of(level) for level in labels[order]],
        fits_level=[name_of(level) for level in fits[order]],
        gain=gains[order],
        median_at_its_level=own[order],
        median_where_it_fits=there[order],
        strength=strength[order],
        scores=documents.counts[items[order]],
    )
    return frame, int((~np.isnan(own) & several[topics]).sum()), len(items)


def _sentences(documents: Frame, compared: int, labelled: int) -> Iterator[str]:
    if not labelled:
        yield "No judged document has a label: there is nothing to differ from."
        return
    if not compared:
        yield (
            f"None of {count(labelled, 'labelled document')} can be placed: that needs a "
            "topic with another document of the same level, and one of another level."
        )
        return
    n = len(documents)
    yield (
        f"{n:,} of {count(compared, 'labelled document')} that can be placed "
        f"({percent(n / compared)}) "
        f"{'has' if n == 1 else 'have'} a gain that fits another level better than the label's own."
    )
    if n:
        more = int((documents["gain"] > documents["median_at_its_level"]).sum())
        yield (
            f"Scored higher than its label: {more:,}; lower: {n - more:,}. {IN_PAPER} Read yours "
            "and record a verdict on each: the shares are below."
        )


def _most(data: StudyData, documents: Frame) -> Table:
    logs = "" if data.study.is_graded else " (of logarithms)"
    return documents.table(
        DOCUMENTS,
        f"The {count(len(documents), 'document that differs', 'documents that differ')} most",
        "Median at its level: of the other documents with its label, on the same topic. Fits "
        "level: the level whose median is nearest, of the higher levels if the gain is above "
        "the median at its own, of the lower ones if it is below. Strength: the squared "
        f"distance{logs} to the median at its own level, less that to the other one; "
        "above 0 the gain is nearer to the other.",
        source="section 6.2",
        page=PAGE,
    )


def _levels(documents: Frame) -> Table:
    strengths: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in documents:
        strengths[row.label, row.fits_level].append(row.strength)
    both = sorted(strengths, key=lambda two: (float(two[0]), float(two[1])))
    rows = [(*two, len(strengths[two]), float(np.median(strengths[two]))) for two in both]
    return Frame.of_rows("label fits_level documents median_strength", rows).table(
        "levels", "All documents that fit another level, by label and level"
    )
