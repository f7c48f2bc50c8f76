"""One unit as one conversation: the topic, its documents as people get them, and one look back."""

import random
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from django.db.models import Exists, OuterRef, Prefetch, QuerySet

from crowd.language_model import prompts
from crowd.language_model.answers import Answer, Invalid, read_answer, read_changes
from crowd.language_model.prompts import Message
from crowd.models import ModelRun, StoredAnswer
from judging.flow.model_units import ModelJudgment
from judging.models import Unit

T = TypeVar("T")
Ask = Callable[[list[Message]], str]


def units_of(run: ModelRun) -> QuerySet[Unit]:
    """With all that `judge` reads."""
    units = Unit.objects.filter(study=run.study_id)
    related = units.select_related("study", "study_topic__topic")
    return related.prefetch_related("documents__document")


def judge(unit: Unit, seed: int, ask: Ask) -> list[ModelJudgment]:
    """All documents of a unit, in the order that the seed draws."""
    study, levels = unit.study, unit.study.levels
    documents = sorted(unit.documents.all(), key=lambda pooled: pooled.pk)
    random.Random(seed).shuffle(documents)  # noqa: S311 - recorded, no secret
    messages: list[Message] = [{"role": "system", "content": prompts.system(study)}]
    answers: list[Answer | None] = []
    seconds = []
    for position, pooled in enumerate(documents, 1):
        turn = prompts.document_turn(pooled.document, position, len(documents))
        if position == 1:
            turn = f"{prompts.topic_turn(unit.study_topic.topic)}\n\n{turn}"
        began = time.monotonic()
        answers.append(_answer(messages, ask, turn, lambda text: read_answer(text, levels)))
        seconds.append(time.monotonic() - began)
    first = {n: answer.score for n, answer in enumerate(answers, 1) if answer}
    look_back = prompts.look_back(study, {n: score.text for n, score in first.items()})
    changes = _answer(messages, ask, look_back, lambda text: read_changes(text, levels, first))
    scores = first | (changes or {})
    return [
        ModelJudgment(pooled.pk, took, *scores[n], answer.score.value, answer.reason)
        if answer
        else ModelJudgment(pooled.pk, took)
        for n, (pooled, took, answer) in enumerate(zip(documents, seconds, answers, strict=True), 1)
    ]


def _answer(messages: list[Message], ask: Ask, turn: str, read: Callable[[str], T]) -> T | None:
    """What is read from the answer to a turn; if it is invalid it is asked for once more."""
    for _ in range(2):
        messages.append({"role": "user", "content": turn})
        text = ask(messages)
        messages.append({"role": "assistant", "content": text})
        try:
            return read(text)
        except Invalid as fault:
            turn = prompts.AGAIN.format(fault=fault)
    return None


# --- all that was sent and answered ---------------------------------------------------------------
def messages_of(answers: Iterable[StoredAnswer]) -> list[Message]:
    """The conversation of a unit, from its answers in their order."""
    messages = []
    for answer in answers:
        messages += [*answer.added, {"role": "assistant", "content": answer.text}]
    return messages


def conversations(run: ModelRun) -> Iterator[dict[str, Any]]:
    """One row a unit, whether it is through or not."""
    asked = run.study.units.filter(Exists(run.answers.filter(unit=OuterRef("pk")))).order_by("pk")
    answers = Prefetch("model_answers", run.answers.order_by("pk"))
    units = asked.select_related("study_topic__topic").prefetch_related(
        answers, "assignments__worker", "documents"
    )
    for unit in units.iterator(chunk_size=100):
        of_unit, attempt = unit.model_answers.all(), next(iter(unit.assignments.all()), None)
        documents = {pooled.pk: pooled.doc_id for pooled in unit.documents.all()}
        yield {
            "crowd": "model",
            "study": run.study.slug,
            "query_id": unit.study_topic.topic.query_id,
            "unit": unit.number,
            "worker": attempt and attempt.worker.pseudonym,
            "state": attempt and attempt.state,
            "documents": [documents[key] for key in attempt.order] if attempt else None,
            "endpoint": run.endpoint,
            **run.settings_sent(unit),
            "messages": messages_of(of_unit),
            "tokens_in": sum(answer.tokens_in for answer in of_unit),
            "tokens_out": sum(answer.tokens_out for answer in of_unit),
            "cost": str(sum(answer.cost for answer in of_unit)),
        }
