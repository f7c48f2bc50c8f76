"""Workers' notes on what is wrong with documents."""

from judging.models import DocumentNote, Study, StudyTopic


def recent_notes(study: Study, maximum: int, topic: StudyTopic | None = None) -> list[DocumentNote]:
    """The newest notes of a study, or of one of its topics."""
    related = ("document__study_topic__topic", "document__document", "assignment__worker")
    of_study = DocumentNote.objects.filter(assignment__study=study).select_related(*related)
    if topic:
        of_study = of_study.filter(document__study_topic=topic)
    return list(of_study.order_by("-at", "-pk")[:maximum])
