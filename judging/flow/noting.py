"""What a worker says is wrong with a document."""

from datetime import datetime

from django.db import transaction

from judging.flow.documents import is_within_reach
from judging.flow.moves import hold_at_documents
from judging.models import DocumentNote


@transaction.atomic
def note_fault(
    slug: str, pseudonym: str, token: str, position: int, kind: str, text: str, *, now: datetime
) -> bool:
    """Keep what is wrong with a document that they have reached; the last note of a page counts.

    The unit goes on as if nothing had been said. Returns whether the note was kept.
    """
    assignment = hold_at_documents(slug, pseudonym)
    if assignment is None or not is_within_reach(assignment, token, position):
        return False
    DocumentNote.objects.update_or_create(
        assignment=assignment,
        position=position,
        defaults={
            "document_id": assignment.order[position - 1],
            "kind": kind,
            "text": text,
            "at": now,
        },
    )
    return True
