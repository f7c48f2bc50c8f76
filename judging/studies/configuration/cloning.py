from typing import Any

import tomli_w
from django.db import transaction

from accounts.models import User
from judging.models import Study
from judging.settings import BY_NAME, SETTINGS
from judging.studies import trail
from judging.studies.configuration.earlier import SETTING, seen_excluded_studies
from judging.studies.configuration.settings import create_study
from judging.studies.configuration.topic_settings import settings_of


def config_of(study: Study, by: User | None = None) -> dict[str, Any]:
    """A study as the content of a study.toml; `create_study` makes the same study of it.

    Anchors that a plan has drawn are named as if chosen, so that both studies have the same. Of
    excluded studies it names those that `by` may see (None: all).
    """
    config: dict[str, Any] = {name: getattr(study, name) for name in BY_NAME}
    config[SETTING] = [each.slug for each in seen_excluded_studies(study, by)]
    topics = study.topics.select_related("topic").order_by("topic__query_id")
    tables = {topic.topic.query_id: _filled(settings_of(topic)) for topic in topics}
    return {**_filled(config), "topics": tables}


def _filled(settings: dict[str, Any]) -> dict[str, Any]:
    """Empty settings are what they are when left out."""
    return {name: value for name, value in settings.items() if value not in (None, "", [])}


def toml_of(study: Study, by: User | None = None) -> str:
    text = tomli_w.dumps(config_of(study, by), multiline_strings=True)
    return f"# Study {study.slug} on collection {study.collection.slug}\n{text}"


@transaction.atomic
def clone(source: Study, slug: str, title: str, by: User | None) -> Study:
    """Make a draft of another study, without the codes by which a platform knows that.

    Raises BadStudy: the name is taken or invalid, or what was set no longer fits the collection.
    """
    not_copied = {setting.name for setting in SETTINGS if setting.copied == "never"}
    config = {k: v for k, v in config_of(source, by).items() if k not in not_copied}
    config["title"] = title
    study = create_study(slug, source.collection.slug, config, by=by)
    unread = source.topics.filter(anchors_unread=True).values("topic")
    study.topics.filter(topic__in=unread).update(anchors_unread=True)
    trail.record(study, by, "cloned", version=study.version, source=source.slug)
    return study
