"""Every setting at every door: its bounds, and until when it may change."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from decimal import Decimal
from html import unescape
from io import BytesIO
from typing import Any

import pytest
import tomli_w
from django.contrib import admin
from django.db import IntegrityError, models, transaction
from django.forms.models import model_to_dict
from django.test import Client, RequestFactory
from django.urls import reverse

from accounts.models import User
from judging.models import Study
from judging.settings import BY_NAME, SETTINGS, Setting
from judging.studies.conduct.closing import close_study
from judging.studies.configuration.changing import apply_config
from judging.studies.configuration.cloning import config_of
from judging.studies.configuration.settings import read_toml
from judging.studies.faults import BadStudy
from tests.database import once_a_module, there_for_all
from tests.desks import admin_at_desk
from tests.factory import make_study
from web.bounds import bounds_of
from workspace.setup.forms import FORMS

PROLIFIC = {
    "platform": "prolific",
    "completion_code": "CDONE",
    "screen_out_code": "CPART",
    "screen_out_reward": "1.00",
    "submission_minutes": 60,
}
SONA = {"platform": "sona", "completion_address": "https://a.sona-systems.com/?survey_code=XXXX"}
GRADED = {"scale": "graded", "levels": ["no", "yes"]}
# What a setting needs beside it.
BESIDE: dict[str, dict[str, Any]] = {
    **dict.fromkeys(("completion_code", "screen_out_code", "screen_out_reward"), PROLIFIC),
    **dict.fromkeys(("return_code", "submission_minutes"), PROLIFIC),
    "completion_address": SONA,
    **dict.fromkeys(("levels", "level_descriptions"), GRADED),
}
OTHER: dict[str, Any] = {
    "levels": ["never", "always"],
    "level_descriptions": ["It says nothing, at all.", "It says all."],
    "completion_code": "CNEW",
    "completion_address": "https://b.sona-systems.com/?survey_code=XXXX",
    "screen_out_code": "CNEWPART",
    "return_code": "CNEWBACK",
    "text_language": "pt-BR",
    "platform": "links",
}


def other(setting: Setting, study: Study) -> Any:
    """Another value for a setting of a study, as Python has it."""
    now = getattr(study, setting.name)
    if setting.name in OTHER:
        return OTHER[setting.name]
    if isinstance(now, bool):
        return not now
    if bounds := bounds_of(setting.field):
        return setting.field.to_python(bounds.highest if now != bounds.highest else bounds.lowest)
    if choices := setting.field.flatchoices:
        return next(value for value, _ in choices if value not in ("", now))
    return "Another text"


def with_it(setting: Setting, value: Any) -> dict[str, Any]:
    """A change of a setting, with what it is nothing without."""
    with_levels = GRADED if setting.name == "scale" else {}
    unpaid = {"payment": 0} if setting.name == "demo" else {}
    return {**unpaid, **with_levels, setting.name: value}


# --- the doors: each sends a change, and returns the refusal; nothing if it was taken -------------
def by_file(desk: Client, study: Study, change: Mapping[str, Any]) -> str:
    try:
        config = config_of(study) | change
        apply_config(study.slug, read_toml(BytesIO(tomli_w.dumps(config).encode())), None)
    except BadStudy as refusal:
        return str(refusal)
    return ""


def by_rest(desk: Client, study: Study, change: Mapping[str, Any]) -> str:
    sent = {name: str(v) if isinstance(v, Decimal) else v for name, v in change.items()}
    answer = desk.patch(f"/api/v1/studies/{study.slug}/", sent, "application/json")
    return "" if answer.status_code == 200 else answer.content.decode()


def by_page(desk: Client, study: Study, change: Mapping[str, Any]) -> str:
    (step, *others) = {BY_NAME[name].step for name in change}
    assert not others
    address = f"/studies/{study.slug}/set-up/{step}/"
    if len(labels := change.get("labels", "")) in range(1, LENGTHS["labels"] + 1):
        study.collection.label_sets.get_or_create(name=labels)  # it takes those that there are
    sent = {field.html_name: field.value() for field in FORMS[step](None, study)} | dict(change)
    if "platform_fee" in change:
        sent["platform_fee"] = f"{100 * change['platform_fee']}%"
    answer = desk.post(address, as_typed(sent))
    return errors_of(answer)


def by_admin(desk: Client, study: Study, change: Mapping[str, Any]) -> str:
    address = reverse("admin:judging_study_change", args=[study.pk])
    request = RequestFactory().get(address)
    request.user = User.objects.get()
    form = admin.site.get_model_admin(Study).get_form(request, study, change=True)(instance=study)
    topics = study.topics.count()
    sent = {"topics-TOTAL_FORMS": topics, "topics-INITIAL_FORMS": topics}
    sent |= {field.html_name: field.value() for field in form} | dict(change)
    answer = desk.post(address, as_typed(sent))
    return errors_of(answer)


def errors_of(answer: Any) -> str:
    if answer.status_code == 302:
        return ""
    page = " ".join(unescape(answer.content.decode()).split())
    return "; ".join(re.findall(r'class="error(?:list|note)?"[^>]*>(.*?)</(?:p|ul)>', page)) or "no"


def as_typed(values: Mapping[str, Any]) -> dict[str, Any]:
    """As a browser sends a form."""
    lists = {name: "\n".join(v) for name, v in values.items() if isinstance(v, list)}
    return {name: v for name, v in {**values, **lists}.items() if v is not None and v is not False}


@pytest.fixture
def desk(db):
    """The browser of somebody who may do everything."""
    return admin_at_desk()


DOORS = [by_file, by_rest, by_page, by_admin]
Door = Callable[[Client, Study, Mapping[str, Any]], str]


# --- bounds ---------------------------------------------------------------------------------------
@pytest.fixture(scope=once_a_module)
def draft(django_db_setup, django_db_blocker):
    """Without a plan."""
    with there_for_all(django_db_blocker):
        study = make_study(opened=False, payment=0)
        study.units.all().delete()
        study.refresh_from_db()
        yield study


def attempt(
    desk: Client, door: Door, study: Study, setting: Setting, value: Any
) -> tuple[bool, str]:
    """Whether a study has a value once it was sent through a door, and the refusal; undone."""
    with transaction.atomic():
        if beside := BESIDE.get(setting.name):
            beside = {name: v for name, v in beside.items() if name != setting.name or v != value}
            Study.objects.filter(pk=study.pk).update(**beside)
        refusal = door(desk, Study.objects.get(pk=study.pk), with_it(setting, value))
        stored = getattr(Study.objects.get(pk=study.pk), setting.name)
        transaction.set_rollback(True)
    return stored == value, refusal


def refused(desk: Client, door: Door, study: Study, values: Mapping[str, Any]) -> list[str]:
    """The refusals of values, those of a step at once, of which none is stored; undone."""
    refusals = []
    for step in {BY_NAME[name].step for name in values}:
        of_step = {name: value for name, value in values.items() if BY_NAME[name].step == step}
        with transaction.atomic():
            Study.objects.filter(pk=study.pk).update(**PROLIFIC)
            before = Study.objects.get(pk=study.pk)
            refusals.append(" ".join(door(desk, before, of_step).split()))
            after = Study.objects.get(pk=study.pk)
            assert model_to_dict(after, of_step) == model_to_dict(before, of_step)
            transaction.set_rollback(True)
    return refusals


NUMBERS = {each.name: bounds for each in SETTINGS if (bounds := bounds_of(each.field))}
LENGTHS = {
    setting.name: limit
    for setting in SETTINGS
    if isinstance(setting.field, models.CharField | models.TextField)
    and not setting.field.choices
    and (limit := setting.field.max_length)
}
FREE_TEXTS = LENGTHS.keys() - OTHER.keys()  # others have a form of their own, too


def ends(name: str) -> tuple[Any, Any]:
    """The smallest and the largest value of a number."""
    low, high = NUMBERS[name].lowest, NUMBERS[name].highest
    to_python = BY_NAME[name].field.to_python
    return to_python(low), to_python(high)


def beyond(name: str) -> tuple[Any, Any]:
    field, (low, high) = BY_NAME[name].field, ends(name)
    if isinstance(field, models.DecimalField):
        step = Decimal(1).scaleb(-field.decimal_places)
        return low - step, high + step
    step = 0.5 if isinstance(field, models.FloatField) else 1
    return low - step, high + step


@pytest.mark.parametrize("side", [0, 1], ids=["smallest", "largest"])
@pytest.mark.parametrize("door", DOORS)
def test_a_number_is_taken_up_to_its_bounds_and_refused_beyond_with_them(desk, door, side, draft):
    for name in NUMBERS:
        assert attempt(desk, door, draft, BY_NAME[name], ends(name)[side])[0], name
    values = {name: beyond(name)[side] for name in NUMBERS}
    said = " ".join(refused(desk, door, draft, values))
    wanted = Counter(f"{NUMBERS[name]} was expected, not {v}" for name, v in values.items())
    assert {text for text, times in wanted.items() if said.count(text) < times} == set()


@pytest.mark.parametrize("name", NUMBERS)
def test_nothing_beyond_is_stored(name, draft):
    for value in beyond(name):
        refused = pytest.raises(IntegrityError, match="violates check constraint")
        with refused, transaction.atomic():
            Study.objects.filter(pk=draft.pk).update(**{name: value})


@pytest.mark.parametrize("door", DOORS)
def test_a_text_has_its_length_and_no_more(desk, door, draft):
    for name in FREE_TEXTS:
        longest = "x" * LENGTHS[name]
        assert attempt(desk, door, draft, BY_NAME[name], longest) == (True, ""), name
    said = " ".join(refused(desk, door, draft, {n: "x" * (LENGTHS[n] + 1) for n in FREE_TEXTS}))
    listed = {"labels"} if door is by_page else set()  # one of those that there are
    assert said.count("is not in the list: choose one that is") == len(listed)
    for length, times in Counter(LENGTHS[name] for name in FREE_TEXTS - listed).items():
        assert len(re.findall(rf"\b{length} characters", said)) >= times, length


# --- stages ---------------------------------------------------------------------------------------
# Until when what may still change at a stage is free.
FREE = {
    "unplanned": ("plan", "opening", "never"),
    "planned": ("opening", "never"),
    **dict.fromkeys(("opened", "closed"), ("never",)),
}


def at_stage(stage: str) -> Study:
    study = make_study(opened=stage in ("opened", "closed"))
    if stage == "unplanned":
        study.units.all().delete()
    if stage == "closed":
        close_study(study.slug)
    return Study.objects.get(pk=study.pk)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("stage", FREE)
def test_until_when_it_may_change(desk, stage, door):
    study, free = at_stage(stage), FREE[stage]
    if door is by_file and stage != "unplanned":  # a file stands for all of it
        free = ()
    values = {setting.name: other(setting, study) for setting in SETTINGS}
    fixed = {setting.name for setting in SETTINGS if setting.fixed_from not in free}
    for step in {BY_NAME[name].step for name in fixed}:
        sent = {name: values[name] for name in fixed if BY_NAME[name].step == step}
        with transaction.atomic():
            door(desk, study, sent)
            assert model_to_dict(Study.objects.get(pk=study.pk), sent) == model_to_dict(study, sent)
            transaction.set_rollback(True)
    for name in BY_NAME.keys() - fixed:
        assert attempt(desk, door, study, BY_NAME[name], values[name]) == (True, ""), name


def test_a_page_takes_no_labels_that_there_are_not(desk, draft):
    form = FORMS[BY_NAME["labels"].step](None, draft)
    assert [name for name, _ in form.fields["labels"].choices] == [draft.labels]
    address = f"/studies/{draft.slug}/set-up/{BY_NAME['labels'].step}/"
    sent = {field.html_name: field.value() for field in form} | {"labels": "never-imported"}
    assert "never-imported is not in the list" in errors_of(desk.post(address, as_typed(sent)))
    assert Study.objects.get(pk=draft.pk).labels == draft.labels


def test_what_one_door_takes_stands_in_the_trail(desk, draft):
    for door in (by_rest, by_page, by_admin):
        with transaction.atomic():
            version = Study.objects.get(pk=draft.pk).version
            assert door(desk, draft, {"contact": "Rosa"}) == ""
            study = Study.objects.get(pk=draft.pk)
            assert study.version == version + 1
            assert study.trail.latest("pk").details["changes"] == {"contact": ["", "Rosa"]}
            transaction.set_rollback(True)
