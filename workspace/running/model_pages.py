"""Language models that judge: the runs about a study of people, and the pages of a run itself."""

import json
from datetime import timedelta
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.db.models import Count, Exists, F, Min, OuterRef, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_safe

from accounts.models import logged_in
from crowd.language_model.acts import ACTS
from crowd.language_model.conversations import conversations, messages_of
from crowd.language_model.estimates import estimate
from crowd.models import ModelRun
from judging import monitoring
from judging.models import Role, Study, Unit
from judging.monitoring.words import duration
from judging.states import State
from judging.studies.access import has_role, study_for
from judging.studies.faults import BadStudy
from web import clock, long_lists
from web.bounds import field_options
from web.files import attachment
from web.formats import LINE_BREAKS
from workspace.confirm import add_faults, ask_to_confirm
from workspace.decorators import staff_page

REFUSED = 422
RECENT = timedelta(minutes=5)  # by which the pace is measured
COMPLETED = Q(assignments__state=State.COMPLETED)
FILTERS = {
    "failing": ("Fail check (c)", COMPLETED & Q(assignments__failed_finishes__gt=0)),
    "missing": ("Without a number", Q(assignments__state=State.EXHAUSTED)),
    "left": ("Not judged", Q(assignments=None)),
}


class Limits(forms.ModelForm):
    """What answers do not depend on. A key that is left blank stays as it is."""

    key = forms.CharField(
        required=False,
        max_length=1_000,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        help_text="Of the endpoint, if it asks for one. Stored encrypted, and never shown again.",
    )

    class Meta:
        model = ModelRun
        fields: tuple[str, ...] = ModelRun.LIMITS

    def __init__(self, currency: str, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for name in ("price_in", "price_out", "max_cost"):
            field = self.fields[name]
            field.label = f"{str(field.label).capitalize()}, in {currency}"

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        return {name: value for name, value in values.items() if name != "key" or value}


class NewRun(Limits):
    endpoint = forms.ChoiceField(help_text="The operators of this site list them.")
    redundancy = forms.IntegerField(
        label="Judgments of each document",
        initial=1,
        help_text="Each in a conversation of its own.",
        **field_options(Study, "redundancy"),
    )
    all_topics = forms.BooleanField(
        required=False,
        label="The other topics of the collection, too",
        help_text="Their documents are pooled as here, and their anchors drawn from the labels.",
    )

    class Meta(Limits.Meta):
        fields = ("model", "temperature", "seed", "max_answer_tokens", *ModelRun.LIMITS)

    field_order = (
        *("endpoint", "model", "key", "price_in", "price_out", "max_cost", "redundancy"),
        "all_topics",
    )

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.fields["endpoint"].choices = [  # type: ignore[attr-defined]
            (name, f"{name} ({address})") for name, address in settings.MODEL_ENDPOINTS.items()
        ]


class Permission(forms.Form):
    may_send = forms.BooleanField(required=False)

    def __init__(self, run: ModelRun, data: Any = None) -> None:
        super().__init__(data)
        what = "The texts of topics, documents and instructions may be sent to"
        self.fields["may_send"].label = f"{what} {run.endpoint}, {run.address or 'unknown'}"


# --- runs about a study of people -----------------------------------------------------------------
@sensitive_post_parameters("key")
@staff_page
def model_runs(request: HttpRequest, slug: str) -> HttpResponse:
    """The runs about a study, and the form that makes one."""
    study = study_for(request.user, slug, Role.EDITOR if request.method == "POST" else Role.VIEWER)
    if not settings.MODEL_ENDPOINTS or not study.takes_people or study.rehearsal_of_id:
        raise Http404(f"No language model judges the documents of study {study}.")
    form = NewRun(study.currency, request.POST if request.method == "POST" else None)
    if form.is_valid() and (run := _do(request, "make-model-run", study, form)):
        return redirect("model-run", run.study.slug)
    runs = list(runs_seen_by(request.user, study).order_by("-pk"))
    progress = monitoring.progress_of([run.study for run in runs])
    context = {
        "study": study,
        "form": form,
        "runs": [(run, progress[run.study_id]) for run in runs],
        "is_planned": study.units.exists(),
        "may_change": has_role(logged_in(request), study, Role.EDITOR),
    }
    status = REFUSED if form.errors else 200
    return render(request, "workspace/model_runs.html", context, status=status)


def _do(request: HttpRequest, name: str, study: Study, form: Any) -> ModelRun | None:
    """Do what a valid form is for; None: it is refused, and the form has the faults."""
    act = ACTS[name]
    try:
        run: ModelRun = act.do(study, logged_in(request), **form.cleaned_data)
    except BadStudy as refusal:
        add_faults(form, refusal.faults)
        return None
    messages.success(request, act.message(run, {}))
    return run


def runs_seen_by(user: Any, about: Study) -> QuerySet[ModelRun]:
    seen = Study.objects.seen_by(user).filter(about=about)
    return ModelRun.objects.filter(study__in=seen).select_related("study")


# --- a run ----------------------------------------------------------------------------------------
def run_of(study: Study) -> ModelRun:
    run = ModelRun.objects.filter(study=study).first()
    if run is None:
        raise Http404(f"No language model of this site judges study {study}.")
    run.study = study
    return run


@sensitive_post_parameters("key")
@staff_page
def model_run(request: HttpRequest, slug: str) -> HttpResponse:
    action = request.POST.get("action", "")
    name = f"{action}-model-run"
    act = ACTS.get(name) if action != "make" else None
    study = study_for(request.user, slug, act.role if act else Role.VIEWER)
    run = run_of(study)
    if act is None:
        return _page(request, run)
    form = _form(run, action, request.POST)
    if form.is_valid():
        if act.ask and "sure" not in request.POST:
            return ask_to_confirm(request, study, act.ask(study), form)
        if _do(request, name, study, form):
            return redirect("model-run", slug)
    return _page(request, run_of(study), {action: form})


def _form(run: ModelRun, action: str, data: Any = None) -> Any:
    if action == "change":
        return Limits(run.study.currency, data, instance=run)
    if action == "start":
        return Permission(run, data)
    return forms.Form(data)


def _page(
    request: HttpRequest, run: ModelRun, invalid: dict[str, Any] | None = None
) -> HttpResponse:
    study, user, progress = run.study, logged_in(request), _progress(run)
    _, filtered = FILTERS.get(chosen := request.GET.get("show", ""), ("", Q()))
    is_waiting = run.state in (ModelRun.State.DRAFT, ModelRun.State.PAUSED)
    ahead = estimate(run) if is_waiting and progress["left"] else None
    context = {
        "study": study,
        "run": run,
        "progress": progress,
        "ahead": ahead,
        "least_time": duration(60 * ahead["minutes"]) if ahead else "",
        "spent": run.cost + run.reserved,
        "list": long_lists.listed(_units(run).filter(filtered), request.GET, (), "units"),
        "filters": {name: title for name, (title, _) in FILTERS.items()},
        "chosen": chosen,
        "forms": {name: _form(run, name) for name in ("start", "change")} | (invalid or {}),
        "form": next(iter((invalid or {}).values()), None),
        "may_change": has_role(user, study, Role.EDITOR),
        "may_stop": has_role(user, study, Role.OWNER),
    }
    status = REFUSED if invalid else 200
    return render(request, "workspace/model_run.html", context, status=status)


def _progress(run: ModelRun) -> dict[str, Any]:
    """How many units there are of each kind, how many a minute, and when all are through."""
    now = clock.now()
    recent = Q(assignments__finished_at__gt=now - RECENT)
    counts = run.study.units.aggregate(
        units=Count("pk"),
        completed=Count("pk", filter=COMPLETED),
        recent=Count("pk", filter=recent),
        since=Min("assignments__started_at", filter=recent),
        **{name: Count("pk", filter=condition) for name, (_, condition) in FILTERS.items()},
    )
    if not counts["recent"]:
        return counts
    each = (now - counts["since"]).total_seconds() / counts["recent"]
    return counts | {"pace": 60 / each, "time_left": duration(each * counts["left"])}


def _units(run: ModelRun) -> QuerySet[Unit, Any]:
    """Each has at most one attempt: the model goes through it once."""
    rows = run.study.units.select_related("study_topic__topic").order_by("study_topic", "number")
    return rows.annotate(
        state=F("assignments__state"),
        failed=F("assignments__failed_finishes"),
        is_asked=Exists(run.answers.filter(unit=OuterRef("pk"))),
    )


# --- what was sent and answered -------------------------------------------------------------------
@staff_page
@require_safe
def model_unit(request: HttpRequest, slug: str, query_id: str, key: int) -> HttpResponse:
    """A unit's conversation, whole."""
    run = run_of(study_for(request.user, slug))
    unit = get_object_or_404(_units(run), study_topic__topic__query_id=query_id, number=key)
    attempt = unit.assignments.first()
    judgments = attempt and attempt.judgments.select_related("document").order_by("position")
    context = {
        "study": run.study,
        "run": run,
        "unit": unit,
        "attempt": attempt,
        "judgments": judgments,
        "conversation": messages_of(run.answers.filter(unit=unit).order_by("pk")),
        "seed": run.settings_sent(unit)["seed"],
    }
    return render(request, "workspace/model_unit.html", context)


@staff_page
@require_safe
def conversations_file(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    return conversations_response(run_of(study_for(request.user, slug)))


def conversations_response(run: ModelRun) -> StreamingHttpResponse:
    lines = (
        json.dumps(row, ensure_ascii=False).translate(LINE_BREAKS) + "\n"
        for row in conversations(run)
    )
    name = attachment(run.study.file_name("conversations", "jsonl"))
    return StreamingHttpResponse(lines, content_type="application/x-ndjson", headers=name)
