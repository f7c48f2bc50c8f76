"""Our study's study on Prolific: made as a draft, published, given more places.

Each step is written down before Prolific is asked and settled after; where no answer comes, the
next reading settles it. So a crash, or a button pressed twice, does nothing twice.
"""

from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db import transaction

from accounts.models import User
from judging.models import Study
from judging.platforms import PROLIFIC
from judging.studies import trail
from web import clock
from workspace.models import ProlificStudy
from workspace.recruiting.api import Api, Json, StudyThere
from workspace.recruiting.connecting import api_of
from workspace.recruiting.faults import CannotRecruit, Refused
from workspace.recruiting.spending import hundredths, insist_on_limit, money

Asked = ProlificStudy.Asked
DRAFT = "UNPUBLISHED"
MOST_PLACES = 10_000
ANSWERED_WITHIN = timedelta(minutes=2)  # longer than anybody waits for an answer
STUDY_EVERY = timedelta(minutes=5)
RETURN_REASON = "They stopped, or could not go on."


@dataclass(frozen=True)
class Draft:
    """What a study on Prolific is made of.

    address: of our study on this site; minutes: that a unit takes; without: studies on Prolific
    whose participants are not let in. A submission pays what our study pays for a unit.
    """

    title: str
    description: str
    address: str
    places: int
    minutes: int
    without: Sequence[ProlificStudy] = ()


def set_limit(recruiting: ProlificStudy, limit: Decimal, by: User | None) -> None:
    """Let recruiting cost at most so much, all fees included.

    Raises:
        CannotRecruit: it is below zero, or too large.
    """
    if not 0 <= limit < 10**8:
        raise CannotRecruit("Expected an amount of money.", field="spending_limit")
    before = recruiting.spending_limit
    ProlificStudy.objects.filter(pk=recruiting.pk).update(spending_limit=limit)
    changes = {"spending limit": [str(before), str(limit)]}
    trail.record(recruiting.study, by, "changed recruiting", changes=changes)


def cost_of(recruiting: ProlificStudy, places: int, reward: int | None = None) -> int:
    """What so many places cost with all fees, as Prolific says it, in hundredths.

    With the screen-outs that the study pays, at most one a place.
    """
    api, screen_out = api_of(recruiting.connection), recruiting.study.screen_out_reward
    cost = api.cost(recruiting.reward if reward is None else reward, places)
    return cost + (api.cost(hundredths(screen_out), places) if screen_out else 0)


# --- a draft ------------------------------------------------------------------------------------
def create(recruiting: ProlificStudy, draft: Draft, by: User | None) -> ProlificStudy:
    """Make the draft of a study on Prolific, where our study is entered. It costs nothing yet.

    Raises:
        CannotRecruit: there is one already, the study has no completion code, or a number is out of
            range; Prolific refuses it.
    """
    _check(recruiting.study, draft)
    with _asking(recruiting, Asked.CREATE, _has_none) as asked:
        api = api_of(asked.connection)
        there = api.create_study(_as_json(asked, draft))
        _take_over(asked, there)
    trail.record(recruiting.study, by, "made a study on Prolific", places=draft.places)
    return asked


def _has_none(recruiting: ProlificStudy) -> None:
    if recruiting.prolific_id:
        raise CannotRecruit("There is a study on Prolific already.")


def _check(study: Study, draft: Draft) -> None:
    if study.from_platform != PROLIFIC or not study.completion_code:
        raise CannotRecruit(
            "In the step Recruiting of its set-up the study first needs Prolific as its platform, "
            "and a completion code."
        )
    if not 1 <= draft.places <= MOST_PLACES:
        raise CannotRecruit(f"Expected 1 to {MOST_PLACES:,} places.", field="places")
    if draft.minutes < 1:
        raise CannotRecruit("Expected a minute at least.", field="minutes")
    if not study.payment:
        raise CannotRecruit("The study pays nothing for a unit, which Prolific does not allow.")


def internal_name(recruiting: ProlificStudy) -> str:
    """What the study is called in the workspace; participants do not see it."""
    return f"{recruiting.study.slug} {recruiting.key}"


