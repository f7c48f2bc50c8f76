"""Our study's study on Prolific: published, given more places, paused, stopped, and read.

What costs money is saved before Prolific is called (see `pending_calls`). `expected` is the cost
that was confirmed.
"""

from collections.abc import Collection
from datetime import datetime, timedelta

from accounts.models import User
from judging.models import Study
from judging.studies import trail
from workspace.models import ProlificStudy
from workspace.recruiting.api import Api, RemoteStudy
from workspace.recruiting.connecting import api_of
from workspace.recruiting.drafts import MAX_PLACES, internal_name
from workspace.recruiting.faults import CannotRecruit, Unreachable
from workspace.recruiting.pending_calls import WAIT, PendingCall, calling, clear_call, store_remote
from workspace.recruiting.spending import check_cost, check_limit, cost_of, money

DRAFT = "UNPUBLISHED"
RUNNING = ("ACTIVE", "PAUSED")
CLOSED_HERE = "Open the study here first: who comes would find it closed."
CHANGED = "Somebody has changed the places just now: check it again."
ANSWER_TIMEOUT = timedelta(minutes=2)  # longer than a request takes
STUDY_INTERVAL = timedelta(minutes=5)


# --- publishing, and more places ----------------------------------------------------------------
def publish(
    recruiting: ProlificStudy, by: User | None, expected: int | None = None
) -> ProlificStudy:
    """Show the study to participants on Prolific: from now on it costs money."""
    cost = cost_to_publish(recruiting)
    check_cost(cost, expected, recruiting.currency)
    places, reward = recruiting.places, recruiting.reward

    def check(locked: ProlificStudy) -> None:
        check_publishable(locked)
        if (locked.places, locked.reward) != (places, reward):
            raise CannotRecruit("It was changed just now: check it again.")
        check_limit(locked, cost)

    with calling(recruiting, PendingCall.PUBLISH, check, places, cost) as row:
        store_remote(row, api_of(row.connection).move(row.prolific_id, "PUBLISH"), cost)
    details = {"places": row.places, "cost": money(cost, row.currency)}
    trail.record(row.study, by, "published on Prolific", **details)
    return row


def cost_to_publish(recruiting: ProlificStudy) -> int:
    """What the draft now on Prolific costs when it is published, in hundredths."""
    refresh(recruiting)
    check_publishable(recruiting)
    return cost_of(recruiting, recruiting.places)


def check_publishable(recruiting: ProlificStudy) -> None:
    """CannotRecruit unless it is a draft, and participants could take part in it."""
    study = recruiting.study
    if recruiting.status != DRAFT:
        raise CannotRecruit(
            "It is published already." if recruiting.status else "Create a draft first."
        )
    if study.stage != Study.Stage.OPEN:
        raise CannotRecruit(CLOSED_HERE)
    if recruiting.currency != study.currency:
        currency = recruiting.currency
        raise CannotRecruit(f"The study pays in {study.currency}, this workspace in {currency}.")


def cost_to_add(recruiting: ProlificStudy, more: int) -> int:
    """What more places cost, beyond those that are published, in hundredths."""
    if not 1 <= more <= MAX_PLACES:
        raise CannotRecruit(f"Expected 1 to {MAX_PLACES:,} more.", field="more")
    refresh(recruiting)
    _check_published(recruiting)
    return cost_of(recruiting, recruiting.places + more) - recruiting.places_cost


def _check_published(recruiting: ProlificStudy) -> None:
    if recruiting.status in ("", DRAFT):
        raise CannotRecruit("It is not published yet.")


def add_places(
    recruiting: ProlificStudy, more: int, by: User | None, expected: int | None = None
) -> ProlificStudy:
    before = recruiting.places
    cost = cost_to_add(recruiting, more)
    if recruiting.places != before:
        raise CannotRecruit(CHANGED)
    check_cost(cost, expected, recruiting.currency)
    places, total = before + more, recruiting.places_cost + cost

    def check(locked: ProlificStudy) -> None:
        _check_published(locked)
        if locked.places != before:
            raise CannotRecruit(CHANGED)
        check_limit(locked, total - locked.places_cost)

    with calling(recruiting, PendingCall.PLACES, check, places, total) as row:
        store_remote(row, api_of(row.connection).set_places(row.prolific_id, places), total)
    details = {"places": places, "cost": money(total, row.currency)}
    trail.record(row.study, by, "added places on Prolific", **details)
    return row


