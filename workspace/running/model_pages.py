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
from crowd.language_model.estimates import estimate
from crowd.language_model.runs import CHANGEABLE
from crowd.language_model.transcripts import conversation_of, conversations
from crowd.models import ModelRun, StoredAnswer
from judging import monitoring
from judging.acts import Question
from judging.models import Assignment, Role, Study, Unit
from judging.states import State
from judging.studies.access import has_role, study_for
from judging.studies.faults import BadStudy
from magnitudes.files.words import count
from web import clock, long_lists
from web.bounds import field_options
from web.files import attachment
from web.formats import LINE_BREAKS
from workspace.confirm import add_faults, ask_to_confirm
from workspace.decorators import staff_page

REFUSED = 422
RECENT = timedelta(minutes=5)  # by which the pace is measured
MINUTE = timedelta(minutes=1)
COMPLETED = Q(assignments__state=State.COMPLETED)
FAILING = COMPLETED & Q(assignments__failed_finishes__gt=0)
WITHOUT_NUMBER = Q(assignments__state=State.EXHAUSTED)
FILTERS = {
    "failing": ("Fail check (c)", FAILING),
    "missing": ("Without a number", WITHOUT_NUMBER),
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
        fields: tuple[str, ...] = tuple(name for name in CHANGEABLE if name != "key")

    def __init__(self, currency: str, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.auto_id = "run_%s"
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
    seed = forms.IntegerField(
        required=False,
        help_text="Of the units, the orders and the conversations. Blank: it is drawn.",
        **field_options(ModelRun, "seed"),
    )

    class Meta(Limits.Meta):
        fields = ("model", "temperature", "max_answer_tokens", *Limits.Meta.fields)

    field_order = (
        *("endpoint", "model", "key", "price_in", "price_out", "max_cost", "redundancy"),
        "all_topics",
        *("temperature", "seed", "max_answer_tokens", "requests_per_minute", "parallel"),
    )

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.fields["endpoint"].choices = [  # type: ignore[attr-defined]
            (name, f"{name} ({address})") for name, address in settings.MODEL_ENDPOINTS.items()
        ]


class Permission(forms.Form):
    may_send = forms.BooleanField(required=False)

    def __init__(self, endpoint: str, *args: Any) -> None:
        super().__init__(*args)
        to = f"{endpoint}, {settings.MODEL_ENDPOINTS.get(endpoint, 'an unknown address')}"
        what = "The texts of topics, documents and instructions may be sent to"
        self.fields["may_send"].label = f"{what} {to}"


# --- runs about a study of people -----------------------------------------------------------------
@sensitive_post_parameters("key")
@staff_page
def model_runs(request: HttpRequest, slug: str) -> HttpResponse:
    """The runs about a study, and the form that makes one."""
    study = study_for(request.user, slug, Role.EDITOR if request.method == "POST" else Role.VIEWER)
    if not settings.MODEL_ENDPOINTS or not study.takes_people or study.rehearsal_of_id:
        raise Http404(f"No language model judges the documents of study {study}.")
    form = NewRun(study.currency, request.POST if request.method == "POST" else None)
    if form.is_valid():
        act = ACTS["make-model-run"]
        try:
            run = act.do(study, logged_in(request), **form.cleaned_data)
        except BadStudy as refusal:
            add_faults(form, refusal.faults)
        else:
            messages.success(request, act.message(run, {}))
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
    name = request.POST.get("action", "")
    act = ACTS.get(f"{name}-model-run")
    study = study_for(request.user, slug, act.role if act else Role.VIEWER)
    run = run_of(study)
    if act is None or name == "make":
        return _page(request, run)
    form = _form(run, name, request.POST)
    if form.is_valid():
        if name == "stop" and "sure" not in request.POST:
            return ask_to_confirm(request, study, _before_stop(run), form)
        try:
            done = act.do(study, logged_in(request), **form.cleaned_data)
        except BadStudy as refusal:
            add_faults(form, refusal.faults)
        else:
            messages.success(request, act.message(done, {}))
            return redirect("model-run", slug)
    return _page(request, run_of(study), {name: form})


def _form(run: ModelRun, name: str, data: Any = None) -> Any:
    if name == "change":
        return Limits(run.study.currency, data, instance=run)
    if name == "start" and run.may_send_at is None:
        return Permission(run.endpoint, data)
    return forms.Form(data)


def _before_stop(run: ModelRun) -> Question:
    left = count(run.study.units.filter(assignments=None).count(), "unit")
    lines = (
        f"Not judged, and not to be judged then: {left}.",
        "What is judged counts, and the study closes. Pause the run instead to resume it later.",
    )
    return Question(f"Stop {run.model} for good?", lines, "Stop for good")


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
        "address": settings.MODEL_ENDPOINTS.get(run.endpoint, ""),
        "progress": progress,
        "ahead": ahead,
        "least_time": duration(ahead.minutes) if ahead else "",
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
        failing=Count("pk", filter=FAILING),
        without_number=Count("pk", filter=WITHOUT_NUMBER),
        left=Count("pk", filter=Q(assignments=None)),
        recent=Count("pk", filter=recent),
        since=Min("assignments__started_at", filter=recent),
    )
    pace = counts["recent"] / ((now - counts["since"]) / MINUTE) if counts["recent"] else 0
    return counts | {"pace": pace, "time_left": duration(counts["left"] / pace) if pace else ""}


def duration(minutes: float) -> str:
    """In words, never less than a minute.

    >>> duration(0.2), duration(89), duration(200)
    ('1 minute', '89 minutes', '3 hours')
    """
    if minutes < 90:
        return count(max(1, round(minutes)), "minute")
    return count(round(minutes / 60), "hour")


def _units(run: ModelRun) -> QuerySet[Unit, Any]:
    """Each has at most one attempt: the model goes through it once."""
    asked = StoredAnswer.objects.filter(unit=OuterRef("pk"))
    rows = run.study.units.select_related("study_topic__topic").order_by("study_topic", "number")
    return rows.annotate(
        state=F("assignments__state"),
        failed=F("assignments__failed_finishes"),
        is_asked=Exists(asked),
    )


# --- what was said --------------------------------------------------------------------------------
@staff_page
@require_safe
def model_unit(request: HttpRequest, slug: str, query_id: str, key: int) -> HttpResponse:
    """A unit's conversation, whole."""
    run = run_of(study_for(request.user, slug))
    unit = get_object_or_404(_units(run), study_topic__topic__query_id=query_id, number=key)
    attempt = Assignment.objects.filter(unit=unit).first()
    judgments = attempt and attempt.judgments.select_related("document").order_by("position")
    context = {
        "study": run.study,
        "run": run,
        "unit": unit,
        "attempt": attempt,
        "judgments": judgments,
        "conversation": conversation_of(run, unit),
        "seed": run.seed_of(unit),
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
