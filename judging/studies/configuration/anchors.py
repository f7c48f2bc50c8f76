from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q, QuerySet

from accounts.models import User
from judging.models import Document, Label, Study, StudyTopic
from judging.models.study import MAX_SENTENCE_LENGTH
from judging.studies.configuration import pooling
from judging.studies.configuration.changing import change_topics
from judging.studies.configuration.versions import locked_study, record_change
from judging.studies.faults import BadStudy, Fault

MAX_CANDIDATES = 10  # candidates that are proposed for each of the two


@dataclass(frozen=True)
class Candidate:
    """level: its label, or None; runs: how many pool it; words: of title and text, None without."""

    doc_id: str
    level: float | None
    runs: int
    title: str = ""
    words: int | None = None


@dataclass(frozen=True)
class Proposals:
    h_k: list[Candidate]
    n_k: list[Candidate]


def propose_anchors(study: Study, query_id: str, maximum: int = MAX_CANDIDATES) -> Proposals:
    """From the labels of the topic's pool; raises BadStudy if the study has no such topic.

    For H_k those labelled highest; for N_k those labelled zero or less, then those without a label,
    which somebody must read. Of equal labels those with a text come first, then those that more
    runs retrieve, so that workers meet what systems confuse; of those without a label, which may be
    relevant, those that fewer runs retrieve.
    """
    topic = _topic(study, query_id)
    levels = levels_of(study, topic)
    runs = pooling.runs_that_pool(topic, study.pool_depth, study.pool_by)
    pool = set(topic.pool) or runs.keys()
    rows = Document.objects.filter(collection=study.collection_id, doc_id__in=pool)
    texts = {doc_id: text for doc_id, *text in rows.values_list("doc_id", "title", "words")}
    candidates = [
        Candidate(doc_id, levels.get(doc_id), runs[doc_id], *texts.get(doc_id, ()))
        for doc_id in pool
    ]
    candidates.sort(key=lambda each: (each.words is None, -each.runs, each.doc_id.encode()))
    relevant = [each for each in candidates if (each.level or 0) > 0]
    others = [each for each in candidates if (each.level or 0) <= 0]
    relevant.sort(key=lambda each: -(each.level or 0))
    others.sort(key=_labelled_zero_then_in_few_runs)
    return Proposals(relevant[:maximum], others[:maximum])


def _labelled_zero_then_in_few_runs(one: Candidate) -> tuple[bool, float, bool, int]:
    if one.level is None:
        return (True, 0, one.words is None, one.runs)
    return (False, one.level, one.words is None, -one.runs)


def _topic(study: Study, query_id: str) -> StudyTopic:
    topic = study.topics.select_related("topic").filter(topic__query_id=query_id).first()
    if topic is None:
        raise BadStudy(f"Topic {query_id} is not of study {study}.")
    return topic


def apply_proposals(study: Study, by: User | None) -> tuple[int, list[str]]:
    """Fill in the first proposals for topics of a draft without anchors; somebody must read them.

    Returns how many topics have them now, and the numbers of those for which there are none; raises
    BadStudy if the study is no draft, or a plan stands.
    """
    tables, lacking = {}, []
    rows = study.topics.filter(Q(h_k="") | Q(n_k="")).order_by("topic__query_id")
    for query_id in rows.values_list("topic__query_id", flat=True):
        proposals = propose_anchors(study, query_id, maximum=1)
        if proposals.h_k and proposals.n_k:
            tables[query_id] = {"h_k": proposals.h_k[0].doc_id, "n_k": proposals.n_k[0].doc_id}
        else:
            lacking.append(query_id)
    if tables:
        change_topics(study.slug, tables, by, is_read=False)
    return len(tables), lacking


def _labels(study: Study) -> QuerySet[Label]:
    """Where its anchors are proposed and drawn from."""
    return Label.objects.filter(
        label_set__collection=study.collection_id, label_set__name=study.labels
    )


def levels_of(study: Study, topic: StudyTopic) -> dict[str, float]:
    return dict(_labels(study).filter(topic=topic.topic_id).values_list("doc_id", "level"))


def contradictions(topic: StudyTopic, levels: Mapping[str, float]) -> list[str]:
    name, h_k, n_k = topic.topic.query_id, topic.h_k, topic.n_k
    warnings = []
    if levels.get(h_k, 1) <= 0:
        warnings.append(
            f"Topic {name}: the relevant anchor {h_k} is labelled {levels[h_k]:g}, not relevant."
        )
    if levels.get(n_k, 0) > 0:
        warnings.append(
            f"Topic {name}: the irrelevant anchor {n_k} is labelled {levels[n_k]:g}, relevant."
        )
    return warnings


def all_contradictions(study: Study, topics: Iterable[StudyTopic]) -> dict[int, list[str]]:
    """By the key of each topic; anchors that were accepted are left out. One query."""
    topics = list(topics)
    anchors = {doc_id for topic in topics for doc_id in (topic.h_k, topic.n_k)}
    levels: dict[int, dict[str, float]] = {}
    labels = _labels(study).filter(doc_id__in=anchors)
    for key, doc_id, level in labels.values_list("topic", "doc_id", "level"):
        levels.setdefault(key, {})[doc_id] = level
    return {
        topic.pk: []
        if topic.anchors_reason
        else contradictions(topic, levels.get(topic.topic_id, {}))
        for topic in topics
    }


@transaction.atomic
def accept_anchors(slug: str, query_id: str, reason: str, by: User | None) -> StudyTopic:
    """Accept anchors that labels contradict, even of an open study; others are accepted anew.

    Raises BadStudy: there is no such topic, nothing contradicts its anchors, or no reason is given.
    """
    study = locked_study(slug)
    topic = _topic(study, query_id)
    if not contradictions(topic, levels_of(study, topic)):
        raise BadStudy(f"Topic {query_id}: no label contradicts its anchors.")
    before, reason = topic.anchors_reason, reason.strip()
    if not 1 <= len(reason) <= MAX_SENTENCE_LENGTH:
        wanted = (
            f"expected 1 to {MAX_SENTENCE_LENGTH:,}: who has read the anchors, and what they say."
        )
        raise BadStudy(Fault(("anchors_reason",), f"{len(reason):,} characters; {wanted}"))
    topic.anchors_reason = reason
    topic.save(update_fields=["anchors_reason"])
    changes = {query_id: {"anchors_reason": [before, reason]}}
    record_change(study, by, "changed topics", topics=changes)
    return topic
