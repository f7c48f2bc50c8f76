"""Opening a study to workers, and closing it."""

from django.db import transaction
from django.db.models import Count, OuterRef, Subquery

from accounts.models import User
from judging.models import Document, Study, StudyTopic, Unit
from judging.studies import trail
from judging.studies.drawing import units_needed
from judging.studies.locks import lock_study
from judging.studies.settings import BadStudy
from web import clock

Stage = Study.Stage


@transaction.atomic
def open_study(slug: str, by: User | None = None) -> Study:
    """Let workers into a planned study. From now on its settings, pool and texts stay as they are.

    An import into its collection that is under way ends first.

    Raises:
        BadStudy: with everything that is missing.
    """
    study = _judged_here(slug, lock_study(slug))
    if study.stage != Stage.DRAFT:
        raise BadStudy(f"Study {slug} is {study.stage} already.")
    topics = _topics(study)
    missing = [line for topic in topics for line in _missing(study, topic)]
    if not topics:
        missing = [f"Study {slug} has no topics: make it again from a study.toml that lists some."]
    if missing:
        raise BadStudy("\n".join(missing))
    study.stage, study.opened_at = Stage.OPEN, clock.now()
    study.save(update_fields=["stage", "opened_at"])
    trail.record(study, by, "opened")
    return study


@transaction.atomic
def close_study(slug: str, by: User | None = None) -> Study:
    """Admit nobody new, for good; whoever is judging may finish until their time is over.

    Raises:
        BadStudy: there is no such study, or it is neither open nor paused.
    """
    study = _judged_here(slug, Study.objects.select_for_update().filter(slug=slug).first())
    if study.stage not in (Stage.OPEN, Stage.PAUSED):
        raise BadStudy(f"Study {slug} is {study.stage}, not open.")
    study.stage, study.closed_at = Stage.CLOSED, clock.now()
    study.save(update_fields=["stage", "closed_at"])
    trail.record(study, by, "closed")
    return study


def _judged_here(slug: str, study: Study | None) -> Study:
    if study is None:
        raise BadStudy(f"There is no study {slug}.")
    if study.is_imported:
        raise BadStudy(f"Study {slug} was judged elsewhere: it neither opens nor closes.")
    return study


def topics_without_question(study: Study) -> list[str]:
    """The topics that have no question yet, which only the making of a study can bring."""
    return [topic.topic.query_id for topic in _topics(study) if not _has_question(topic)]


def _topics(study: Study) -> list[StudyTopic]:
    return list(study.topics.select_related("topic").order_by("topic__query_id"))


def _has_question(topic: StudyTopic) -> bool:
    return bool(topic.question and topic.options and topic.answer)


def _missing(study: Study, topic: StudyTopic) -> list[str]:
    """What keeps a study from being opened, on one topic."""
    name = f"Topic {topic.topic.query_id}"
    missing = []
    if not topic.topic.title:  # labels and runs alone have named it
        missing.append(f"{name} has no text: import its title.")
    if not (topic.h_k and topic.n_k):
        missing.append(f"{name} has no anchors: name h_k and n_k, or plan units to draw them.")
    if not _has_question(topic):
        missing.append(f"{name} has no question with four options and an answer.")
    if not Unit.objects.filter(study_topic=topic).exists():
        missing.append(f"{name} has no units: run plan_units {study.slug}.")
    elif differing := _unlike_the_plan(study, topic):
        missing.append(f"{name}: {differing}: run plan_units {study.slug}.")
    return missing + _without_text(study, topic)


def _unlike_the_plan(study: Study, topic: StudyTopic) -> str:
    """How the units differ from what the settings say now; empty if they do not."""
    roles = topic.documents.exclude(role="other").values_list("role", "doc_id")
    if set(roles) != {("h_k", topic.h_k), ("n_k", topic.n_k)}:
        return "its anchors are not those of its units"
    units = Unit.objects.filter(study_topic=topic, batch=None)
    sizes = units.annotate(size=Count("documents")).values_list("size", flat=True)
    if other_sizes := sorted(set(sizes) - {study.unit_size}):
        return f"its units hold {other_sizes[0]} documents, but unit_size is {study.unit_size}"
    needed = units_needed(topic.documents.count(), study.redundancy, study.unit_size)
    if (planned := units.count()) != needed:
        return f"it has {planned} units, but redundancy {study.redundancy} needs {needed}"
    return ""


def _without_text(study: Study, topic: StudyTopic) -> list[str]:
    """The documents without a text; those whose text has come since the plan receive it."""
    silent = topic.documents.filter(document=None)
    texts = Document.objects.filter(collection=study.collection_id, doc_id=OuterRef("doc_id"))
    silent.update(document=Subquery(texts.values("pk")))
    first = silent.order_by("doc_id").values_list("doc_id", flat=True).first()
    if first is None:
        return []
    counts = f"{silent.count()} of {topic.documents.count()} documents have no text"
    return [f"Topic {topic.topic.query_id}: {counts}, {first} first."]
