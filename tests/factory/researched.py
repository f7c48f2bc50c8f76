"""What researchers leave beside the judgments, none of which can be computed from them."""

from accounts.models import User
from evaluation.models import CachedAnalysis, WrittenReport
from evaluation.publishing.verdicts import give_verdict
from judging.models import PooledDocument, Study
from web import clock


def look_into(study: Study) -> None:
    """Have somebody give a verdict on a document, and keep an analysis and a report of a study."""
    now, labels = clock.now(), "official"
    rosa = User.objects.create_user(f"rosa of {study.slug}")
    document = PooledDocument.objects.filter(study_topic__study=study).order_by("pk")[0]
    give_verdict(document, labels, "crowd", "Nobody has read\nto the end.", rosa, now)
    CachedAnalysis.objects.update_or_create(
        study=study,
        name="kappa",
        label_set=labels,
        asked="",
        defaults={
            "result": {"rows": [[1e20, 0.1]]},
            "finding": "They agree.",
            "version": "of these data",
            "tried_at": now,
            "computed_at": now,
            "seconds": 1.5,
        },
    )
    archive = bytes(range(256))
    WrittenReport.objects.update_or_create(
        study=study,
        defaults={
            "label_set": labels,
            "asked_by": rosa,
            "asked_at": now,
            "state": WrittenReport.State.DONE,
            "progress": 1,
            "archive": archive,
            "size": len(archive),
            "files": 1,
            "made_at": now,
        },
    )
