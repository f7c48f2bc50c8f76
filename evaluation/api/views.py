"""Judgments, gains, rankings and progress, read-only."""

from collections.abc import Callable
from hashlib import sha256
from typing import Any

from django.http import Http404, HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.utils.decorators import method_decorator
from django.views.decorators.http import condition
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema
from rest_framework.fields import FloatField
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from evaluation import pipeline, results
from evaluation.api import serializers
from evaluation.cache import stored
from evaluation.publishing import exports, judgment_rows, pair_gains
from judging import monitoring
from judging.api.serializers import ProgressSerializer
from judging.api.views import RowParameters, StudyListView
from judging.models import Judgment, Opinion, Study
from judging.states import State
from judging.studies.access import study_for
from magnitudes.gains.named import forms
from magnitudes.gains.whole_numbers import FEWEST_LEVELS, MOST_LEVELS, trec_eval_gains
from magnitudes.measures.names import parse
from web.rest.openapi import ETAG, GAINS_HEADERS
from web.rest.parameters import OneOf, Parameters, Text, Whole, WithParameters
from web.rest.problems import BadParameter

CONTENT_TYPES = {
    "trec": "text/plain; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/x-ndjson",
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
}
GAINS = (
    f"What a document is worth: {forms()}. By default magnitude, or linear of levels; levels have "
    "no magnitude."
)


class ForSpreadsheet(Parameters):
    """`for`, which no class can have as an attribute."""

    def get_fields(self) -> dict[str, Any]:
        says = "Of CSV: no text that a spreadsheet would run as a formula."
        return super().get_fields() | {"for": OneOf(["spreadsheet"], help_text=says)}


class GainsParameters(ForSpreadsheet):
    """How gains are computed and written."""

    normalisation = OneOf(
        pair_gains.NORMALISATIONS,
        help_text=f"{pipeline.NORMALISATION} by default; of a graded study only none.",
    )
    aggregation = OneOf(
        pair_gains.AGGREGATIONS,
        help_text=f"{pipeline.AGGREGATION} by default; of a graded study median or arithmetic.",
    )
    gains = Text(GAINS)
    integers = FloatField(
        required=False,
        help_text="A factor: whole numbers, each the gain times this and rounded. Remarks, a "
        "header, says what is lost.",
    )
    levels = Whole(
        FEWEST_LEVELS,
        MOST_LEVELS,
        help_text="As many levels, whole numbers, in place of gains. Level-Gains, a header, has "
        "the gain of each, Trec-Eval-Gains the same for trec_eval, Remarks what is lost.",
    )


class QrelsParameters(GainsParameters):
    """How gains are computed and written, and in which format."""

    file_format = OneOf(exports.EXPORTS["qrels"].formats, default="trec")


class CrowdKitParameters(ForSpreadsheet):
    """How scores are written."""

    file_format = OneOf(exports.EXPORTS["crowdkit"].formats, default="csv")


class RankingsParameters(Parameters):
    """What systems are ranked by."""

    measure = Text("Such as nDCG(dcg='jk')@10, nDCG@5 or ERR@10.")
    gains = Text(GAINS)


class JudgmentsParameters(RowParameters):
    """Which judgments; `since`, `until`: by when their unit was completed."""

    doc_id = Text("Those of one document.")


def etag(request: HttpRequest, slug: str, *args: Any, **given: Any) -> str | None:
    """One for each state of the results and each way of asking for them."""
    study = Study.objects.seen_by(request.user).filter(slug=slug).first()
    if study is None:
        return None
    asked = sha256(request.META.get("QUERY_STRING", "").encode(errors="replace")).hexdigest()
    return f'"{results.version(study)}.{asked[:16]}"'


def label_set_given(study: Study, name: str, error: Callable[..., Exception]) -> str:
    """The name of the label set that is asked for, or the usual one; `error` where there is none.

    error: what a parameter or a field of this kind raises.
    """
    try:
        return stored.label_set_of(study, name)
    except stored.NotThere as fault:
        raise error({"labels": [str(fault)]}) from fault


class Conditional(WithParameters):
    """A view of results that answers 304 while nothing has changed."""

    def initial(self, request: Request, *args: Any, **given: Any) -> None:
        super().initial(request, *args, **given)
        self.study = study_for(request.user, given["slug"])


def conditional(etag_of: Callable[..., str | None]) -> Callable[..., Any]:
    """Answer a method with an ETag, and with 304 where the client has that already."""
    return method_decorator(condition(etag_func=etag_of))


class AnyKind(DefaultContentNegotiation):
    """Whatever kinds of content a client would like: `file_format` says which one is sent."""

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        return renderers[0], renderers[0].media_type


class Qrels(Conditional):
    """The gains of all judged pairs, as a file."""

    content_negotiation_class = AnyKind

    parameters = QrelsParameters

    @extend_schema(
        responses={
            (200, "text/plain"): OpenApiTypes.STR,
            (200, "text/csv"): OpenApiTypes.STR,
            (200, "application/x-ndjson"): serializers.QrelSerializer,
            304: None,
        },
        parameters=GAINS_HEADERS,
    )
    @conditional(etag)
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """`topic iteration document gain` lines, or the same as CSV or JSONL."""
        return file_answer(self.study, "qrels", **self.params)


