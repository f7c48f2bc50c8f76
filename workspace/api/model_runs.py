"""Runs of language models by REST."""

from dataclasses import replace
from typing import Any

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from crowd.language_model import acts
from crowd.language_model.estimates import Estimate, estimate
from crowd.models import ModelRun
from judging.api.verbs import Verb
from judging.api.views import OfStudy, PagedListView, StudyView
from workspace.running.model_pages import conversations_response, run_of, runs_seen_by


class ModelRunSerializer(serializers.ModelSerializer[ModelRun]):
    """A language model that judges a study of its own, and how far it is."""

    study = serializers.SlugRelatedField[Any](slug_field="slug", read_only=True)

    class Meta:
        model = ModelRun
        fields: tuple[str, ...] = (
            *("study", *ModelRun.ASKED, *ModelRun.LIMITS, "may_send_at", "state", "why"),
            *("requests", "tokens_in", "tokens_out", "cost", "began_at", "ended_at"),
        )


class EstimatedRunSerializer(ModelRunSerializer):
    """A run, and what is left of it."""

    estimate = serializers.SerializerMethodField()

    class Meta(ModelRunSerializer.Meta):
        fields = (*ModelRunSerializer.Meta.fields, "estimate")

    def get_estimate(self, run: ModelRun) -> Estimate:
        return estimate(run)


class ModelRuns(Verb, PagedListView):
    """The runs of language models about a study."""

    serializer_class = ModelRunSerializer

    def get_queryset(self) -> QuerySet[ModelRun]:
        return runs_seen_by(self.request.user, self.study())


class OneModelRun(OfStudy):
    """The language model that judges this study: its settings, how far it is, what is left."""

    serializer_class = EstimatedRunSerializer

    def get_object(self) -> ModelRun:
        return run_of(self.study())


class Conversations(StudyView):
    """All that was sent to the language model of a study."""

    @extend_schema(responses={(200, "application/x-ndjson"): OpenApiTypes.STR})
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        """Every conversation with the model, a unit a line, whole."""
        return conversations_response(run_of(self.study()))


ACTS = {name: replace(act, answer=ModelRunSerializer) for name, act in acts.ACTS.items()}
ADDRESSES = {
    "model-runs/": (ModelRuns, ACTS["make-model-run"]),
    "model-run/": OneModelRun,
    "model-run/conversations/": Conversations,
    **{
        f"model-run/{verb}/": ACTS[f"{verb}-model-run"]
        for verb in ("start", "pause", "stop", "change")
    },
}
