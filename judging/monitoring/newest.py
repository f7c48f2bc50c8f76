from collections.abc import Mapping

from django.db.models import QuerySet

from judging.models import CheckFailure, DocumentNote, Study, StudyTopic

FIELDS = {
    "topic": "assignment__study_topic__topic__query_id",
    "check": "check_name",
    "worker": "assignment__worker__pseudonym",
}


def failures(study: Study, wanted: Mapping[str, str]) -> QuerySet[CheckFailure]:
    """Newest first; wanted: topic, check and worker; an empty string is any."""
    fields = {FIELDS[name]: value for name, value in wanted.items() if value}
    return (
        CheckFailure.objects.filter(assignment__study=study, **fields)
        .select_related("assignment__worker", "assignment__study_topic__topic", "assignment__unit")
        .order_by("-at", "-id")
    )


def notes(study: Study, maximum: int, topic: StudyTopic | None = None) -> list[DocumentNote]:
    related = ("document__study_topic__topic", "document__document", "assignment__worker")
    of_study = DocumentNote.objects.filter(assignment__study=study).select_related(*related)
    if topic:
        of_study = of_study.filter(document__study_topic=topic)
    return list(of_study.order_by("-at", "-pk")[:maximum])
