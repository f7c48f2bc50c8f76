"""Our study's study on Prolific: published, given more places, paused, stopped, and read.

What costs money is written down before Prolific is asked (see `asking`).
"""

from collections.abc import Collection
from datetime import datetime, timedelta

from accounts.models import User
from judging.models import Study
from judging.studies import trail
from workspace.models import ProlificStudy
from workspace.recruiting.api import Api, StudyThere
from workspace.recruiting.asking import WAIT, Asked, asking, forget_asked, take_over
from workspace.recruiting.connecting import api_of
from workspace.recruiting.drafts import MOST_PLACES, internal_name
from workspace.recruiting.faults import CannotRecruit, Unreachable
from workspace.recruiting.spending import cost_of, insist_on_limit, insist_on_sum, money

DRAFT = "UNPUBLISHED"
CHANGED = "Somebody has changed the places in this moment: look again."
ANSWERED_WITHIN = timedelta(minutes=2)  # longer than anybody waits for an answer
STUDY_EVERY = timedelta(minutes=5)


# --- publishing, and more places ----------------------------------------------------------------
def publish(
    recruiting: ProlificStudy, by: User | None, expected: int | None = None
) -> ProlificStudy:
    """Show the study to participants on Prolific: from now on it costs money.

    Args:
        expected: what whoever asks was told that it costs.

    Raises:
        CannotRecruit: it is no draft, our study is not open, it would go beyond the limit or cost
            another sum; Prolific refuses it, for want of money perhaps.
    """
    cost = cost_to_publish(recruiting)
    insist_on_sum(cost, expected, recruiting.currency)
    places, reward = recruiting.places, recruiting.reward

    def may(locked: ProlificStudy) -> None:
        insist_on_draft(locked)
        if (locked.places, locked.reward) != (places, reward):
            raise CannotRecruit("It was changed in this moment: look again.")
        insist_on_limit(locked, cost)

    with asking(recruiting, Asked.PUBLISH, may, places, cost) as asked:
        there = api_of(asked.connection).publish(asked.prolific_id)
        take_over(asked, there, cost)
    told = {"places": asked.places, "cost": money(cost, asked.currency)}
    trail.record(asked.study, by, "published on Prolific", **told)
    return asked


def cost_to_publish(recruiting: ProlificStudy) -> int:
    """What the draft costs once it is published, as it is on Prolific now, in hundredths.

    Raises:
        CannotRecruit: it is no draft, or our study is not open.
    """
    refresh(recruiting)
    insist_on_draft(recruiting)
    return cost_of(recruiting, recruiting.places)


def insist_on_draft(recruiting: ProlificStudy) -> None:
    """Refuse to publish what is no draft, or what participants could not take part in.

    Raises:
        CannotRecruit: so it is.
    """
    study = recruiting.study
    if recruiting.status != DRAFT:
        is_made = "It is published already." if recruiting.status else "Make a draft first."
        raise CannotRecruit(is_made)
    if study.stage != Study.Stage.OPEN:
        raise CannotRecruit("Open the study here first: who comes would find it closed.")
    if recruiting.currency != study.currency:
        there = recruiting.currency
        raise CannotRecruit(f"The study pays in {study.currency}, this workspace in {there}.")


def cost_to_add(recruiting: ProlificStudy, more: int) -> int:
    """What more places cost, beyond those that are published, in hundredths.

    Raises:
        CannotRecruit: it is not published, or no such number.
    """
    if not 1 <= more <= MOST_PLACES:
        raise CannotRecruit(f"Expected 1 to {MOST_PLACES:,} more.", field="more")
    refresh(recruiting)
    _insist_on_published(recruiting)
    return cost_of(recruiting, recruiting.places + more) - recruiting.places_cost


def _insist_on_published(recruiting: ProlificStudy) -> None:
    if recruiting.status in ("", DRAFT):
        raise CannotRecruit("It is not published yet.")


def add_places(
    recruiting: ProlificStudy, more: int, by: User | None, expected: int | None = None
) -> ProlificStudy:
    """Have more places in a published study.

    Args:
        expected: what whoever asks was told that they cost.

    Raises:
        CannotRecruit: it is not published, no such number, beyond the limit, or another sum;
            Prolific refuses.
    """
    before = recruiting.places
    cost = cost_to_add(recruiting, more)
    if recruiting.places != before:
        raise CannotRecruit(CHANGED)
    insist_on_sum(cost, expected, recruiting.currency)
    places, total = before + more, recruiting.places_cost + cost

    def may(locked: ProlificStudy) -> None:
        _insist_on_published(locked)
        if locked.places != before:
            raise CannotRecruit(CHANGED)
        insist_on_limit(locked, total - locked.places_cost)

    with asking(recruiting, Asked.PLACES, may, places, total) as asked:
        there = api_of(asked.connection).set_places(asked.prolific_id, places)
        take_over(asked, there, total)
    told = {"places": places, "cost": money(total, asked.currency)}
    trail.record(asked.study, by, "added places on Prolific", **told)
    return asked


