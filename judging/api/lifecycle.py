from typing import Any

from django.db.models import Count, QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from judging.acts.studies import RUNNING, BatchSerializer, ExclusionSerializer
from judging.api.verbs import Verb, do_act
from judging.api.views import PagedListView
from judging.models import Batch, Role, TrailEntry, Worker
from judging.studies.access import study_for
from web.rest.parameters import WithParameters


class Batches(Verb, PagedListView):
    """The batches of a study."""

    serializer_class = BatchSerializer

    def get_queryset(self) -> QuerySet[Batch]:
        return self.study().batches.annotate(n_units=Count("units"))


class Exclusions(Verb, PagedListView):
    """Workers whose scores are left out."""

    serializer_class = ExclusionSerializer

    def get_queryset(self) -> QuerySet[Worker]:
        return self.study().workers.filter(excluded_at__isnull=False)


class Exclusion(WithParameters):
    """The exclusion of one worker."""

    @extend_schema(responses={204: None})
    def delete(self, request: Request, slug: str, pseudonym: str) -> Response:
        """Let the worker's scores count again."""
        act = RUNNING["take-back-exclusion"]
        get_object_or_404(study_for(request.user, slug, act.role).workers, pseudonym=pseudonym)
        do_act(act, request, slug, worker=pseudonym)
        return Response(status=204)


class TrailSerializer(serializers.ModelSerializer[TrailEntry]):
    """One change."""

    by = serializers.SlugRelatedField[Any](
        slug_field="username",
        read_only=True,
        allow_null=True,
        help_text="null: a command, or a worker.",
    )
    details = serializers.DictField(help_text="What it was done to, and how.")

    class Meta:
        model = TrailEntry
        fields = ("at", "by", "action", "details")


class Trail(PagedListView):
    """Who changed what and when, oldest first; for owners."""

    serializer_class = TrailSerializer

    def get_queryset(self) -> QuerySet[TrailEntry]:
        return self.study(Role.OWNER).trail.select_related("by")
