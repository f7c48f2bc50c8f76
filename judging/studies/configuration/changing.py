"""Changing a draft's settings and topics, and the little that may change later.

Every change goes to the trail with the values before and after. EditConflict is raised if somebody
else has changed the same since the `version` that an editor saw.
"""

import random
import secrets
from collections.abc import Collection as Names
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.forms.models import model_to_dict

from accounts.models import User
from judging.models import Study, StudyTopic, Unit
from judging.models.study import MAX_SEED
from judging.settings import BY_NAME, SETTINGS
from judging.studies import trail
from judging.studies.configuration.earlier import choose_excluded_studies
from judging.studies.configuration.missing import lacks_way_back
from judging.studies.configuration.settings import StudyForm, read_study, split_excluded_studies
from judging.studies.configuration.topic_settings import TopicForm, settings_of
from judging.studies.configuration.versions import locked_study, record_change
from judging.studies.faults import BadStudy, Fault, faults_of, unknown_names

FIXED_IN_TOPICS = frozenset({"h_k", "n_k", "documents"})  # by a plan
DISCARD = "the plan was made of it: discard the plan first, and plan again afterwards."
ALTERNATIVES = {
    "redundancy": "for more judgments of a document, add a batch.",
    "payment": "raise the payment of units to come instead.",
}


@transaction.atomic
def change_settings(
    slug: str, values: Mapping[str, Any], by: User | None, version: int | None = None
) -> Study:
    """Raises BadStudy with everything that is wrong, or may not change any more, by its name."""
    study = locked_study(slug, version, values)
    is_chosen = "payment" in values and not study.pay_is_chosen
    if (changes := fill_settings(study, values)) or is_chosen:
        study.pay_is_chosen |= is_chosen
        study.save(update_fields=[*changes, "crowd", "pay_is_chosen"])
        record_change(study, by, "changed settings", changes=changes)
    return study


