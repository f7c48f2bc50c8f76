"""The steps with texts that a study's team writes itself, each beside the standard text."""

from collections.abc import Mapping, Sequence

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache

from judging.models import Study
from judging.pages.default_texts import CONSENT, NAMES, default_text, plain_text
from judging.settings import Step
from workspace.making import forms
from workspace.making.whole_study import context_of, settings_page, study_of_step


@never_cache
@login_required
def wording(request: HttpRequest, slug: str) -> HttpResponse:
    """Take a study's own instructions."""
    return _texts_page(request, slug, Step.TEXTS, NAMES)


@never_cache
@login_required
def consent(request: HttpRequest, slug: str) -> HttpResponse:
    """Take what workers agree to, and whom they ask."""
    return _texts_page(request, slug, Step.CONSENT, [CONSENT])


def _texts_page(request: HttpRequest, slug: str, step: Step, names: Sequence[str]) -> HttpResponse:
    """Take a step's texts; or show the form with one of ours to start from, not saved yet."""
    study, template = study_of_step(request, slug), f"workspace/setup/{step}.html"
    standard_texts = {name: default_text(study, name) for name in names}
    if request.POST.get("start") in standard_texts:
        return _started(request, study, step, standard_texts)
    return settings_page(request, study, step, template, standard_texts=standard_texts)


def _started(
    request: HttpRequest, study: Study, step: Step, texts: Mapping[str, str]
) -> HttpResponse:
    """The form as it was typed, with our text below it where somebody asked for it."""
    name, typed = request.POST["start"], request.POST.dict()
    text = f"{typed.get(name, '')}\n\n{plain_text(texts[name])}".strip()
    form = forms.FORMS[step](None, study, {**typed, name: text})
    context = context_of(request, study, step, form=form, standard_texts=texts, started=name)
    return render(request, f"workspace/setup/{step}.html", context)
