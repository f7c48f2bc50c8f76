"""Comments of those who try a study out in a rehearsal."""

from datetime import datetime

from judging.models import Comment, Worker

MAX_COMMENT_LENGTH = 2000


def save_comment(worker: Worker, text: str, now: datetime) -> bool:
    """Store a comment on a rehearsal, cut at 2,000 characters; the same text is stored once.

    Returns False if the text is empty, or the study is no rehearsal.
    """
    text = text.strip()[:MAX_COMMENT_LENGTH]
    if not text or not worker.study.rehearsal_of_id:
        return False
    Comment.objects.get_or_create(worker=worker, text=text, defaults={"at": now})
    return True
