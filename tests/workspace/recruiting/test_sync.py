"""What is followed from submissions: by events, by reading, in any order, any number of times."""

import logging
import random
from datetime import timedelta
from io import StringIO
from uuid import uuid4

import pytest
from django.test import Client

from judging.flow import NoWork
from judging.models import Assignment, Payment, PlatformAccount, Unit
from tests.database import changes_refused
from tests.doubles.prolific import Wrong
from tests.factory import later
from tests.judging.invariants import broken
from tests.security.test_encrypted_ids import NEW, columns, quietly
from tests.workspace.recruiting.conftest import comes, on_prolific, publish, send
from web import clock
from web.encryption import CannotDecrypt
from web.logs.lines import LineFormatter
from workspace.models import ProlificEvent, ProlificStudy, ProlificSubmission
from workspace.recruiting import connecting, sync
from workspace.recruiting.sync import INTERVAL, sync_due_studies

TICK = timedelta(seconds=2)
PLANTED = "5f1e00aa"


def states(recruiting: ProlificStudy) -> dict[str, str]:
    """The state of each participant's latest assignment."""
    rows = Assignment.objects.filter(study=recruiting.study).order_by("pk")
    rows = rows.select_related("worker__account")
    return {row.worker.account.external_id: row.state for row in rows}


def test_an_event_frees_the_place_at_the_next_tick(there, listening):
    dora = comes(there, listening, "d0ra").come_to_documents()
    there.goes_to(dora.ids["SESSION_ID"], "TIMED-OUT")
    assert send(listening, *there.event(dora.ids["SESSION_ID"])) == 204
    assert states(listening) == {"d0ra": "judging"}, "what an event says is not acted on"
    assert sync_due_studies(clock.now() + TICK) == 1
    assert states(listening) == {"d0ra": "returned"}
    assert Unit.objects.get(pk=dora.assignment.unit_id).free
    assert dora.begin() == NoWork.RETURNED
    assert not broken()


def test_without_events_it_is_known_within_65_seconds(there, published):
    dora = comes(there, published, "d0ra").come_to_documents()
    sync_due_studies(now := clock.now())
    there.goes_to(dora.ids["SESSION_ID"], "RETURNED")
    reads = there.requests["GET submissions/"]
    moment = now
    while states(published)["d0ra"] != "returned":
        moment += TICK
        sync_due_studies(moment)
        assert moment - now < timedelta(seconds=65)
    assert there.requests["GET submissions/"] - reads == 1


@pytest.mark.django_db(transaction=True)
def test_a_study_that_fails_holds_up_no_other(there, published, rosa, caplog):
    """Whatever it is that fails, not only what Prolific refuses."""
    other = publish(on_prolific(rosa, "CMORE"), rosa)
    dora = comes(there, other, "d0ra").come_to_documents()
    comes(there, published, "eve")
    there.goes_to(dora.ids["SESSION_ID"], "RETURNED")
    refused = f"NEW.recruiting_id = {published.pk}"
    with (
        changes_refused("workspace_prolificsubmission", refused, on="INSERT"),
        caplog.at_level(logging.ERROR),
    ):
        sync_due_studies(clock.now() + INTERVAL)
    assert states(other) == {"d0ra": "returned"}
    (logged,) = [record for record in caplog.records if record.exc_info]
    assert published.study.slug in logged.getMessage()


def test_what_is_to_be_read_soon_is_read_first(there, published, rosa, monkeypatch):
    """A study with no time of its last reading, and then the one that was read longest ago."""
    third, second = (publish(on_prolific(rosa, code), rosa) for code in ("CTHREE", "CTWO"))
    now = clock.now()
    for recruiting, minutes in ((published, None), (second, 9), (third, 5)):
        read_at = minutes and now - timedelta(minutes=minutes)
        ProlificStudy.objects.filter(pk=recruiting.pk).update(read_at=read_at)
    read = []
    monkeypatch.setattr(sync, "sync_study", lambda one, now: read.append(one.pk) or 1)
    sync_due_studies(now)
    assert read == [published.pk, second.pk, third.pk]


