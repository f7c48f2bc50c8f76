"""How a draft stands: what is missing, what is worth a look, and how much is planned."""

from django.db.models import Count

from judging.models import PooledDocument, Study
from judging.studies.drawing import people_needed
from judging.studies.planning import cutoff_warnings
from judging.studies.setup.anchors import all_contradictions
from judging.studies.setup.changing import is_fixed
from judging.studies.setup.consent import names_pasting
from judging.studies.setup.missing import Missing, Step, before_people, missing
from judging.studies.setup.question_hints import stands_out
from trec.words import count


def lacks(study: Study) -> list[Missing]:
    """What is missing; that units are to be planned is said once for all topics."""
    missed = [] if is_fixed(study) else [*missing(study), *before_people(study)]
    unplanned = {lack.query_id for lack in missed if lack.step == Step.PLAN}
    if not unplanned:
        return missed
    topics = count(len(unplanned), "topic")
    to_plan = Missing(f"The units of {topics} are to be planned.", Step.PLAN)
    return [*(lack for lack in missed if lack.step != Step.PLAN), to_plan]


def numbers(study: Study) -> dict[str, int]:
    """What is planned, in numbers; so many workers as are wanted at least."""
    units = dict(study.units.values_list("study_topic").annotate(Count("pk")))
    return {
        "topic_count": study.topics.count(),
        "unit_count": sum(units.values()),
        "worker_count": people_needed(units.values(), study.most_each(study.topics.count())),
        "document_count": PooledDocument.objects.filter(study_topic__study=study).count(),
    }


def warnings(study: Study) -> list[Missing]:
    """What does not keep a study from opening, each with the step where it can be looked at."""
    topics = list(study.topics.select_related("topic").order_by("topic__query_id"))
    against = all_contradictions(study, topics)
    told = []
    if study.record_pasting and study.consent and not names_pasting(study):
        what = "Pasting is recorded: see that the consent text names it in words of its own."
        told.append(Missing(what, Step.CONSENT))
    told += _too_few_people(study)
    told += [Missing(line, Step.POOL) for line in cutoff_warnings(study)]
    for topic in topics:
        number = topic.topic.query_id
        told += [Missing(line, Step.ANCHORS, number) for line in against[topic.pk]]
        told += [
            Missing(f"Topic {number}: {line}", Step.QUESTIONS, number)
            for line in stands_out(topic.options, topic.answer, topic.topic.title)
        ]
    return told


def _too_few_people(study: Study) -> list[Missing]:
    """That a study takes fewer people than its plan needs."""
    needed = numbers(study)["worker_count"] if study.most_workers else 0
    if not study.most_workers or needed <= study.most_workers:
        return []
    told = f"The plan needs at least {needed:,} people, and the study takes {study.most_workers:,}"
    return [Missing(f"{told}: its units cannot all be judged.", Step.ENTRY)]
