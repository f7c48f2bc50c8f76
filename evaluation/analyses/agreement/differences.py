"""The documents on which crowd and labels differ most, and what researchers found (paper, 6.2)."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from django.db.models import Count

from evaluation.analyses.analysis import Analysis
from evaluation.models import Verdict
from evaluation.presentation import published
from evaluation.presentation.parts import Analysed, Table, Tell, percent
from evaluation.study.data import StudyData
from evaluation.study.label_levels import name_of
from judging.models import Study
from magnitudes.agreement.misplaced import misplaced
from magnitudes.files.words import count

LISTED = 40
DOCUMENTS = "documents"  # the table that pages of documents go through
PAGE = "difference"  # the page of a document
LEAST = 1e-12  # what differs less is equal
# Of the 34 documents that the paper's authors read.
PAPER = {Verdict.Finding(name): int(n) for name, n in published.values("verdicts").items()}
IN_PAPER = published.quote(
    "In the paper the labels were wrong on {verdicts.labels} of {examined} such documents, the "
    "crowd on {verdicts.crowd}, and {verdicts.topic} had ambiguous topics."
)


class Document(NamedTuple):
    """A document whose gain lies among those of another level."""

    query_id: str
    doc_id: str
    label: str
    fits_level: str
    gain: float
    median_at_its_level: float
    median_where_it_fits: float
    strength: float
    scores: int


class Levels(NamedTuple):
    """How many documents have a label, and lie among those of another level."""

    label: str
    fits_level: str
    documents: int
    median_strength: float


class Share(NamedTuple):
    """How often a verdict was given, here and in the paper."""

    verdict: str
    documents: int
    share: float
    paper_documents: int
    paper_share: float


class Recorded(NamedTuple):
    """A verdict on a document."""

    query_id: str
    doc_id: str
    verdict: str
    note: str
    by: str
    at: str


@dataclass(frozen=True)
class Found:
    """The documents that lie among those of another level, the strongest first."""

    documents: list[Document]
    compared: int  # that could be placed
    labelled: int
    graded: bool

    @property
    def levels(self) -> list[Levels]:
        strengths: dict[tuple[str, str], list[float]] = defaultdict(list)
        for row in self.documents:
            strengths[row.label, row.fits_level].append(row.strength)
        rows = [
            Levels(*levels, len(values), float(np.median(values)))
            for levels, values in strengths.items()
        ]
        return sorted(rows, key=lambda row: (float(row.label), float(row.fits_level)))


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Documents whose gain is nearer to the gains of another level than to those of their own."""
    found = compute(data)
    return Analysed([*says(found)], [*tables(found)], numbers(found))


def numbers(found: Found) -> dict[str, int | list[list[str]]]:
    """How many documents lie elsewhere, and which are listed, as topic and document."""
    return {
        "differ": len(found.documents),
        "compared": found.compared,
        "documents": [[row.query_id, row.doc_id] for row in found.documents[:LISTED]],
    }


def compute(data: StudyData) -> Found:
    documents = data.documents
    items = np.flatnonzero(~np.isnan(documents.gains) & ~np.isnan(documents.labels))
    gains, labels, topics = (
        column[items] for column in (documents.gains, documents.labels, documents.topics)
    )
    own, fits, there, strength = misplaced(gains, labels, topics, ratios=not data.study.is_graded)
    levels = np.unique(np.stack([topics, labels]), axis=1)
    several = np.bincount(levels[0].astype(int), minlength=len(data.topics)) > 1
    out = np.flatnonzero(np.nan_to_num(strength) > LEAST)
    order = out[np.argsort(-np.round(strength[out], 12), kind="stable")].tolist()
    return Found(
        [
            Document(
                *data.pair_name(int(items[place])),
                *(name_of(labels[place]), name_of(fits[place])),
                *(gains[place], own[place], there[place], strength[place]),
                int(documents.counts[items[place]]),
            )
            for place in order
        ],
        int((~np.isnan(own) & several[topics]).sum()),
        len(items),
        data.study.is_graded,
    )


