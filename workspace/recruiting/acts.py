"""What a study's owner does about recruiting on Prolific: the same by page, REST and command.

What cannot be undone must be confirmed first. An act that costs money is done only for the sum that
was confirmed, and only if it still costs that.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django import forms
from django.urls import reverse

from accounts.models import User
from judging.acts import Act, Question
from judging.models import Role, Study
from magnitudes.files.words import count
from web.rest.bodies import Body
from workspace.models import ProlificBonus, ProlificStudy, ProlificSubmission
from workspace.planning.costs import costs
from workspace.recruiting import bodies, bonuses, connecting, drafts, reviewing, spending, studies
from workspace.recruiting import forms as typed
from workspace.recruiting.faults import CannotRecruit
from workspace.recruiting.spending import committed, hundredths, money
from workspace.recruiting.summary import others

Values = dict[str, Any]


@dataclass(frozen=True)
class ActionRequest:
    """site: makes an absolute address of a path of this site."""

    study: Study
    by: User
    values: Values
    site: Callable[[str], str]

    @property
    def recruiting(self) -> ProlificStudy:
        return recruiting_of(self.study)

    @property
    def expected(self) -> int | None:
        """The sum that was confirmed, in hundredths."""
        cost = self.values.get("cost")
        return None if cost is None else hundredths(cost)

    def bonus(self) -> ProlificBonus:
        rows = self.recruiting.bonuses.select_related("recruiting__study")
        bonus = rows.filter(pk=self.values.get("bonus") or 0).first()
        if bonus is None:
            raise CannotRecruit("There are no such bonuses any more: check again.", field="bonus")
        return bonus

    def submission(self) -> ProlificSubmission:
        rows = ProlificSubmission.objects.filter(recruiting=self.recruiting)
        submission = rows.filter(pk=self.values["submission"]).first()
        if submission is None:
            raise CannotRecruit("There is no such submission any more.", field="submission")
        return submission


@dataclass(frozen=True)
class Confirmation:
    """cost: in hundredths; None: it is not about money. more: values that the act then needs."""

    question: Question
    cost: int | None = None
    more: Values = field(default_factory=dict)

    @property
    def values(self) -> Values:
        return self.more if self.cost is None else {"cost": Decimal(self.cost) / 100, **self.more}


@dataclass(frozen=True)
class Button:
    """Something that an owner does.

    done: the message afterwards; a function takes what `do` returned. text, body: of the act of
    REST and the command, if there is one.
    """

    do: Callable[[ActionRequest], Any]
    done: str | Callable[[Any], str]
    form: type[forms.Form] = typed.Confirm
    confirmation: Callable[[ActionRequest], Confirmation] | None = None
    costs: bool = False
    text: str = ""
    body: type[Body] | None = None

    def to_confirm(self, action: ActionRequest) -> Confirmation | None:
        """What must be confirmed first, if it is not yet."""
        cost, sure = action.values.get("cost"), action.values.get("sure")
        is_confirmed = cost is not None if self.costs else sure
        return None if is_confirmed or not self.confirmation else self.confirmation(action)

    def press(self, action: ActionRequest) -> str:
        result = self.do(action)
        return self.done if isinstance(self.done, str) else self.done(result)

    def by_rest(
        self, study: Study, by: User, site: Callable[[str], str] = str, **values: Any
    ) -> Values:
        """Do it, or say what it would do; as `DoneSerializer` has it."""
        action = ActionRequest(study, by, values, site)
        if confirmation := self.to_confirm(action):
            sentences = [confirmation.question.title, *confirmation.question.lines]
            more = confirmation.values
        else:
            sentences, more = [self.press(action)], {}
        return {"done": not confirmation, "says": sentences, "cost": None, "bonus": None} | more


def recruiting_of(study: Study) -> ProlificStudy:
    rows = ProlificStudy.objects.select_related("study", "connection")
    recruiting = rows.filter(study=study).first()
    if recruiting is None:
        raise CannotRecruit("Connect the study with Prolific first.")
    return recruiting


# --- the connection -----------------------------------------------------------------------------
def _connect(action: ActionRequest) -> ProlificStudy:
    if "connection" not in action.values:
        given = action.values.get("token", ""), action.values.get("workspace", "")
        return connecting.connect(action.study, *given, action.by)
    usable = connecting.connections_for(action.by)
    connection = usable.filter(pk=action.values["connection"]).first()
    if connection is None:
        raise CannotRecruit("There is no such connection for you.", field="connection")
    return connecting.use_connection(action.study, connection, action.by)


def _connected(recruiting: ProlificStudy) -> str:
    return f"Connected with the workspace {recruiting.connection}."


def _events_target(action: ActionRequest) -> str:
    return action.site(connecting.hook_path(action.recruiting.connection))


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
    studies_there = {each.study.slug: each for each in others(action.study, action.by)}
    names = values.get("without") or []
    if unknown := [name for name in names if name not in studies_there]:
        raise CannotRecruit(f"{', '.join(unknown)}: no study of this workspace.", field="without")
    return drafts.Draft(
        **{name: values[name] for name in ("title", "description", "places", "minutes")},
        address=action.site(reverse("study", args=[action.study.slug])),
        excluded=[studies_there[name] for name in names],
    )


def _confirm_create(action: ActionRequest) -> Confirmation:
    study, places = action.study, action.values["places"]
    cost = drafts.cost_of_draft(action.recruiting, _draft(action))
    needed = costs(study).workers
    lines = [
        f"{count(places, 'place')}, each paid {study.payment} {study.currency}: with all fees "
        f"{money(cost, study.currency)}, once it is published. The draft costs nothing."
    ]
    if places < needed:
        people = count(needed, "person", "people")
        lines.append(f"The plan takes about {people}: more places can be added.")
    return Confirmation(
        Question("Make the draft on Prolific?", tuple(lines), "Make the draft"), cost
    )


def _confirm_publish(action: ActionRequest) -> Confirmation:
    recruiting = action.recruiting
    cost = studies.cost_to_publish(recruiting)
    lines = (_cost_sentence(recruiting, cost), "Participants see it at once.")
    places = count(recruiting.places, "place")
    return Confirmation(Question(f"Publish {places}?", lines, "Publish it"), cost)


def _more(action: ActionRequest) -> int:
    """REST sends the total of places, so that sending it twice adds none."""
    if "places" not in action.values:
        return int(action.values["more"])
    before = action.recruiting.places
    if (more := int(action.values["places"]) - before) < 1:
        raise CannotRecruit(f"There are {before:,} places already.", field="places")
    return more


def _confirm_add(action: ActionRequest) -> Confirmation:
    recruiting, more = action.recruiting, _more(action)
    cost = studies.cost_to_add(recruiting, more)
    lines = (_cost_sentence(recruiting, cost), "Places are never taken away again.")
    return Confirmation(Question(f"Add {count(more, 'place')}?", lines, "Add them"), cost)


def _cost_sentence(recruiting: ProlificStudy, cost: int) -> str:
    spent, limit = committed(recruiting), hundredths(recruiting.spending_limit)
    amounts = [money(cents, recruiting.currency) for cents in (cost, spent, limit)]
    return f"It costs {amounts[0]} with all fees. {amounts[1]} of {amounts[2]} are spent already."


def _confirm_stop(action: ActionRequest) -> Confirmation:
    studies.check_running(action.recruiting)
    lines = (
        "Nobody new takes part, and a stopped study is not started again. Whoever has a place may "
        "go on, and what is sent is still to be reviewed and paid.",
        "Prolific gives back what was set aside for places that nobody took.",
    )
    return Confirmation(Question("Stop the study on Prolific for good?", lines, "Stop it"))


# --- submissions --------------------------------------------------------------------------------
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


def _return(action: ActionRequest) -> None:
    submission, reason = action.submission(), action.values["reason"]
    reviewing.request_return(action.recruiting, submission, reason, action.by)


def _confirm_return(action: ActionRequest) -> Confirmation:
    action.submission()
    lines = (
        f"Prolific writes to the participant, and gives the reason: {action.values['reason']}.",
        "Whoever returns a submission is not paid for it, and their place is free.",
    )
    return Confirmation(Question("Ask for the return of this submission?", lines, "Ask for it"))


def _rejection(action: ActionRequest) -> reviewing.Rejection:
    given = (action.values.get("category") or "", action.values.get("reason") or "")
    return reviewing.check_rejection(action.recruiting, action.submission(), *given)


def _reject(action: ActionRequest) -> None:
    rejection = _rejection(action)
    reviewing.reject(action.recruiting, action.submission(), *rejection, action.by)


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
def _confirm_pay(action: ActionRequest) -> Confirmation:
    recruiting = action.recruiting
    bonus = bonuses.set_up_bonuses(recruiting, action.by)
    lines = (_cost_sentence(recruiting, bonus.total), "This cannot be taken back.")
    title = f"Pay {count(bonus.parts.count(), 'bonus', 'bonuses')}?"
    return Confirmation(Question(title, lines, "Pay them"), bonus.total, {"bonus": bonus.pk})


def _act(button: Button, body: type[Body]) -> Act:
    return Act(
        button.text,
        button.by_rest,
        body,
        lambda done: "\n".join(done["says"]),
        Role.OWNER,
        answer=bodies.DoneSerializer,
    )


def _settle(action: ActionRequest, *, paid: bool) -> None:
    bonuses.settle_bonus(action.bonus(), paid=paid, by=action.by)


NOTED = "That is noted."
BUTTONS = {
    "connect": Button(
        _connect,
        _connected,
        typed.Token,
        text="Connect a study with a workspace of Prolific's, by a token or a connection that is "
        "there.",
        body=bodies.Token,
    ),
    "use": Button(_connect, _connected, typed.Connection),
    "limit": Button(
        lambda act: spending.set_limit(act.recruiting, act.values["spending_limit"], act.by),
        "The limit is set.",
        typed.Limit,
        text="Let recruiting cost at most so much.",
        body=bodies.Limit,
    ),
    "subscribe": Button(
        lambda act: connecting.subscribe(act.recruiting, _events_target(act), act.by),
        "Prolific sends events: what happens there is known here within seconds.",
        confirmation=_confirm_subscribe,
        text="Have Prolific send events, by a new secret: another program's is void.",
        body=bodies.Sure,
    ),
    "create": Button(
        lambda act: drafts.create(act.recruiting, _draft(act), act.by, act.expected),
        "The draft stands on Prolific. Look at it there; nobody sees it until it is published.",
        typed.NewStudy,
        _confirm_create,
        costs=True,
        text="Make the draft of a study on Prolific; it costs nothing until it is published.",
        body=bodies.StudyOnProlific,
    ),
    "publish": Button(
        lambda act: studies.publish(act.recruiting, act.by, act.expected),
        "The study is published on Prolific.",
        confirmation=_confirm_publish,
        costs=True,
        text="Show the study to participants on Prolific: from now on it costs money.",
        body=bodies.Sum,
    ),
    "places": Button(
        lambda act: studies.add_places(act.recruiting, _more(act), act.by, act.expected),
        lambda recruiting: f"The study has {recruiting.places} places on Prolific.",
        typed.Places,
        _confirm_add,
        costs=True,
        text="Have more places on Prolific; the number of all is said, so that twice changes "
        "nothing.",
        body=bodies.Places,
    ),
    "pause": Button(
        lambda act: studies.pause(act.recruiting, act.by),
        "The study is paused on Prolific: nobody new takes part.",
        text="Let nobody new take part on Prolific.",
        body=bodies.NothingOnProlific,
    ),
    "resume": Button(
        lambda act: studies.resume(act.recruiting, act.by),
        "The study is open to participants on Prolific again.",
        text="Let people take part on Prolific again.",
        body=bodies.NothingOnProlific,
    ),
    "stop": Button(
        lambda act: studies.stop(act.recruiting, act.by),
        "The study is stopped on Prolific.",
        confirmation=_confirm_stop,
        text="Let nobody new take part on Prolific, for good.",
        body=bodies.Sure,
    ),
    "approve": Button(
        lambda act: reviewing.approve_submissions(act.recruiting, act.by, act.expected),
        lambda number: f"{count(number, 'submission')} approved: Prolific pays them.",
        confirmation=_confirm_approve,
        costs=True,
        text="Have Prolific pay the submissions whose worker has completed a unit.",
        body=bodies.Sum,
    ),
    "return": Button(
        _return,
        "Prolific asks the participant to return it.",
        typed.Return,
        _confirm_return,
        text="Have Prolific ask a participant to return a submission.",
        body=bodies.Return,
    ),
    "reject": Button(
        _reject,
        "The submission is rejected.",
        typed.Rejection,
        _confirm_reject,
        text="Reject a submission on Prolific, and refuse the payment of its unit; never for "
        "checks.",
        body=bodies.Rejection,
    ),
    "bonuses": Button(
        lambda act: bonuses.pay_bonuses(act.bonus(), act.by, act.expected),
        "The bonuses are paid.",
        typed.Bonus,
        _confirm_pay,
        costs=True,
        text="Pay further units by bonuses: set up by a first request, paid by a second.",
        body=bodies.Bonuses,
    ),
    "paid": Button(lambda act: _settle(act, paid=True), NOTED, typed.Bonus),
    "not paid": Button(lambda act: _settle(act, paid=False), NOTED, typed.Bonus),
}
# What REST does; the command all but those that need the address of the site, or whose token it is.
ACTS = {
    "events" if name == "subscribe" else name: _act(button, button.body)
    for name, button in BUTTONS.items()
    if button.body
}
ACTS["settle-bonuses"] = _act(
    Button(
        lambda act: _settle(act, paid=act.values["paid"]),
        NOTED,
        text="Say whether Prolific has paid bonuses of which it did not say so.",
    ),
    bodies.Settled,
)
