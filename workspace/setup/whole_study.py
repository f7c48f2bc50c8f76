from collections.abc import Callable, Iterator
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from accounts.models import logged_in
from judging.models import Collection, Role, Study
from judging.settings import Step
from judging.studies.access import has_role, role_of, study_for
from judging.studies.configuration import cloning, removal
from judging.studies.configuration.changing import apply_config, has_plan, is_fixed
from judging.studies.configuration.missing import Missing
from judging.studies.configuration.settings import create_study, read_toml
from judging.studies.faults import BadStudy
from judging.studies.plan_jobs import plan_job_of, request_plan
from judging.studies.unit_plans import CannotPlan, discard_plan
from magnitudes.files.words import count
from web.files import accepts_files, attachment
from workspace.decorators import staff_page
from workspace.setup import forms, readiness
from workspace.setup.opening import open_confirmed, terms_of
from workspace.setup.readiness import Doubt
from workspace.setup.steps import link, page_name, step_after

PLURALS = {"role in its team": "roles in its team"}
REFUSED = 422
SOME = 20  # lines of a refusal that a page shows
MAX_LINES = 100  # of one kind, that the review lists


def step_page(
    request: HttpRequest, study: Study, step: str, *, template: str = "", **more: Any
) -> HttpResponse:
    """A page of the set-up, by default the one that is called as its step."""
    context = {
        "study": study,
        "next_step": reverse(page_name(step_after(study, step)), args=[study.slug]),
        "is_fixed": is_fixed(study),
        "has_plan": has_plan(study),
        "can_edit": has_role(logged_in(request), study, Role.EDITOR),
        **more,
    }
    return render(request, f"workspace/setup/{template or step}.html", context)


def study_of_step(request: HttpRequest, slug: str) -> Study:
    """The study of a step, which all of the team see and editors change."""
    return study_for(request.user, slug, Role.EDITOR if request.method == "POST" else Role.VIEWER)


@staff_page
@accepts_files
def new_study(request: HttpRequest) -> HttpResponse:
    collections = Collection.objects.seen_by(request.user).order_by("slug")
    initial = {"collection": request.GET.get("collection")}
    form = forms.NewStudy(
        request.POST or None, request.FILES or None, collections=collections, initial=initial
    )
    if request.method == "POST" and form.is_valid():
        typed = form.cleaned_data
        with form.faults_added():
            config = read_toml(typed["file"].file, typed["file"].name) if typed["file"] else {}
            study = create_study(
                typed["slug"],
                typed["collection"].slug,
                {**config, "title": typed["title"]},
                by=logged_in(request),
                pay_is_chosen=bool(typed["file"]),
            )
            return redirect("setup-topics", study.slug)
    context = {"form": form, "here": "new", "collections": collections}
    return render(request, "workspace/setup/new.html", context)


@staff_page
@require_safe
def review(request: HttpRequest, slug: str) -> HttpResponse:
    return _review(request, study_for(request.user, slug))


def _review(request: HttpRequest, study: Study, refused: forms.Opening | None = None) -> Any:
    """What the study takes, what stops it, what is to be read first, and the button that opens it.

    refused: the form that did not open it.
    """
    lacks = readiness.missing_parts(study)
    lines = [] if is_fixed(study) else readiness.warnings(study)
    terms = None if is_fixed(study) or not has_plan(study) else terms_of(study)
    form = refused
    if terms and form is None:
        form = forms.Opening(None, terms, list(readiness.doubts(lines)))
    return step_page(
        request,
        study,
        Step.PLAN,
        missing=[(group, _linked(study, group.lines)) for group in readiness.groups(lacks)],
        only_plan_missing=bool(lacks) and all(lack.step == Step.PLAN for lack in lacks),
        doubts=[
            (doubt, _linked(study, doubt.lines), tick) for doubt, tick in _with_ticks(form, lines)
        ],
        terms=terms,
        form=form,
        template="review",
        **readiness.plan_counts(study),
        plan_job=plan_job_of(study),
    )


def _linked(study: Study, lines: list[Missing]) -> list[tuple[str, str]]:
    return [(line.what, link(study, line)) for line in lines[:MAX_LINES]]


def _with_ticks(form: forms.Opening | None, lines: list[Missing]) -> Iterator[tuple[Doubt, Any]]:
    if form:
        yield from form.ticks()
    else:
        yield from ((doubt, None) for doubt in readiness.doubts(lines))


