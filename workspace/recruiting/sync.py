"""Sync with Prolific: read the studies and submissions there, and apply their statuses.

All of it is idempotent, in any order: only the present state on Prolific counts.
"""

import logging
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, QuerySet
from django.db.models.expressions import Combinable

from judging import flow
from judging.models import Assignment, PlatformAccount, Study
from judging.platforms import PROLIFIC
from judging.studies.retention import purge_when_over
from web.background import leases
from web.background.work import for_each
from web.encryption import CannotDecrypt, digests
from workspace.models import ProlificConnection, ProlificEvent, ProlificStudy, ProlificSubmission
from workspace.recruiting.api import Submission
from workspace.recruiting.bonuses import reconcile, settle_pay
from workspace.recruiting.connecting import api_of
from workspace.recruiting.events import is_valid_id
from workspace.recruiting.faults import CannotRecruit
from workspace.recruiting.studies import DRAFT, settle_pending_call

log = logging.getLogger(__name__)
INTERVAL = timedelta(seconds=55)  # with a tick and an answer, less than 65 s
MAX_EVENTS = 1000  # of a tick
MAX_ROUNDS = 3
ENDED = ("RETURNED", "TIMED-OUT")
REMOTE_FIELDS = ("status", "code", "return_requested_at")  # what changes of a submission
UPDATED_FIELDS = [*REMOTE_FIELDS, "started_at", "read_at"]


def due_rows(now: Combinable) -> list[QuerySet[Any]]:
    """What the next sync has to do."""
    return [
        ProlificEvent.objects.filter(handled_at=None),
        ProlificStudy.objects.to_read(now - INTERVAL),
    ]


def sync_due_studies(now: datetime) -> int:
    """Returns how many; none while another process syncs."""
    with leases.lease("prolific") as is_alone:
        if not is_alone:
            return 0
        return sum(_rounds(now))


def _rounds(now: datetime) -> Iterator[int]:
    """Sync, and again if events have come meanwhile: they need not wait for the next tick."""
    for _ in range(MAX_ROUNDS):
        yield _sync_round(now)
        if not ProlificEvent.objects.filter(handled_at=None).exists():
            return


def _sync_round(now: datetime) -> int:
    events = list(
        ProlificEvent.objects.filter(handled_at=None)
        .select_related("connection")
        .order_by("pk")[:MAX_EVENTS]
    )
    study_keys = _studies_of(events)
    due = ProlificStudy.objects.to_read(now - INTERVAL).values_list("pk", flat=True)
    studies = ProlificStudy.objects.filter(pk__in={*study_keys, *due})
    due_first = studies.select_related("study", "connection").order_by(
        F("read_at").asc(nulls_first=True)
    )
    for_each(due_first, lambda recruiting: sync_study(recruiting, now), "reading a study")
    handled = ProlificEvent.objects.filter(pk__in=[event.pk for event in events])
    handled.update(handled_at=now, submission_id="")
    return len(studies)


def _studies_of(events: Sequence[ProlificEvent]) -> set[int]:
    events = [event for event in events if _is_readable(event)]
    ids = {hash_: event.submission_id for event in events for hash_ in digests(event.submission_id)}
    rows = ProlificSubmission.objects.filter(submission_id_hash__in=ids)
    study_of_id = {
        ids[hash_]: study for hash_, study in rows.values_list("submission_id_hash", "recruiting")
    }
    study_keys = set(study_of_id.values())
    unknown: dict[ProlificConnection, list[str]] = {}
    for event in events:
        if event.submission_id not in study_of_id:
            unknown.setdefault(event.connection, []).append(event.submission_id)
    for connection, submissions in unknown.items():
        study_keys |= _studies_in(connection, dict.fromkeys(submissions), study_keys)
    return study_keys


def _is_readable(event: ProlificEvent) -> bool:
    """Whether its id can be decrypted. Its study is read within a minute even if not."""
    try:
        return bool(event.submission_id)
    except CannotDecrypt:
        return False


def _studies_in(
    connection: ProlificConnection, submissions: Iterable[str], chosen: Collection[int]
) -> set[int]:
    """The studies of new submissions that are ours.

    Without a request if all studies of the workspace are read anyway, or there is only one.
    """
    studies = ProlificStudy.objects.filter(connection=connection).exclude(prolific_id="")
    keys = dict(studies.values_list("prolific_id", "pk"))
    matches = set(keys.values()) if len(keys) == 1 else set[int]()
    for submission in submissions:
        if set(keys.values()) <= matches | set(chosen):
            break
        if study := _study_of(connection, submission, keys):
            matches.add(study)
    return matches