def test_events_twice_late_and_out_of_order_change_nothing_twice(there, listening):
    draw = random.Random(7)
    people = [comes(there, listening, f"p{number}") for number in range(4)]
    for person in people:
        person.come_to_documents()
    told = []
    for number, person in enumerate(people):
        session = person.ids["SESSION_ID"]
        if number < 2:
            there.goes_to(session, "RETURNED")
        told += [
            there.event(session, status, f"{session}{status}") for status in ("ACTIVE", "RETURNED")
        ]
    told *= 2
    draw.shuffle(told)
    for body, headers in told:
        assert send(listening, body, headers) == 204
    assert ProlificEvent.objects.count() == 8
    assert sync_due_studies(clock.now()) == 1
    expected = {"p0": "returned", "p1": "returned", "p2": "judging", "p3": "judging"}
    assert states(listening) == expected
    assert sync_due_studies(clock.now()) == 0
    assert not broken()


FORGED = {
    "another secret": {"X-Prolific-Request-Signature": "c2VjcmV0"},
    "no signature": {"X-Prolific-Request-Signature": ""},
    "signed long ago": {"X-Prolific-Request-Timestamp": "1700000000"},
    "no time": {"X-Prolific-Request-Timestamp": "noon"},
}


def test_who_cannot_sign_is_not_believed(there, listening):
    session = comes(there, listening, "d0ra").ids["SESSION_ID"]
    body, headers = there.event(session)
    for forged in FORGED.values():
        assert send(listening, body, headers | forged) == 403
    assert send(listening, body.replace(b"ACTIVE", b"active"), headers) == 403
    assert send(listening, body + b" " * 9000, headers) == 413
    assert Client().post(f"/hooks/prolific/{uuid4()}/", body, "application/json").status_code == 403
    assert Client().get(connecting.hook_path(listening.connection)).status_code == 405
    assert not ProlificEvent.objects.exists()


def test_another_browser_of_a_submission_under_way_is_theirs(there, published):
    dora = comes(there, published, "d0ra").come_to_documents()
    there.goes_to(dora.ids["SESSION_ID"], "RETURNED")
    sync_due_studies(clock.now())
    again = there.take_place(published.prolific_id, "d0ra")
    sync_due_studies(clock.now() + INTERVAL)
    account = PlatformAccount.objects.get()
    assert (account.ids["SESSION_ID"], account.submission_over) == (again, False)
    assert account.worker.verified
    assert dora.begin() is None
    sync_due_studies(clock.now() + 2 * INTERVAL)
    assert dora.assignment.is_live, "the end of the first submission is not that of the second"


def test_a_completed_unit_stays_and_the_team_is_asked_once(there, published):
    dora = comes(there, published, "d0ra")
    dora.complete()
    there.goes_to(dora.ids["SESSION_ID"], "RETURNED")
    sync_due_studies(clock.now())
    payment = Payment.objects.get()
    assert (dora.assignment.state, payment.state) == ("completed", "owed")
    assert "the submission is returned, but the unit is completed" in payment.question
    Payment.objects.update(question="")
    sync_due_studies(clock.now() + INTERVAL)
    assert Payment.objects.get().question == ""
    assert not broken()


def test_a_fault_is_kept_until_prolific_answers(there, published, monkeypatch):
    monkeypatch.setattr("workspace.recruiting.api.sleep", lambda seconds: None)
    comes(there, published, "d0ra")
    there.broken_before.add("GET submissions/")
    sync_due_studies(now := clock.now())
    published.refresh_from_db()
    assert "cannot do it just now" in published.fault
    sync_due_studies(now + TICK)
    assert there.requests["GET submissions/"] == 3, "not asked again before a minute is over"
    there.broken_before.clear()
    sync_due_studies(now + INTERVAL + TICK)
    published.refresh_from_db()
    assert (published.fault, published.submissions.count()) == ("", 1)


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_what_prolific_says_is_neither_logged_nor_kept(there, published, status, monkeypatch):
    """It may name a participant, or whatever else."""
    line, name = StringIO(), f"participant {PLANTED} is not of this study"
    handler = logging.StreamHandler(line)
    handler.setFormatter(LineFormatter())

    def refuse(*asked):
        raise Wrong({"submissions": [name]}, status)

    monkeypatch.setattr(there, "answer", refuse)
    logging.getLogger("workspace").addHandler(handler)
    try:
        sync_due_studies(clock.now())
    finally:
        logging.getLogger("workspace").removeHandler(handler)
    published.refresh_from_db()
    assert f"(status {status})." in published.fault
    assert f"Study {published.study} cannot be read on Prolific: Refused" in line.getvalue()
    assert PLANTED not in line.getvalue() + columns("workspace_prolificstudy")


