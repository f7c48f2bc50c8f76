from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.debug import sensitive_post_parameters

from accounts.models import logged_in
from judging.models import Role, Study
from judging.studies.access import has_role, study_for
from judging.studies.faults import BadStudy
from web import clock
from workspace.confirm import add_faults, ask_to_confirm
from workspace.decorators import staff_page
from workspace.models import ProlificStudy
from workspace.recruiting import connecting, summary
from workspace.recruiting import forms as typed
from workspace.recruiting.acts import BUTTONS, ActionRequest

REFUSED = 422


@sensitive_post_parameters("token")
@staff_page
def prolific(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Role.OWNER if request.method == "POST" else Role.VIEWER)
    if not study.takes_people or study.rehearsal_of_id:
        raise Http404(f"Nobody is recruited for study {study}.")
    if request.method != "POST":
        return _page(request, study)
    name = request.POST.get("action", "")
    return _press(request, study, name) if name in BUTTONS else redirect("prolific", slug)


def _press(request: HttpRequest, study: Study, name: str) -> HttpResponse:
    button, form = BUTTONS[name], _form(study, request, name, request.POST)
    if form.is_valid():
        values = form.cleaned_data | {"sure": "sure" in request.POST}
        action = ActionRequest(study, logged_in(request), values, request.build_absolute_uri)
        try:
            if confirmation := button.to_confirm(action):
                data = request.POST.copy()
                data.update({key: str(value) for key, value in confirmation.values.items()})
                shown = _form(study, request, name, data)
                return ask_to_confirm(request, study, confirmation.question, shown)
            message = button.press(action)
        except BadStudy as refusal:
            add_faults(form, refusal.faults)
        else:
            messages.success(request, message)
            return redirect("prolific", study.slug)
    return _page(request, study, name, form)


def _form(study: Study, request: HttpRequest, name: str, data: Any = None) -> forms.Form:
    if name == "create":
        others = summary.others(study, logged_in(request))
        return typed.form_of_new_study(study, others, data)
    return BUTTONS[name].form(data, auto_id=f"{name}_%s")


def _page(
    request: HttpRequest, study: Study, name: str = "", invalid: forms.Form | None = None
) -> HttpResponse:
    recruiting = (
        ProlificStudy.objects.select_related("study", "connection").filter(study=study).first()
    )
    is_owner = has_role(logged_in(request), study, Role.OWNER)
    shown_forms = {
        each: _form(study, request, each) for each in ("connect", "create", "places", "reject")
    }
    limit = recruiting.spending_limit if recruiting else 0
    shown_forms["limit"] = typed.Limit(auto_id="limit_%s", initial={"spending_limit": limit})
    if "reject" in request.GET:
        shown_forms["reject"].initial["submission"] = request.GET["reject"]
    context = {
        "study": study,
        "is_owner": is_owner,
        "recruiting": recruiting,
        "summary": summary.summary_of(recruiting, clock.now()) if recruiting else None,
        "connections": connecting.connections_for(logged_in(request)) if is_owner else [],
        "has_https": request.is_secure(),
        "forms": shown_forms | ({name: invalid} if invalid else {}),
        "return_form": typed.Return(),
        "is_rejecting": name == "reject" or "reject" in request.GET,
        "form": invalid,
    }
    return render(request, "workspace/prolific.html", context, status=REFUSED if invalid else 200)
