"""Setting a study up, opening it and closing it."""

import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.db import transaction
from django.db.models import OuterRef, Subquery
from django.utils import timezone

from judging import vocabulary
from judging.levels import NotLevels, read_levels
from judging.models import Collection, Document, Label, Study, StudyTopic, Topic, Unit

Stage = Study.Stage
SETTINGS = {
    *("title", "scale", "levels", "demo", "unit_size", "redundancy", "pool_depth"),
    *("payment", "platform_fee", "minimum_hourly_pay", "currency", "practice", "labels"),
    *(
        "minimum_seconds",
        "show_previous_score",
        "expiry_minutes",
        "long_visit_minutes",
        "max_units_per_worker",
    ),
    *("consent", "contact", "ethics_approval", "retention_days"),
}
CHOICES = {"scale": Study.Scale.values, "practice": Study.Practice.values}
TOPIC_SETTINGS = {"h_k", "n_k", "question", "options", "answer", "documents"}


class BadStudy(ValueError):
    """The study cannot be made or opened; each line of the message names one thing wrong."""


def read_config(path: str | Path) -> dict[str, Any]:
    """The content of a study.toml; money as decimals."""
    try:
        with Path(path).open("rb") as file:
            return tomllib.load(file, parse_float=Decimal)
    except OSError as fault:
        raise BadStudy(f"{path}: {fault.strerror}; expected a study.toml") from fault
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise BadStudy(f"{path}: {fault}; expected TOML in UTF-8") from fault


@transaction.atomic
def create_study(
    slug: str, collection: str, config: dict[str, Any], *, replace: bool = False
) -> Study:
    """Make a draft study from the content of a study.toml, perhaps in the place of another draft.

    It covers the topics that `config` lists; with none listed, every topic of the collection. A
    draft that it may `replace` goes with its units.

    Raises:
        BadStudy: with everything that is wrong.
    """
    home = Collection.objects.filter(slug=collection).first()
    if home is None:
        raise BadStudy(f"There is no collection {collection}.")
    if old := Study.objects.select_for_update().filter(slug=slug).first():
        if not replace:
            raise BadStudy(
                f"There is a study {slug} already. --replace takes the place of a draft."
            )
        if old.stage != Stage.DRAFT:
            raise BadStudy(f"Study {slug} is {old.stage}: only a draft can be replaced.")
        old.delete()
    config = dict(config)
    topics = config.pop("topics", {})
    study = Study(slug=slug, collection=home)
    wrong = _settle(study, config)
    if not isinstance(topics, dict):
        wrong.append("topics: expected tables [topics.NUMBER]")
        topics = {}
    there = {topic.query_id: topic for topic in home.topics.all()}
    wrong += [f"Topic {name} is not in collection {home}." for name in topics if name not in there]
    if not there:
        wrong.append(f"Collection {home} has no topics.")
    chosen = [topic for name, topic in there.items() if name in topics or not topics]
    for topic in chosen:
        wrong += _wrong_with(topic, topics.get(topic.query_id, {}))
    if wrong:
        raise BadStudy("\n".join(wrong))
    study.save()
    StudyTopic.objects.bulk_create(
        _study_topic(study, topic, topics.get(topic.query_id, {})) for topic in chosen
    )
    return study


def _settle(study: Study, config: dict[str, Any]) -> list[str]:
    """Give `study` its settings; what is wrong with them."""
    wrong = []
    if unknown := sorted(config.keys() - SETTINGS):
        wrong.append(
            f"Unknown setting {', '.join(unknown)}; expected some of {', '.join(sorted(SETTINGS))}"
        )
    known = {name: value for name, value in config.items() if name in SETTINGS}
    if known.get("demo"):
        if known.get("payment"):
            wrong.append("payment: a demo study pays nothing; leave it out or set 0")
        known["payment"] = 0
        study.crowd = Study.Crowd.BOTH
    if "levels" in known:
        try:
            known["levels"] = read_levels(known["levels"])
        except NotLevels as fault:
            return [*wrong, f"levels: {fault}."]
    for name, value in known.items():
        setattr(study, name, value)
    try:
        study.full_clean()
    except ValidationError as fault:
        for name, said in fault.message_dict.items():
            wrong.append(" ".join(said if name == NON_FIELD_ERRORS else [f"{name}:", *said]))
            if choices := CHOICES.get(name):
                wrong[-1] += f" Expected one of {', '.join(choices)}."
        return wrong
    return wrong + [
        f"{name}: {value}; expected a whole number"
        for name, value in known.items()
        if isinstance(value, Decimal) and float(getattr(study, name)) != float(value)
    ]


