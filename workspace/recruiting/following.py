"""Following what becomes of submissions: Prolific is read, and then what it says is acted on.

Whatever is done here may be done again, and in any order: what counts is what Prolific says now.
"""

import logging
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from django.db.models import F

from judging import flow
from judging.models import Assignment, PlatformAccount, Study
from judging.platforms import PROLIFIC
from judging.studies.retention import purge_when_over
from web.background import leases
from web.background.isolation import for_each
from web.sealed_ids import CannotOpen, lookups
from workspace.models import (
    ProlificConnection,
    ProlificEvent,
    ProlificStudy,
    ProlificSubmission,
)
from workspace.recruiting.api import Submission
from workspace.recruiting.connecting import api_of
from workspace.recruiting.events import is_an_id
from workspace.recruiting.faults import CannotRecruit
from workspace.recruiting.paying import reconcile, settle_pay
from workspace.recruiting.studies import DRAFT, settle

log = logging.getLogger(__name__)
EVERY = timedelta(seconds=55)  # with a tick and an answer, less than 65 s
MOST_EVENTS = 1000  # of a tick
MOST_ROUNDS = 3
OVER = ("RETURNED", "TIMED-OUT")
TOLD = ("status", "code", "return_requested_at")  # what changes of a submission
READ = [*TOLD, "started_at", "read_at"]


def follow(now: datetime) -> int:
    """Read what is to be read, and act on it; returns how many studies were read.

    Nothing, while another process is at it.
    """
    with leases.lease("prolific") as is_alone:
        if not is_alone:
            return 0
        return sum(_rounds(now))


def _rounds(now: datetime) -> Iterator[int]:
    """Follow, and again if events have come meanwhile: they need not wait for the next tick."""
    for _ in range(MOST_ROUNDS):
        yield _follow(now)
        if not ProlificEvent.objects.filter(handled_at=None).exists():
            return


def _follow(now: datetime) -> int:
    events = list(
        ProlificEvent.objects.filter(handled_at=None)
        .select_related("connection")
        .order_by("pk")[:MOST_EVENTS]
    )
    wanted = _studies_of(events)
    due = ProlificStudy.objects.to_read(now - EVERY).values_list("pk", flat=True)
    studies = ProlificStudy.objects.filter(pk__in={*wanted, *due})
    due_first = studies.select_related("study", "connection").order_by(
        F("read_at").asc(nulls_first=True)
    )
    for_each(due_first, lambda recruiting: read_and_act(recruiting, now), "reading a study")
    handled = [event.pk for event in events]
    done = ProlificEvent.objects.filter(pk__in=handled)
    done.update(handled_at=now, found_by="", sealed="")
    return len(studies)


def _studies_of(events: Sequence[ProlificEvent]) -> set[int]:
    """The studies that events are of; a submission that is not known yet is asked for."""
    events = [event for event in events if _opens(event)]
    names = {name: event.external_id for event in events for name in lookups(event.external_id)}
    rows = ProlificSubmission.objects.filter(submission_found_by__in=names)
    known = {
        names[name]: study for name, study in rows.values_list("submission_found_by", "recruiting")
    }
    wanted = set(known.values())
    news: dict[ProlificConnection, list[str]] = {}
    for event in events:
        if event.external_id not in known:
            news.setdefault(event.connection, []).append(event.external_id)
    for connection, submissions in news.items():
        wanted |= _studies_in(connection, dict.fromkeys(submissions), wanted)
    return wanted


def _opens(event: ProlificEvent) -> bool:
    """Whether a key is there that opens it. Its study is read within a minute even so."""
    try:
        return bool(event.external_id)
    except CannotOpen:
        return False


def _studies_in(
    connection: ProlificConnection, submissions: Iterable[str], wanted: Collection[int]
) -> set[int]:
    """The studies of submissions that come for the first time, as far as they are ours.

    Where all studies of the workspace are read anyway, or there is one only, nobody is asked.
    """
    studies = ProlificStudy.objects.filter(connection=connection).exclude(prolific_id="")
    keys = dict(studies.values_list("prolific_id", "pk"))
    of_them = set(keys.values()) if len(keys) == 1 else set[int]()
    for submission in submissions:
        if set(keys.values()) <= of_them | set(wanted):
            break
        if study := _study_of(connection, submission, keys):
            of_them.add(study)
    return of_them


def _study_of(
    connection: ProlificConnection, submission: str, keys: Mapping[str, int]
) -> int | None:
    """The study of a submission, of those with `keys`; None: none of them."""
    try:
        study, _ = api_of(connection).study_of(submission)
    except CannotRecruit as fault:
        log.warning("Submission of an event cannot be read: %s", fault)
        return None
    return keys.get(study)


