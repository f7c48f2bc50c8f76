"""What a study's owner does about recruiting on Prolific: the same by the page and by REST.

What cannot be taken back is asked about first. An act that costs money is done only with the sum
that whoever asks was told, and only if it is the same still.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.urls import reverse

from accounts.models import User
from judging.models import Study
from trec.words import count
from workspace.models import ProlificBonus, ProlificStudy, ProlificSubmission
from workspace.planning.costs import costs
from workspace.recruiting import connecting, drafts, paying, reviewing, spending, standing, studies
from workspace.recruiting.faults import CannotRecruit
from workspace.recruiting.spending import committed, hundredths, money
from workspace.sure import Question

Values = dict[str, Any]


@dataclass(frozen=True)
class Wish:
    """What somebody wants done for a study, with the values that they gave.

    site: the whole address of a path of this site.
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
        """The sum that they were told, in hundredths."""
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
class Asked:
    """The question before an act. cost: in hundredths; None: it is not about money.

    more: values that belong to the act from now on.
    """

    question: Question
    cost: int | None = None
    more: Values = field(default_factory=dict)

    @property
    def values(self) -> Values:
        """What is sent along with the answer."""
        cost = {} if self.cost is None else {"cost": Decimal(self.cost) / 100}
        return {**cost, **self.more}


@dataclass(frozen=True)
class Act:
    """Something that an owner does; `do` returns what to say of it. asks: the question before."""

    do: Callable[[Wish], str]
    asks: Callable[[Wish], Asked] | None = None
    costs: bool = False

    def is_sure(self, values: Values) -> bool:
        """Whether it need not be asked about any more."""
        if self.asks is None:
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
def _connect(wish: Wish) -> str:
    values = wish.values
    made = connecting.connect(wish.study, values["token"], values.get("workspace", ""), wish.by)
    return f"Connected with the workspace {made.connection}."


def _use(wish: Wish) -> str:
    known = connecting.connections_for(wish.by).filter(pk=wish.values["connection"]).first()
    if known is None:
        raise CannotRecruit("There is no such connection for you.", field="connection")
    connecting.use(wish.study, known, wish.by)
    return f"Connected with the workspace {known}."


def _limit(wish: Wish) -> str:
    spending.set_limit(wish.recruiting, wish.values["spending_limit"], wish.by)
    return "The limit is set."


def _events_target(wish: Wish) -> str:
    return wish.site(connecting.hook_path(wish.recruiting.connection))


def _subscribe(wish: Wish) -> str:
    connecting.subscribe(wish.recruiting, _events_target(wish), wish.by)
    return "Prolific sends events: what happens there is known here within seconds."


def _ask_to_subscribe(wish: Wish) -> Asked:
    workspace = wish.recruiting.connection
    lines = (
        f"A secret is made for the workspace {workspace}. Prolific has one for each workspace: "
        "another program that has events sent from there will not believe them any more.",
        f"Events go to {_events_target(wish)}.",
    )
    return Asked(Question("Have Prolific send events?", lines, "Make the secret"))


# --- the study there ----------------------------------------------------------------------------
def _draft(wish: Wish) -> drafts.Draft:
    values = wish.values
    others = {each.study.slug: each for each in standing.others(wish.study, wish.by)}
    names = values.get("without") or []
    if unknown := [name for name in names if name not in others]:
        raise CannotRecruit(f"{', '.join(unknown)}: no study of this workspace.", field="without")
    return drafts.Draft(
        title=values["title"],
        description=values["description"],
        address=wish.site(reverse("study", args=[wish.study.slug])),
        places=values["places"],
        minutes=values["minutes"],
        without=[others[name] for name in names],
    )


def _create(wish: Wish) -> str:
    drafts.create(wish.recruiting, _draft(wish), wish.by, wish.expected)
    return "The draft stands on Prolific. Look at it there; nobody sees it until it is published."


def _ask_to_create(wish: Wish) -> Asked:
    study, places = wish.study, wish.values["places"]
    cost = drafts.cost_of_draft(wish.recruiting, _draft(wish))
    wanted = costs(study).workers
    too_few = (
        [f"The plan takes about {count(wanted, 'person', 'people')}: more places can be added."]
        if places < wanted
        else []
    )
    lines = (
        f"{count(places, 'place')}, each paid {study.payment} {study.currency}: with all fees "
        f"{money(cost, study.currency)}, once it is published. The draft costs nothing.",
        *too_few,
    )
    return Asked(Question("Make the draft on Prolific?", lines, "Make the draft"), cost)


def _publish(wish: Wish) -> str:
    studies.publish(wish.recruiting, wish.by, wish.expected)
    return "The study is published on Prolific."


def _ask_to_publish(wish: Wish) -> Asked:
    recruiting = wish.recruiting
    cost = studies.cost_to_publish(recruiting)
    lines = (_sum(recruiting, cost), "Participants see it at once.")
    places = count(recruiting.places, "place")
    return Asked(Question(f"Publish {places}?", lines, "Publish it"), cost)


def _add_places(wish: Wish) -> str:
    recruiting = studies.add_places(wish.recruiting, wish.values["more"], wish.by, wish.expected)
    return f"The study has {recruiting.places} places on Prolific."