def _study_of(
    connection: ProlificConnection, submission: str, keys: Mapping[str, int]
) -> int | None:
    try:
        study, _ = api_of(connection).study_of(submission)
    except CannotRecruit as fault:
        log.warning("Submission of an event cannot be read: %s", fault)
        return None
    return keys.get(study)


def sync_study(recruiting: ProlificStudy, now: datetime) -> int:
    """Read a study's submissions and apply them; a fault is stored, and shown on its page."""
    try:
        api = api_of(recruiting.connection)
        settle_pending_call(recruiting, api, now)
        if recruiting.prolific_id and recruiting.status != DRAFT:
            save(recruiting, list(api.submissions(recruiting.prolific_id)), now)
            apply_statuses(recruiting, now)
            settle_pay(recruiting)
            reconcile(recruiting, api, now)
        fault = ""
    except CannotRecruit as why:
        fault = why.stored_message
        log.warning("Study %s cannot be read on Prolific: %s", recruiting.study, why)
    ProlificStudy.objects.filter(pk=recruiting.pk).update(read_at=now, fault=fault)
    return 1


def purge_submissions(now: datetime) -> int:
    """Delete submissions after a study's retention days; returns how many."""

    def of_study(study: Study) -> int:
        return ProlificSubmission.objects.filter(recruiting__study=study).delete()[0]

    return purge_when_over(now, of_study)


def save(recruiting: ProlificStudy, submissions: Iterable[Submission], now: datetime) -> None:
    existing = {row.submission_id_hash: row for row in recruiting.submissions.all()}
    new, changed = [], []
    for each in {each.submission_id: each for each in submissions}.values():
        if not (is_valid_id(each.submission_id) and is_valid_id(each.participant_id)):
            continue
        hashes = digests(each.submission_id)
        row = next((existing[hash_] for hash_ in hashes if hash_ in existing), None)
        if row is None:
            new.append(_updated(ProlificSubmission(recruiting=recruiting), each, now))
            new[-1].submission_id = each.submission_id
            new[-1].participant_id = each.participant_id
        elif any(getattr(row, name) != getattr(each, name) for name in REMOTE_FIELDS):
            changed.append(_updated(row, each, now))
    ProlificSubmission.objects.bulk_create(
        new,
        update_conflicts=True,
        unique_fields=["submission_id_hash"],
        update_fields=UPDATED_FIELDS,
    )
    ProlificSubmission.objects.bulk_update(changed, UPDATED_FIELDS)


def _updated(row: ProlificSubmission, remote: Submission, now: datetime) -> ProlificSubmission:
    row.status, row.code, row.started_at = remote.status[:20], remote.code, remote.started_at
    row.return_requested_at, row.read_at = remote.return_requested_at, now
    return row


def apply_statuses(recruiting: ProlificStudy, now: datetime) -> None:
    """End the submissions that are over there, then confirm those under way."""
    study, name = recruiting.study, PROLIFIC.name
    submissions = list(recruiting.submissions.all())
    of_study = PlatformAccount.objects.filter(study=study, platform=name).select_related("worker")
    accounts = {each.external_id: each for each in of_study}
    live = set(Assignment.objects.live().filter(study=study).values_list("worker", flat=True))
    over = {
        each.participant_id: each.submission_id
        for each in submissions
        if each.status in ENDED and _ends(accounts.get(each.participant_id), each, live)
    }
    if over:
        flow.end_submissions(study, name, over, now)
    under_way = {
        each.participant_id: each.submission_id
        for each in submissions
        if each.status == "ACTIVE" and _is_new(accounts.get(each.participant_id), each)
    }
    if under_way:
        flow.confirm_submissions(study, name, under_way)


def _ends(account: PlatformAccount | None, submission: ProlificSubmission, live: set[int]) -> bool:
    if account is None:
        return False
    session = account.ids.get(PROLIFIC.submission_parameter, "")
    of_it = session in ("", submission.submission_id)
    return of_it and (not account.submission_over or account.worker_id in live)


def _is_new(account: PlatformAccount | None, submission: ProlificSubmission) -> bool:
    """Whether a participant who has come here has a new submission under way."""
    if account is None:
        return False
    same = account.ids.get(PROLIFIC.submission_parameter) == submission.submission_id
    return account.submission_over or not same or not account.worker.verified