def _wrong_with(topic: Topic, given: Any) -> list[str]:
    """What is wrong with the settings of one topic."""
    name = f"Topic {topic.query_id}"
    if not isinstance(given, dict):
        return [f"{name}: expected a table [topics.{topic.query_id}]"]
    options, answer = given.get("options", []), given.get("answer", "")
    h_k, n_k, pool = given.get("h_k", ""), given.get("n_k", ""), given.get("documents", [])
    wrong = [
        f"{name}: unknown setting {key}; expected some of {', '.join(sorted(TOPIC_SETTINGS))}."
        for key in sorted(given.keys() - TOPIC_SETTINGS)
    ]
    if not _are_texts(options, pool, [h_k, n_k, answer, given.get("question", "")]):
        return [*wrong, f"{name}: settings are texts; options and documents are lists of texts."]
    if bool(h_k) != bool(n_k):
        wrong.append(f"{name}: name both h_k and n_k, or neither to have them drawn.")
    if h_k and h_k == n_k:
        wrong.append(f"{name}: h_k and n_k are the same document, {h_k}.")
    different = {option.strip() for option in options} - {""}
    if options and not len(options) == len(different) == 4:
        wrong.append(f"{name}: {len(different)} different options; expected 4.")
    if answer not in ["", *options] or (options and not answer):
        wrong.append(f"{name}: answer is not one of the options; expected the right option's text.")
    if unknown := _unheard_of(topic, [*filter(None, (h_k, n_k)), *pool]):
        wrong.append(f"{name}: {', '.join(unknown)} stands in neither documents, runs nor labels.")
    return wrong


def _study_topic(study: Study, topic: Topic, given: dict[str, Any]) -> StudyTopic:
    return StudyTopic(
        study=study,
        topic=topic,
        question=given.get("question", ""),
        options=given.get("options", []),
        answer=given.get("answer", ""),
        h_k=given.get("h_k", ""),
        n_k=given.get("n_k", ""),
        pool=given.get("documents", []),
    )


def _are_texts(*lists: Any) -> bool:
    return all(isinstance(v, list) and all(isinstance(text, str) for text in v) for v in lists)


def _unheard_of(topic: Topic, doc_ids: list[str]) -> list[str]:
    """Those of `doc_ids` that the collection does not know on the topic."""
    known = set(vocabulary.read(topic)) if doc_ids else set()
    known |= set(
        Document.objects.filter(collection=topic.collection_id, doc_id__in=doc_ids).values_list(
            "doc_id", flat=True
        )
    )
    known |= set(
        Label.objects.filter(topic=topic, doc_id__in=doc_ids).values_list("doc_id", flat=True)
    )
    return sorted(set(doc_ids) - known)


@transaction.atomic
def open_study(slug: str) -> Study:
    """Freeze a planned study and let workers in.

    Raises:
        BadStudy: with everything that is missing.
    """
    study = _locked(slug)
    if study.stage != Stage.DRAFT:
        raise BadStudy(f"Study {slug} is {study.stage} already.")
    missing = [line for topic in _topics(study) for line in _missing(study, topic)]
    if missing:
        raise BadStudy("\n".join(missing))
    study.stage, study.opened_at = Stage.OPEN, timezone.now()
    study.save(update_fields=["stage", "opened_at"])
    return study


def _topics(study: Study) -> list[StudyTopic]:
    return list(study.topics.select_related("topic").order_by("topic__query_id"))


def topics_without_question(study: Study) -> list[str]:
    """Topics that keep a study from being opened: only its study.toml brings questions."""
    return [topic.topic.query_id for topic in _topics(study) if not _has_question(topic)]


def _has_question(topic: StudyTopic) -> bool:
    return bool(topic.question and topic.options and topic.answer)


def _missing(study: Study, topic: StudyTopic) -> list[str]:
    name = f"Topic {topic.topic.query_id}"
    missing = []
    if not (topic.h_k and topic.n_k):
        missing.append(f"{name} has no anchors: name h_k and n_k, or plan units to draw them.")
    if not _has_question(topic):
        missing.append(f"{name} has no question with four options and an answer.")
    if not Unit.objects.filter(study_topic=topic).exists():
        missing.append(f"{name} has no units: run plan_units {study.slug}.")
    elif _anchors_of_units(topic) != {("h_k", topic.h_k), ("n_k", topic.n_k)}:
        missing.append(
            f"{name}: its anchors are not those of its units: run plan_units {study.slug}."
        )
    silent = topic.documents.filter(document=None)
    silent.update(document=_text_that_came_after_the_plan(study))
    if count := silent.count():
        first = silent.order_by("doc_id").values_list("doc_id", flat=True)[0]
        missing.append(
            f"{name}: {count} of {topic.documents.count()} documents have no text, {first} first."
        )
    return missing


def _anchors_of_units(topic: StudyTopic) -> set[tuple[str, str]]:
    return set(topic.documents.exclude(role="other").values_list("role", "doc_id"))


def _text_that_came_after_the_plan(study: Study) -> Subquery:
    texts = Document.objects.filter(collection=study.collection_id, doc_id=OuterRef("doc_id"))
    return Subquery(texts.values("pk"))


@transaction.atomic
def close_study(slug: str) -> Study:
    """Admit nobody new; live assignments may be finished until they expire."""
    study = _locked(slug)
    if study.stage != Stage.OPEN:
        raise BadStudy(f"Study {slug} is {study.stage}, not open.")
    study.stage, study.closed_at = Stage.CLOSED, timezone.now()
    study.save(update_fields=["stage", "closed_at"])
    return study


def _locked(slug: str) -> Study:
    study = Study.objects.select_for_update().filter(slug=slug).first()
    if study is None:
        raise BadStudy(f"There is no study {slug}.")
    if study.is_imported:
        raise BadStudy(f"Study {slug} was judged elsewhere: it neither opens nor closes.")
    return study
