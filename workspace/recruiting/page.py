"""The page of recruiting on Prolific: how it stands, and what the study's owner does about it."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from accounts.models import logged_in
from judging.models import Role, Study
from judging.studies.access import has_role, study_for
from judging.studies.faults import BadStudy
from web import clock
from workspace.models import ProlificStudy
from workspace.recruiting import connecting, standing
from workspace.recruiting import forms as typed
from workspace.recruiting.acts import ACTS, Wish
from workspace.running.forms import add_faults
from workspace.sure import ask

REFUSED = 422
FORMS: dict[str, type[forms.Form]] = {
    "connect": typed.Token,
    "use": typed.Connection,
    "limit": typed.Limit,
    "create": typed.NewStudy,
    "places": typed.Places,
    "return": typed.Return,
    "reject": typed.Rejection,
    "bonuses": typed.Bonus,
    "paid": typed.Bonus,
    "not paid": typed.Bonus,
    **dict.fromkeys(("subscribe", "publish", "pause", "resume", "stop", "approve"), typed.Sure),
}


@sensitive_post_parameters("token")
@never_cache
@login_required
def prolific(request: HttpRequest, slug: str) -> HttpResponse:
    """How recruiting stands, for the study's team; its owner acts."""
    study = study_for(request.user, slug, Role.OWNER if request.method == "POST" else Role.VIEWER)
    if study.is_imported or study.rehearsal_of_id:
        raise Http404(f"Nobody is recruited for study {study}.")
    if request.method != "POST":
        return _page(request, study)
    name = request.POST.get("action", "")
    return _press(request, study, name) if name in FORMS else redirect("prolific", slug)


def _press(request: HttpRequest, study: Study, name: str) -> HttpResponse:
    """Do what a button says, or ask first, or say what is wrong."""
    act, form = ACTS[name], _form(study, request, name, request.POST)
    if form.is_valid():
        values = form.cleaned_data | {"sure": "sure" in request.POST}
        wish = Wish(study, logged_in(request), values, request.build_absolute_uri)
        try:
            if act.asks and not act.is_sure(values):
                asked = act.asks(wish)
                sent = request.POST.copy()
                sent.update({key: str(value) for key, value in asked.values.items()})
                shown = _form(study, request, name, sent)
                return ask(request, study, "prolific", asked.question, shown)
            done = act.do(wish)
        except BadStudy as refusal:
            add_faults(form, refusal.faults)
        else:
            messages.success(request, done)
            return redirect("prolific", study.slug)
    return _page(request, study, name, form)


def _form(study: Study, request: HttpRequest, name: str, data: Any = None) -> forms.Form:
    if name == "create":
        others = standing.others(study, logged_in(request))
        return typed.form_of_new_study(study, others, data)
    return FORMS[name](data, auto_id=f"{name}_%s")


def _page(
    request: HttpRequest, study: Study, name: str = "", wrong: forms.Form | None = None
) -> HttpResponse:
    recruiting = (
        ProlificStudy.objects.select_related("study", "connection").filter(study=study).first()
    )
    is_owner = has_role(logged_in(request), study, Role.OWNER)
    shown = {
        each: _form(study, request, each) for each in ("connect", "create", "places", "reject")
    }
    limit = recruiting.spending_limit if recruiting else 0
    shown["limit"] = typed.Limit(auto_id="limit_%s", initial={"spending_limit": limit})
    if "reject" in request.GET:
        shown["reject"].initial["submission"] = request.GET["reject"]
    context = {
        "study": study,
        "here": "prolific",
        "is_owner": is_owner,
        "recruiting": recruiting,
        "standing": standing.standing(recruiting, clock.now()) if recruiting else None,
        "connections": connecting.connections_for(logged_in(request)) if is_owner else [],
        "has_https": request.is_secure(),
        "forms": shown | ({name: wrong} if wrong else {}),
        "return_form": typed.Return(),
        "is_rejecting": name == "reject" or "reject" in request.GET,
        "form": wrong,
    }
    return render(request, "workspace/prolific.html", context, status=REFUSED if wrong else 200)
