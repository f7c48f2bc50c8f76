"""Collections, studies and their course, read-only."""

from typing import Any

from django.db.models import QuerySet
from rest_framework import generics
from rest_framework.exceptions import PermissionDenied

from accounts.models import logged_in
from judging.api import serializers
from judging.models import Assignment, CheckFailure, Collection, Study
from judging.models.unit import unit_name
from judging.studies.access import sees_platform_ids, study_for
from web.paging import InOrder, PageParameters
from web.parameters import WithParameters


class Paged(WithParameters, generics.ListAPIView[Any]):
    """A list in pages."""

    parameters = PageParameters
    pagination_class = InOrder


class Collections(Paged):
    """The collections that one may see: one's own, those shared, and those of one's studies."""

    serializer_class = serializers.CollectionSerializer

    def get_queryset(self) -> QuerySet[Collection]:
        return (
            Collection.objects.seen_by(self.request.user)
            .counted()
            .prefetch_related("runs", "label_sets")
        )


class Studies(Paged):
    """The studies of which one is of the team."""

    serializer_class = serializers.StudySerializer

    def get_queryset(self) -> QuerySet[Study]:
        return Study.objects.seen_by(self.request.user).select_related("collection")


class OneStudy(WithParameters, generics.RetrieveAPIView[Study]):
    """One study and its settings."""

    serializer_class = serializers.StudySerializer

    def get_object(self) -> Study:
        return study_for(self.request.user, self.kwargs["slug"])


class OfStudy(Paged):
    """A paged list of what belongs to one study."""

    def study(self) -> Study:
        """The study that the address names."""
        return study_for(self.request.user, self.kwargs["slug"])


class Units(OfStudy):
    """Every attempt at a unit: who, when, how far, and what became of it."""

    serializer_class = serializers.UnitSerializer

    def get_queryset(self) -> QuerySet[Assignment]:
        return (
            Assignment.objects.filter(study=self.study())
            .select_related("worker", "study_topic__topic")
            .annotate(unit_name=unit_name())
        )


class Failures(OfStudy):
    """Every failed check."""

    serializer_class = serializers.FailureSerializer

    def get_queryset(self) -> QuerySet[CheckFailure]:
        return (
            CheckFailure.objects.filter(assignment__study=self.study())
            .select_related("assignment__worker", "assignment__study_topic__topic")
            .annotate(unit_name=unit_name("assignment__"))
        )


class Completions(OfStudy):
    """Every unit that a person is paid for: the only way out for a platform's ids.

    For those of the team who may see these ids.
    """

    serializer_class = serializers.CompletionSerializer

    def get_queryset(self) -> QuerySet[Assignment]:
        study = self.study()
        if not sees_platform_ids(logged_in(self.request), study):
            raise PermissionDenied("You may not see platforms' ids of workers: ask an owner.")
        return (
            Assignment.objects.paid()
            .filter(study=study, worker__simulated=False)
            .select_related("worker__account", "study")
            .annotate(unit_name=unit_name())
        )