# --- pausing and stopping -----------------------------------------------------------------------
def pause(recruiting: ProlificStudy, by: User | None) -> ProlificStudy:
    """Let nobody new take part on Prolific; whoever has a place there goes on."""
    return _transition(recruiting, "PAUSE", ("ACTIVE",), by, "paused on Prolific")


def resume(recruiting: ProlificStudy, by: User | None) -> ProlificStudy:
    if recruiting.study.stage != Study.Stage.OPEN:
        raise CannotRecruit(CLOSED_HERE)
    return _transition(recruiting, "START", ("PAUSED",), by, "resumed on Prolific")


def stop(recruiting: ProlificStudy, by: User | None) -> ProlificStudy:
    """Let nobody new take part on Prolific, for good; submissions under way go on."""
    return _transition(recruiting, "STOP", RUNNING, by, "stopped on Prolific")


def check_running(recruiting: ProlificStudy) -> None:
    refresh(recruiting)
    _check_status(recruiting, RUNNING)


def _check_status(recruiting: ProlificStudy, statuses: Collection[str]) -> None:
    if recruiting.status not in statuses:
        expected = " or ".join(status.lower() for status in statuses)
        status = recruiting.status.lower() or "not made yet"
        raise CannotRecruit(f"On Prolific the study is {status}; expected {expected}.")


def _transition(
    recruiting: ProlificStudy, action: str, sources: Collection[str], by: User | None, entry: str
) -> ProlificStudy:
    """Change the status on Prolific: that costs nothing, so no call is saved.

    Without an answer the study is read again at the next sync.
    """
    refresh(recruiting)
    if recruiting.asked:
        raise CannotRecruit(WAIT)
    _check_status(recruiting, sources)
    try:
        remote = api_of(recruiting.connection).move(recruiting.prolific_id, action)
    except Unreachable:
        ProlificStudy.objects.filter(pk=recruiting.pk).update(there_read_at=None, read_at=None)
        raise
    store_remote(recruiting, remote)
    trail.record(recruiting.study, by, entry)
    return recruiting


# --- reading ------------------------------------------------------------------------------------
def settle_pending_call(recruiting: ProlificStudy, api: Api, now: datetime) -> None:
    """Refresh the study when it is stale, and settle a call that got no answer."""
    if recruiting.asked_at and now - recruiting.asked_at < ANSWER_TIMEOUT:
        return
    if recruiting.asked == PendingCall.CREATE:
        _find_draft(recruiting, api)
    elif recruiting.asked:
        remote = api.study(recruiting.prolific_id)
        store_remote(recruiting, remote, _cost_after(recruiting, remote))
    elif not recruiting.there_read_at or now - recruiting.there_read_at > STUDY_INTERVAL:
        refresh(recruiting)


def refresh(recruiting: ProlificStudy) -> None:
    """Read the study: somebody may have changed or published it on Prolific itself."""
    if recruiting.asked or not recruiting.prolific_id:
        return
    remote = api_of(recruiting.connection).study(recruiting.prolific_id)
    is_news = remote.places != recruiting.places or not recruiting.places_cost
    is_priced = is_news and remote.status != DRAFT
    cost = cost_of(recruiting, remote.places, remote.reward) if is_priced else None
    store_remote(recruiting, remote, cost)


def _find_draft(recruiting: ProlificStudy, api: Api) -> None:
    """Store a draft that was made, found by its internal name; or clear the call."""
    for project in api.projects(recruiting.connection.workspace_id):
        for remote in api.studies(project.key):
            if remote.internal_name == internal_name(recruiting):
                store_remote(recruiting, api.study(remote.prolific_id))
                return
    clear_call(recruiting)


def _cost_after(recruiting: ProlificStudy, remote: RemoteStudy) -> int | None:
    """What the published places cost, if the call was carried out; None: as before."""
    was_done = {
        PendingCall.PUBLISH: remote.status != DRAFT,
        PendingCall.PLACES: remote.places >= recruiting.asked_places,
    }
    return recruiting.asked_cost if was_done.get(PendingCall(recruiting.asked)) else None
