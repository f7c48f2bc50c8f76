"""What a researcher finds where crowd and labels differ."""

from datetime import datetime

from django.db import transaction

from accounts.models import User
from evaluation.models import Verdict
from judging.models import PooledDocument, Study
from judging.studies.trail import record


def judged_document(study: Study, query_id: str, doc_id: str) -> PooledDocument | None:
    """The document of a study's pool for a topic, if it is there."""
    pooled = PooledDocument.objects.select_related(
        "study_topic__study", "study_topic__topic", "document"
    )
    place = {"study_topic__study": study, "study_topic__topic__query_id": query_id}
    return pooled.filter(**place, doc_id=doc_id).first()


@transaction.atomic
def give_verdict(
    document: PooledDocument, label_set: str, finding: str, note: str, by: User, at: datetime
) -> Verdict:
    """Keep what somebody found of a document, in the place of an earlier verdict.

    label_set: the labels that it is held against.
    """
    verdict, _ = Verdict.objects.update_or_create(
        document=document,
        label_set=label_set,
        defaults={"finding": finding, "note": note, "by": by, "at": at},
    )
    topic = document.study_topic
    record(
        topic.study,
        by,
        "gave a verdict",
        topic=topic.topic.query_id,
        document=document.doc_id,
        labels=label_set,
        finding=finding,
    )
    return verdict
