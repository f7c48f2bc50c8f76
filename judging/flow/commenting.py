"""What people say of a study that they try out in a rehearsal."""

from datetime import datetime

from judging.models import Comment, Worker

MAX_COMMENT_LENGTH = 2000


def comment(worker: Worker, text: str, now: datetime) -> bool:
    """Keep what a worker says of a rehearsal, cut at 2,000 characters; the same again is one.

    Returns whether anything was said, in a rehearsal.
    """
    text = text.strip()[:MAX_COMMENT_LENGTH]
    if not text or not worker.study.rehearsal_of_id:
        return False
    Comment.objects.get_or_create(worker=worker, text=text, defaults={"at": now})
    return True
