from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404, redirect, resolve_url
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from judging import flow
from judging.models import Assignment, Study, Worker
from judging.pages import identity
from judging.pages.forms import WithdrawForm
from judging.pages.links import Links, links_of
from judging.pages.own import OwnPage, own_data, own_page
from judging.pages.rendering import SeeOther, render_page
from judging.pages.resuming import TOO_MANY, TRY_LATER, is_throttled, log_wrong_code
from judging.studies.conduct.stages import CannotRun
from web import clock
from web.display import accepts_display_choice
from web.files import attachment

REFUSED = 422


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@accepts_display_choice
def me(request: HttpRequest, slug: str) -> HttpResponseBase:
    study = get_object_or_404(Study, slug=slug)
    worker, now = identity.worker_of(request, study), clock.now()
    if request.method != "POST" or request.POST.get("action") == "keep":
        withdrawn = _withdrawn(study, request.GET.get("withdrawn", ""))
        return _page(request, study, worker, WithdrawForm(), now, withdrawn=withdrawn)
    form = WithdrawForm(request.POST)
    if not form.is_valid():
        return _page(request, study, worker, form, now, REFUSED)
    is_own = _is_own(worker, form.cleaned_data["code"])  # and so no guess
    if not is_own and is_throttled(request, worker, now):
        form.add_error("code", TOO_MANY)
        return _page(request, study, worker, form, now, TRY_LATER)
    return _withdraw(request, study, worker, form, now)


def _withdraw(
    request: HttpRequest, study: Study, worker: Worker | None, form: WithdrawForm, now: datetime
) -> HttpResponseBase:
    code = form.cleaned_data["code"]
    try:
        if request.POST.get("action") == "sure":
            unit = flow.withdraw_own_unit(study, code, now)
            return SeeOther(f"{resolve_url('me', slug=study.slug)}?withdrawn={unit.token}")
        unit = flow.get_withdrawable(study, code, now)
    except CannotRun as refusal:
        if not _is_own(worker, code):
            log_wrong_code(request, study, worker, now)
        for fault in refusal.faults:
            form.add_error("code", fault.what)
        return _page(request, study, worker, form, now, REFUSED)
    return _page(request, study, worker, form, now, to_confirm=unit)


def _withdrawn(study: Study, token: str) -> Assignment | None:
    units = study.assignments.paid().filter(token=token, judgments=None)
    return units.first()


def _is_own(worker: Worker | None, code: str) -> bool:
    return worker is not None and worker.assignments.filter(completion_code=code).exists()


def _page(
    request: HttpRequest,
    study: Study,
    worker: Worker | None,
    form: WithdrawForm,
    now: datetime,
    status: int = 200,
    **extra_context: Assignment | None,
) -> HttpResponseBase:
    own = own_page(study, worker, now)
    return show_me(request, study, own, links_of(study), form, status=status, **extra_context)


def show_me(
    request: HttpRequest,
    study: Study,
    own: OwnPage,
    links: Links,
    form: WithdrawForm,
    *,
    status: int = 200,
    **extra_context: Any,
) -> HttpResponseBase:
    """Made without a query; extra_context: for its template."""
    context = {
        "own": own,
        "links": links,
        "form": form,
        "resume_code": own.worker.resume_code if own.worker else "",
        **extra_context,
    }
    return render_page(request, study, "me", context, status)


@never_cache
@require_safe
def my_data(request: HttpRequest, slug: str) -> HttpResponseBase:
    study = get_object_or_404(Study, slug=slug)
    worker = identity.worker_of(request, study)
    if worker is None:
        return redirect("me", slug=slug)
    return JsonResponse(
        own_data(study, worker),
        json_dumps_params={"indent": 1, "ensure_ascii": False},
        headers=attachment(f"{study.slug}-my-data.json"),
    )
