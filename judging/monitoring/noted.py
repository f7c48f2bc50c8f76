"""What workers say is wrong with documents."""

from django.db.models import QuerySet

from judging.models import DocumentNote, Study, StudyTopic


def notes(study: Study, topic: StudyTopic | None = None) -> QuerySet[DocumentNote]:
    """The notes of a study, or of one of its topics, newest first."""
    related = ("document__study_topic__topic", "document__document", "assignment__worker")
    of_study = DocumentNote.objects.filter(assignment__study=study).select_related(*related)
    if topic:
        of_study = of_study.filter(document__study_topic=topic)
    return of_study.order_by("-at", "-pk")
