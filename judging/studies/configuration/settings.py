import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, BinaryIO, cast

from django import forms
from django.db import IntegrityError, transaction
from django.db.models import BooleanField, TextField
from django.forms.models import model_to_dict

from accounts.models import User
from judging.models import Collection, Membership, Role, Study, StudyTopic
from judging.platforms import Completion, platform_of, platforms_taking
from judging.settings import BY_NAME, SETTINGS
from judging.studies import trail
from judging.studies.configuration.earlier import SETTING, choose_excluded_studies
from judging.studies.configuration.form_fields import (
    LevelDescriptions,
    Levels,
    Paragraphs,
    TrueOrFalse,
)
from judging.studies.configuration.topic_settings import TopicForm
from judging.studies.faults import BadStudy, Fault, faults_of, unknown_names
from magnitudes.files.words import count
from web.bounds import bounds_of, set_bounds_messages

Stage = Study.Stage
COMPLETION = ("completion_code", "completion_address")
FURTHER_CODES = ("screen_out_code", "return_code")
# How a study.toml has a value, where a page of HTML would have it otherwise.
FORM_FIELDS = {BooleanField: TrueOrFalse, TextField: Paragraphs}


class StudyForm(forms.ModelForm):
    """Settings that are not given stay as the study has them."""

    levels = Levels(required=False)
    level_descriptions = LevelDescriptions(required=False)

    class Meta:
        model = Study
        fields = ("slug", *BY_NAME)
        field_classes = {
            setting.name: FORM_FIELDS[type(setting.field)]
            for setting in SETTINGS
            if type(setting.field) in FORM_FIELDS
        }

    def __init__(self, study: Study, settings: Mapping[str, Any]) -> None:
        self.settings = settings
        values = {**model_to_dict(study, fields=self._meta.fields), **settings}
        super().__init__(values, instance=study)
        for name, field in self.fields.items():
            model_field = Study._meta.get_field(name)
            expected = bounds_of(model_field) or _expected(field)
            message = f"{values[name]}; expected {expected}"
            set_bounds_messages(field, model_field)
            field.error_messages["invalid"] = message
            # Django puts the choice into this one by %.
            field.error_messages["invalid_choice"] = message.replace("%", "%%")

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        study: Study = self.instance
        if study.crowd == Study.Crowd.MODEL:
            for name in ("payment", "demo"):
                if cleaned.get(name):
                    self.add_error(
                        name, "a language model judges this study; leave it out or set 0"
                    )
        elif cleaned.get("demo"):
            if self.settings.get("payment"):
                self.add_error("payment", "a demo study pays nothing; leave it out or set 0")
            else:
                cleaned["payment"] = 0
            study.crowd = Study.Crowd.BOTH
        elif study.crowd == Study.Crowd.BOTH:
            study.crowd = Study.Crowd.NOBODY
        sentences, levels = cleaned.get("level_descriptions"), cleaned.get("levels", [])
        if sentences and len(sentences) != len(levels):
            counts = f"{count(len(sentences), 'sentence')} for {count(len(levels), 'level')}"
            self.add_error("level_descriptions", f"{counts}; expected one for each, or none")
        if cleaned.get("ethics_approval") and cleaned.get("ethics_exemption"):
            fault = "expected an approval or a reason why none is needed, not both."
            self.add_error("ethics_exemption", fault)
        for name, fault in _completion_faults(cleaned):
            self.add_error(name, fault)
        return cleaned


