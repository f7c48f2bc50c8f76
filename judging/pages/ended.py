from datetime import timedelta
from typing import Any

from judging.models import Assignment
from judging.pages.lines import drawn
from judging.states import State


def ended_context(attempt: Assignment) -> dict[str, Any]:
    if attempt.state == State.EXPIRED:
        return {"idle_minutes": (attempt.deadline_at - attempt.active_at) / timedelta(minutes=1)}
    if attempt.state != State.FAILED:
        return {}
    if attempt.barred:
        study_topic = attempt.study_topic
        language = study_topic.topic.language or attempt.study.text_language
        return {"topic": study_topic.topic, "study_topic": study_topic, "language": language}
    return drawn(attempt)
