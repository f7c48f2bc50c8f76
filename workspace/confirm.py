from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme

from judging.acts import Question
from judging.models import Study


def ask_to_confirm(
    request: HttpRequest,
    study: Study,
    question: Question,
    form: forms.Form | None = None,
) -> HttpResponse:
    """Ask to confirm what the pressed button of a study's page does.

    The same form confirms with the field `sure`, and leads back to the page before.
    """
    context = {
        "study": study,
        "question": question,
        "form": form or (),
        "action": request.POST["action"],
        "back": page_before(request),
    }
    return render(request, "workspace/confirm.html", context)


def add_faults(form: forms.BaseForm, faults: list[Any]) -> None:
    for fault in faults:
        name = fault.where[0] if fault.where else ""
        form.add_error(name if name in form.fields else None, fault.what)


def page_before(request: HttpRequest) -> str:
    """The page of ours that a form names, or empty."""
    page: str = request.POST.get("back", "")
    is_ours = page.startswith("/") and url_has_allowed_host_and_scheme(page, None)
    return page if is_ours else ""
