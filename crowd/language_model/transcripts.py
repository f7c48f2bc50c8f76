"""All that was sent to a model and answered by it, unit by unit."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from crowd.language_model.conversation import Message
from crowd.models import ModelRun, StoredAnswer
from judging.models import Assignment, Unit


def messages_of(answers: Sequence[StoredAnswer]) -> list[Message]:
    """The conversation of a unit, from its answers in their order."""
    messages = []
    for answer in answers:
        messages += [*answer.added, {"role": "assistant", "content": answer.text}]
    return messages


def conversation_of(run: ModelRun, unit: Unit) -> list[Message]:
    return messages_of(list(run.answers.filter(unit=unit).order_by("pk")))


def conversations(run: ModelRun) -> Iterator[dict[str, Any]]:
    """One row a unit, whether it is through or not."""
    answers = run.answers.select_related("unit__study_topic__topic").order_by("unit", "pk")
    for unit, of_unit in groupby(answers.iterator(100), key=lambda answer: answer.unit):
        said = list(of_unit)
        attempt = Assignment.objects.filter(unit=unit).select_related("worker").first()
        documents = dict(unit.documents.values_list("pk", "doc_id"))
        yield {
            "crowd": "model",
            "study": run.study.slug,
            "query_id": unit.study_topic.topic.query_id,
            "unit": unit.number,
            "worker": attempt and attempt.worker.pseudonym,
            "state": attempt and attempt.state,
            "documents": [documents[key] for key in attempt.order] if attempt else None,
            "endpoint": run.endpoint,
            **run.settings_sent,
            "seed": run.seed_of(unit),
            "messages": messages_of(said),
            "tokens_in": sum(answer.tokens_in for answer in said),
            "tokens_out": sum(answer.tokens_out for answer in said),
            "cost": str(sum(answer.cost for answer in said)),
        }
