"""The settings of a study, as its study.toml gives them."""

import tomllib
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.db import transaction
from django.forms.models import model_to_dict

from judging.collections import vocabulary
from judging.levels import NotLevels, read_levels
from judging.models import Collection, Document, Label, Study, StudyTopic, Topic

OPTIONS = 4  # that a question has


class BadStudy(ValueError):
    """The study cannot be made or opened; each line of the message names one thing wrong."""


class TrueOrFalse(forms.Field):
    """TOML's own true or false, and nothing that might mean one of them."""

    def to_python(self, value: Any) -> bool:
        if not isinstance(value, bool):
            raise ValidationError(f"{value}; expected true or false")
        return value


class Levels(forms.Field):
    """The names of the levels of a graded scale."""

    def to_python(self, value: Any) -> list[str]:
        try:
            return [] if value == [] else read_levels(value)
        except NotLevels as fault:
            raise ValidationError(f"{fault}.") from fault


class Text(forms.Field):
    """A text, as it is written; not required."""

    def to_python(self, value: Any) -> str:
        if not isinstance(value, str):
            raise ValidationError(f"{value}; expected a text")
        return value


class Texts(forms.Field):
    """A list of texts; not required."""

    def to_python(self, value: Any) -> list[str]:
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise ValidationError(f"{value}; expected a list of texts")
        return value


class StudyForm(forms.ModelForm):
    """A study's settings. Those that are not given keep their defaults."""

    levels = Levels(required=False)
    demo = TrueOrFalse(required=False)
    show_previous_score = TrueOrFalse(required=False)
    pay_after_limit = TrueOrFalse(required=False)
    unlabelled_n_k = TrueOrFalse(required=False)

    class Meta:
        model = Study
        fields = (
            *("slug", "title", "scale", "levels", "demo", "unit_size", "redundancy"),
            *("minimum_seconds", "long_visit_minutes", "pool_depth", "payment", "platform_fee"),
            *("minimum_hourly_pay", "currency", "practice", "show_previous_score"),
            *("expiry_minutes", "entry", "practice_minutes", "most_failed_finishes"),
            *("pay_after_limit", "max_units_per_worker", "consent", "contact"),
            *("ethics_approval", "retention_days", "labels", "unlabelled_n_k"),
        )

    def __init__(self, slug: str, collection: Collection, settings: dict[str, Any]) -> None:
        self.settings = settings
        defaults = model_to_dict(Study(), fields=self._meta.fields)
        values = {**defaults, **settings, "slug": slug}
        super().__init__(values, instance=Study(collection=collection))
        for name, field in self.fields.items():
            message = f"{values[name]}; expected {_expected(field)}"
            field.error_messages |= {"invalid": message, "invalid_choice": message}

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if cleaned.get("demo"):
            if self.settings.get("payment"):
                self.add_error("payment", "a demo study pays nothing; leave it out or set 0")
            else:
                cleaned["payment"] = 0
            self.instance.crowd = Study.Crowd.BOTH
        return cleaned


def _expected(field: forms.Field) -> str:
    """What a setting may be, for a message."""
    if isinstance(field, forms.ChoiceField):
        choices = cast("Iterable[tuple[str, str]]", field.choices)
        return f"one of {', '.join(value for value, _ in choices)}"
    if isinstance(field, forms.FloatField | forms.DecimalField):
        return "a number"
    return "a whole number" if isinstance(field, forms.IntegerField) else "a text"


SETTINGS = frozenset(StudyForm.base_fields) - {"slug"}


class TopicForm(forms.Form):
    """The settings of one topic: its anchors, question and pool."""

    h_k = Text(required=False)
    n_k = Text(required=False)
    question = Text(required=False)
    options = Texts(required=False)
    answer = Text(required=False)
    documents = Texts(required=False)

    def __init__(self, topic: Topic, settings: dict[str, Any]) -> None:
        self.topic = topic
        defaults: dict[str, Any] = {"options": [], "documents": []} | dict.fromkeys(
            ("h_k", "n_k", "question", "answer"), ""
        )
        super().__init__(defaults | settings)

    def clean(self) -> dict[str, Any]:
        if not self.errors:
            for fault in (*self._wrong_anchors(), *self._wrong_question(), *self._unheard_of()):
                self.add_error(None, fault)
        return self.cleaned_data

    def _wrong_anchors(self) -> Iterable[str]:
        h_k, n_k = self.cleaned_data["h_k"], self.cleaned_data["n_k"]
        if bool(h_k) != bool(n_k):
            yield "name both h_k and n_k, or neither to have them drawn."
        if h_k and h_k == n_k:
            yield f"h_k and n_k are the same document, {h_k}."

    def _wrong_question(self) -> Iterable[str]:
        options, answer = self.cleaned_data["options"], self.cleaned_data["answer"]
        different = {option.strip() for option in options} - {""}
        if options and not len(options) == len(different) == OPTIONS:
            yield f"{len(different)} different options; expected {OPTIONS}."
        if answer not in ["", *options] or (options and not answer):
            yield "answer is not one of the options; expected the right option's text."

    def _unheard_of(self) -> Iterable[str]:
        """Documents that the collection does not know on the topic."""
        anchors = filter(None, (self.cleaned_data["h_k"], self.cleaned_data["n_k"]))
        doc_ids = {*anchors, *self.cleaned_data["documents"]}
        if unknown := sorted(doc_ids - _known_documents(self.topic, doc_ids)):
            yield f"{', '.join(unknown)} stands in neither documents, runs nor labels."

    def study_topic(self, study: Study) -> StudyTopic:
        """The topic with these settings, not saved yet."""
        settings = dict(self.cleaned_data)
        return StudyTopic(study=study, topic=self.topic, pool=settings.pop("documents"), **settings)