def _ask_to_add(wish: Wish) -> Asked:
    recruiting, more = wish.recruiting, wish.values["more"]
    cost = studies.cost_to_add(recruiting, more)
    lines = (_sum(recruiting, cost), "Places are never taken away again.")
    return Asked(Question(f"Add {count(more, 'place')}?", lines, "Add them"), cost)


def _sum(recruiting: ProlificStudy, cost: int) -> str:
    """What something costs, beside what is spent of the limit."""
    spent, limit = committed(recruiting), hundredths(recruiting.spending_limit)
    amounts = [money(cents, recruiting.currency) for cents in (cost, spent, limit)]
    return f"It costs {amounts[0]} with all fees. {amounts[1]} of {amounts[2]} are spent already."


def _pause(wish: Wish) -> str:
    studies.pause(wish.recruiting, wish.by)
    return "The study is paused on Prolific: nobody new takes part."


def _resume(wish: Wish) -> str:
    studies.resume(wish.recruiting, wish.by)
    return "The study is open to participants on Prolific again."


def _stop(wish: Wish) -> str:
    studies.stop(wish.recruiting, wish.by)
    return "The study is stopped on Prolific."


def _ask_to_stop(wish: Wish) -> Asked:
    studies.insist_on_running(wish.recruiting)
    lines = (
        "Nobody new takes part, and a stopped study is not started again. Whoever has a place may "
        "go on, and what is sent is still to be reviewed and paid.",
        "Prolific gives back what was set aside for places that nobody took.",
    )
    return Asked(Question("Stop the study on Prolific for good?", lines, "Stop it"))


# --- submissions --------------------------------------------------------------------------------
def _approve(wish: Wish) -> str:
    number = reviewing.approve_submissions(wish.recruiting, wish.by, wish.expected)
    return f"{count(number, 'submission')} approved: Prolific pays them."


def _ask_to_approve(wish: Wish) -> Asked:
    recruiting = wish.recruiting
    number = len(reviewing.some_to_approve(recruiting))
    cents = number * recruiting.reward
    lines = (
        f"Prolific pays their participants {money(cents, recruiting.currency)} from what was set "
        "aside when the places were published. This cannot be taken back.",
    )
    return Asked(Question(f"Approve {count(number, 'submission')}?", lines, "Approve them"), cents)


def _return(wish: Wish) -> str:
    submission, reason = wish.submission(), wish.values["reason"]
    reviewing.request_return(wish.recruiting, submission, reason, wish.by)
    return "Prolific asks the participant to return it."


def _ask_to_return(wish: Wish) -> Asked:
    wish.submission()
    lines = (
        f"Prolific writes to the participant, and gives the reason: {wish.values['reason']}.",
        "Whoever returns a submission is not paid for it, and their place is free.",
    )
    return Asked(Question("Ask for the return of this submission?", lines, "Ask for it"))


def _reject(wish: Wish) -> str:
    words = _words(wish)
    reviewing.reject(wish.recruiting, wish.submission(), *words, wish.by)
    return "The submission is rejected."


def _words(wish: Wish) -> reviewing.Words:
    typed = (wish.values.get("category") or "", wish.values.get("reason") or "")
    return reviewing.words_of_rejection(wish.recruiting, wish.submission(), *typed)


def _ask_to_reject(wish: Wish) -> Asked:
    words = _words(wish)
    lines = (
        f"The participant reads ({words.category}): “{words.reason}”",
        "They are not paid, and too many rejections cost people their account: ask for the return "
        "of the submission where that will do. A rejection cannot be taken back here.",
    )
    return Asked(Question("Reject this submission?", lines, "Reject it"), more=words._asdict())


# --- bonuses ------------------------------------------------------------------------------------
def _pay_bonuses(wish: Wish) -> str:
    paying.pay_bonuses(wish.bonus(), wish.by, wish.expected)
    return "The bonuses are paid."


def _ask_to_pay(wish: Wish) -> Asked:
    recruiting = wish.recruiting
    bonus = paying.set_up_bonuses(recruiting, wish.by)
    lines = (_sum(recruiting, bonus.total), "This cannot be taken back.")
    title = f"Pay {count(bonus.parts.count(), 'bonus', 'bonuses')}?"
    return Asked(Question(title, lines, "Pay them"), bonus.total, {"bonus": bonus.pk})


def _settle(paid: bool | None) -> Callable[[Wish], str]:
    """Note whether bonuses were paid; None: as the values say."""

    def do(wish: Wish) -> str:
        is_paid = wish.values["paid"] if paid is None else paid
        paying.settle_bonus(wish.bonus(), paid=is_paid, by=wish.by)
        return "That is noted."

    return do


ACTS = {
    "connect": Act(_connect),
    "use": Act(_use),
    "limit": Act(_limit),
    "subscribe": Act(_subscribe, _ask_to_subscribe),
    "create": Act(_create, _ask_to_create, costs=True),
    "publish": Act(_publish, _ask_to_publish, costs=True),
    "places": Act(_add_places, _ask_to_add, costs=True),
    "pause": Act(_pause),
    "resume": Act(_resume),
    "stop": Act(_stop, _ask_to_stop),
    "approve": Act(_approve, _ask_to_approve, costs=True),
    "return": Act(_return, _ask_to_return),
    "reject": Act(_reject, _ask_to_reject),
    "bonuses": Act(_pay_bonuses, _ask_to_pay, costs=True),
    "paid": Act(_settle(True)),
    "not paid": Act(_settle(False)),
    "settle": Act(_settle(None)),
}
