"""Judgments, gains, rankings and progress, read-only."""

from collections.abc import Callable
from hashlib import sha256
from typing import Any

from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import condition
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, PolymorphicProxySerializer, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evaluation import exports, pipeline, results
from evaluation.api import serializers
from evaluation.gains import GainError
from evaluation.gains.named import FORMS
from evaluation.measures.names import MeasureNameError, parse
from evaluation.named_gains import NoSuchGains
from judging import monitoring
from judging.api.serializers import ProgressSerializer
from judging.api.views import OfStudy
from judging.models import Judgment, Opinion, Study
from judging.states import State

CONTENT_TYPES = {
    "trec": "text/plain; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/x-ndjson",
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
}
GAINS = OpenApiParameter(
    "gains",
    description=f"What a document is worth: {FORMS}. By default magnitude, or linear of levels; "
    "levels have no magnitude.",
)


def etag(request: HttpRequest, slug: str, *args: Any, **given: Any) -> str | None:
    """One for each state of the results and each way of asking for them."""
    study = Study.objects.filter(slug=slug).first()
    if study is None:
        return None
    asked = sha256(request.META.get("QUERY_STRING", "").encode(errors="replace")).hexdigest()
    return f'"{results.version(study)}.{asked[:16]}"'


class Conditional(APIView):
    """A view of results that answers 304 while nothing has changed; staff only, as all are."""

    def initial(self, request: Request, *args: Any, **given: Any) -> None:
        super().initial(request, *args, **given)
        self.study = get_object_or_404(Study, slug=given["slug"])


def conditional(etag_of: Callable[..., str | None]) -> Callable[..., Any]:
    """Answer a method with an ETag, and with 304 where the client has that already."""

    def decorate(method: Callable[..., Any]) -> Callable[..., Any]:
        def answer(view: APIView, request: Request, **given: Any) -> HttpResponseBase:
            def respond(_: HttpRequest, **again: Any) -> HttpResponseBase:
                response: HttpResponseBase = method(view, request, **again)
                return response

            return condition(etag_func=etag_of)(respond)(request, **given)

        answer.__doc__ = method.__doc__
        return answer

    return decorate


def _one_of(request: Request, name: str, choices: tuple[str, ...], default: str) -> str:
    value = request.query_params.get(name, default)
    if value not in choices:
        raise ValidationError({name: [f"“{value}”: expected one of {', '.join(choices)}"]})
    return value


class AnyKind(DefaultContentNegotiation):
    """Whatever kinds of content a client would like: `file_format` says which one is sent."""

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        return renderers[0], renderers[0].media_type


class Qrels(Conditional):
    """The gains of all judged pairs, as a file."""

    content_negotiation_class = AnyKind

    @extend_schema(
        parameters=[
            OpenApiParameter("file_format", enum=exports.EXPORTS["qrels"].formats, default="trec"),
            OpenApiParameter(
                "normalisation",
                enum=results.NORMALISATIONS,
                description=f"{pipeline.NORMALISATION} by default; of a graded study only none.",
            ),
            OpenApiParameter(
                "aggregation",
                enum=results.AGGREGATIONS,
                default=pipeline.AGGREGATION,
                description="Of a graded study median or arithmetic.",
            ),
            GAINS,
        ],
        responses={
            (200, "text/plain"): OpenApiTypes.STR,
            (200, "text/csv"): OpenApiTypes.STR,
            (200, "application/x-ndjson"): serializers.QrelSerializer,
            304: None,
        },
    )
    @conditional(etag)
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """`topic iteration document gain` lines, or the same as CSV or JSONL."""
        written = _one_of(request, "file_format", exports.EXPORTS["qrels"].formats, "trec")
        names = ("normalisation", "aggregation")
        schemes = {name: request.query_params.get(name) for name in names}
        try:
            results.schemes(self.study, **schemes)
        except results.NoSuchScheme as fault:
            raise ValidationError({fault.option: [str(fault)]}) from fault
        gains = request.query_params.get("gains")
        try:
            lines = exports.lines(self.study, "qrels", written, **schemes, gains=gains)
        except exports.CannotExport as fault:  # all else has been looked at
            raise ValidationError({"gains": [str(fault)]}) from fault
        return StreamingHttpResponse(lines, content_type=CONTENT_TYPES[written])


class Rankings(Conditional):
    """The systems, ranked."""

    @extend_schema(
        parameters=[
            OpenApiParameter("measure", description="Such as nDCG(dcg='jk')@10, nDCG@5 or ERR@10."),
            GAINS,
        ],
        responses={200: serializers.RankingSerializer, 304: None},
    )
    @conditional(etag)
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """Mean, interval and rank of every system, its values per topic, and their source."""
        asked = request.query_params.get("measure", pipeline.MEASURES[0])
        try:
            gains = request.query_params.get("gains")
            return Response(results.ranking(self.study, parse(asked), gains))
        except MeasureNameError as fault:
            raise ValidationError({"measure": [str(fault)]}) from fault
        except NoSuchGains as fault:
            raise ValidationError({"gains": [str(fault)]}) from fault
        except GainError as fault:  # an option that does not go with the gains
            said = str(MeasureNameError(asked, str(fault)))
            raise ValidationError({"measure": [said]}) from fault


@extend_schema(
    responses=PolymorphicProxySerializer(
        component_name="AnyJudgment",
        serializers=[serializers.JudgmentSerializer, serializers.OpinionSerializer],
        resource_type_field_name=None,
    )
)
class Judgments(OfStudy):
    """Every judgment of completed units; of a study that was judged elsewhere, every opinion."""

    def get_queryset(self) -> Any:
        study = self.study()
        if study.is_imported:
            return Opinion.objects.filter(study_topic__study=study).only("id")
        done = Judgment.objects.filter(assignment__study=study)
        return done.filter(assignment__state=State.COMPLETED).only("id")

    def list(self, request: Request, *args: Any, **given: Any) -> Response:
        queryset = self.get_queryset()
        keys = [one.pk for one in self.paginate_queryset(queryset) or []]
        if queryset.model is Opinion:
            data = serializers.OpinionSerializer(exports.opinions_by_key(keys), many=True).data
        else:
            data = serializers.JudgmentSerializer(exports.judgments_by_key(keys), many=True).data
        return self.get_paginated_response(data)


class Progress(APIView):
    """How far a study has come."""

    @extend_schema(responses=ProgressSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Units by state, judgments, workers, and how many units the published ranking has."""
        study = get_object_or_404(Study, slug=slug)
        header = results.published(study)
        told = vars(monitoring.progress(study)) | {"evaluated_units": header.units if header else 0}
        return Response(ProgressSerializer(told).data)
