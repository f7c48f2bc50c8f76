"""What a page shows of a set that ended before it was done."""

from datetime import timedelta
from typing import Any

from judging.models import Assignment
from judging.pages.lines import drawn
from judging.states import State


def ended(attempt: Assignment) -> dict[str, Any]:
    """How long an expired set was held; the lines of a failed practice; the topic of a question."""
    if attempt.state == State.EXPIRED:
        return {"minutes_kept": (attempt.deadline_at - attempt.active_at) / timedelta(minutes=1)}
    if attempt.state != State.FAILED:
        return {}
    if attempt.barred:
        asked = attempt.study_topic
        language = asked.topic.language or attempt.study.text_language
        return {"topic": asked.topic, "asked": asked, "language": language}
    return drawn(attempt)
