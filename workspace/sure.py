"""The question before something is done that cannot be undone."""

from dataclasses import dataclass

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from judging.models import Study
from web import back


@dataclass(frozen=True)
class Question:
    """What is asked: a title, what would be lost, and the button that does it all the same."""

    title: str
    lines: tuple[str, ...]
    button: str


def ask(
    request: HttpRequest,
    study: Study,
    here: str,
    question: Question,
    form: forms.Form | None = None,
) -> HttpResponse:
    """Ask whether to do what the pressed button says; `here` is the page of the study it is on.

    The answer comes as the same form with the field `sure`. Who was elsewhere goes back there.
    """
    context = {
        "study": study,
        "here": here,
        "asks": question,
        "form": form or (),
        "action": request.POST["action"],
        "back": back.page_of(request),
    }
    return render(request, "workspace/sure.html", context)