def read_and_act(recruiting: ProlificStudy, now: datetime) -> int:
    """Read a study's submissions and act on them; a fault is kept, for people to see. Returns 1."""
    try:
        api = api_of(recruiting.connection)
        settle(recruiting, api, now)
        if recruiting.prolific_id and recruiting.status != DRAFT:
            submissions = list(api.submissions(recruiting.prolific_id))
            write_down(recruiting, submissions, now)
            act(recruiting, now)
            settle_pay(recruiting)
            reconcile(recruiting, api, now)
        fault = ""
    except CannotRecruit as why:
        fault = why.kept
        log.warning("Study %s cannot be read on Prolific: %s", recruiting.study, why)
    ProlificStudy.objects.filter(pk=recruiting.pk).update(read_at=now, fault=fault)
    return 1


def forget_submissions(now: datetime) -> int:
    """Delete what is known of submissions when a study's retention days are over; how many."""

    def of_study(study: Study) -> int:
        return ProlificSubmission.objects.filter(recruiting__study=study).delete()[0]

    return purge_when_over(now, of_study)


def write_down(recruiting: ProlificStudy, submissions: Iterable[Submission], now: datetime) -> None:
    """Keep what was read of submissions; nothing is written of those that are as they were."""
    known = {row.submission_found_by: row for row in recruiting.submissions.all()}
    new, changed = [], []
    for each in {each.submission_id: each for each in submissions}.values():
        if not (is_an_id(each.submission_id) and is_an_id(each.participant_id)):
            continue
        names = lookups(each.submission_id)
        row = next((known[name] for name in names if name in known), None)
        if row is None:
            new.append(_as_it_is(ProlificSubmission(recruiting=recruiting), each, now))
            new[-1].submission_id = each.submission_id
            new[-1].participant_id = each.participant_id
        elif any(getattr(row, name) != getattr(each, name) for name in TOLD):
            changed.append(_as_it_is(row, each, now))
    ProlificSubmission.objects.bulk_create(
        new,
        update_conflicts=True,
        unique_fields=["submission_found_by"],
        update_fields=READ,
    )
    ProlificSubmission.objects.bulk_update(changed, READ)


def _as_it_is(row: ProlificSubmission, read: Submission, now: datetime) -> ProlificSubmission:
    row.status, row.code, row.started_at = read.status[:20], read.code, read.started_at
    row.return_requested_at, row.read_at = read.return_requested_at, now
    return row


def act(recruiting: ProlificStudy, now: datetime) -> None:
    """End what is over there, and then believe what is under way."""
    study, name = recruiting.study, PROLIFIC.name
    submissions = list(recruiting.submissions.all())
    accounts = _accounts(recruiting)
    live = _with_live_unit(recruiting)
    over = {
        each.participant_id: each.submission_id
        for each in submissions
        if each.status in OVER and _ends(accounts.get(each.participant_id), each, live)
    }
    if over:
        flow.end_submissions(study, name, over, now)
    under_way = {
        each.participant_id: each.submission_id
        for each in submissions
        if each.status == "ACTIVE" and _is_news(accounts.get(each.participant_id), each)
    }
    if under_way:
        flow.confirm_submissions(study, name, under_way)


def _accounts(recruiting: ProlificStudy) -> dict[str, PlatformAccount]:
    of_study = PlatformAccount.objects.filter(study=recruiting.study, platform=PROLIFIC.name)
    return {each.external_id: each for each in of_study.select_related("worker")}


def _with_live_unit(recruiting: ProlificStudy) -> set[int]:
    """The keys of workers who have a unit in hand."""
    live = Assignment.objects.live().filter(study=recruiting.study)
    return set(live.values_list("worker", flat=True))


def _ends(account: PlatformAccount | None, submission: ProlificSubmission, live: set[int]) -> bool:
    """Whether the end of a submission changes anything for its participant."""
    if account is None:
        return False
    session = account.ids.get(PROLIFIC.session, "")
    of_it = session in ("", submission.submission_id)
    return of_it and (not account.submission_over or account.worker_id in live)


def _is_news(account: PlatformAccount | None, submission: ProlificSubmission) -> bool:
    """Whether it is new that a participant who has come here has this submission under way."""
    if account is None:
        return False
    same = account.ids.get(PROLIFIC.session) == submission.submission_id
    return account.submission_over or not same or not account.worker.verified