def fill_settings(study: Study, values: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Nothing is saved; returns the `differences`. Raises as `change_settings`."""
    before = model_to_dict(study, BY_NAME)
    form = StudyForm(study, {name: value for name, value in values.items() if name in BY_NAME})
    if wrong := [*unknown_names(dict(values), BY_NAME), *faults_of(form)]:
        raise BadStudy(*wrong)
    changes = differences(before, model_to_dict(study, BY_NAME))
    if fixed := sorted(fixed_settings(study) & changes.keys()):
        raise BadStudy(*(Fault((name,), _instead(study, name)) for name in fixed))
    if is_fixed(study) and not study.is_imported and (lack := lacks_way_back(study)):
        raise BadStudy(lack)
    return changes


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, list[Any]]:
    """What changed, each with its old and its new value, as the trail stores them."""
    return {
        name: [plain(before[name]), plain(after[name])]
        for name in sorted(after)
        if before[name] != after[name]
    }


def plain(value: Any) -> Any:
    return str(value) if isinstance(value, Decimal) else value


def _instead(study: Study, name: str) -> str:
    if not is_fixed(study):
        return DISCARD
    again = ALTERNATIVES.get(name, "ask in another way in a clone of the study.")
    return f"workers have come under it; {again}"


def fixed_settings(study: Study) -> frozenset[str]:
    by = {"plan", "opening"} if is_fixed(study) else {"plan"} if has_plan(study) else set[str]()
    return frozenset(setting.name for setting in SETTINGS if setting.fixed_from in by)


def is_fixed(study: Study) -> bool:
    return study.stage != Study.Stage.DRAFT or study.is_imported


def has_plan(study: Study) -> bool:
    return Unit.objects.filter(study=study).exists()


def locked_draft(slug: str, version: int | None, topics: Names[str] | None = None) -> Study:
    """As `locked_study`, for a change of some topics (None: all); raises BadStudy if no draft."""
    study = locked_study(slug, version, topics)
    if is_fixed(study):
        stage = "imported" if study.is_imported else study.stage
        raise BadStudy(
            f"Study {slug} is {stage}: topics, questions, anchors and pools stay as they are. "
            "For more judgments add a batch; to ask in another way, clone the study."
        )
    return study


@transaction.atomic
def change_topics(
    slug: str,
    tables: Mapping[str, Mapping[str, Any]],
    by: User | None,
    version: int | None = None,
    *,
    is_read: bool = True,
) -> Study:
    """tables: by topic, settings as in a study.toml; is_read: `by` has read the anchors named.

    Raises BadStudy with everything that is wrong, or that a plan was made of.
    """
    study = locked_draft(slug, version, tables)
    rows = study.topics.filter(topic__query_id__in=tables).select_related("topic")
    topics = {row.topic.query_id: row for row in rows}
    wrong = [
        Fault(("topics", name), f"not of study {slug}.") for name in tables if name not in topics
    ]
    changes: dict[str, dict[str, list[Any]]] = {}
    planned = has_plan(study)
    for query_id, topic in topics.items():
        faults, changed = _fill(topic, tables[query_id], is_read)
        if planned:
            where = ("topics", query_id)
            faults += [Fault((*where, n), DISCARD) for n in changed if n in FIXED_IN_TOPICS]
        wrong += faults
        changes |= {query_id: changed} if changed else {}
    if wrong:
        raise BadStudy(*wrong)
    if changes:
        names = {*TopicForm.base_fields, "pool", "anchors_drawn", "anchors_unread"} - {"documents"}
        StudyTopic.objects.bulk_update([topics[query_id] for query_id in changes], names)
        record_change(study, by, "changed topics", topics=changes)
    return study


def change_topic(
    slug: str, query_id: str, values: Mapping[str, Any], by: User | None, version: int | None = None
) -> Study:
    return change_topics(slug, {query_id: values}, by, version)


def _fill(
    topic: StudyTopic, values: Mapping[str, Any], is_read: bool
) -> tuple[list[Fault], dict[str, list[Any]]]:
    """Nothing is saved: what is wrong with the settings, and what they change."""
    where, before = ("topics", topic.topic.query_id), settings_of(topic)
    form = TopicForm(topic.topic, {**before, **values})
    faults = [*unknown_names(dict(values), form.fields, *where), *faults_of(form, *where)]
    if faults:
        return faults, {}
    settings = dict(form.cleaned_data)
    changed = differences(before, settings)
    topic.pool = settings.pop("documents")
    for name, value in settings.items():
        setattr(topic, name, value)
    if {"h_k", "n_k"} & changed.keys():
        topic.anchors_drawn = False
        if "anchors_reason" not in values:  # it was given for others
            topic.anchors_reason = ""
    is_unread = bool(topic.n_k) and not is_read
    if "n_k" in values and topic.anchors_unread != is_unread:
        changed["anchors_unread"] = [topic.anchors_unread, is_unread]
        topic.anchors_unread = is_unread
    return [], changed


@transaction.atomic
def choose_topics(
    slug: str, query_ids: Names[str], by: User | None, version: int | None = None
) -> Study:
    """Let a draft cover these topics of its collection; those taken out lose what was set.

    Raises BadStudy: no topics, some that the collection does not have, or a plan stands.
    """
    study = locked_draft(slug, version)
    home = dict(study.collection.topics.values_list("query_id", "pk"))
    existing = set(study.topics.values_list("topic__query_id", flat=True))
    wanted = set(query_ids)
    if wanted == existing:
        return study
    wrong = [f"{name} is not in collection {study.collection}." for name in wanted - home.keys()]
    if not wanted:
        wrong = ["expected at least one topic."]
    elif has_plan(study):
        wrong = [DISCARD]
    if wrong:
        raise BadStudy(*(Fault(("topics",), what) for what in sorted(wrong)))
    study.topics_seed = None
    study.save(update_fields=["topics_seed"])
    added, removed = sorted(wanted - existing), sorted(existing - wanted)
    study.topics.filter(topic__query_id__in=removed).delete()
    StudyTopic.objects.bulk_create(StudyTopic(study=study, topic_id=home[name]) for name in added)
    record_change(study, by, "chose topics", added=added, removed=removed)
    return study


@transaction.atomic
def draw_topics(
    slug: str,
    number: int,
    seed: int | None = None,
    by: User | None = None,
    version: int | None = None,
) -> Study:
    """Let a draft cover so many topics of its collection, drawn at random by a seed.

    seed: one is drawn if it is None. Raises BadStudy as `choose_topics`, or if there are fewer.
    """
    study = locked_draft(slug, version)
    ids = sorted(study.collection.topics.values_list("query_id", flat=True))
    if not 1 <= number <= len(ids):
        expected = f"{number}; expected 1 to {len(ids)}, as collection {study.collection} has."
        raise BadStudy(Fault(("number",), expected))
    seed = secrets.randbelow(MAX_SEED) if seed is None else seed
    drawn = random.Random(seed).sample(ids, number)  # noqa: S311 - recorded, no secret
    study = choose_topics(slug, drawn, by)
    study.topics_seed = seed
    study.save(update_fields=["topics_seed"])
    trail.record(study, by, "drew topics", number=number, seed=seed, of=len(ids))
    return study


@transaction.atomic
def apply_config(
    slug: str, config: Mapping[str, Any], by: User | None, version: int | None = None
) -> Study:
    """Replace all settings. Raises BadStudy with all that is wrong, or if a plan stands."""
    study = locked_draft(slug, version)
    if has_plan(study):
        raise BadStudy(f"Study {slug} has a plan: discard it first.")
    before = model_to_dict(study, BY_NAME)
    for name, default in model_to_dict(Study(), BY_NAME).items():
        setattr(study, name, default)
    earlier, config = split_excluded_studies(config)
    study, topics = read_study(study, config)
    choose_excluded_studies(study, earlier, by)
    study.pay_is_chosen = True  # a file that leaves it out sets the default
    study.topics_seed = None
    study.save(update_fields=[*BY_NAME, "crowd", "pay_is_chosen", "topics_seed"])
    study.topics.all().delete()
    StudyTopic.objects.bulk_create(topics)
    changes = differences(before, model_to_dict(study, BY_NAME))
    names = [topic.topic.query_id for topic in topics]
    record_change(study, by, "set up by a study.toml", changes=changes, topics=names)
    return study
