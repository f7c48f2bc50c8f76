"""Analyses: what there is, what one says, and its figures and tables as files."""

from functools import reduce
from operator import or_
from typing import Any
from urllib.parse import urlencode

from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from evaluation.analyses import ANALYSES, SECTIONS, of_section, of_study
from evaluation.analyses.question import BadQuestion, Question, question
from evaluation.api.serializers import AnalysisSerializer, ListedAnalysisSerializer
from evaluation.api.views import AnyKind, ForSpreadsheet, conditional, label_set_given
from evaluation.cache import part_files, stored
from evaluation.models import CachedAnalysis
from judging.models import Study
from judging.studies.access import study_for
from web.rest.openapi import ETAG
from web.rest.parameters import OneOf, Parameters, Text, WithParameters
from web.rest.problems import BadParameter

WAIT = 2  # seconds until it is worth asking again
# Of a part: its pictures, its pages, and where its intervals are cut there.
FOR_PAGES = ("svg", "pictures", "legend", "mark", "page", "limits", "heads")
# What stands for a result before there is one.
NOTHING: dict[str, Any] = {"says": [], "parts": [], "numbers": {}} | dict.fromkeys(
    ("units", "judgments", "label_set", "seed", "crowd", "code_version")
)


class AnalysesParameters(Parameters):
    """What a study is compared with."""

    labels = Text("The label set; that of the anchors by default.")


class AnalysisParameters(AnalysesParameters):
    """What is asked of an analysis; one that takes none of it leaves it aside."""

    measure = Text("Of significance and power: one like AP@10.")
    gains = Text("Of significance and power: by name, like udm:1/3.")
    reader = Text("Of reader: TBG with numbers, like TBG(half_life=300).")
    first = Text("Of internal: how many scores of a document count, the first; a number, or all.")
    tries = Text("Of every analysis: only units completed within so many presses of Finish.")


class PartParameters(ForSpreadsheet, AnalysisParameters):
    """What is asked of a figure or table, and how it is written."""

    file_format = OneOf(tuple(part_files.CONTENT_TYPES), default="csv")


def _asked(request: Request, study: Study, name: str) -> Question:
    try:
        return question(study, ANALYSES[name].takes, request.GET)
    except BadQuestion as fault:
        raise BadParameter({fault.option: [str(fault)]}) from fault


def _known(name: str, study: Study) -> str:
    fitting = of_study(study)
    if name not in fitting:
        there = f"there are {', '.join(fitting)}" if fitting else "there is none for such a study"
        raise Http404(f"There is no analysis {name}; {there}.")
    return name


class Analyses(WithParameters):
    """The analyses of a study."""

    parameters = AnalysesParameters

    @extend_schema(responses=ListedAnalysisSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Every analysis: the question that it answers, and when it was computed last."""
        study = study_for(request.user, slug)
        label_set = label_set_given(study, request.GET.get("labels", ""), BadParameter)
        query = f"?{urlencode({'labels': label_set})}" if request.GET.get("labels") else ""
        at = dict(
            CachedAnalysis.objects.filter(study=study, label_set=label_set, asked="").values_list(
                "name", "computed_at"
            )
        )
        return Response(
            [
                {
                    "name": analysis.name,
                    "section": section,
                    "asks": analysis.asks,
                    "computed_at": at.get(analysis.name),
                    "url": reverse("api-analysis", [slug, analysis.name], request=request) + query,
                }
                for section in SECTIONS
                for analysis in of_section(section, study)
            ]
        )


class Analysis(WithParameters):
    """One analysis."""

    parameters = AnalysisParameters

    @extend_schema(responses={200: AnalysisSerializer, 202: AnalysisSerializer})
    def get(self, request: Request, slug: str, name: str) -> Response:
        """What it says, with the data of its figures and tables.

        Computed when it is asked for: 202 until there is something to show. What is kept is shown
        meanwhile, and afterwards until the data change; `current` says whether they have.
        """
        study = study_for(request.user, slug)
        label_set = label_set_given(study, request.GET.get("labels", ""), BadParameter)
        asked = _asked(request, study, _known(name, study))
        (cached,) = stored.get_or_request(study, [name], label_set, timezone.now(), {name: asked})
        result = ANALYSES[name].with_live(study, label_set, stored.all_rows(cached.row))
        told = {
            "name": name,
            "asks": ANALYSES[name].asks,
            "current": cached.current,
            "waits": cached.waits,
            "progress": cached.row.progress,
            "fault": cached.row.fault,
            "asked": asked._asdict(),
            "computed_at": cached.row.computed_at,
            **NOTHING,
            **(result or {}),
            "parts": [_without_picture(part) for part in (result or NOTHING)["parts"]],
        }
        if result is None and cached.waits:
            return Response(told, status=202, headers={"Retry-After": str(WAIT)})
        return Response(told)


def _without_picture(part: dict[str, Any]) -> dict[str, Any]:
    """A part without its picture, which is a file of its own, and without what is for pages."""
    every = {"caption": "", "reading": "", "notes": [], "n": len(part["rows"])} | part
    return {name: value for name, value in every.items() if name not in FOR_PAGES}


def _computed_at(request: HttpRequest, slug: str, name: str, part: str) -> str | None:
    """One for each time that it was computed, and each way of asking for it."""
    study = Study.objects.select_related("collection").filter(slug=slug).first()
    written = request.GET.get("file_format", "csv")
    kinds = [kind for kind, formats in part_files.FORMATS.items() if written in formats]
    if study is None or not kinds or name not in ANALYSES or ANALYSES[name].live:
        return None
    try:
        label_set = stored.label_set_of(study, request.GET.get("labels", ""))
        rows = stored.answers(study, name, label_set, request.GET)
    except (stored.NotThere, BadQuestion):
        return None
    named = (Q(result__parts__contains=[{"name": part, "kind": kind}]) for kind in kinds)
    at = rows.filter(reduce(or_, named)).values_list("computed_at", flat=True).first()
    reader = request.GET.get("for", "")
    return f'"{at.timestamp()}.{name}.{part}.{written}{reader}"' if at else None


class Part(WithParameters):
    """One figure or table of an analysis, as a file."""

    parameters = PartParameters

    content_negotiation_class = AnyKind

    @extend_schema(
        operation_id="v1_studies_analyses_part_retrieve",
        responses={
            (200, "text/csv"): OpenApiTypes.STR,
            (200, "application/x-tex"): OpenApiTypes.STR,
            (200, "image/svg+xml"): OpenApiTypes.STR,
            (200, "application/pdf"): OpenApiTypes.BINARY,
            304: None,
        },
        parameters=[ETAG],
    )
    @conditional(_computed_at)
    def get(self, request: Request, slug: str, name: str, part: str) -> HttpResponseBase:
        """Its data as CSV; a table as LaTeX, a figure as SVG or PDF too."""
        study = study_for(request.user, slug)
        label_set = label_set_given(study, request.GET.get("labels", ""), BadParameter)
        try:
            content, crowd = part_files.part_of(study, name, label_set, part, request.GET)
        except stored.NotThere as fault:
            raise Http404(str(fault)) from fault
        except BadQuestion as fault:
            raise BadParameter({fault.option: [str(fault)]}) from fault
        file_format = self.params["file_format"]
        if file_format not in part_files.formats(content):
            expected = ", ".join(part_files.formats(content))
            raise BadParameter({"file_format": [f"“{file_format}”: expected one of {expected}"]})
        written = part_files.written(
            content, file_format, crowd, for_spreadsheet="for" in self.params
        )
        return HttpResponse(written, content_type=part_files.CONTENT_TYPES[file_format])
