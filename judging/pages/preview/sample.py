import random
from collections import defaultdict
from dataclasses import dataclass, field

from django.db.models import QuerySet
from django.utils.html import format_html

from judging.models import Document, PooledDocument, Study, StudyTopic, Topic, Unit
from judging.studies.configuration.missing import has_question
from judging.studies.configuration.topic_settings import OPTIONS


@dataclass
class Sample:
    """Objects that may not be saved; missing: by the step of a page, what it lacks, in words."""

    study: Study
    study_topic: StudyTopic
    documents: list[Document] = field(default_factory=list)
    missing: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))


def topics_of(study: Study) -> QuerySet[StudyTopic]:
    return study.topics.select_related("topic").order_by("topic__query_id")


def sample_of(study: Study, query_id: str = "") -> Sample:
    """By default of the first topic; raises StudyTopic.DoesNotExist."""
    topics = topics_of(study)
    chosen = topics.get(topic__query_id=query_id) if query_id else topics.first()
    no_topic = StudyTopic(study=study, topic=Topic(collection=study.collection))
    sample = Sample(study, chosen or no_topic)
    _add_documents(sample)
    _fill_texts(sample)
    return sample


# --- texts ----------------------------------------------------------------------------------------
def _fill_texts(sample: Sample) -> None:
    study, study_topic, missing = sample.study, sample.study_topic, sample.missing
    if not study.consent:
        missing["welcome"].append("There is no consent text.")
    if not study.contact:
        missing["welcome"].append("There is no contact: workers could ask nobody.")
    topic = study_topic.topic
    name = f"Topic {topic.query_id}" if topic.query_id else "A topic"
    if not topic.query_id:
        missing["topic"].append("The study has no topic.")
    elif not topic.title:
        missing["topic"].append(f"{name} has no title.")
    topic.title = topic.title or "[The title is missing]"
    options = study_topic.options
    if not has_question(study_topic):
        missing["topic"].append(f"{name} has no question with four options and an answer.")
    study_topic.question = study_topic.question or "[The question is missing]"
    study_topic.options = [*options, *["[An option is missing]"] * (OPTIONS - len(options))]


# --- documents ------------------------------------------------------------------------------------
def _add_documents(sample: Sample) -> None:
    """Add those of a unit of the plan, or without one the first of the pool or the collection."""
    unit = Unit.objects.filter(study_topic=sample.study_topic.pk).order_by("number").first()
    notes = sample.missing["document"]
    if unit:
        sample.documents = _of_unit(unit)
    else:
        sample.documents = _without_plan(sample)
        notes.append("No units are planned: these are documents of the collection, not of a unit.")
    silent = sum(not document.cleaned for document in sample.documents)
    lacking = sample.study.unit_size - len(sample.documents) + silent
    if lacking > 0:
        notes.append(f"{lacking} of {sample.study.unit_size} documents have no text.")
    for document in sample.documents:
        document.cleaned = document.cleaned or _no_text(document.doc_id)
    while len(sample.documents) < sample.study.unit_size:
        sample.documents.append(Document(cleaned=_no_text("")))


def _of_unit(unit: Unit) -> list[Document]:
    pooled: list[PooledDocument] = list(
        unit.documents.select_related("document").defer("document__text").order_by("pk")
    )
    random.Random(unit.pk).shuffle(pooled)  # noqa: S311 - so that anchors do not always come first
    return [row.document or Document(doc_id=row.doc_id) for row in pooled]


def _without_plan(sample: Sample) -> list[Document]:
    study, topic = sample.study, sample.study_topic
    texts = Document.objects.filter(collection=study.collection_id).defer("text")
    doc_ids = [doc_id for doc_id in (topic.h_k, topic.n_k, *topic.pool) if doc_id]
    chosen = dict.fromkeys(doc_ids[: study.unit_size])
    documents = list(texts.filter(doc_id__in=chosen).order_by("doc_id"))
    others = texts.exclude(doc_id__in=chosen).order_by("pk")
    return documents + list(others[: study.unit_size - len(documents)])


def _no_text(doc_id: str) -> str:
    name = f"text of {doc_id}" if doc_id else "text of this document"
    return format_html("<p>[The {} is missing]</p>", name)
