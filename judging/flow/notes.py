"""What workers write beside their answers."""

from datetime import datetime

from django.db import transaction

from judging.flow.documents import is_within_reach
from judging.flow.moves import lock_at_documents
from judging.models import Comment, Worker
from judging.models.note import MAX_NOTE_LENGTH

MAX_COMMENT_LENGTH = 2000


@transaction.atomic
def save_document_note(
    slug: str,
    pseudonym: str,
    token: str | None,
    position: int,
    kind: str,
    text: str,
    *,
    now: datetime,
) -> bool:
    """Store the note on a reached page, in place of any before; returns whether it is stored."""
    assignment = lock_at_documents(slug, pseudonym)
    if assignment is None or not is_within_reach(assignment, token, position):
        return False
    note = {"kind": kind, "text": text.strip()[:MAX_NOTE_LENGTH]}
    if not assignment.notes.filter(position=position, **note).exists():
        document = assignment.order[position - 1]
        assignment.notes.update_or_create(
            position=position, defaults={"document_id": document, "at": now, **note}
        )
    return True


def save_comment(worker: Worker, text: str, now: datetime) -> bool:
    """Store a comment, cut at 2,000 characters; False: it is empty, or this is no rehearsal."""
    text = text.strip()[:MAX_COMMENT_LENGTH]
    if not text or not worker.study.rehearsal_of_id:
        return False
    Comment.objects.get_or_create(worker=worker, text=text, defaults={"at": now})
    return True
