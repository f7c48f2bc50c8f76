from datetime import datetime

from judging.models import Comment, Worker

MAX_COMMENT_LENGTH = 2000


def save_comment(worker: Worker, text: str, now: datetime) -> bool:
    """Store a comment, cut at 2,000 characters; False: it is empty, or this is no rehearsal."""
    text = text.strip()[:MAX_COMMENT_LENGTH]
    if not text or not worker.study.rehearsal_of_id:
        return False
    Comment.objects.get_or_create(worker=worker, text=text, defaults={"at": now})
    return True
