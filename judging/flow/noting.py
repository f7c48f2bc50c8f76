"""What a worker says is wrong with a document."""

from datetime import datetime

from django.db import transaction

from judging.flow.documents import is_within_reach
from judging.flow.moves import hold_at_documents
from judging.models.note import MAX_NOTE_LENGTH


@transaction.atomic
def note_fault(
    slug: str,
    pseudonym: str,
    token: str | None,
    position: int,
    kind: str,
    text: str,
    *,
    now: datetime,
) -> bool:
    """Keep what is wrong with a document that they have reached, cut at 1,000 characters.

    The last note of a page counts; the same again changes nothing. The unit goes on as if nothing
    had been said. Returns whether the note is kept.
    """
    assignment = hold_at_documents(slug, pseudonym)
    if assignment is None or not is_within_reach(assignment, token, position):
        return False
    note = {"kind": kind, "text": text.strip()[:MAX_NOTE_LENGTH]}
    if not assignment.notes.filter(position=position, **note).exists():
        document = assignment.order[position - 1]
        assignment.notes.update_or_create(
            position=position, defaults={"document_id": document, "at": now, **note}
        )
    return True
