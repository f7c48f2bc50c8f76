"""What a page shows of a set that ended before it was done."""

from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

from judging.models import Assignment
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
    scores = [last_as_typed([score]) for score in attempt.line_scores]
    return {"drawn": list(zip(attempt.lines, scores, strict=False))}


def last_as_typed(scores: Sequence[float]) -> str:
    """The last score the way people write numbers, without an exponent; empty: there is none."""
    return f"{Decimal(f'{scores[-1]:.12g}'):f}" if scores else ""
