"""A study for a language model, made of the one that it is about."""

import secrets
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction

from accounts.models import User
from crowd.models import ModelRun
from judging.models import PooledDocument, Study
from judging.studies import trail
from judging.studies.conduct.stages import CannotRun
from judging.studies.configuration.cloning import config_of
from judging.studies.configuration.settings import create_study
from judging.studies.faults import BadStudy, Fault
from judging.studies.rehearsal import NOT_COPIED
from judging.studies.unit_plans import CannotPlan, plan


@transaction.atomic
def make_run(
    about: Study,
    by: User | None,
    *,
    slug: str = "",
    redundancy: int = 1,
    all_topics: bool = False,
    **values: Any,
) -> ModelRun:
    """A draft: the settings, topics, anchors and documents of `about`, planned for a model.

    redundancy: how often each document is judged, each time in another conversation. all_topics:
    the collection's other topics, too, with pools by the same rule and anchors drawn from labels.
    values: the fields of `ModelRun`. Raises BadStudy with everything that is wrong; nothing is made
    then.
    """
    about.refresh_from_db()
    _check(about, values.get("endpoint", ""))
    slug = slug or f"{about.slug[:37]}-model-{secrets.token_hex(3)}"
    study = create_study(
        slug, about.collection.slug, _config(about, redundancy, all_topics, values), by=by
    )
    study.about, study.crowd = about, Study.Crowd.MODEL
    study.save(update_fields=["about", "crowd"])
    run = ModelRun(study=study, **values)
    try:
        run.full_clean()
        plan(study, seed=run.seed, by=by)
    except ValidationError as fault:
        texts = fault.message_dict.items()
        raise BadStudy(*(Fault((name,), " ".join(lines)) for name, lines in texts)) from fault
    except CannotPlan as fault:
        raise CannotRun(*str(fault).splitlines()) from fault
    run.save()
    trail.record(about, by, "made a model's run", slug=slug, model=run.model)
    return run


def _check(about: Study, endpoint: str) -> None:
    if not about.takes_people or about.rehearsal_of_id:
        raise CannotRun(f"Study {about} is not judged by people here: a model's run is about one.")
    if endpoint not in settings.MODEL_ENDPOINTS:
        names = ", ".join(settings.MODEL_ENDPOINTS) or "none"
        raise CannotRun(f"{endpoint}; expected one of the site's: {names}", field="endpoint")
    if not about.units.exists():
        raise CannotRun(f"Study {about} has no units yet: plan it first.")


def _config(
    about: Study, redundancy: int, all_topics: bool, values: dict[str, Any]
) -> dict[str, object]:
    """The same documents, whatever would be pooled now."""
    config = config_of(about, None)
    tables: dict[str, dict[str, object]] = config.pop("topics")
    pooled = PooledDocument.objects.filter(study_topic__study=about).order_by("pk")
    pools: dict[str, list[str]] = {}
    for query_id, doc_id in pooled.values_list("study_topic__topic__query_id", "doc_id"):
        pools.setdefault(query_id, []).append(doc_id)
    others = about.collection.topics.exclude(query_id__in=pools) if all_topics else ()
    title = f"{values.get('model', '')} on {about.title}"
    return {
        **{name: value for name, value in config.items() if name not in NOT_COPIED},
        "title": title[: Study._meta.get_field("title").max_length],
        "payment": 0,
        "redundancy": redundancy,
        "minimum_seconds": 0,
        "topics": {
            **{topic.query_id: {} for topic in others},
            **{name: {**tables[name], "documents": ids} for name, ids in pools.items()},
        },
    }