# --- pausing and stopping -----------------------------------------------------------------------
def pause(recruiting: ProlificStudy, by: User | None) -> ProlificStudy:
    """Let nobody new take part on Prolific; whoever has a place there goes on.

    Raises:
        CannotRecruit: it is not open to participants there; Prolific refuses it.
    """
    return _move(recruiting, "PAUSE", ("ACTIVE",), by, "paused on Prolific")


def resume(recruiting: ProlificStudy, by: User | None) -> ProlificStudy:
    """Let people take part again after a pause.

    Raises:
        CannotRecruit: it is not paused there, or our study is not open; Prolific refuses it.
    """
    if recruiting.study.stage != Study.Stage.OPEN:
        raise CannotRecruit("Open the study here first: who comes would find it closed.")
    return _move(recruiting, "START", ("PAUSED",), by, "resumed on Prolific")


def stop(recruiting: ProlificStudy, by: User | None) -> ProlificStudy:
    """Let nobody new take part on Prolific, for good; submissions under way go on.

    Raises:
        CannotRecruit: it is not open there, nor paused; Prolific refuses it.
    """
    insist_on_running(recruiting)
    return _move(recruiting, "STOP", ("ACTIVE", "PAUSED"), by, "stopped on Prolific")


def insist_on_running(recruiting: ProlificStudy) -> None:
    """Refuse to stop what does not run on Prolific.

    Raises:
        CannotRecruit: it is not open there, nor paused.
    """
    refresh(recruiting)
    _insist_on_status(recruiting, ("ACTIVE", "PAUSED"))


def _insist_on_status(recruiting: ProlificStudy, statuses: Collection[str]) -> None:
    if recruiting.status not in statuses:
        expected = " or ".join(status.lower() for status in statuses)
        status = recruiting.status.lower() or "not made yet"
        raise CannotRecruit(f"On Prolific the study is {status}; expected {expected}.")


def _move(
    recruiting: ProlificStudy, action: str, sources: Collection[str], by: User | None, told: str
) -> ProlificStudy:
    """Have Prolific move the study to another status: that costs nothing, so nothing is reserved.

    Where no answer comes, the study is read again at the next tick.
    """
    refresh(recruiting)
    if recruiting.asked:
        raise CannotRecruit(WAIT)
    _insist_on_status(recruiting, sources)
    try:
        there = api_of(recruiting.connection).move(recruiting.prolific_id, action)
    except Unreachable:
        ProlificStudy.objects.filter(pk=recruiting.pk).update(there_read_at=None, read_at=None)
        raise
    take_over(recruiting, there)
    trail.record(recruiting.study, by, told)
    return recruiting


# --- reading ------------------------------------------------------------------------------------
def settle(recruiting: ProlificStudy, api: Api, now: datetime) -> None:
    """Read the study now and then, and find out what became of what was asked without an answer."""
    if recruiting.asked_at and now - recruiting.asked_at < ANSWERED_WITHIN:
        return
    if recruiting.asked == Asked.CREATE:
        _find(recruiting, api)
    elif recruiting.asked:
        there = api.study(recruiting.prolific_id)
        take_over(recruiting, there, _cost_after(recruiting, there))
    elif _is_stale(recruiting, now):
        refresh(recruiting)


def refresh(recruiting: ProlificStudy) -> None:
    """Read the study: somebody may have changed or published it on Prolific itself."""
    if recruiting.asked or not recruiting.prolific_id:
        return
    there = api_of(recruiting.connection).study(recruiting.prolific_id)
    is_news = there.places != recruiting.places or not recruiting.places_cost
    is_priced = is_news and there.status != DRAFT
    cost = cost_of(recruiting, there.places, there.reward) if is_priced else None
    take_over(recruiting, there, cost)


def _is_stale(recruiting: ProlificStudy, now: datetime) -> bool:
    read_at = recruiting.there_read_at
    return bool(recruiting.prolific_id) and (read_at is None or now - read_at > STUDY_EVERY)


def _find(recruiting: ProlificStudy, api: Api) -> None:
    """Take over a draft that was made, by its internal name; or forget that it was asked for."""
    for project in api.projects(recruiting.connection.workspace_id):
        for there in api.studies(project.key):
            if there.internal_name == internal_name(recruiting):
                take_over(recruiting, api.study(there.prolific_id))
                return
    forget_asked(recruiting)


def _cost_after(recruiting: ProlificStudy, there: StudyThere) -> int | None:
    """What the published places cost, if what was asked was done; None: as before."""
    done = {
        Asked.PUBLISH: there.status != DRAFT,
        Asked.PLACES: there.places >= recruiting.asked_places,
    }
    return recruiting.asked_cost if done.get(Asked(recruiting.asked)) else None
