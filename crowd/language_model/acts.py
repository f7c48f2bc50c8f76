"""What is done to a model's run, for pages, REST and the command alike."""

import secrets
from typing import Any

from django.conf import settings
from django.contrib.postgres.aggregates import ArrayAgg
from django.core.exceptions import ValidationError
from django.db import transaction
from rest_framework import serializers

from accounts.models import User
from crowd.language_model.estimates import estimate
from crowd.language_model.work import end
from crowd.models import ModelRun
from judging.acts import Act, Question
from judging.models import Role, Study
from judging.studies import trail
from judging.studies.conduct.opening import open_study
from judging.studies.conduct.stages import CannotRun
from judging.studies.configuration.cloning import config_of
from judging.studies.configuration.settings import create_study
from judging.studies.faults import BadStudy, Fault
from judging.studies.rehearsal import NOT_COPIED
from judging.studies.unit_plans import CannotPlan, plan
from magnitudes.files.words import count
from web import clock
from web.bounds import field_options
from web.rest.bodies import Body, ModelBody

State = ModelRun.State


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
    _check_about(about, values.get("endpoint", ""))
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


def _check_about(about: Study, endpoint: str) -> None:
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
    ids = ArrayAgg("documents__doc_id", order_by="documents__pk")
    pools = dict(about.topics.annotate(ids=ids).values_list("topic__query_id", "ids"))
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
            **{name: {**tables[name], "documents": pool} for name, pool in pools.items()},
        },
    }


def _locked(study: Study) -> ModelRun:
    run = ModelRun.objects.select_for_update().filter(study=study).first()
    if run is None:
        raise CannotRun(f"Study {study} is not judged by a language model.")
    return run


@transaction.atomic
def start(study: Study, by: User | None, *, may_send: bool = False) -> ModelRun:
    """Begin, or resume. may_send: the texts of topics and documents may be sent to the endpoint.

    Raises BadStudy: that was never confirmed, the site has no such endpoint, the run is over, or
    the study cannot open.
    """
    run = _locked(study)
    if run.state == State.RUNNING:
        return run
    if run.state not in (State.DRAFT, State.PAUSED):
        raise CannotRun(f"The run in study {study} is {run.state}.")
    if not run.address:
        raise CannotRun(f"The site has no endpoint {run.endpoint}.")
    if may_send:
        run.may_send_by, run.may_send_at = by, clock.now()
    elif run.may_send_at is None:
        raise CannotRun("Confirm that the texts may be sent.", field="may_send")
    if study.stage == Study.Stage.DRAFT:
        open_study(study.slug, by)
    run.state, run.why, run.began_at = State.RUNNING, "", run.began_at or clock.now()
    run.save(update_fields=["state", "why", "began_at", "may_send_by", "may_send_at"])
    trail.record(study, by, "let the model judge", model=run.model, endpoint=run.endpoint)
    return run


@transaction.atomic
def pause(study: Study, by: User | None) -> ModelRun:
    """Requests under way are finished; what they answer is kept."""
    run = _locked(study)
    if run.state == State.RUNNING:
        run.state = State.PAUSED
        run.save(update_fields=["state"])
        trail.record(study, by, "paused the model")
    return run


@transaction.atomic
def stop(study: Study, by: User | None) -> ModelRun:
    """For good; the units that were judged count."""
    run = _locked(study)
    if run.state == State.DRAFT:
        raise CannotRun(f"The run in study {study} has not begun.")
    end(run, State.STOPPED, by)
    run.refresh_from_db()
    return run


@transaction.atomic
def change(study: Study, by: User | None, **limits: Any) -> ModelRun:
    """Change the key, or some of `ModelRun.LIMITS`. A slice under way goes on as before."""
    run = _locked(study)
    for name, value in limits.items():
        setattr(run, name, value)
    run.full_clean(exclude=["study"])
    run.save(update_fields=list(limits))
    changed = {name: str(value) for name, value in limits.items() if name != "key"}
    trail.record(study, by, "changed the model's run", **changed)
    return run


class Limits(ModelBody):
    """The key of the endpoint, what it costs, and how much may be asked of it."""

    key = serializers.CharField(required=False, allow_blank=True, max_length=1_000)

    class Meta:
        model = ModelRun
        fields: tuple[str, ...] = ("key", *ModelRun.LIMITS)
        extra_kwargs = {name: {"required": False} for name in ModelRun.LIMITS}


class NewModelRun(Limits):
    """Which model judges the study's documents, and within which limits."""

    slug = serializers.SlugField(required=False, max_length=50)
    redundancy = serializers.IntegerField(required=False, **field_options(Study, "redundancy"))
    all_topics = serializers.BooleanField(
        default=False, help_text="The collection's other topics, too; their anchors are drawn."
    )

    class Meta:
        model = ModelRun
        fields = (*Limits.Meta.fields, *ModelRun.ASKED, "slug", "redundancy", "all_topics")


class Permission(Body):
    """That the texts of topics and documents may be sent to the endpoint."""

    may_send = serializers.BooleanField(required=False)


def _ask_stop(study: Study) -> Question:
    left = count(study.units.filter(assignments=None).count(), "unit")
    lines = (
        f"Not judged, and not to be judged then: {left}.",
        "What is judged counts, and the study closes. Pause the run instead to resume it later.",
    )
    return Question("Stop the language model for good?", lines, "Stop for good")


def _made(run: ModelRun) -> str:
    ahead = estimate(run)
    cost = f"{ahead['cost']:,.2f} {run.study.currency}"
    return f"Study {run.study} is planned: {ahead['units']:,} units, about {cost}."


ACTS = {
    "make-model-run": Act(
        "Make a draft about this study, for a language model to judge its documents.",
        make_run,
        NewModelRun,
        _made,
        status=201,
    ),
    "start-model-run": Act(
        "Let the language model of this study judge, or go on.",
        start,
        Permission,
        "The model judges.",
    ),
    "pause-model-run": Act(
        "Pause the language model of this study.", pause, done="The model is paused."
    ),
    "stop-model-run": Act(
        "Stop the language model of this study for good, and close the study.",
        stop,
        done="The model is stopped.",
        role=Role.OWNER,
        ask=_ask_stop,
    ),
    "change-model-run": Act(
        "Change key, prices and limits of the language model of this study.",
        change,
        Limits,
        "The run is changed.",
    ),
}
