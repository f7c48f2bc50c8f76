"""Any two decisions on one row at once: of two that exclude each other, one wins.

Rows, trail and record are then as after one order of the two, and whoever came second reads so.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings

from accounts.models import User
from judging import flow
from judging.models import Invitation, Payment, PlatformAccount, Role, Study, Tick
from judging.payments import decisions
from judging.studies import team
from judging.studies.conduct import stages
from judging.studies.conduct.batches import add_batch
from judging.studies.conduct.closing import close_study
from judging.studies.conduct.exclusion import exclude, take_back_exclusion
from judging.studies.conduct.opening import open_study
from judging.studies.configuration import removal
from judging.studies.configuration.changing import change_settings
from judging.studies.configuration.participants import add_participants, clear_participants
from judging.studies.unit_plans import discard_plan, plan
from tests.cast import Person, dora
from tests.factory import NOON, later, make_study
from tests.factory.completed import complete
from tests.judging.races.overlapping import Decision, not_serial

pytestmark = pytest.mark.django_db(transaction=True)
WORDS = "Every reason is the same line of dots, on all eight documents of the unit. " * 2


# --- payments ------------------------------------------------------------------------------------
def decisions_on(study: Study, payment: int) -> dict[str, Decision]:
    def refuse(category: str) -> Any:
        return decisions.refuse(study, payment, category, WORDS, None)

    return {
        "approve": lambda: decisions.approve(study, [payment], None),
        "pay": lambda: decisions.mark_paid(study, [payment], None),
        "refuse": lambda: refuse("LOW_EFFORT"),
        "refuse otherwise": lambda: refuse("OTHER"),
        "owe again": lambda: decisions.owe_again(study, [payment], None),
    }


@pytest.mark.parametrize("state", ["owed", "approve", "refuse", "pay"])
def test_a_payment_is_decided_on_as_if_one_after_the_other(study: Study, state: str) -> None:
    complete(study, "dora", platform="prolific", external_id="5f1e")
    payment = Payment.objects.get().pk
    contenders = decisions_on(study, payment)
    contenders.get(state, int)()
    assert not_serial(contenders) == []


def test_two_owners_decide_on_many_payments_in_different_order(study: Study) -> None:
    for name in ("ada", "ben", "carl"):
        complete(study, name)
    keys = list(Payment.objects.order_by("pk").values_list("pk", flat=True))
    contenders: dict[str, Decision] = {
        "approve": lambda: decisions.approve(study, keys, None),
        "pay": lambda: decisions.mark_paid(study, keys[::-1], None),
        "approve some": lambda: decisions.approve(study, keys[1:], None),
        "owe": lambda: decisions.owe_again(study, keys[:2], None),
    }
    assert not_serial(contenders) == []


# --- assignments ---------------------------------------------------------------------------------
def ends_of(person: Person) -> dict[str, Decision]:
    """All ways in which a unit in progress ends."""
    study, token, moment = person.study, person.unit.token, person.now
    late = moment + timedelta(hours=2)
    name = f"401-{person.assignment.unit.number}"
    account = PlatformAccount.objects.get()
    over = {account.external_id: account.ids.get("SESSION_ID", "")}
    Tick.objects.create(name="expiry", ran_at=late - timedelta(seconds=settings.TICK_SECONDS))
    return {
        "finish": lambda: str(person.finish(token=token)),
        "leave": lambda: flow.leave(token, moment),
        "expire": lambda: flow.expire_overdue(late),
        "release": lambda: flow.release_unit(study, name, None, moment),
        "return": lambda: len(flow.end_submissions(study, "prolific", over, moment)),
    }


def at_the_end(study: Study) -> Person:
    return dora(study).come_to_the_end()


def about_to_fail(study: Study) -> Person:
    return dora(study).come_to_the_end(seconds=1)


@pytest.mark.parametrize("come", [at_the_end, about_to_fail])
def test_a_unit_ends_in_one_way(study: Study, come: Callable[[Study], Person]) -> None:
    ends = ends_of(come(study))
    if come is about_to_fail:
        del ends["expire"]  # the tick passes over who is being served, and comes again
    assert not_serial(ends) == []


def test_the_last_finish_and_other_ends() -> None:
    study = make_study(most_failed_finishes=1)
    assert not_serial(ends_of(about_to_fail(study))) == []


@pytest.mark.parametrize("passes", [True, False])
def test_leaving_for_pay_and_other_ends(passes: bool) -> None:
    """After a failed Finish on a platform: one of them ends it, and it is paid at most once."""
    study = make_study(platform="prolific", completion_code="CODE1", most_failed_finishes=2)
    person = about_to_fail(study)
    person.do(f"finish, resume, open 8, wait {300 if passes else 1}")
    ends = ends_of(person)
    assert not_serial({name: ends[name] for name in ("finish", "leave", "return")}) == []


def test_a_completed_unit_is_taken_back_once(study: Study) -> None:
    person = complete(study, "dora", platform="prolific", external_id="5f1e")
    code, worker = str(person.assignment.completion_code), person.worker
    payment = Payment.objects.get().pk
    assert worker
    contenders: dict[str, Decision] = {
        "withdraw": lambda: flow.withdraw_unit(study, code, None, NOON),
        "take back": lambda: flow.withdraw_own_unit(study, code, later(400)),
        "exclude": lambda: exclude(worker, "pasted", None),
        "refuse": lambda: decisions.refuse(study, payment, "LOW_EFFORT", WORDS, None),
    }
    assert not_serial(contenders) == []


@pytest.mark.parametrize("is_excluded", [False, True])
def test_a_worker_is_excluded_or_readmitted(study: Study, is_excluded: bool) -> None:
    worker = complete(study, "ada").worker
    assert worker
    if is_excluded:
        exclude(worker, "machine", None)
    contenders: dict[str, Decision] = {
        "exclude": lambda: exclude(worker, "pasted", None),
        "exclude otherwise": lambda: exclude(worker, "asleep", None),
        "readmit": lambda: take_back_exclusion(worker, None),
        "come again": lambda: str(Person(study, "ada").begin()),
    }
    assert not_serial(contenders) == []


# --- studies -------------------------------------------------------------------------------------
def steps_of(study: Study) -> dict[str, Decision]:
    """All that is done to a study once it is open."""
    slug = study.slug
    return {
        "pause": lambda: stages.pause(study, None),
        "resume": lambda: stages.resume(study, None),
        "close": lambda: close_study(slug),
        "pay more": lambda: stages.raise_payment(study, "2", None),
        "pay much more": lambda: stages.raise_payment(study, "3", None),
        "archive": lambda: stages.archive(study, None),
        "unarchive": lambda: stages.unarchive(study, None),
        "count all": lambda: stages.count_all_judgments(study, True, None),
        "order a batch": lambda: add_batch(study, None, 1, None, number=1, seed=1),
        "order another": lambda: add_batch(study, None, 2, None, number=1, seed=1),
        "list": lambda: add_participants(study, ["1001"], None),
        "clear the list": lambda: clear_participants(study, None),
        "rename": lambda: removal.rename(slug, None, slug="another"),
        "delete": lambda: str(removal.delete_study(slug, None, slug)),
        "come": lambda: str(Person(study, "ben").begin()),
    }


@pytest.mark.parametrize(
    ("stage", "apart"),
    [
        ("open", {"resume", "archive", "unarchive", "rename", "delete", "clear the list"}),
        ("paused", {"pause", "archive", "unarchive", "rename", "delete", "list", "pay more"}),
        ("closed", {"pause", "resume", "pay more", "pay much more", "come", "order another"}),
    ],
)
def test_a_study_takes_one_step_after_the_other(study: Study, stage: str, apart: set[str]) -> None:
    """Without the steps that there are not at a stage, whatever else is done."""
    complete(study, "ada")
    steps = steps_of(study)
    begin: dict[str, Decision] = {"open": int, "paused": steps["pause"], "closed": steps["close"]}
    begin[stage]()
    assert not_serial({name: steps[name] for name in steps.keys() - apart}) == []


def test_a_draft_takes_one_step_after_the_other(transactional_db: None) -> None:
    study = make_study(opened=False)
    slug = study.slug
    contenders: dict[str, Decision] = {
        "open": lambda: open_study(slug),
        "plan": lambda: plan(study, seed=2),
        "discard the plan": lambda: discard_plan(slug, None),
        "change": lambda: change_settings(slug, {"title": "Another"}, None),
        "rename": lambda: removal.rename(slug, None, slug="another"),
        "delete": lambda: str(removal.delete_study(slug, None)),
    }
    assert not_serial(contenders) == []


def test_a_closed_study_is_deleted_while_somebody_is_at_the_end(study: Study) -> None:
    complete(study, "ada")
    person = at_the_end(study)
    close_study(study.slug)
    code, payment = Payment.objects.get().assignment.completion_code, Payment.objects.get().pk
    contenders = ends_of(person) | {
        "delete": lambda: str(removal.delete_study(study.slug, None, study.slug)),
        "approve": lambda: decisions.approve(study, [payment], None),
        "take back": lambda: flow.withdraw_own_unit(study, str(code), NOON),
    }
    assert not_serial(contenders) == []


# --- teams ---------------------------------------------------------------------------------------
def test_an_invitation_is_accepted_or_taken_back(study: Study) -> None:
    rita, omar, nina = map(User.objects.create_user, ("rita", "omar", "nina"))
    for owner in (rita, omar):
        team.add(study, owner, Role.OWNER, None)
    team.invite(rita, NOON, study, Role.EDITOR, note="for Nina")
    invitation = Invitation.objects.get()
    contenders: dict[str, Decision] = {
        "accept": lambda: team.accept(invitation, nina, NOON),
        "take back": lambda: team.take_back(invitation, rita),
        "put off the team": lambda: team.change(study, rita, None, omar),
        "put the other off": lambda: team.change(study, omar, None, rita),
        "step down": lambda: team.change(study, rita, Role.VIEWER, rita),
        "add": lambda: team.add(study, nina, Role.OWNER, rita),
    }
    assert not_serial(contenders) == []
