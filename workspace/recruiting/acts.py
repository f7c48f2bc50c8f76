"""What a study's owner does about recruiting on Prolific: the same by the page and by REST.

What cannot be undone must be confirmed first. An act that costs money is done only for the sum that
was confirmed, and only if it still costs that.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.urls import reverse

from accounts.models import User
from judging.models import Study
from trec.words import count
from workspace.confirm import Question
from workspace.models import ProlificBonus, ProlificStudy, ProlificSubmission
from workspace.planning.costs import costs
from workspace.recruiting import connecting, drafts, paying, reviewing, spending, studies, summary
from workspace.recruiting.faults import CannotRecruit
from workspace.recruiting.spending import committed, hundredths, money

Values = dict[str, Any]


@dataclass(frozen=True)
class ActionRequest:
    """An act that somebody requests for a study, with its values.

    site: makes an absolute address of a path of this site.
    """

    study: Study
    by: User
    values: Values
    site: Callable[[str], str]

    @property
    def recruiting(self) -> ProlificStudy:
        """The study on Prolific; CannotRecruit where there is none."""
        return recruiting_of(self.study)

    @property
    def expected(self) -> int | None:
        """The sum that was confirmed, in hundredths."""
        cost = self.values.get("cost")
        return None if cost is None else hundredths(cost)

    def bonus(self) -> ProlificBonus:
        """The bonuses that it is about."""
        rows = self.recruiting.bonuses.select_related("recruiting__study")
        bonus = rows.filter(pk=self.values.get("bonus") or 0).first()
        if bonus is None:
            raise CannotRecruit("There are no such bonuses any more: look again.", field="bonus")
        return bonus

    def submission(self) -> ProlificSubmission:
        """The submission that it is about."""
        rows = ProlificSubmission.objects.filter(recruiting=self.recruiting)
        submission = rows.filter(pk=self.values["submission"]).first()
        if submission is None:
            raise CannotRecruit("There is no such submission any more.", field="submission")
        return submission


@dataclass(frozen=True)
class Confirmation:
    """What must be confirmed before an act. cost: in hundredths; None: it is not about money.

    more: values that the act needs when it is confirmed.
    """

    question: Question
    cost: int | None = None
    more: Values = field(default_factory=dict)

    @property
    def values(self) -> Values:
        """What is sent back to confirm it."""
        cost = {} if self.cost is None else {"cost": Decimal(self.cost) / 100}
        return {**cost, **self.more}


@dataclass(frozen=True)
class Act:
    """Something that an owner does; `do` returns the message to show."""

    do: Callable[[ActionRequest], str]
    confirmation: Callable[[ActionRequest], Confirmation] | None = None
    costs: bool = False

    def is_confirmed(self, values: Values) -> bool:
        """Whether it has been confirmed, or need not be."""
        if self.confirmation is None:
            return True
        return values.get("cost") is not None if self.costs else bool(values.get("sure"))


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


# --- the connection -----------------------------------------------------------------------------
def _connect(action: ActionRequest) -> str:
    token, workspace = action.values["token"], action.values.get("workspace", "")
    recruiting = connecting.connect(action.study, token, workspace, action.by)
    return f"Connected with the workspace {recruiting.connection}."


def _use(action: ActionRequest) -> str:
    usable = connecting.connections_for(action.by)
    connection = usable.filter(pk=action.values["connection"]).first()
    if connection is None:
        raise CannotRecruit("There is no such connection for you.", field="connection")
    connecting.use_connection(action.study, connection, action.by)
    return f"Connected with the workspace {connection}."


def _set_limit(action: ActionRequest) -> str:
    spending.set_limit(action.recruiting, action.values["spending_limit"], action.by)
    return "The limit is set."


def _events_target(action: ActionRequest) -> str:
    return action.site(connecting.hook_path(action.recruiting.connection))


def _subscribe(action: ActionRequest) -> str:
    connecting.subscribe(action.recruiting, _events_target(action), action.by)
    return "Prolific sends events: what happens there is known here within seconds."


def _confirm_subscribe(action: ActionRequest) -> Confirmation:
    workspace = action.recruiting.connection
    lines = (
        f"A secret is made for the workspace {workspace}. Prolific has one for each workspace: "
        "another program that has events sent from there will not believe them any more.",
        f"Events go to {_events_target(action)}.",
    )
    return Confirmation(Question("Have Prolific send events?", lines, "Make the secret"))


# --- the study there ----------------------------------------------------------------------------
def _draft(action: ActionRequest) -> drafts.Draft:
    values = action.values
    others = {each.study.slug: each for each in summary.others(action.study, action.by)}
    names = values.get("without") or []
    if unknown := [name for name in names if name not in others]:
        raise CannotRecruit(f"{', '.join(unknown)}: no study of this workspace.", field="without")
    return drafts.Draft(
        title=values["title"],
        description=values["description"],
        address=action.site(reverse("study", args=[action.study.slug])),
        places=values["places"],
        minutes=values["minutes"],
        excluded=[others[name] for name in names],
    )


def _create(action: ActionRequest) -> str:
    drafts.create(action.recruiting, _draft(action), action.by, action.expected)
    return "The draft stands on Prolific. Look at it there; nobody sees it until it is published."


def _confirm_create(action: ActionRequest) -> Confirmation:
    study, places = action.study, action.values["places"]
    cost = drafts.cost_of_draft(action.recruiting, _draft(action))
    needed = costs(study).workers
    too_few = (
        [f"The plan takes about {count(needed, 'person', 'people')}: more places can be added."]
        if places < needed
        else []
    )
    lines = (
        f"{count(places, 'place')}, each paid {study.payment} {study.currency}: with all fees "
        f"{money(cost, study.currency)}, once it is published. The draft costs nothing.",
        *too_few,
    )
    return Confirmation(Question("Make the draft on Prolific?", lines, "Make the draft"), cost)


def _publish(action: ActionRequest) -> str:
    studies.publish(action.recruiting, action.by, action.expected)
    return "The study is published on Prolific."


def _confirm_publish(action: ActionRequest) -> Confirmation:
    recruiting = action.recruiting
    cost = studies.cost_to_publish(recruiting)
    lines = (_cost_sentence(recruiting, cost), "Participants see it at once.")
    places = count(recruiting.places, "place")
    return Confirmation(Question(f"Publish {places}?", lines, "Publish it"), cost)


def _add_places(action: ActionRequest) -> str:
    more = action.values["more"]
    recruiting = studies.add_places(action.recruiting, more, action.by, action.expected)
    return f"The study has {recruiting.places} places on Prolific."


def _confirm_add(action: ActionRequest) -> Confirmation:
    recruiting, more = action.recruiting, action.values["more"]
    cost = studies.cost_to_add(recruiting, more)
    lines = (_cost_sentence(recruiting, cost), "Places are never taken away again.")
    return Confirmation(Question(f"Add {count(more, 'place')}?", lines, "Add them"), cost)


def _cost_sentence(recruiting: ProlificStudy, cost: int) -> str:
    spent, limit = committed(recruiting), hundredths(recruiting.spending_limit)
    amounts = [money(cents, recruiting.currency) for cents in (cost, spent, limit)]
    return f"It costs {amounts[0]} with all fees. {amounts[1]} of {amounts[2]} are spent already."


def _pause(action: ActionRequest) -> str:
    studies.pause(action.recruiting, action.by)
    return "The study is paused on Prolific: nobody new takes part."


def _resume(action: ActionRequest) -> str:
    studies.resume(action.recruiting, action.by)
    return "The study is open to participants on Prolific again."


def _stop(action: ActionRequest) -> str:
    studies.stop(action.recruiting, action.by)
    return "The study is stopped on Prolific."


def _confirm_stop(action: ActionRequest) -> Confirmation:
    studies.check_running(action.recruiting)
    lines = (
        "Nobody new takes part, and a stopped study is not started again. Whoever has a place may "
        "go on, and what is sent is still to be reviewed and paid.",
        "Prolific gives back what was set aside for places that nobody took.",
    )
    return Confirmation(Question("Stop the study on Prolific for good?", lines, "Stop it"))


# --- submissions --------------------------------------------------------------------------------
def _approve(action: ActionRequest) -> str:
    number = reviewing.approve_submissions(action.recruiting, action.by, action.expected)
    return f"{count(number, 'submission')} approved: Prolific pays them."


def _confirm_approve(action: ActionRequest) -> Confirmation:
    recruiting = action.recruiting
    number = len(reviewing.next_to_approve(recruiting))
    cents = number * recruiting.reward
    lines = (
        f"Prolific pays their participants {money(cents, recruiting.currency)} from what was set "
        "aside when the places were published. This cannot be taken back.",
    )
    title = f"Approve {count(number, 'submission')}?"
    return Confirmation(Question(title, lines, "Approve them"), cents)


def _return(action: ActionRequest) -> str:
    submission, reason = action.submission(), action.values["reason"]
    reviewing.request_return(action.recruiting, submission, reason, action.by)
    return "Prolific asks the participant to return it."


def _confirm_return(action: ActionRequest) -> Confirmation:
    action.submission()
    lines = (
        f"Prolific writes to the participant, and gives the reason: {action.values['reason']}.",
        "Whoever returns a submission is not paid for it, and their place is free.",
    )
    return Confirmation(Question("Ask for the return of this submission?", lines, "Ask for it"))


def _reject(action: ActionRequest) -> str:
    rejection = _rejection(action)
    reviewing.reject(action.recruiting, action.submission(), *rejection, action.by)
    return "The submission is rejected."


def _rejection(action: ActionRequest) -> reviewing.Rejection:
    given = (action.values.get("category") or "", action.values.get("reason") or "")
    return reviewing.check_rejection(action.recruiting, action.submission(), *given)


def _confirm_reject(action: ActionRequest) -> Confirmation:
    rejection = _rejection(action)
    lines = (
        f"The participant reads ({rejection.category}): “{rejection.reason}”",
        "They are not paid, and too many rejections cost people their account: ask for the return "
        "of the submission where that will do. A rejection cannot be taken back here.",
    )
    question = Question("Reject this submission?", lines, "Reject it")
    return Confirmation(question, more=rejection._asdict())


# --- bonuses ------------------------------------------------------------------------------------
def _pay_bonuses(action: ActionRequest) -> str:
    paying.pay_bonuses(action.bonus(), action.by, action.expected)
    return "The bonuses are paid."


def _confirm_pay(action: ActionRequest) -> Confirmation:
    recruiting = action.recruiting
    bonus = paying.set_up_bonuses(recruiting, action.by)
    lines = (_cost_sentence(recruiting, bonus.total), "This cannot be taken back.")
    title = f"Pay {count(bonus.parts.count(), 'bonus', 'bonuses')}?"
    return Confirmation(Question(title, lines, "Pay them"), bonus.total, {"bonus": bonus.pk})


def _settle(paid: bool | None) -> Callable[[ActionRequest], str]:
    """Note whether bonuses were paid; None: as the values say."""

    def do(action: ActionRequest) -> str:
        is_paid = action.values["paid"] if paid is None else paid
        paying.settle_bonus(action.bonus(), paid=is_paid, by=action.by)
        return "That is noted."

    return do


ACTS = {
    "connect": Act(_connect),
    "use": Act(_use),
    "limit": Act(_set_limit),
    "subscribe": Act(_subscribe, _confirm_subscribe),
    "create": Act(_create, _confirm_create, costs=True),
    "publish": Act(_publish, _confirm_publish, costs=True),
    "places": Act(_add_places, _confirm_add, costs=True),
    "pause": Act(_pause),
    "resume": Act(_resume),
    "stop": Act(_stop, _confirm_stop),
    "approve": Act(_approve, _confirm_approve, costs=True),
    "return": Act(_return, _confirm_return),
    "reject": Act(_reject, _confirm_reject),
    "bonuses": Act(_pay_bonuses, _confirm_pay, costs=True),
    "paid": Act(_settle(True)),
    "not paid": Act(_settle(False)),
    "settle": Act(_settle(None)),
}
