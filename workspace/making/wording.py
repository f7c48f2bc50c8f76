"""The step of the texts that a study's team may write itself, each beside ours."""

from collections.abc import Mapping

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache

from judging.models import Study
from judging.pages.our_texts import NAMES, our_text, plain_text
from judging.studies.setup.missing import Step
from workspace.making import forms
from workspace.making.whole_study import context_of, settings_page, study_at

TEMPLATE = "workspace/setup/texts.html"


@never_cache
@login_required
def wording(request: HttpRequest, slug: str) -> HttpResponse:
    """Take a study's own texts; or show the form with one of ours to start from, not saved yet."""
    study = study_at(request, slug)
    ours = {name: our_text(study, name) for name in NAMES}
    if request.POST.get("start") in NAMES:
        return _started(request, study, ours)
    return settings_page(request, study, Step.TEXTS, TEMPLATE, ours=ours)


def _started(request: HttpRequest, study: Study, ours: Mapping[str, str]) -> HttpResponse:
    """The form as it was typed, with our text below it where somebody asked for it."""
    name, typed = request.POST["start"], request.POST.dict()
    text = f"{typed.get(name, '')}\n\n{plain_text(ours[name])}".strip()
    form = forms.FORMS[Step.TEXTS](None, study, {**typed, name: text})
    context = context_of(request, study, Step.TEXTS, form=form, ours=ours, started=name)
    return render(request, TEMPLATE, context)
