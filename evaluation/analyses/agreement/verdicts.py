"""What researchers found on documents on which crowd and labels differ (paper, section 6.2).

Read from the database whenever somebody looks. A part of the analysis `differences`.
"""

from collections.abc import Iterator

import numpy as np
from django.db.models import Count

from evaluation.models import Verdict
from evaluation.presentation import published
from evaluation.presentation.frame import Frame
from evaluation.presentation.parts import Table
from judging.models import Study
from magnitudes.files.words import count

PAGE = "difference"  # the page of a document
# Of the 34 documents that the paper's authors read.
PAPER = {Verdict.Finding(name): int(n) for name, n in published.values("verdicts").items()}


def verdicts(study: Study, label_set: str) -> Iterator[Table]:
    """The shares of verdicts, and all of them. Asked for whenever somebody looks, and not kept."""
    recorded = Verdict.objects.filter(document__study_topic__study=study, label_set=label_set)
    yield _shares(_counts(study, label_set))
    columns = ("document__study_topic__topic__query_id", "document__doc_id")
    labels = dict(Verdict.Finding.choices)
    rows = [
        (query_id, doc_id, labels[finding], note, by or "", f"{at:%Y-%m-%d %H:%M}")
        for query_id, doc_id, finding, note, by, at in recorded.order_by(*columns).values_list(
            *columns, "finding", "note", "by__username", "at"
        )
    ]
    if rows:
        yield Frame.of_rows("query_id doc_id verdict note by at", rows).table(
            "recorded", "Verdicts that are recorded", "Times are in UTC.", page=PAGE
        )


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
    """How often each verdict was given, here and in the paper."""
    n, in_paper = sum(counts.values()), sum(PAPER.values())
    documents = np.array([counts.get(finding, 0) for finding in PAPER])
    frame = Frame.of(
        verdict=[finding.label for finding in PAPER],
        documents=documents,
        share=documents / n if n else np.full(len(PAPER), np.nan),
        paper_documents=[*PAPER.values()],
        paper_share=[theirs / in_paper for theirs in PAPER.values()],
    )
    title = f"Verdicts on {count(n, 'document')}" if n else "No verdict is recorded yet"
    return frame.table("verdicts", title, source="section 6.2")