def says(found: Found) -> Iterator[str]:
    if not found.labelled:
        yield "No judged document has a label: there is nothing to differ from."
        return
    if not found.compared:
        yield (
            f"None of {count(found.labelled, 'labelled document')} can be placed: that needs a "
            "topic with another document of the same level, and one of another level."
        )
        return
    n = len(found.documents)
    yield (
        f"{n:,} of {count(found.compared, 'labelled document')} that can be placed "
        f"({percent(n / found.compared)}) "
        f"{'has' if n == 1 else 'have'} a gain that fits another level better than the label's own."
    )
    if n:
        more = sum(row.gain > row.median_at_its_level for row in found.documents)
        yield (
            f"Scored higher than its label: {more:,}; lower: {n - more:,}. {IN_PAPER} Read yours "
            "and record a verdict on each: the shares are below."
        )


def tables(found: Found) -> Iterator[Table]:
    """None, if no document lies elsewhere."""
    if not found.documents:
        return
    rows, logs = found.documents[:LISTED], "" if found.graded else " (of logarithms)"
    yield Table(
        DOCUMENTS,
        f"The {count(len(rows), 'document that differs', 'documents that differ')} most",
        Document,
        rows,
        (
            "Median at its level: of the other documents with its label, on the same topic. Fits "
            "level: the level whose median is nearest, of the higher levels if the gain is above "
            "the median at its own, of the lower ones if it is below. Strength: the squared "
            f"distance{logs} to the median at its own level, less that to the other one; "
            "above 0 the gain is nearer to the other.",
        ),
        "section 6.2",
        page=PAGE,
    )
    yield Table(
        "levels",
        "All documents that fit another level, by label and level",
        Levels,
        found.levels,
    )


def verdicts(study: Study, label_set: str) -> Iterator[Table]:
    """The shares of verdicts, and all of them. Asked for whenever somebody looks, and not kept."""
    recorded = Verdict.objects.filter(document__study_topic__study=study, label_set=label_set)
    yield _shares(_counts(study, label_set))
    columns = ("document__study_topic__topic__query_id", "document__doc_id")
    labels = dict(Verdict.Finding.choices)
    rows = [
        Recorded(query_id, doc_id, labels[finding], note, by or "", f"{at:%Y-%m-%d %H:%M}")
        for query_id, doc_id, finding, note, by, at in recorded.order_by(*columns).values_list(
            *columns, "finding", "note", "by__username", "at"
        )
    ]
    if rows:
        notes = ("Times are in UTC.",)
        yield Table("recorded", "Verdicts that are recorded", Recorded, rows, notes, page=PAGE)


def shares_of_verdicts(study: Study, label_set: str) -> dict[str, float]:
    """How many verdicts there are, and the share of each finding; empty without one."""
    counts = _counts(study, label_set)
    n = sum(counts.values())
    shares = {finding.value: counts.get(finding, 0) / n for finding in PAPER} if n else {}
    return {**shares, "verdicts": n} if n else {}


def _counts(study: Study, label_set: str) -> dict[str, int]:
    recorded = Verdict.objects.filter(document__study_topic__study=study, label_set=label_set)
    return dict(recorded.values_list("finding").annotate(n=Count("id")))


def _shares(counts: dict[str, int]) -> Table:
    n, in_paper = sum(counts.values()), sum(PAPER.values())
    rows = [
        Share(
            *(finding.label, counts.get(finding, 0), counts.get(finding, 0) / n if n else np.nan),
            *(documents, documents / in_paper),
        )
        for finding, documents in PAPER.items()
    ]
    return Table(
        "verdicts",
        f"Verdicts on {count(n, 'document')}" if n else "No verdict is recorded yet",
        Share,
        rows,
        (),
        "section 6.2",
    )


ANALYSIS = Analysis("differences", "Where do crowd and labels differ most?", analyse, live=verdicts)
