from typing import Any

from django.db.models import QuerySet
from rest_framework import generics
from rest_framework.exceptions import PermissionDenied

from accounts.models import logged_in
from judging.api import serializers
from judging.models import Assignment, CheckFailure, Collection, Role, Study
from judging.models.unit import unit_name
from judging.monitoring.progress import progress_of
from judging.states import State
from judging.studies.access import sees_platform_ids, study_for
from web.rest.paging import ByIdPagination, OrderedPagination, Ordering, PageParameters
from web.rest.parameters import Moment, OneOf, Text, WithParameters
from web.rest.problems import BadParameter


def filters_from(values: dict[str, Any], **paths: str) -> dict[str, Any]:
    """Parameters that were given as filters, by the path to the field of each."""
    return {path: values[name] for name, path in paths.items() if name in values}


class StudyView(WithParameters):
    """A view below the address of a study."""

    def study(self, role: Role = Role.VIEWER) -> Study:
        """The study that the address names, for somebody who has this role."""
        return study_for(self.request.user, self.kwargs["slug"], role)


class OfStudy(StudyView, generics.RetrieveAPIView[Any]):
    """Something of a study, by GET; a subclass says what it is in `get_object`."""


class ListOfStudy(StudyView, generics.ListAPIView[Any]):
    """A short list of what belongs to a study, whole."""

    pagination_class = None


class PagedListView(StudyView, generics.ListAPIView[Any]):
    """A list in pages."""

    parameters = PageParameters
    pagination_class = ByIdPagination


class CollectionsParameters(PageParameters):
    ordering = Ordering({"created_at": "id", "slug": "slug"})
    slug = Text("Those whose slug contains this, in whatever case.")


class Collections(PagedListView):
    """The collections that one may see: one's own, those shared, and those of one's studies."""

    parameters = CollectionsParameters
    pagination_class = OrderedPagination
    serializer_class = serializers.CollectionSerializer

    def get_queryset(self) -> QuerySet[Collection]:
        seen = Collection.objects.seen_by(self.request.user)
        filters = filters_from(self.params, slug="slug__icontains")
        return seen.filter(**filters).counted().prefetch_related("runs", "label_sets")


class StudiesParameters(PageParameters):
    ordering = Ordering({"created_at": "id", "slug": "slug", "title": "title"})
    stage = OneOf(list(Study.Stage), help_text="Those at one stage.")
    collection = Text("Those on one collection, by its slug.")
    title = Text("Those whose title contains this, in whatever case.")


class Studies(PagedListView):
    """The studies of which one is of the team, each with its progress."""

    parameters = StudiesParameters
    pagination_class = OrderedPagination
    serializer_class = serializers.StudyRowSerializer

    def get_queryset(self) -> QuerySet[Study]:
        self._refuse_unknown_collection()
        seen = Study.objects.seen_by(self.request.user).without_rehearsals()
        filters = filters_from(
            self.params, stage="stage", collection="collection__slug", title="title__icontains"
        )
        return seen.filter(**filters).select_related("collection")

    def paginate_queryset(self, queryset: Any) -> Any:
        self.page = list(super().paginate_queryset(queryset) or [])
        return self.page

    def get_serializer_context(self) -> dict[str, Any]:
        progress = progress_of(getattr(self, "page", []))
        return {**super().get_serializer_context(), "progress": progress}

    def _refuse_unknown_collection(self) -> None:
        seen = Collection.objects.seen_by(self.request.user)
        if "collection" in self.params and not seen.filter(slug=self.params["collection"]).exists():
            raise BadParameter({"collection": ["you see no such collection"]})


class OneStudy(OfStudy):
    """One study and its settings."""

    serializer_class = serializers.StudySerializer
    get_object = StudyView.study


class RowParameters(PageParameters):
    """Which rows of a list: those that match all parameters."""

    query_id = Text("Those of one topic.")
    worker = Text("Those of one worker.")
    since = Moment("Those of this moment or later, as 2026-11-22T12:00:00Z.")
    until = Moment("Those before this moment.")


class StudyListView(PagedListView):
    """A paged list of what belongs to one study, by topic and worker."""

    def filters(self, study: Study, at: str = "", **paths: str) -> dict[str, Any]:
        """By the path to each field; `at`: to the time of a row; raises BadParameter if unknown."""
        _refuse_unknown(study, self.params)
        moments = {"since": f"{at}__gte", "until": f"{at}__lt"} if at else {}
        return filters_from(self.params, **paths, **moments)


def _refuse_unknown(study: Study, values: dict[str, Any]) -> None:
    query_ids = study.topics.values_list("topic__query_id", flat=True)
    if "query_id" in values and values["query_id"] not in query_ids:
        raise BadParameter({"query_id": [f"expected one of {', '.join(query_ids)}"]})
    workers = study.workers.values_list("pseudonym", flat=True)
    if "worker" in values and not workers.filter(pseudonym=values["worker"]).exists():
        raise BadParameter({"worker": ["this study has no such worker"]})


class UnitsParameters(RowParameters):
    """Which attempts; `since`: by when something was last done."""

    state = OneOf(list(State), help_text="Those in one state.")


class Units(StudyListView):
    """Every attempt at a unit: who, when, how far, and what became of it."""

    parameters = UnitsParameters
    serializer_class = serializers.UnitSerializer

    def get_queryset(self) -> QuerySet[Assignment]:
        study = self.study()
        filters = self.filters(
            study,
            query_id="study_topic__topic__query_id",
            worker="worker__pseudonym",
            state="state",
            at="active_at",
        )
        return (
            Assignment.objects.filter(study=study, **filters)
            .select_related("worker", "study_topic__topic")
            .annotate(unit_name=unit_name())
        )


class FailuresParameters(RowParameters):
    check = OneOf(list(CheckFailure.Check), help_text="Those of one check.")


class Failures(StudyListView):
    """Every failed check."""

    parameters = FailuresParameters
    serializer_class = serializers.FailureSerializer

    def get_queryset(self) -> QuerySet[CheckFailure]:
        study = self.study()
        filters = self.filters(
            study,
            query_id="assignment__study_topic__topic__query_id",
            worker="assignment__worker__pseudonym",
            check="check_name",
            at="at",
        )
        return (
            CheckFailure.objects.filter(assignment__study=study, **filters)
            .select_related("assignment__worker", "assignment__study_topic__topic")
            .annotate(unit_name=unit_name("assignment__"))
        )


class Completions(StudyListView):
    """Every unit that a person is paid for: the only way out for a platform's ids.

    For those of the team who may see these ids.
    """

    parameters = RowParameters
    serializer_class = serializers.CompletionSerializer

    def get_queryset(self) -> QuerySet[Assignment]:
        study = self.study()
        if not sees_platform_ids(logged_in(self.request), study):
            raise PermissionDenied("You may not see platforms' ids of workers: ask an owner.")
        filters = self.filters(
            study,
            query_id="study_topic__topic__query_id",
            worker="worker__pseudonym",
            at="finished_at",
        )
        return (
            Assignment.objects.paid()
            .filter(study=study, worker__simulated=False, **filters)
            .select_related("worker__account", "study")
            .annotate(unit_name=unit_name())
        )
