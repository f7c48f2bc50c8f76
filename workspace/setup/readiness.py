from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

from django.db.models import Count

from judging.models import PooledDocument, Study
from judging.settings import Step
from judging.studies.configuration.anchors import all_contradictions
from judging.studies.configuration.changing import is_fixed
from judging.studies.configuration.missing import (
    Missing,
    missing,
    missing_for_people,
    sentence_on_pasting,
)
from judging.studies.configuration.question_hints import find_giveaways
from judging.studies.drawing import people_needed
from judging.studies.unit_plans import cutoff_warnings
from magnitudes.files.words import count
from web.text import natural

DOUBTS = {
    Step.ANCHORS: "Labels contradict the anchors on {}.",
    Step.QUESTIONS: "The right answer stands out among the options on {}.",
}
LACKS = {
    Step.ANCHORS: "Anchors are to be chosen or read on {}.",
    Step.QUESTIONS: "Questions are missing on {}.",
    Step.COLLECTION: "Texts are missing on {}.",
}
KEY_LENGTH = 8  # characters


@dataclass(frozen=True)
class Doubt:
    """Lines of one kind. Of warnings whoever opens the study says that they have read them."""

    what: str
    lines: list[Missing]

    @property
    def key(self) -> str:
        """Of what was shown: if a line changes, it must be read again."""
        return sha256("\n".join(line.what for line in self.lines).encode()).hexdigest()[:KEY_LENGTH]


def missing_parts(study: Study) -> list[Missing]:
    """What is missing; unplanned units are one entry for all topics."""
    parts = [] if is_fixed(study) else [*missing(study), *missing_for_people(study)]
    unplanned = {lack.query_id for lack in parts if lack.step == Step.PLAN}
    if not unplanned:
        return parts
    topics = count(len(unplanned), "topic")
    to_plan = Missing(f"Units are not planned yet for {topics}.", Step.PLAN)
    return [*(lack for lack in parts if lack.step != Step.PLAN), to_plan]


def plan_counts(study: Study) -> dict[str, int]:
    """worker_count: the least that the plan needs."""
    units = dict(study.units.values_list("study_topic").annotate(Count("pk")))
    return {
        "topic_count": study.topics.count(),
        "unit_count": sum(units.values()),
        "worker_count": people_needed(units.values(), study.max_units_each(study.topics.count())),
        "document_count": PooledDocument.objects.filter(study_topic__study=study).count(),
    }


def warnings(study: Study) -> list[Missing]:
    """Warnings do not keep a study from opening."""
    topics = list(study.topics.select_related("topic").order_by("topic__query_id"))
    against = all_contradictions(study, topics)
    found_warnings = []
    consent = " ".join(study.consent.split())
    if study.record_pasting and study.consent and sentence_on_pasting(study) not in consent:
        what = "Pasting is recorded: see that the consent text names it in words of its own."
        found_warnings.append(Missing(what, Step.CONSENT))
    found_warnings += _too_few_people(study)
    found_warnings += [Missing(line, Step.POOL) for line in cutoff_warnings(study)]
    for topic in topics:
        number = topic.topic.query_id
        found_warnings += [Missing(line, Step.ANCHORS, number) for line in against[topic.pk]]
        found_warnings += [
            Missing(f"Topic {number}: {line}", Step.QUESTIONS, number)
            for line in find_giveaways(topic.options, topic.answer, topic.topic.title)
        ]
    return found_warnings


def _too_few_people(study: Study) -> list[Missing]:
    needed = plan_counts(study)["worker_count"] if study.most_workers else 0
    if not study.most_workers or needed <= study.most_workers:
        return []
    text = f"The plan needs at least {needed:,} people, and the study takes {study.most_workers:,}"
    return [Missing(f"{text}: its units cannot all be judged.", Step.ENTRY)]


def doubts(lines: list[Missing]) -> Iterator[Doubt]:
    """Warnings, those of topics' anchors together, and those of their questions."""
    return _grouped(lines, DOUBTS)


def groups(lacks: list[Missing]) -> Iterator[Doubt]:
    """What is missing, by step where it is missing on topics."""
    return _grouped(lacks, LACKS)


def _grouped(lines: list[Missing], sentences: dict[Step, str]) -> Iterator[Doubt]:
    of_topics: dict[Step, list[Missing]] = {}
    for line in lines:
        if line.query_id and line.step in sentences:
            of_topics.setdefault(line.step, []).append(line)
        else:
            yield Doubt(line.what, [line])
    for step, group in of_topics.items():
        group.sort(key=lambda line: natural(line.query_id))
        topics = count(len({line.query_id for line in group}), "topic")
        yield Doubt(sentences[step].format(topics), group)
