from datetime import datetime, timedelta
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy

from judging.flow.admission import Arrival
from judging.models import Study, Worker, WrongResumeCode
from judging.pages.forms import ResumeForm
from judging.pages.identity import account_of, remember
from judging.pages.rendering import render_page
from web.middleware.proxies import hashed_client_address

WINDOW = timedelta(hours=1)
# Wrong codes in that time: on one worker's account, and from one address.
MAX_ON_AN_ACCOUNT = 10
MAX_FROM_AN_ADDRESS = 50
WRONG = gettext_lazy(
    "This is not the code. It stands at the foot of every page, in the browser you began with."
)
TOO_MANY = gettext_lazy("Too many codes were tried. Try again in an hour.")
REFUSED, TRY_LATER = 422, 429


def ask_for_code(
    request: HttpRequest, study: Study, arrival: Arrival | None, now: datetime
) -> HttpResponseBase:
    """Whoever arrives with the id of a worker who has begun may enter that worker's code only."""
    account = account_of(study, arrival) if arrival else None
    is_sent = request.POST.get("action") == "resume"
    form = ResumeForm(request.POST if is_sent else None)
    status = 200
    if form.is_bound and form.is_valid():
        owner = account.worker if account else None
        if is_throttled(request, owner, now):
            form.add_error("code", TOO_MANY)
            status = TRY_LATER
        elif worker := _worker_with_code(study, owner, form.cleaned_data["code"]):
            response = redirect("study", slug=study.slug)
            remember(response, study.pk, Arrival(worker.pseudonym))
            return response
        else:
            log_wrong_code(request, study, owner, now)
            form.add_error("code", WRONG)
    if form.errors and status == 200:
        status = REFUSED
    return show_resume(request, study, form, status=status, has_account=account is not None)


def show_resume(
    request: HttpRequest, study: Study, form: ResumeForm, *, status: int = 200, **extra_context: Any
) -> HttpResponseBase:
    return render_page(request, study, "resume", {"form": form, **extra_context}, status)


def _worker_with_code(study: Study, owner: Worker | None, code: str) -> Worker | None:
    workers = Worker.objects.filter(study=study, resume_code=code)
    if owner:
        workers = workers.filter(pk=owner.pk)
    return workers.first()


def is_throttled(request: HttpRequest, owner: Worker | None, now: datetime) -> bool:
    """Too many wrong codes came from the address, or for the worker whose code is guessed.

    They never count for a study: else a stranger could lock out all of its workers.
    """
    recent = WrongResumeCode.objects.filter(at__gt=now - WINDOW)
    if recent.filter(address=hashed_client_address(request)).count() >= MAX_FROM_AN_ADDRESS:
        return True
    return owner is not None and recent.filter(worker=owner).count() >= MAX_ON_AN_ACCOUNT


def log_wrong_code(request: HttpRequest, study: Study, owner: Worker | None, now: datetime) -> None:
    WrongResumeCode.objects.filter(at__lte=now - WINDOW).delete()
    WrongResumeCode.objects.create(
        study=study, worker=owner, address=hashed_client_address(request), at=now
    )
