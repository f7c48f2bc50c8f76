"""What is done to a model's run, for pages, REST and the command alike."""

from typing import Any

from rest_framework import serializers

from crowd.language_model import making, runs
from crowd.language_model.estimates import estimate
from crowd.models import ModelRun
from judging.acts import Act, Question
from judging.models import Role, Study
from web.bounds import field_options
from web.rest.bodies import Body, Decimal


def _number(name: str, **options: Any) -> serializers.Field[Any, Any, Any, Any]:
    return serializers.IntegerField(**field_options(ModelRun, name), **options)


def _money(name: str, digits: int = 4, **options: Any) -> Decimal:
    return Decimal(max_digits=10, decimal_places=digits, **field_options(ModelRun, name), **options)


class Limits(Body):
    """The key of the endpoint, what it costs, and how much may be asked of it."""

    key = serializers.CharField(required=False, allow_blank=True, max_length=1_000)
    price_in = _money("price_in", required=False)
    price_out = _money("price_out", required=False)
    max_cost = _money("max_cost", 2, required=False)
    requests_per_minute = _number("requests_per_minute", required=False)
    parallel = _number("parallel", required=False)


class NewModelRun(Limits):
    """Which model judges the study's documents, and within which limits."""

    slug = serializers.SlugField(required=False, max_length=50)
    endpoint = serializers.CharField(max_length=50)
    model = serializers.CharField(max_length=200)
    temperature = serializers.FloatField(required=False, **field_options(ModelRun, "temperature"))
    redundancy = serializers.IntegerField(required=False, **field_options(Study, "redundancy"))
    seed = _number("seed", required=False)
    all_topics = serializers.BooleanField(
        default=False, help_text="The collection's other topics, too; their anchors are drawn."
    )
    max_answer_tokens = _number("max_answer_tokens", required=False)
    price_in = _money("price_in")
    price_out = _money("price_out")
    max_cost = _money("max_cost", 2)


class Permission(Body):
    """That the texts of topics and documents may be sent to the endpoint."""

    may_send = serializers.BooleanField(required=False)


def _ask(study: Study, **_: Any) -> Question:
    run = ModelRun.objects.select_related("study").get(study=study)
    ahead = estimate(run)
    lines = (
        f"{ahead.units:,} units are left: about {ahead.requests:,} requests, {ahead.tokens_in:,} "
        f"tokens sent and {ahead.tokens_out:,} answered, {ahead.cost:,.2f} {study.currency}.",
        f"The texts of topics and documents are sent to {run.endpoint}.",
    )
    return Question(f"Let {run.model} judge {study.title}?", lines, "Start")


def _made(run: ModelRun) -> str:
    ahead = estimate(run)
    cost = f"{ahead.cost:,.2f} {run.study.currency}"
    return f"Study {run.study} is planned: {ahead.units:,} units, about {cost}."


ACTS = {
    "make-model-run": Act(
        "Make a draft about this study, for a language model to judge its documents.",
        making.make_run,
        NewModelRun,
        _made,
        status=201,
    ),
    "start-model-run": Act(
        "Let the language model of this study judge, or go on.",
        runs.start,
        Permission,
        "The model judges.",
        ask=_ask,
    ),
    "pause-model-run": Act(
        "Pause the language model of this study.", runs.pause, done="The model is paused."
    ),
    "stop-model-run": Act(
        "Stop the language model of this study for good, and close the study.",
        runs.stop,
        done="The model is stopped.",
        role=Role.OWNER,
    ),
    "change-model-run": Act(
        "Change key, prices and limits of the language model of this study.",
        runs.change,
        Limits,
        "The run is changed.",
    ),
}
