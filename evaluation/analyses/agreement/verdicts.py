"""What researchers found where crowd and labels differ most (paper, section 6.2)."""

from collections.abc import Iterator

from django.db.models import Count

from evaluation.analyses.telling.parts import Table
from evaluation.models import Verdict
from judging.models import Study

PAGE = "difference"  # the page of a document
# Of 34 documents that the paper's authors read.
PAPER = {
    Verdict.Finding.LABELS: 14,
    Verdict.Finding.CROWD: 9,
    Verdict.Finding.TOPIC: 11,
}


def tables(study: Study, label_set: str) -> Iterator[Table]:
    """The shares of verdicts, and all of them. Asked for whenever somebody looks, and not kept."""
    given = Verdict.objects.filter(document__study_topic__study=study, label_set=label_set)
    yield _shares(dict(given.values_list("finding").annotate(n=Count("id"))))
    rows = given.order_by("document__study_topic__topic__query_id", "document__doc_id").values_list(
        "document__study_topic__topic__query_id",
        "document__doc_id",
        "finding",
        "note",
        "by__username",
        "at",
    )
    labels = dict(Verdict.Finding.choices)
    recorded = [
        (query_id, doc_id, labels[finding], note, by or "", f"{at:%Y-%m-%d %H:%M}")
        for query_id, doc_id, finding, note, by, at in rows
    ]
    if recorded:
        yield Table(
            "recorded",
            "Verdicts that are recorded",
            ("query_id", "doc_id", "verdict", "note", "by", "at"),
            recorded,
            ("Times are in UTC.",),
            page=PAGE,
        )


def _shares(counts: dict[str, int]) -> Table:
    n, of_paper = sum(counts.values()), sum(PAPER.values())
    return Table(
        "verdicts",
        f"Verdicts on {n:,} document{'' if n == 1 else 's'}",
        ("verdict", "documents", "share", "paper_documents", "paper_share"),
        [
            (
                finding.label,
                counts.get(finding, 0),
                counts.get(finding, 0) / n if n else None,
                PAPER[finding],
                PAPER[finding] / of_paper,
            )
            for finding in Verdict.Finding
        ],
        ("No share: no verdict is recorded yet.",) if not n else (),
        "section 6.2",
    )