def _completion_faults(settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    platform = platform_of(settings.get("platform", ""))
    completion = Completion(*(settings.get(name, "") for name in COMPLETION))
    for name in COMPLETION:
        if settings.get(name) and name not in platform.return_settings:
            titles = " and ".join(taking.title for taking in platforms_taking(name))
            yield name, f"only {titles} take one; choose the platform, or leave it empty."
    yield from platform.faults(completion).items()
    if platform.participant and settings.get("pay_after_limit") is False:
        always = f"people from {platform.title} are always paid at the limit of failed Finishes"
        yield "pay_after_limit", f"{always}; leave it out, or set it to true."
    codes = {completion.code}
    for name in FURTHER_CODES:
        if (code := settings.get(name)) and platform.screens_out:
            yield from ((name, fault) for fault in platform.faults(Completion(code)).values())
            if code in codes:
                yield name, "expected a code of its own: another setting has this one."
            codes.add(code)


def _expected(field: forms.Field) -> str:
    if isinstance(field, forms.ChoiceField):
        values = [value for value, _ in cast("Iterable[tuple[str, str]]", field.choices) if value]
        named = ", ".join(values[:MAX_NAMED])
        more = f" or {len(values) - MAX_NAMED} others" if len(values) > MAX_NAMED else ""
        return f"one of {named}{more}"
    return "a text"


MAX_NAMED = 12  # choices that a message names
MAX_DEPTH = 20  # tables and lists within each other
# A key of over 100 parts, joined by dots: tomllib's time grows with the square of their number.
_LONG_KEY = re.compile(r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){100}""")


def read_config(path: str | Path) -> dict[str, Any]:
    """Money as decimals; raises BadStudy if there is no such file, and as `read_toml`."""
    try:
        with Path(path).open("rb") as file:
            return read_toml(file, str(path))
    except OSError as fault:
        raise BadStudy(f"{path}: {fault.strerror}; expected a study.toml") from fault


def read_toml(file: BinaryIO, name: str = "study.toml") -> dict[str, Any]:
    """Money as decimals; raises BadStudy if it is not TOML in UTF-8."""
    content = file.read()
    try:  # some editors begin a file with a mark of its encoding
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = content.count(b"\n", 0, fault.start) + 1
        raise BadStudy(f"{name}: line {line} is not in UTF-8; expected TOML in UTF-8") from fault
    if _LONG_KEY.search(text):
        raise _too_deep(name)
    try:
        config = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as fault:
        raise BadStudy(f"{name}: {fault}; expected TOML in UTF-8") from fault
    except (ValueError, ArithmeticError) as fault:
        problem = "a number with more digits than can be read"
        raise BadStudy(f"{name}: {problem}; expected TOML in UTF-8") from fault
    except RecursionError as fault:
        raise _too_deep(name) from fault
    if _is_deep(config):
        raise _too_deep(name)
    return config


def _too_deep(name: str) -> BadStudy:
    return BadStudy(f"{name}: nested too deep; expected at most {MAX_DEPTH} tables and lists")


def _is_deep(values: dict[str, Any]) -> bool:
    level: list[Any] = [values]
    for _ in range(MAX_DEPTH):
        parts = (each.values() if isinstance(each, dict) else each for each in level)
        level = [part for several in parts for part in several if isinstance(part, dict | list)]
    return bool(level)


@transaction.atomic
def create_study(
    slug: str,
    collection: str,
    config: dict[str, Any],
    *,
    by: User | None = None,
    replace: bool = False,
    pay_is_chosen: bool = True,
) -> Study:
    """Make a draft study, with `by` as its owner, from the content of a study.toml.

    It covers the topics that `config` lists; with none listed, every topic of the collection. A
    draft that it may `replace` goes with its units; its team stays. pay_is_chosen: False: somebody
    is still to say what a unit is paid. Raises BadStudy with everything that is wrong.
    """
    seen = Collection.objects.all() if by is None else Collection.objects.seen_by(by)
    locked = Collection.objects.select_for_update(no_key=True)
    home = locked.filter(slug=collection, pk__in=seen).first()
    if home is None:
        raise BadStudy(Fault(("collection",), f"There is no collection {collection}."))
    team = _delete_replaced(slug, by, replace)
    earlier, config = split_excluded_studies(config)
    new = Study(collection=home, slug=slug, pay_is_chosen=pay_is_chosen)
    study, topics = read_study(new, config)
    try:
        with transaction.atomic():
            study.save()
    except IntegrityError as fault:  # somebody else has just made one of this name
        raise _taken(slug, by) from fault
    StudyTopic.objects.bulk_create(topics)
    choose_excluded_studies(study, earlier, by)
    if by is not None:
        team[by.pk] = Membership(user=by, role=Role.OWNER)
    for member in team.values():
        member.pk, member.study = None, study
    Membership.objects.bulk_create(team.values())
    trail.record(study, by, "made", version=study.version, collection=collection)
    return study


def split_excluded_studies(config: Mapping[str, Any]) -> tuple[object, dict[str, Any]]:
    settings = dict(config)
    return settings.pop(SETTING, []), settings


def _taken(slug: str, by: User | None) -> BadStudy:
    hint = "--replace takes the place of a draft." if by is None else "Choose another name."
    return BadStudy(Fault(("slug",), f"There is a study {slug} already. {hint}"))


def _delete_replaced(slug: str, by: User | None, replace: bool) -> dict[int, Membership]:
    """Returns the team of the draft, by user."""
    old = Study.objects.select_for_update().filter(slug=slug).first()
    if old is None:
        return {}
    if not replace:
        raise _taken(slug, by)
    if old.stage != Stage.DRAFT:
        raise BadStudy(f"Study {slug} is {old.stage}: only a draft can be replaced.")
    team = {member.user_id: member for member in old.memberships.all()}
    old.delete()
    return team


def read_study(study: Study, config: Mapping[str, Any]) -> tuple[Study, list[StudyTopic]]:
    """Nothing is saved. Raises BadStudy with everything that is wrong."""
    settings = dict(config)
    tables = settings.pop("topics", {})
    wrong = list(unknown_names(settings, BY_NAME))
    form = StudyForm(study, {n: v for n, v in settings.items() if n in BY_NAME})
    wrong += faults_of(form)
    if not isinstance(tables, dict):
        wrong.append(Fault(("topics",), "expected tables [topics.NUMBER]"))
        tables = {}
    topic_forms, faults = _topic_forms(study.collection, tables)
    if wrong + faults:
        raise BadStudy(*wrong, *faults)
    return study, [topic_form.study_topic(study) for topic_form in topic_forms]


def _topic_forms(home: Collection, tables: dict[str, Any]) -> tuple[list[TopicForm], list[Fault]]:
    topics = {topic.query_id: topic for topic in home.topics.all()}
    wrong = [
        Fault(("topics", name), f"not in collection {home}.")
        for name in tables
        if name not in topics
    ]
    if not topics:
        wrong.append(Fault((), f"Collection {home} has no topics."))
    topic_forms = []
    for query_id, topic in topics.items():
        if tables and query_id not in tables:
            continue
        settings, where = tables.get(query_id, {}), ("topics", query_id)
        if not isinstance(settings, dict):
            wrong.append(Fault(where, f"expected a table [topics.{query_id}]"))
            continue
        form = TopicForm(topic, settings)
        topic_forms.append(form)
        wrong += [*unknown_names(settings, form.fields, *where), *faults_of(form, *where)]
    return topic_forms, wrong