def _as_json(recruiting: ProlificStudy, draft: Draft) -> Json:
    """A draft as the API wants it."""
    study = recruiting.study
    body: Json = {
        "name": draft.title,
        "internal_name": internal_name(recruiting),
        "description": draft.description,
        "external_study_url": PROLIFIC.entry(draft.address),
        "prolific_id_option": "url_parameters",
        "completion_codes": _codes(study, draft.places),
        "total_available_places": draft.places,
        "estimated_completion_time": draft.minutes,
        "reward": hundredths(study.payment),
        "device_compatibility": ["desktop", "tablet", "mobile"],
        "filters": _without(draft.without),
    }
    if study.submission_minutes:
        body["maximum_allowed_time"] = study.submission_minutes
    return body


def _codes(study: Study, places: int) -> list[Json]:
    """The completion codes, and what Prolific does when one is entered."""
    codes: list[Json] = [
        {
            "code": study.completion_code,
            "code_type": "COMPLETED",
            "actions": [{"action": "MANUALLY_REVIEW"}],
        }
    ]
    if study.screen_out_code:
        codes.append(
            {
                "code": study.screen_out_code,
                "code_type": "FIXED_SCREENOUT",
                "actions": [
                    {
                        "action": "FIXED_SCREEN_OUT_PAYMENT",
                        "fixed_screen_out_reward": hundredths(study.screen_out_reward or Decimal()),
                        "slots": places,
                    }
                ],
            }
        )
    if study.return_code:
        action = {"action": "REQUEST_RETURN", "return_reason": RETURN_REASON}
        codes.append({"code": study.return_code, "code_type": "OTHER", "actions": [action]})
    return codes


def _without(studies: Sequence[ProlificStudy]) -> list[Json]:
    """The filter that lets in nobody who took part in these studies on Prolific."""
    ids = sorted({each.prolific_id for each in studies if each.prolific_id})
    return [{"filter_id": "previous_studies_blocklist", "selected_values": ids}] if ids else []


# --- publishing, and more places ----------------------------------------------------------------
def publish(recruiting: ProlificStudy, by: User | None) -> ProlificStudy:
    """Show the study to participants on Prolific: from now on it costs money.

    Raises:
        CannotRecruit: it is no draft, our study is not open, it would go beyond the limit; Prolific
            refuses it, for want of money perhaps.
    """
    refresh(recruiting)
    places, reward = recruiting.places, recruiting.reward
    cost = cost_of(recruiting, places)

    def may(locked: ProlificStudy) -> None:
        insist_on_draft(locked)
        if (locked.places, locked.reward) != (places, reward):
            raise CannotRecruit("It was changed in this moment: look again.")
        insist_on_limit(locked, cost)

    with _asking(recruiting, Asked.PUBLISH, may, places, cost) as asked:
        there = api_of(asked.connection).publish(asked.prolific_id)
        _take_over(asked, there, cost)
    told = {"places": asked.places, "cost": money(cost, asked.currency)}
    trail.record(asked.study, by, "published on Prolific", **told)
    return asked


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


def insist_on_published(recruiting: ProlificStudy) -> None:
    """Refuse what only a published study can have.

    Raises:
        CannotRecruit: it is a draft, or none.
    """
    if recruiting.status in ("", DRAFT):
        raise CannotRecruit("It is not published yet.")


def add_places(recruiting: ProlificStudy, more: int, by: User | None) -> ProlificStudy:
    """Have more places in a published study.

    Raises:
        CannotRecruit: it is not published, no such number, or beyond the limit; Prolific refuses.
    """
    if not 1 <= more <= MOST_PLACES:
        raise CannotRecruit(f"Expected 1 to {MOST_PLACES:,} more.", field="more")
    places = recruiting.places + more
    cost = cost_of(recruiting, places)

    def may(locked: ProlificStudy) -> None:
        insist_on_published(locked)
        if locked.places != recruiting.places:
            raise CannotRecruit("Somebody has changed the places in this moment: look again.")
        insist_on_limit(locked, cost - locked.places_cost)

    with _asking(recruiting, Asked.PLACES, may, places, cost) as asked:
        there = api_of(asked.connection).set_places(asked.prolific_id, places)
        _take_over(asked, there, cost)
    told = {"places": places, "cost": money(cost, asked.currency)}
    trail.record(asked.study, by, "added places on Prolific", **told)
    return asked