def _known_documents(topic: Topic, doc_ids: set[str]) -> set[str]:
    """Those of some documents that runs, documents or labels of the topic's collection name."""
    if not doc_ids:
        return set()
    texts = Document.objects.filter(collection=topic.collection_id, doc_id__in=doc_ids)
    labels = Label.objects.filter(topic=topic, doc_id__in=doc_ids)
    return (
        set(vocabulary.read(topic))
        | set(texts.values_list("doc_id", flat=True))
        | set(labels.values_list("doc_id", flat=True))
    )


def read_config(path: str | Path) -> dict[str, Any]:
    """Read a study.toml; money as decimals.

    Raises:
        BadStudy: there is no such file, or it is not TOML in UTF-8.
    """
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
    home = Collection.objects.select_for_update().filter(slug=collection).first()
    if home is None:
        raise BadStudy(f"There is no collection {collection}.")
    _make_room(slug, replace)
    settings = dict(config)
    tables = settings.pop("topics", {})
    wrong = _unknown(settings, SETTINGS)
    form = StudyForm(slug, home, {n: v for n, v in settings.items() if n in SETTINGS})
    wrong += _faults(form)
    if not isinstance(tables, dict):
        wrong.append("topics: expected tables [topics.NUMBER]")
        tables = {}
    topic_forms, faults = _topic_forms(home, tables)
    wrong += faults
    if wrong:
        raise BadStudy("\n".join(wrong))
    study: Study = form.save()
    StudyTopic.objects.bulk_create(topic_form.study_topic(study) for topic_form in topic_forms)
    return study


def _make_room(slug: str, replace: bool) -> None:
    """Delete the draft that a new study takes the place of, if there is one."""
    old = Study.objects.select_for_update().filter(slug=slug).first()
    if old is None:
        return
    if not replace:
        raise BadStudy(f"There is a study {slug} already. --replace takes the place of a draft.")
    if old.stage != Study.Stage.DRAFT:
        raise BadStudy(f"Study {slug} is {old.stage}: only a draft can be replaced.")
    old.delete()


def _topic_forms(home: Collection, tables: dict[str, Any]) -> tuple[list[TopicForm], list[str]]:
    """A form for each topic of the study, and what is wrong with the topics."""
    topics = {topic.query_id: topic for topic in home.topics.all()}
    wrong = [f"Topic {name} is not in collection {home}." for name in tables if name not in topics]
    if not topics:
        wrong.append(f"Collection {home} has no topics.")
    topic_forms = []
    for query_id, topic in topics.items():
        if tables and query_id not in tables:
            continue
        settings = tables.get(query_id, {})
        if not isinstance(settings, dict):
            wrong.append(f"Topic {query_id}: expected a table [topics.{query_id}]")
            continue
        form = TopicForm(topic, settings)
        topic_forms.append(form)
        faults = _unknown(settings, frozenset(form.fields)) + _faults(form)
        wrong += [f"Topic {query_id}: {fault}" for fault in faults]
    return topic_forms, wrong


def _unknown(settings: dict[str, Any], known: frozenset[str]) -> list[str]:
    """A line that names the settings that there are not."""
    unknown = sorted(settings.keys() - known)
    if not unknown:
        return []
    return [f"Unknown setting {', '.join(unknown)}; expected some of {', '.join(sorted(known))}"]


def _faults(form: forms.BaseForm) -> list[str]:
    """What is wrong with a form, a line for each field; a fault of the whole names its own."""
    lines: list[str] = []
    for name, errors in form.errors.items():
        faults = list(map(str, errors))
        if name == NON_FIELD_ERRORS:
            lines += faults
        else:
            lines.append(f"{name}: {' '.join(faults)}")
    return lines
