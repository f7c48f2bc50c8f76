import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from django.db.models import Count, Exists, Min, OuterRef, Q
from django.utils import translation
from django.utils.translation import gettext

from judging.models import Document, PooledDocument, Study, StudyTopic, Unit, UnitDocument
from judging.models.wording import PASTING_IS_RECORDED
from judging.settings import Step
from judging.studies.drawing import units_needed

# What our own consent text leaves for a study's team to fill in.
PLACEHOLDER = re.compile(r"\[[^\[\]\n]+\]")


@dataclass(frozen=True)
class Missing:
    """query_id: the topic that it is missing on, if on one."""

    what: str
    step: Step
    query_id: str = ""


@dataclass
class _Planned:
    documents: int = 0
    without_text: int = 0
    first_without: str = ""
    anchors: dict[str, str] = field(default_factory=dict)  # by their role
    units: int = 0
    places: int = 0  # of documents in all its units


def missing(study: Study) -> list[Missing]:
    """The number of queries does not grow with topics."""
    topics = list(study.topics.select_related("topic").order_by("topic__query_id"))
    if not topics:
        return [Missing(f"Study {study.slug} has no topics: choose some.", Step.TOPICS)]
    lacks = []
    if study.record_pasting and not study.consent.strip():
        what = "Pasting is recorded, and there is no consent text that names it. Write one, with: "
        lacks = [Missing(f"{what}“{sentence_on_pasting(study)}”", Step.CONSENT)]
    planned = _planned(study)
    for topic in topics:
        lacks += _of_topic(study, topic, planned[topic.pk])
    if lack := lacks_way_back(study):
        lacks.append(Missing(lack, Step.RECRUITING))
    return lacks


def missing_for_people(study: Study) -> list[Missing]:
    """For people as workers, besides; nothing for demonstrations or rehearsals. One query."""
    no_people = study.crowd in (Study.Crowd.ARTIFICIAL, Study.Crowd.MODEL)
    if study.demo or study.rehearsal_of_id or no_people:
        return []
    return list(_of_people(study))


def _of_people(study: Study) -> Iterator[Missing]:
    if not study.pay_is_chosen:
        what = "Nobody has said yet what a unit is paid; 0 is for volunteers."
        yield Missing(what, Step.SETTINGS)
    if not study.contact:
        yield Missing("No contact: workers would have nobody to ask.", Step.CONSENT)
    if not study.consent.strip():
        what = "No text says what workers agree to: write one, or start from ours."
        yield Missing(what, Step.CONSENT)
    elif placeholder := PLACEHOLDER.search(study.consent):
        yield Missing(f"The consent text still says “{placeholder[0]}”: fill it in.", Step.CONSENT)
    if not (study.ethics_approval or study.ethics_exemption):
        what = "No ethics approval is named, nor a reason why none is needed."
        yield Missing(what, Step.CONSENT)
    unread = study.topics.filter(anchors_unread=True).order_by("topic__query_id")
    for number, h_k, n_k in unread.values_list("topic__query_id", "h_k", "n_k"):
        what = f"Topic {number}: nobody has read the anchors {h_k} and {n_k} yet."
        yield Missing(what, Step.ANCHORS, number)


def sentence_on_pasting(study: Study) -> str:
    with translation.override(study.language):
        return gettext(PASTING_IS_RECORDED)


def lacks_way_back(study: Study) -> str:
    """What is to be filled in before people can go back to their platform; empty: nothing."""
    if lack := study.from_platform.missing(study.completion):
        return lack
    is_bonus = study.further == Study.Further.BONUS
    if is_bonus and study.from_platform.pays_once and not study.submission_minutes:
        return (
            "Workers who go on for a bonus must know by when to send their submission: enter "
            "how many minutes the platform waits for it."
        )
    return ""


def without_question(topics: Iterable[StudyTopic]) -> list[str]:
    return [topic.topic.query_id for topic in topics if not has_question(topic)]


def has_question(topic: StudyTopic) -> bool:
    return bool(topic.question and topic.options and topic.answer)


def _planned(study: Study) -> dict[int, _Planned]:
    """By the topic's key; empty for topics without a plan."""
    planned: dict[int, _Planned] = defaultdict(_Planned)
    pooled = PooledDocument.objects.filter(study_topic__study=study)
    for key, documents in pooled.values_list("study_topic").annotate(Count("pk")):
        planned[key].documents = documents
    anchors = pooled.exclude(role=PooledDocument.Role.OTHER)
    for key, role, doc_id in anchors.values_list("study_topic", "role", "doc_id"):
        planned[key].anchors[role] = doc_id
    text = Document.objects.filter(collection=study.collection_id, doc_id=OuterRef("doc_id"))
    silent = pooled.filter(Q(document=None) & ~Exists(text)).values("study_topic")
    for row in silent.annotate(n=Count("pk"), first=Min("doc_id")):
        planned[row["study_topic"]].without_text = row["n"]
        planned[row["study_topic"]].first_without = row["first"]
    units = Unit.objects.filter(study=study, batch=None).values_list("study_topic")
    for key, number in units.annotate(Count("pk")):
        planned[key].units = number
    places = UnitDocument.objects.filter(unit__study=study, unit__batch=None)
    for key, number in places.values_list("unit__study_topic").annotate(Count("pk")):
        planned[key].places = number
    return planned


def _of_topic(study: Study, topic: StudyTopic, planned: _Planned) -> Iterator[Missing]:
    number = topic.topic.query_id
    name = f"Topic {number}"

    def lacks(what: str, step: Step) -> Missing:
        return Missing(what, step, number)

    if not topic.topic.title:  # labels and runs alone have named it
        yield lacks(f"{name} has no text: import its title.", Step.COLLECTION)
    if not (topic.h_k and topic.n_k):
        what = f"{name} has no anchors: name h_k and n_k, or plan units to draw them."
        yield lacks(what, Step.ANCHORS)
    if study.takes_people and not has_question(topic):
        what = f"{name} has no question with four options and an answer."
        yield lacks(what, Step.QUESTIONS)
    if not planned.units:
        yield lacks(f"{name} has no units: run plan_units {study.slug}.", Step.PLAN)
    elif differing := _difference_from_plan(study, topic, planned):
        yield lacks(f"{name}: {differing}: run plan_units {study.slug}.", Step.PLAN)
    if planned.without_text:
        counts = f"{planned.without_text} of {planned.documents} documents have no text"
        yield lacks(f"{name}: {counts}, {planned.first_without} first.", Step.COLLECTION)


def _difference_from_plan(study: Study, topic: StudyTopic, planned: _Planned) -> str:
    """Empty if the units are as the settings say now."""
    if planned.anchors != {"h_k": topic.h_k, "n_k": topic.n_k}:
        return "its anchors are not those of its units"
    if planned.places != planned.units * study.unit_size:
        size = planned.places / planned.units
        return f"its units hold {size:g} documents, but unit_size is {study.unit_size}"
    needed = units_needed(planned.documents, study.redundancy, study.unit_size)
    if planned.units != needed:
        return f"it has {planned.units} units, but redundancy {study.redundancy} needs {needed}"
    return ""
