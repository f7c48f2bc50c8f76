from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from judging.acts import Question
from judging.models import Study
from web import back


def ask_to_confirm(
    request: HttpRequest,
    study: Study,
    page_name: str,
    question: Question,
    form: forms.Form | None = None,
) -> HttpResponse:
    """Ask to confirm what the pressed button does on the page `page_name` of a study.

    The same form confirms with the field `sure`, and leads back to the page before.
    """
    context = {
        "study": study,
        "here": page_name,
        "question": question,
        "form": form or (),
        "action": request.POST["action"],
        "back": back.page_of(request),
    }
    return render(request, "workspace/confirm.html", context)


def add_faults(form: forms.Form, faults: list[Any]) -> None:
    for fault in faults:
        name = fault.where[0] if fault.where else ""
        form.add_error(name if name in form.fields else None, fault.what)