class CrowdKit(Conditional):
    """The scores that gains are aggregated from, as a file that crowd-kit reads."""

    content_negotiation_class = AnyKind

    parameters = CrowdKitParameters

    @extend_schema(
        responses={
            (200, "text/csv"): OpenApiTypes.STR,
            (200, "application/x-ndjson"): serializers.CrowdKitSerializer,
            304: None,
        },
        parameters=[ETAG],
    )
    @conditional(etag)
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """Rows of `task`, `worker` and `label`: topic and document, who, and the score."""
        return file_answer(self.study, "crowdkit", **self.params)


def file_answer(
    study: Study, table: str, file_format: str, **options: Any
) -> StreamingHttpResponse:
    """A table as it is asked for, streamed.

    Raises:
        Http404: there is no such table, or not in this format.
        BadParameter: it cannot be made with these options.
    """
    for_spreadsheet = bool(options.pop("for", ""))
    try:
        made = exports.file(study, table, file_format, for_spreadsheet=for_spreadsheet, **options)
    except exports.CannotExport as fault:
        if not fault.option:
            raise Http404(str(fault)) from fault
        raise BadParameter({fault.option: [str(fault)]}) from fault
    return StreamingHttpResponse(
        made.lines, content_type=CONTENT_TYPES[file_format], headers=_headers(made)
    )


def _headers(made: exports.File) -> dict[str, str]:
    """What a reader of a file has to know of it."""
    gains = made.gain_of_level
    headers = {
        "Remarks": "; ".join(made.remarks),
        "Level-Gains": ",".join(f"{level}={gain}" for level, gain in gains.items()),
        "Trec-Eval-Gains": trec_eval_gains(gains),
    }
    return {name: value for name, value in headers.items() if value}


class Rankings(Conditional):
    """The systems, ranked."""

    parameters = RankingsParameters

    @extend_schema(responses={200: serializers.RankingSerializer, 304: None}, parameters=[ETAG])
    @conditional(etag)
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """Mean, interval and rank of every system, its values per topic, and their source."""
        usual = pipeline.measures(self.study)
        if "measure" not in self.params and not usual:
            raise BadParameter(
                {"measure": [f"expected a measure: {results.no_measure(self.study)}"]}
            )
        asked = self.params.get("measure", *usual[:1])
        try:
            with results.refusals(asked):
                return Response(results.ranking(self.study, parse(asked), self.params.get("gains")))
        except results.CannotRank as fault:
            raise BadParameter({fault.option: [str(fault)]}) from fault


@extend_schema(
    responses=PolymorphicProxySerializer(
        component_name="AnyJudgment",
        serializers=[
            serializers.JudgmentSerializer,
            serializers.OpinionSerializer,
            serializers.MagnitudeSerializer,
        ],
        resource_type_field_name=None,
    )
)
class Judgments(StudyListView):
    """Every judgment of completed units; of a study that was judged elsewhere, every opinion."""

    parameters = JudgmentsParameters

    def get_queryset(self) -> Any:
        return self._records(self.study())

    def _records(self, study: Study) -> Any:
        if study.is_imported:
            if timed := self.params.keys() & {"since", "until"}:
                why = ["what was judged elsewhere has no time here"]
                raise BadParameter(dict.fromkeys(timed, why))
            wanted = self.filters(
                study,
                query_id="study_topic__topic__query_id",
                worker="worker__pseudonym",
                doc_id="document__doc_id",
            )
            return Opinion.objects.filter(study_topic__study=study, **wanted).only("id")
        wanted = self.filters(
            study,
            query_id="assignment__study_topic__topic__query_id",
            worker="assignment__worker__pseudonym",
            doc_id="document__doc_id",
            at="assignment__finished_at",
        )
        done = {"assignment__study": study, "assignment__state": State.COMPLETED}
        return Judgment.objects.filter(**done, **wanted).only("id")

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        study = self.study()
        keys = [record.pk for record in self.paginate_queryset(self._records(study)) or []]
        if study.is_imported:
            rows = judgment_rows.opinions_by_key(study, keys)
            of_levels, of_scores = serializers.OpinionSerializer, serializers.MagnitudeSerializer
            serializer = of_levels if study.is_graded else of_scores
        else:
            rows = judgment_rows.judgments_by_key(study, keys)
            serializer = serializers.JudgmentSerializer
        return self.get_paginated_response(serializer(rows, many=True).data)


class Progress(WithParameters):
    """How far a study has come."""

    @extend_schema(responses=ProgressSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Units by state, judgments, workers, and how many units the published ranking has."""
        study = study_for(request.user, slug)
        header = results.published(study)
        told = vars(monitoring.progress(study)) | {"evaluated_units": header.units if header else 0}
        return Response(ProgressSerializer(told).data)
