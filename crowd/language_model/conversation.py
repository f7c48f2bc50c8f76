"""One unit as one conversation: the topic, its documents as people get them, and one look back."""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from crowd.language_model import prompts
from crowd.language_model.answers import Answer, Invalid, read_answer, read_changes
from crowd.language_model.prompts import Page
from crowd.models import ModelRun, StoredAnswer
from judging.flow.model_units import JudgedUnit, ModelJudgment
from judging.models import PooledDocument, Unit
from web import clock

T = TypeVar("T")
Message = dict[str, str]
Ask = Callable[[Unit, list[Message], StoredAnswer | None, int], StoredAnswer]


@dataclass
class Conversation:
    """messages: all so far; added: how many of them the last stored answer's request had."""

    unit: Unit
    ask: Ask
    messages: list[Message]
    last: StoredAnswer | None = None
    added: int = 0

    def say(self, text: str) -> str:
        self.messages.append({"role": "user", "content": text})
        self.last = self.ask(self.unit, self.messages, self.last, self.added)
        self.messages.append({"role": "assistant", "content": self.last.text})
        self.added = len(self.messages)
        return self.last.text

    def read(self, text: str, read: Callable[[str], T], again: Callable[[str], str]) -> T | None:
        """The answer to `text`; if it is invalid it is asked for once more, then None."""
        try:
            return read(self.say(text))
        except Invalid as fault:
            try:
                return read(self.say(again(str(fault))))
            except Invalid:
                return None


def order_of(unit: Unit, seed: int) -> list[PooledDocument]:
    """The documents of a unit, in the order that the seed of a run draws."""
    documents = list(unit.documents.select_related("document").order_by("pk"))
    random.Random(f"{seed} {unit}").shuffle(documents)  # noqa: S311 - recorded, no secret
    return documents


def pages_of(documents: Sequence[PooledDocument]) -> list[Page]:
    texts = (each.document for each in documents)  # opening a study requires all
    return [Page(text.title, prompts.page_text(text.cleaned)) for text in texts if text]


def judge(run: ModelRun, unit: Unit, ask: Ask) -> JudgedUnit:
    study, topic, began_at = unit.study, unit.study_topic.topic, clock.now()
    documents = order_of(unit, run.seed)
    pages = pages_of(documents)
    system = {"role": "system", "content": prompts.system(study)}
    talk = Conversation(unit, ask, [system])
    answers: list[Answer | None] = []
    seconds = []
    for position, page in enumerate(pages, 1):
        began = time.monotonic()
        turn = prompts.document_turn(page, position, len(pages))
        if position == 1:
            turn = f"{prompts.topic_turn(topic)}\n\n{turn}"
        form = {"position": position, "answer": prompts.answer_form(study)}
        answers.append(
            talk.read(
                turn,
                lambda text: read_answer(text, study.levels),
                lambda fault, form=form: prompts.AGAIN.format(fault=fault, **form),  # type: ignore[misc]
            )
        )
        seconds.append(time.monotonic() - began)
    scores = {n: answer.score for n, answer in enumerate(answers, 1) if answer}
    changes = talk.read(
        prompts.look_back(study, [answer.score.text if answer else "" for answer in answers]),
        lambda text: read_changes(text, study.levels, scores),
        lambda fault: prompts.LOOK_BACK_AGAIN.format(fault=fault),
    )
    kept = scores | (changes or {})
    judgments = [
        ModelJudgment(*kept[n], first_score=answer.score.value, justification=answer.reason)
        if answer
        else None
        for n, answer in enumerate(answers, 1)
    ]
    return JudgedUnit([each.pk for each in documents], judgments, seconds, began_at)