def _action_view(act: Callable[[HttpRequest, Study], str], role: Role = Role.EDITOR) -> Any:
    """A view that only acts, shows a message, and redirects to the review."""

    @require_POST
    @login_required
    def view(request: HttpRequest, slug: str) -> HttpResponse:
        study = study_for(request.user, slug, role)
        try:
            messages.success(request, act(request, study))
        except (BadStudy, CannotPlan) as refusal:
            for line in str(refusal).split("\n")[:SOME]:
                messages.error(request, line)
        return redirect("setup-plan", slug)

    return view


def _plan(request: HttpRequest, study: Study) -> str:
    request_plan(study, logged_in(request))
    return "The units are being planned."


def _discard(request: HttpRequest, study: Study) -> str:
    discard_plan(study.slug, logged_in(request))
    return "The plan is discarded: what it was made of can be changed."


plan_units, discard = _action_view(_plan), _action_view(_discard)


@staff_page
def open_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Open the study, whose terms are confirmed on the page of the review."""
    study = study_of_step(request, slug)
    if request.method != "POST":
        return redirect("setup-plan", slug)
    if study.is_imported:
        raise Http404(f"Study {study} was judged elsewhere: it does not open.")
    form = _opening_form(request, study)
    if form.is_valid():
        typed = form.cleaned_data
        with form.faults_added():
            open_confirmed(
                slug,
                logged_in(request),
                typed["confirm"],
                typed["low_pay_reason"],
                typed["read"],
            )
            messages.success(request, "The study is open.")
            return redirect("running", slug)
    page = _review(request, Study.objects.get(pk=study.pk), form)
    page.status_code = REFUSED
    return page


def _opening_form(request: HttpRequest, study: Study) -> forms.Opening:
    doubts = readiness.doubts([] if is_fixed(study) else readiness.warnings(study))
    return forms.Opening(request.POST, terms_of(study), list(doubts))


@login_required
@require_safe
def study_toml(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug)
    return HttpResponse(
        cloning.toml_of(study, logged_in(request)),
        content_type="application/toml; charset=utf-8",
        headers=attachment(f"{study.slug}.toml"),
    )


@staff_page
@accepts_files
def upload_toml(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_of_step(request, slug)
    form = forms.File(
        request.POST or None, request.FILES or None, initial={"version": study.version}
    )
    del form.fields["encoding"]  # TOML is UTF-8
    if request.method == "POST" and form.is_valid():
        file = form.cleaned_data["file"]
        with form.faults_added():
            config = read_toml(file.file, file.name)
            apply_config(slug, config, logged_in(request), form.cleaned_data["version"])
            messages.success(request, f"The study is as {file.name} says.")
            return redirect("setup-plan", slug)
    return step_page(request, study, Step.PLAN, form=form, template="file")


@staff_page
@require_safe
def whole_study(request: HttpRequest, slug: str) -> HttpResponse:
    """What is done with a study as a whole: to download, clone, rename, archive or delete it."""
    study = study_for(request.user, slug)
    role = role_of(logged_in(request), study)
    context = {
        "study": study,
        "may_change": role in (Role.EDITOR, Role.OWNER),
        "is_owner": role == Role.OWNER,
    }
    return render(request, "workspace/whole_study.html", context)


@staff_page
def clone(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug)
    initial = {"title": f"{study.title} (copy)"[:200], "slug": f"{study.slug[:45]}-copy"}
    form = forms.TitleAndName(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        typed = form.cleaned_data
        with form.faults_added():
            copy = cloning.clone(study, typed["slug"], typed["title"], logged_in(request))
            messages.success(request, f"This is a copy of {study.title}.")
            return redirect("setup-plan", copy.slug)
    return step_page(request, study, Step.PLAN, form=form, template="clone")


@staff_page
def rename(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Role.OWNER)
    initial = {"title": study.title, "slug": study.slug, "version": study.version}
    form = forms.RenamedStudy(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        with form.faults_added():
            study = removal.rename(slug, logged_in(request), **form.cleaned_data)
            messages.success(request, "Renamed.")
            return redirect("whole-study", study.slug)
    return step_page(request, study, Step.PLAN, form=form, template="rename")


@staff_page
def delete(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Role.OWNER)
    form = forms.TypedName(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        with form.faults_added():
            removal.delete_study(slug, logged_in(request), form.cleaned_data["typed"])
            messages.success(request, f"{study.title} is deleted.")
            return redirect("studies")
    return step_page(
        request,
        study,
        Step.PLAN,
        form=form,
        goes=[
            count(number, what, PLURALS.get(what, ""))
            for what, number in removal.related_counts(study).items()
            if number
        ],
        wants_name=removal.has_data_of_people(study),
        template="delete",
    )
