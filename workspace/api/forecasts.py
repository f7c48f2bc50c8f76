from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User, logged_in
from judging.api.serializers import StudySerializer
from judging.api.verbs import Verb, translate_errors
from judging.api.views import ListOfStudy, OfStudy, PagedListView
from judging.models import Role, Study
from judging.studies import rehearsal
from judging.studies.access import study_for
from web.bounds import field_options
from web.rest.bodies import Body
from web.rest.parameters import WithParameters
from workspace.models import Forecast
from workspace.planning import costs, forecast_jobs
from workspace.planning.random_givers import pass_rates


class Money(serializers.DecimalField):
    """An amount in the study's currency."""

    def __init__(self, help_text: str, **options: Any) -> None:
        super().__init__(max_digits=14, decimal_places=4, help_text=help_text, **options)


class CostsSerializer(serializers.Serializer[Any]):
    """What the whole plan of a study takes."""

    is_planned = serializers.BooleanField(help_text="false: as the settings would plan it now.")
    documents = serializers.IntegerField()
    units = serializers.IntegerField()
    workers = serializers.IntegerField(help_text="If each does as many units as is usual.")
    least_workers = serializers.IntegerField(source="min_workers")
    hours = serializers.FloatField(help_text="Of work.")
    minutes = serializers.IntegerField(help_text="Of a unit at the median, as Welcome says it.")
    currency = serializers.CharField()
    payment = Money("Of a unit.")
    paid = Money("To the workers.")
    fee = Money("To the platform.")
    total = Money("Both.")
    hourly_pay = serializers.FloatField(help_text="At the median time.")
    minimum_hourly_pay = Money("The study's own, or that of its currency.", allow_null=True)
    pays_too_little = serializers.BooleanField(help_text="Less than the study's minimum.")
    too_small = serializers.ListField(
        child=serializers.CharField(), help_text="Topics with fewer documents than a unit holds."
    )


class Costs(OfStudy):
    """Units, workers, hours and money, at the times of its own units or as published."""

    serializer_class = CostsSerializer
    error_responses = {"GET": {409: "The study was judged elsewhere: there is nothing to plan."}}

    def get_object(self) -> Any:
        with translate_errors():
            return costs.costs(self.study())


class PassedSerializer(serializers.Serializer[Any]):
    """How many simulated workers pass, with Wilson's 95% interval."""

    passed = serializers.IntegerField(source="failures")
    workers = serializers.IntegerField(source="tries")
    share = serializers.FloatField()
    interval = serializers.ListField(child=serializers.FloatField(), help_text="Low and high.")


class PassingSerializer(serializers.Serializer[Any]):
    """Who passes check (c) within a limit of tries."""

    limit = serializers.IntegerField(allow_null=True, help_text="Of Finish; null: there is none.")
    is_own = serializers.BooleanField(help_text="It is the study's limit.")
    random = PassedSerializer(help_text="Who gives random numbers.")
    careful = PassedSerializer()


class RandomGivers(ListOfStudy):
    """By simulation, on the study's scale: without a limit of tries, and with several."""

    serializer_class = PassingSerializer

    def get_queryset(self) -> Any:
        return pass_rates(self.study())


class ForecastSerializer(serializers.ModelSerializer[Forecast]):
    """What a study can be expected to tell."""

    pilot = serializers.SlugRelatedField[Any](slug_field="slug", read_only=True, allow_null=True)
    result = serializers.DictField(
        allow_null=True, help_text="Sentences, and tables; null until there is one."
    )

    class Meta:
        model = Forecast
        fields = (
            *("state", "progress", "fault", "pilot", "replications", "seed", "asked_at"),
            *("computed_at", "seconds", "result"),
        )


class NewForecast(Body):
    """What is to be expected."""

    pilot = serializers.CharField(
        required=False, max_length=50, help_text="A study whose crowd to expect."
    )
    replications = serializers.IntegerField(
        required=False,
        help_text="How many studies are simulated.",
        **field_options(Forecast, "replications"),
    )
    seed = serializers.IntegerField(required=False, **field_options(Forecast, "seed"))


class AskForecast(Verb):
    """Have it computed anew, in the background, what the study will tell."""

    request_serializer = NewForecast
    response_serializer = ForecastSerializer
    status = 202

    @extend_schema(responses=ForecastSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """What is expected of redundancies and numbers of topics, as it was asked for last."""
        forecast = forecast_jobs.forecast_of(study_for(request.user, slug))
        if forecast is None:
            raise Http404("Nobody has asked for a forecast: POST to this address.")
        return Response(ForecastSerializer(forecast.row).data)

    def perform(self, study: Study, by: User, **options: Any) -> Forecast:
        return forecast_jobs.request_forecast(study, by, **options)


class Rehearsals(Verb, PagedListView):
    """The rehearsals of a study."""

    serializer_class = StudySerializer

    def get_queryset(self) -> QuerySet[Study]:
        return self.study().rehearsals.select_related("collection", "rehearsal_of", "about")

    @extend_schema(responses=StudySerializer(many=True))
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """The rehearsals of a study, each a study of its own."""
        return super().get(request, *args, **kwargs)


class Rehearsal(WithParameters):
    """One rehearsal."""

    @extend_schema(responses={204: None})
    def delete(self, request: Request, slug: str, name: str) -> Response:
        """Delete it with everything that was judged in it."""
        study = study_for(request.user, slug, Role.EDITOR)
        with translate_errors():
            tried = get_object_or_404(study.rehearsals, slug=name)
            rehearsal.delete_rehearsal(tried, logged_in(request))
        return Response(status=204)
