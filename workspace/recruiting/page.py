"""The page of recruiting on Prolific: how it stands, and what the study's owner does about it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from accounts.models import logged_in
from judging.models import Role, Study
from judging.studies.access import has_role, study_for
from judging.studies.faults import BadStudy
from trec.words import count
from web import clock
from workspace.models import ProlificBonus, ProlificStudy, ProlificSubmission
from workspace.recruiting import connecting, paying, standing, studies
from workspace.recruiting import forms as typed
from workspace.recruiting.faults import CannotRecruit
from workspace.recruiting.spending import committed, hundredths, money
from workspace.running.forms import add_faults
from workspace.sure import Question, ask

REFUSED = 422
Values = dict[str, Any]


@dataclass(frozen=True)
class Pressed:
    """A button that somebody pressed: on which study, and what they typed."""

    request: HttpRequest
    study: Study
    values: Values

    @property
    def by(self) -> Any:
        return logged_in(self.request)

    @property
    def recruiting(self) -> ProlificStudy:
        """The study on Prolific; CannotRecruit where there is none."""
        return recruiting_of(self.study)

    def bonus(self) -> ProlificBonus:
        """The bonuses that the button is about."""
        rows = self.recruiting.bonuses.select_related("recruiting__study")
        bonus = rows.filter(pk=self.values["bonus"] or 0).first()
        if bonus is None:
            raise CannotRecruit("There are no such bonuses any more: look again.")
        return bonus


@dataclass(frozen=True)
class Action:
    """What a button does; `do` returns what to say of it. asks: the question before it."""

    do: Callable[[Pressed], str]
    form: type[forms.Form] = typed.Nothing
    asks: Callable[[Pressed], tuple[Question, Values]] | None = None


def recruiting_of(study: Study) -> ProlificStudy:
    """How a study is recruited for on Prolific.

    Raises:
        CannotRecruit: it is not connected.
    """
    rows = ProlificStudy.objects.select_related("study", "connection")
    recruiting = rows.filter(study=study).first()
    if recruiting is None:
        raise CannotRecruit("Connect the study with Prolific first.")
    return recruiting


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
    return _press(request, study, name) if name in ACTIONS else redirect("prolific", slug)


def _press(request: HttpRequest, study: Study, name: str) -> HttpResponse:
    """Do what a button says, or ask first, or say what is wrong."""
    action, form = ACTIONS[name], _form(study, request, name, request.POST)
    if form.is_valid():
        pressed = Pressed(request, study, form.cleaned_data)
        try:
            if action.asks and "sure" not in request.POST:
                question, more = action.asks(pressed)
                sent = request.POST.copy()
                sent.update(more)
                shown = _form(study, request, name, sent)
                return ask(request, study, "prolific", question, shown)
            done = action.do(pressed)
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
    return ACTIONS[name].form(data, auto_id=f"{name}_%s")


def _page(
    request: HttpRequest, study: Study, name: str = "", wrong: forms.Form | None = None
) -> HttpResponse:
    recruiting = (
        ProlificStudy.objects.select_related("study", "connection").filter(study=study).first()
    )
    is_owner = has_role(logged_in(request), study, Role.OWNER)
    shown = {each: _form(study, request, each) for each in ("connect", "create", "places")}
    limit = recruiting.spending_limit if recruiting else 0
    shown["limit"] = typed.Limit(auto_id="limit_%s", initial={"spending_limit": limit})
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
        "form": wrong,
    }
    return render(request, "workspace/prolific.html", context, status=REFUSED if wrong else 200)


# --- what the buttons do ------------------------------------------------------------------------
def _connect(pressed: Pressed) -> str:
    values = pressed.values
    made = connecting.connect(pressed.study, values["token"], values["workspace"], pressed.by)
    return f"Connected with the workspace {made.connection}."


def _use(pressed: Pressed) -> str:
    known = connecting.connections_for(pressed.by).filter(pk=pressed.values["connection"]).first()
    if known is None:
        raise CannotRecruit("There is no such connection for you.")
    connecting.use(pressed.study, known, pressed.by)
    return f"Connected with the workspace {known}."


def _limit(pressed: Pressed) -> str:
    studies.set_limit(pressed.recruiting, pressed.values["spending_limit"], pressed.by)
    return "The limit is set."


def _events_target(pressed: Pressed) -> str:
    path = connecting.hook_path(pressed.recruiting.connection)
    return pressed.request.build_absolute_uri(path)


def _subscribe(pressed: Pressed) -> str:
    connecting.subscribe(pressed.recruiting, _events_target(pressed), pressed.by)
    return "Prolific sends events: what happens there is known here within seconds."


def _sure_to_subscribe(pressed: Pressed) -> tuple[Question, Values]:
    workspace = pressed.recruiting.connection
    lines = (
        f"A secret is made for the workspace {workspace}. Prolific has one for each workspace: "
        "another program that has events sent from there will not believe them any more.",
        f"Events go to {_events_target(pressed)}.",
    )
    return Question("Have Prolific send events?", lines, "Make the secret"), {}


def _draft(pressed: Pressed) -> studies.Draft:
    values = pressed.values
    others = standing.others(pressed.study, pressed.by)
    return studies.Draft(
        title=values["title"],
        description=values["description"],
        address=pressed.request.build_absolute_uri(reverse("study", args=[pressed.study.slug])),
        places=values["places"],
        minutes=values["minutes"],
        without=[each for each in others if str(each.pk) in values.get("without", [])],
    )


def _create(pressed: Pressed) -> str:
    studies.create(pressed.recruiting, _draft(pressed), pressed.by)
    return "The draft stands on Prolific. Look at it there; nobody sees it until it is published."


def _sure_to_create(pressed: Pressed) -> tuple[Question, Values]:
    study, places = pressed.study, pressed.values["places"]
    cost = studies.cost_of(pressed.recruiting, places, hundredths(study.payment))
    lines = (
        f"{count(places, 'place')}, each paid {study.payment} {study.currency}: with all fees "
        f"{money(cost, study.currency)}, once it is published. The draft costs nothing.",
    )
    return Question("Make the draft on Prolific?", lines, "Make the draft"), {}


def _publish(pressed: Pressed) -> str:
    studies.publish(pressed.recruiting, pressed.by)
    return "The study is published on Prolific."


def _sure_to_publish(pressed: Pressed) -> tuple[Question, Values]:
    recruiting = pressed.recruiting
    studies.refresh(recruiting)
    studies.insist_on_draft(recruiting)
    cost = studies.cost_of(recruiting, recruiting.places)
    lines = (_sum(recruiting, cost), "Participants see it at once.")
    return Question(f"Publish {count(recruiting.places, 'place')}?", lines, "Publish it"), {}


def _add_places(pressed: Pressed) -> str:
    recruiting = studies.add_places(pressed.recruiting, pressed.values["more"], pressed.by)
    return f"The study has {recruiting.places} places on Prolific."


def _sure_to_add(pressed: Pressed) -> tuple[Question, Values]:
    recruiting, more = pressed.recruiting, pressed.values["more"]
    studies.refresh(recruiting)
    studies.insist_on_published(recruiting)
    cost = studies.cost_of(recruiting, recruiting.places + more) - recruiting.places_cost
    lines = (_sum(recruiting, cost), "Places are never taken away again.")
    return Question(f"Add {count(more, 'place')}?", lines, "Add them"), {}


def _sum(recruiting: ProlificStudy, cost: int) -> str:
    """What something costs, beside what is spent of the limit."""
    spent, limit = committed(recruiting), hundredths(recruiting.spending_limit)
    amounts = [money(cents, recruiting.currency) for cents in (cost, spent, limit)]
    return f"It costs {amounts[0]} with all fees. {amounts[1]} of {amounts[2]} are spent already."


def _approve(pressed: Pressed) -> str:
    number = paying.approve_submissions(pressed.recruiting, pressed.by)
    return f"{count(number, 'submission')} approved: Prolific pays them."


def _sure_to_approve(pressed: Pressed) -> tuple[Question, Values]:
    recruiting = pressed.recruiting
    number = len(paying.some_to_approve(recruiting))
    cents = number * recruiting.reward
    lines = (
        f"Prolific pays their participants {money(cents, recruiting.currency)} from what was set "
        "aside when the places were published. This cannot be taken back.",
    )
    return Question(f"Approve {count(number, 'submission')}?", lines, "Approve them"), {}


def _pay_bonuses(pressed: Pressed) -> str:
    paying.pay_bonuses(pressed.bonus(), pressed.by)
    return "The bonuses are paid."


def _sure_to_pay(pressed: Pressed) -> tuple[Question, Values]:
    recruiting = pressed.recruiting
    bonus = paying.set_up_bonuses(recruiting, pressed.by)
    lines = (_sum(recruiting, bonus.total), "This cannot be taken back.")
    number = bonus.parts.count()
    title = f"Pay {count(number, 'bonus', 'bonuses')}?"
    return Question(title, lines, "Pay them"), {"bonus": str(bonus.pk)}


def _was_paid(paid: bool) -> Callable[[Pressed], str]:
    def do(pressed: Pressed) -> str:
        paying.settle_bonus(pressed.bonus(), paid=paid, by=pressed.by)
        return "That is noted."

    return do


def _submission(pressed: Pressed) -> ProlificSubmission:
    rows = ProlificSubmission.objects.filter(recruiting=pressed.recruiting)
    submission = rows.filter(pk=pressed.values["submission"]).first()
    if submission is None:
        raise CannotRecruit("There is no such submission any more.")
    return submission


def _return(pressed: Pressed) -> str:
    submission, reason = _submission(pressed), pressed.values["reason"]
    paying.request_return(pressed.recruiting, submission, reason, pressed.by)
    return "Prolific asks the participant to return it."


def _sure_to_return(pressed: Pressed) -> tuple[Question, Values]:
    _submission(pressed)
    lines = (
        f"Prolific writes to the participant, and gives the reason: {pressed.values['reason']}.",
        "Whoever returns a submission is not paid for it, and their place is free.",
    )
    return Question("Ask for the return of this submission?", lines, "Ask for it"), {}


ACTIONS = {
    "connect": Action(_connect, typed.Token),
    "use": Action(_use, typed.Connection),
    "limit": Action(_limit, typed.Limit),
    "subscribe": Action(_subscribe, asks=_sure_to_subscribe),
    "create": Action(_create, typed.NewStudy, _sure_to_create),
    "publish": Action(_publish, asks=_sure_to_publish),
    "places": Action(_add_places, typed.Places, _sure_to_add),
    "approve": Action(_approve, asks=_sure_to_approve),
    "bonuses": Action(_pay_bonuses, typed.Bonus, _sure_to_pay),
    "paid": Action(_was_paid(True), typed.Bonus),
    "not paid": Action(_was_paid(False), typed.Bonus),
    "return": Action(_return, typed.Return, _sure_to_return),
}