# --- before and after Prolific is asked ---------------------------------------------------------
@contextmanager
def _asking(
    recruiting: ProlificStudy,
    what: Asked,
    may: Callable[[ProlificStudy], None],
    places: int = 0,
    cost: int = 0,
) -> Any:
    """Write down what Prolific is about to be asked; take it away if it refuses.

    Where it does not answer, what was asked stays, until `settle` has read what became of it.
    """
    with transaction.atomic():
        locked = ProlificStudy.objects.locked().select_related("study", "connection")
        row = locked.get(pk=recruiting.pk)
        if row.asked:
            raise CannotRecruit("Prolific has not answered the last question yet: look again soon.")
        may(row)
        row.asked, row.asked_places, row.asked_cost = what, places, cost
        row.asked_at = clock.now()
        row.save()
    try:
        yield row
    except Refused:
        _forget_asked(row)
        raise


def _forget_asked(recruiting: ProlificStudy) -> None:
    """Prolific does not do it: all is as it was."""
    _answered(recruiting)


def _answered(recruiting: ProlificStudy, **changes: Any) -> None:
    """Keep what has changed; what was asked is answered.

    Unless something else was asked meanwhile: then this is no answer to it.
    """
    nothing = {"asked": Asked.NOTHING, "asked_at": None, "asked_places": 0, "asked_cost": 0}
    rows = ProlificStudy.objects.filter(
        pk=recruiting.pk, asked=recruiting.asked, asked_at=recruiting.asked_at
    )
    if rows.update(**nothing, **changes):
        recruiting.refresh_from_db()


def _take_over(recruiting: ProlificStudy, there: StudyThere, cost: int | None = None) -> None:
    """Keep what Prolific says of the study. cost: of its places; None: as before."""
    _answered(
        recruiting,
        prolific_id=there.prolific_id,
        status=there.status[:20],
        places=there.places,
        reward=there.reward,
        currency=there.currency[:3] or recruiting.study.currency,
        places_cost=recruiting.places_cost if cost is None else cost,
        there_read_at=clock.now(),
    )


def settle(recruiting: ProlificStudy, api: Api, now: datetime) -> None:
    """Read the study now and then, and find out what became of what was asked without an answer."""
    if recruiting.asked_at and now - recruiting.asked_at < ANSWERED_WITHIN:
        return
    if recruiting.asked == Asked.CREATE:
        _find(recruiting, api)
    elif recruiting.asked:
        there = api.study(recruiting.prolific_id)
        _take_over(recruiting, there, _cost_after(recruiting, there))
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
    _take_over(recruiting, there, cost)


def _is_stale(recruiting: ProlificStudy, now: datetime) -> bool:
    read_at = recruiting.there_read_at
    return bool(recruiting.prolific_id) and (read_at is None or now - read_at > STUDY_EVERY)


def _find(recruiting: ProlificStudy, api: Api) -> None:
    """Take over a draft that was made, by its internal name; or forget that it was asked for."""
    for project in api.projects(recruiting.connection.workspace_id):
        for there in api.studies(project.key):
            if there.internal_name == internal_name(recruiting):
                _take_over(recruiting, api.study(there.prolific_id))
                return
    _forget_asked(recruiting)


def _cost_after(recruiting: ProlificStudy, there: StudyThere) -> int | None:
    """What the published places cost, if what was asked was done; None: as before."""
    done = {
        Asked.PUBLISH: there.status != DRAFT,
        Asked.PLACES: there.places >= recruiting.asked_places,
    }
    return recruiting.asked_cost if done.get(Asked(recruiting.asked)) else None