def test_nothing_is_kept_of_what_nobody_needs_to_know(there, published):
    comes(there, published, "d0ra")
    sync_due_studies(clock.now())
    row = ProlificSubmission.objects.values().get()
    assert "192.0.2.7" not in str(row)
    published.study.stage, published.study.closed_at = "closed", later(0)
    published.study.retention_days = 30
    published.study.save()
    sync_due_studies(clock.now())
    assert not ProlificSubmission.objects.filter(read_at__lt=clock.now() - INTERVAL).exists()


def test_an_id_deleted_on_request_is_not_read_again(there, published):
    comes(there, published, "d0ra").come_to_documents()
    sync_due_studies(now := clock.now())
    assert ProlificSubmission.objects.get().participant_id == "d0ra"
    PlatformAccount.objects.get().delete()
    there.goes_to(ProlificSubmission.objects.get().submission_id, "AWAITING REVIEW")
    sync_due_studies(now + 2 * INTERVAL)
    assert ProlificSubmission.objects.get().status == "AWAITING REVIEW"
    assert ProlificSubmission.objects.get().participant_id == ""


# --- ids of submissions are encrypted as those of participants are --------------------------------
TABLES = ("workspace_prolificsubmission", "workspace_prolificevent", "judging_platformaccount")


def stored() -> str:
    return "".join(columns(table) for table in TABLES)


def test_no_id_of_a_submission_can_be_read_in_the_database(there, listening):
    dora = comes(there, listening, "d0ra")
    session = dora.ids["SESSION_ID"]
    send(listening, *there.event(session))
    assert session not in stored(), "while it is to be read"
    assert ProlificEvent.objects.get().submission_id == session
    dora.come_to_documents()
    sync_due_studies(clock.now())
    assert session not in stored()
    assert ProlificSubmission.objects.get().submission_id == session
    assert ProlificEvent.objects.get().submission_id == "", "nobody needs to know it any more"


def test_an_id_opens_in_its_own_row_alone(there, published):
    for name in ("d0ra", "e1sa"):
        comes(there, published, name)
    sync_due_studies(clock.now())
    first, second = ProlificSubmission.objects.order_by("pk")
    for name in ("submission_id", "participant_id"):
        stored = ProlificSubmission.objects.filter(pk=first.pk).values_list(name, flat=True)[0]
        ProlificSubmission.objects.filter(pk=second.pk).update(**{name: stored})
        with pytest.raises(CannotDecrypt):
            getattr(ProlificSubmission.objects.get(pk=second.pk), name)


def test_the_same_submission_before_amid_and_after_new_keys(there, published, settings):
    """It is read under each, by its event and by the clock, and stands once."""
    dora = comes(there, published, "d0ra")
    dora.come_to_documents()
    session, now = dora.ids["SESSION_ID"], clock.now()
    statuses = iter(("ACTIVE", "AWAITING REVIEW", "ACTIVE", "AWAITING REVIEW"))

    def is_read():
        nonlocal now
        status, now = next(statuses), now + 2 * INTERVAL
        there.goes_to(session, status)
        sync_due_studies(now)
        row = ProlificSubmission.objects.get()
        assert (row.submission_id, row.participant_id, row.status) == (session, "d0ra", status)

    is_read()
    settings.ENCRYPTION_KEYS = [NEW, *settings.ENCRYPTION_KEYS]
    is_read()
    quietly("rotate_keys")
    is_read()
    settings.ENCRYPTION_KEYS = [NEW]
    is_read()


def test_that_of_a_participant_who_is_forgotten_is_encrypted_anew_too(there, published, settings):
    dora = comes(there, published, "d0ra")
    dora.come_to_documents()
    sync_due_studies(clock.now())
    settings.ENCRYPTION_KEYS = [NEW, *settings.ENCRYPTION_KEYS]
    PlatformAccount.objects.get().delete()
    quietly("rotate_keys")
    settings.ENCRYPTION_KEYS = [NEW]
    row = ProlificSubmission.objects.get()
    assert (row.participant_id, row.participant_id_hash) == ("", "")
    assert row.submission_id == dora.ids["SESSION_ID"]
