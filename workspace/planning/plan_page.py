from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from accounts.models import logged_in
from evaluation.cache import page, part_files
from judging.models import Role, Study
from judging.studies.access import has_role, study_for
from web.bounds import field_options
from web.files import attachment
from workspace.decorators import staff_page
from workspace.models import Forecast
from workspace.planning.costs import NoPlan, costs
from workspace.planning.forecast_jobs import (
    REPLICATIONS,
    RequestedForecast,
    forecast_of,
    pilots_for,
    request_forecast,
)
from workspace.planning.random_givers import pass_rates

CROWD = "simulated"  # what files say of who judged


class ForecastForm(forms.Form):
    pilot = forms.ChoiceField(
        required=False,
        label="Crowd to assume",
        help_text="A pilot is a study on the same scale that your whole team sees, with at least "
        "ten completed units.",
    )
    replications = forms.IntegerField(
        label="Studies to simulate",
        initial=REPLICATIONS,
        help_text="More take longer and give a more precise forecast.",
        **field_options(Forecast, "replications"),
    )

    def __init__(self, *details: Any, pilots: list[tuple[str, str]], **named: Any) -> None:
        super().__init__(*details, **named)
        field = self.fields["pilot"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - for its type
        field.choices = [("", "The published crowd"), *pilots]


@staff_page
def plan(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Role.EDITOR if request.method == "POST" else Role.VIEWER)
    forecast = forecast_of(study)
    form = ForecastForm(
        request.POST or None, pilots=_pilots(request, study), initial=_initial(forecast)
    )
    if request.method == "POST" and form.is_valid():
        try:
            request_forecast(study, logged_in(request), **form.cleaned_data)
        except NoPlan as fault:
            form.add_error(None, str(fault))
        else:
            return redirect("plan", slug)
    context = {
        "study": study,
        "costs": _costs(study),
        "pass_rates": pass_rates(study),
        "forecast": forecast,
        "result": forecast and _prepared(request, forecast),
        "form": form,
        "may_request": has_role(logged_in(request), study, Role.EDITOR),
    }
    return render(request, "workspace/plan.html", context)


def _costs(study: Study) -> Any:
    try:
        return costs(study)
    except NoPlan as fault:
        raise Http404(str(fault)) from fault


def _pilots(request: HttpRequest, study: Study) -> list[tuple[str, str]]:
    return [
        (pilot.slug, "This study so far" if pilot.pk == study.pk else pilot.title)
        for pilot in pilots_for(study, logged_in(request))
    ]


def _initial(forecast: RequestedForecast | None) -> dict[str, object]:
    if forecast is None:
        return {}
    pilot = forecast.row.pilot
    return {"pilot": pilot.slug if pilot else "", "replications": forecast.row.replications}


def _prepared(request: HttpRequest, forecast: RequestedForecast) -> dict[str, Any] | None:
    links = page.Links(forecast.row.study.slug, frozenset(), "")
    return page.prepared("forecast", forecast.row.result, request.GET, links)


@staff_page
def download(request: HttpRequest, slug: str, part: str, file_format: str) -> HttpResponse:
    study = study_for(request.user, slug)
    forecast = forecast_of(study)
    content = part_files.part(forecast.row.result if forecast else None, part)
    if content is None or file_format not in part_files.formats(content):
        raise Http404("There is no such part of a forecast, or no forecast yet.")
    for_spreadsheet = request.GET.get("for") == "spreadsheet"
    return HttpResponse(
        part_files.written(content, file_format, CROWD, for_spreadsheet=for_spreadsheet),
        content_type=part_files.CONTENT_TYPES[file_format],
        headers=attachment(study.file_name(f"forecast-{part}", file_format)),
    )
