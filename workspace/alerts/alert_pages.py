from collections.abc import Callable
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.models import User, logged_in
from judging.models import Role, Study
from judging.studies.access import study_for
from judging.studies.faults import BadStudy
from workspace.alerts import channels
from workspace.alerts.sending import address_of
from workspace.confirm import add_faults
from workspace.decorators import staff_page
from workspace.models import Alert, AlertMessage, AlertSettings

REFUSED = 422
NEWEST = 50  # alerts on the page, and in the feed
Shown = tuple[str, str]  # what it is, and its value


class Channels(forms.Form):
    webhook_url = forms.CharField(
        required=False,
        max_length=channels.MAX_URL_LENGTH,
        label="Webhook",
        help_text="An address that begins with https:// and is on the public internet. Each "
        "request to it is signed. Leave blank for none.",
        widget=forms.URLInput(attrs={"spellcheck": "false"}),
    )
    field_order = ("mail_to", "webhook_url")

    def __init__(self, study: Study, data: Any = None) -> None:
        row = channels.settings_of(study)
        chosen = {"mail_to": row.mail_to.all(), "webhook_url": row.webhook_url} if row else {}
        super().__init__(data, initial=chosen)
        recipients = channels.mail_recipients(study)
        self.fields["mail_to"] = forms.ModelMultipleChoiceField(
            recipients,
            required=False,
            widget=forms.CheckboxSelectMultiple,
            label="E-mail",
            help_text="Those of the team who have an e-mail address."
            if recipients.exists()
            else "Nobody of the team has an e-mail address yet.",
        )
        self.order_fields(self.field_order)


@staff_page
def alerts(request: HttpRequest, slug: str) -> HttpResponse:
    study = _study(request.user, slug)
    if request.method != "POST":
        return _page(request, study, Channels(study))
    action = request.POST.get("action", "")
    if action == "save":
        return _save(request, study)
    if action not in ACTIONS:
        return redirect("alerts", slug)
    form = Channels(study)
    try:
        shown = ACTIONS[action](request, study, logged_in(request))
    except BadStudy as refusal:
        messages.error(request, str(refusal))
        return redirect("alerts", slug)
    return _page(request, study, form, shown) if shown else redirect("alerts", slug)


def _study(user: Any, slug: str) -> Study:
    study = study_for(user, slug, Role.EDITOR)
    if not study.takes_people:
        raise Http404(f"Study {study} takes no people: there is nothing to watch.")
    return study


def _save(request: HttpRequest, study: Study) -> HttpResponse:
    form = Channels(study, request.POST)
    if form.is_valid():
        site = channels.site_of(request)
        try:
            secret = channels.set_channels(study, logged_in(request), site, **form.cleaned_data)
        except BadStudy as refusal:
            add_faults(form, refusal.faults)
        else:
            if secret:
                return _page(request, study, Channels(study), ("the webhook’s secret", secret))
            messages.success(request, "Saved.")
            return redirect("alerts", study.slug)
    return _page(request, study, form, status=REFUSED)


def _renew(_: HttpRequest, study: Study, by: User) -> Shown:
    return "the webhook’s secret", channels.renew_secret(study, by)


def _open_feed(request: HttpRequest, study: Study, by: User) -> Shown:
    site = channels.site_of(request)
    token = channels.open_feed(study, by, site)
    return "the feed’s address", site + reverse("alert-feed", args=[token])


def _close_feed(request: HttpRequest, study: Study, by: User) -> None:
    channels.close_feed(study, by)
    messages.success(request, "The feed’s address leads nowhere now.")


ACTIONS: dict[str, Callable[[HttpRequest, Study, User], Shown | None]] = {
    "renew": _renew,
    "open-feed": _open_feed,
    "close-feed": _close_feed,
}


def _page(
    request: HttpRequest,
    study: Study,
    form: Channels,
    shown: Shown | None = None,
    status: int = 200,
) -> HttpResponse:
    messages_of = AlertMessage.objects.filter(alert__study=study)
    context = {
        "study": study,
        "form": form,
        "shown_once": shown,
        "row": channels.settings_of(study),
        "has_mail_server": bool(settings.EMAIL_URL),
        "alerts": Alert.objects.filter(study=study).order_by("-pk")[:NEWEST],
        "open": Alert.objects.filter(study=study, closed_at=None).count(),
        "failed": messages_of.exclude(fault="").select_related("alert").order_by("-pk").first(),
    }
    return render(request, "workspace/alerts.html", context, status=status)


@never_cache
@require_safe
def feed(request: HttpRequest, token: str) -> HttpResponse:
    rows = AlertSettings.objects.select_related("study")
    row = rows.filter(feed_digest=channels.digest_of(token)).first()
    if row is None:
        raise Http404("There is no such feed.")
    study, address = row.study, address_of(row)
    atom = Atom1Feed(f"Alerts of {study.title}", address, "", feed_url=None, language="en")
    for alert in Alert.objects.filter(study=study).order_by("-pk")[:NEWEST]:
        over = f" Over: {alert.closing}" if alert.closed_at else ""
        atom.add_item(
            title=f"{alert.light}: {alert.sentence}",
            link=address,
            description=alert.sentence + over,
            unique_id=f"{row.site}/alerts/{alert.pk}",
            pubdate=alert.opened_at,
            updateddate=alert.closed_at or alert.opened_at,
        )
    return HttpResponse(atom.writeString("utf-8"), content_type=atom.content_type)
