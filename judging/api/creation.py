from typing import Any

from django.http import Http404, HttpResponse, HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.idempotency import idempotent
from accounts.models import User, logged_in
from judging.acts.studies import MAKING, AtVersion
from judging.api import views
from judging.api.serializers import StudySerializer
from judging.api.verbs import Verb, change_study, do_act, translate_errors
from judging.models import PlanJob, Study
from judging.settings import BY_NAME
from judging.studies import plan_jobs
from judging.studies.access import study_for
from judging.studies.configuration import changing, cloning
from judging.studies.configuration.missing import missing, missing_for_people
from judging.studies.configuration.settings import create_study
from web.bounds import field_options
from web.rest.bodies import Body, ModelBody, checked
from web.rest.parameters import OneOf, Parameters, Text, WithParameters

SAME_AS_TOML = "All that a study.toml says, as JSON: settings by name, and `topics` by number."


class NewStudy(Body):
    """A study to be made: a draft with the usual settings, or of a study.toml."""

    slug = serializers.SlugField(max_length=50, help_text="Its name in addresses.")
    collection = serializers.SlugField(max_length=50)
    title = serializers.CharField(required=False, max_length=200)
    config = serializers.DictField(required=False, help_text=SAME_AS_TOML)


class Settings(AtVersion, ModelBody):
    """Settings by their names in a study.toml: those that are to change."""

    class Meta:
        model = Study
        fields = ("version", *sorted(BY_NAME))
        extra_kwargs = {name: {"required": False} for name in BY_NAME}


class DeletedSerializer(serializers.Serializer[Any]):
    """What went with something that was deleted."""

    deleted = serializers.DictField(child=serializers.IntegerField(), help_text="Counts, by kind.")


class DeletingParameters(Parameters):
    typed = Text("The study's name, typed once more; wanted where people's data go with it.")


class Studies(views.Studies):
    """Studies: there, and made."""

    @extend_schema(request=NewStudy, responses={201: StudySerializer})
    @idempotent
    def post(self, request: Request) -> Response:
        """Make a draft study of topics of a collection. Who makes it is its owner."""
        data = checked(NewStudy, request)
        config, by = data.get("config", {}), logged_in(request)
        config |= {name: data[name] for name in ("title",) if name in data}
        with translate_errors():
            study = create_study(data["slug"], data["collection"], config, by=by)
        return Response(StudySerializer(study).data, 201)


class OneStudy(views.OneStudy):
    """One study."""

    def parameters_of(self, method: str) -> type[Parameters]:
        return DeletingParameters if method == "DELETE" else Parameters

    @extend_schema(request=Settings, responses=StudySerializer)
    def patch(self, request: Request, slug: str) -> Response:
        """Change some of its settings: of a draft any, of an open study a few."""
        study = change_study(changing.change_settings, Settings, request, slug)
        return Response(StudySerializer(study).data)

    @extend_schema(responses={200: DeletedSerializer})
    def delete(self, request: Request, slug: str) -> Response:
        """Delete the study with all that belongs to it, for good."""
        typed = self.params.get("typed", "")
        return Response({"deleted": do_act(MAKING["delete"], request, slug, typed=typed)})


class ConfigParameters(Parameters):
    file_format = OneOf(["json", "toml"], default="json")


class SetUp(AtVersion):
    """All that is set up."""

    config = serializers.DictField(help_text=SAME_AS_TOML)


class Config(WithParameters):
    """What is set up, as a study.toml says it."""

    parameters = ConfigParameters

    @extend_schema(
        responses={
            (200, "application/json"): OpenApiTypes.OBJECT,
            (200, "application/toml"): OpenApiTypes.STR,
        }
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """Settings, topics, anchors and questions; the same study can be made of it."""
        study, by = study_for(request.user, slug), logged_in(request)
        if self.params["file_format"] == "toml":
            return HttpResponse(cloning.toml_of(study, by), content_type="application/toml")
        return Response(cloning.config_of(study, by))

    @extend_schema(request=SetUp, responses=StudySerializer)
    def put(self, request: Request, slug: str) -> Response:
        """Give a draft without a plan all that a study.toml says, in the place of what was set."""
        study = change_study(changing.apply_config, SetUp, request, slug, "config")
        return Response(StudySerializer(study).data)


class MissingSerializer(serializers.Serializer[Any]):
    """Something that keeps a study from being opened."""

    what = serializers.CharField()
    step = serializers.CharField(help_text="Of the making, where it is mended.")
    query_id = serializers.CharField(help_text="The topic that it is missing on, if on one.")


class Missing(views.ListOfStudy):
    """All that keeps the study from being opened; an empty list if nothing does."""

    serializer_class = MissingSerializer

    def get_queryset(self) -> Any:
        return [*missing(study := self.study()), *missing_for_people(study)]


class NewPlan(Body):
    """How units are planned."""

    depth = serializers.IntegerField(
        required=False, help_text="Documents of each run.", **field_options(Study, "pool_depth")
    )
    pool_by = serializers.ChoiceField(Study.PooledBy.choices, required=False)
    seed = serializers.IntegerField(required=False, **field_options(Study, "plan_seed"))


class PlannedSerializer(serializers.Serializer[Any]):
    """What was planned."""

    seed = serializers.IntegerField(help_text="Gives the same plan again.")
    documents = serializers.IntegerField()
    units = serializers.IntegerField()
    largest_topic = serializers.IntegerField(help_text="Units.")
    workers = serializers.IntegerField(help_text="So many are needed at least.")
    pooled_to = serializers.IntegerField(help_text="The rank to which every run is judged.")
    cutoff = serializers.IntegerField(
        allow_null=True, help_text="Of the measures that rank systems; null: there are none."
    )
    warnings = serializers.ListField(child=serializers.CharField())


class PlanSerializer(serializers.ModelSerializer[PlanJob]):
    """A plan that was asked for."""

    result = PlannedSerializer(allow_null=True, help_text="null until it is done.")

    class Meta:
        model = PlanJob
        fields = ("state", "progress", "fault", "asked_at", "result")


class Plan(Verb):
    """Pool the documents of every topic, draw anchors where none are named, and draw the units.

    In the background, and in the place of the plan that there is; until the study opens. How far it
    is, and what was planned, a GET of the same address says.
    """

    request_serializer = NewPlan
    response_serializer = PlanSerializer
    status = 202

    @extend_schema(responses=PlanSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """The plan that was asked for last: how far it is, and what was planned."""
        job = plan_jobs.plan_job_of(study_for(request.user, slug))
        if job is None:
            raise Http404("Nobody has asked for a plan: POST to this address.")
        return Response(PlanSerializer(job).data)

    def perform(self, study: Study, by: User, **options: Any) -> PlanJob:
        return plan_jobs.request_plan(study, by, **options)

    @extend_schema(responses=StudySerializer)
    def delete(self, request: Request, slug: str) -> Response:
        """Discard the plan, so that what it was made of can change."""
        return Response(StudySerializer(do_act(MAKING["discard-plan"], request, slug)).data)
