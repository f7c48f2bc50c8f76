"""What Prolific calls a submission is sealed as ids of participants are, and found by any key."""

import io

import pytest
from django.core.management import call_command

from judging.models import IdKeys, PlatformAccount
from operations.ids import left
from tests.doubles.prolific import Prolific
from tests.security.test_sealed_ids import NEW, columns
from web import clock
from web.sealed_ids import CannotOpen
from workspace.models import ProlificEvent, ProlificStudy, ProlificSubmission
from workspace.recruiting.sync import INTERVAL, sync_due_studies

from .conftest import comes, send

pytestmark = pytest.mark.django_db
TABLES = ("workspace_prolificsubmission", "workspace_prolificevent", "judging_platformaccount")


def stored() -> str:
    return "".join(columns(table) for table in TABLES)


def test_no_id_of_a_submission_can_be_read_in_the_database(
    there: Prolific, listening: ProlificStudy
) -> None:
    dora = comes(there, listening, "d0ra")
    session = dora.ids["SESSION_ID"]
    send(listening, *there.event(session))
    assert session not in stored(), "while it is to be read"
    assert ProlificEvent.objects.get().external_id == session
    dora.come_to_documents()
    sync_due_studies(clock.now())
    assert session not in stored()
    assert ProlificSubmission.objects.get().submission_id == session
    event = ProlificEvent.objects.get()
    assert (event.found_by, event.sealed) == ("", ""), "nobody needs to know it any more"


def test_an_id_opens_in_its_own_row_alone(there: Prolific, published: ProlificStudy) -> None:
    for name in ("d0ra", "e1sa"):
        comes(there, published, name)
    sync_due_studies(clock.now())
    first, second = ProlificSubmission.objects.order_by("pk")
    ProlificSubmission.objects.filter(pk=second.pk).update(
        sealed_submission=first.sealed_submission
    )
    with pytest.raises(CannotOpen):
        _ = ProlificSubmission.objects.get(pk=second.pk).submission_id


def test_the_same_submission_before_amid_and_after_the_upgrade_and_new_keys(
    there: Prolific, published: ProlificStudy, settings
) -> None:
    """It is read under each, by its event and by the clock, and stands once."""
    IdKeys.of_site()
    IdKeys.objects.update(seals=False)
    dora = comes(there, published, "d0ra")
    dora.come_to_documents()
    session, now = dora.ids["SESSION_ID"], clock.now()
    statuses = iter(("ACTIVE", "AWAITING REVIEW", "ACTIVE", "AWAITING REVIEW", "APPROVED"))

    def is_read() -> None:
        nonlocal now
        status, now = next(statuses), now + 2 * INTERVAL
        there.goes_to(session, status)
        sync_due_studies(now)
        row = ProlificSubmission.objects.get()
        assert (row.submission_id, row.participant_id, row.status) == (session, "d0ra", status)

    is_read()
    assert session in columns(TABLES[0]), "version 0.1 reads it"
    IdKeys.finish_upgrade()
    is_read()
    assert left() == 2, "an account and a submission"
    call_command("finish_upgrade", stdout=io.StringIO())
    assert (left(), session in stored()) == (0, False)
    is_read()
    for name in ("PLATFORM_ID_KEYS", "PLATFORM_ID_LOOKUP_KEYS"):
        setattr(settings, name, [NEW, *getattr(settings, name)])
    is_read()
    call_command("rotate_keys", stdout=io.StringIO())
    settings.PLATFORM_ID_KEYS = settings.PLATFORM_ID_LOOKUP_KEYS = [NEW]
    is_read()


def test_that_of_a_participant_who_is_forgotten_is_sealed_too(
    there: Prolific, published: ProlificStudy
) -> None:
    IdKeys.of_site()
    IdKeys.objects.update(seals=False)
    dora = comes(there, published, "d0ra")
    dora.come_to_documents()
    sync_due_studies(clock.now())
    PlatformAccount.objects.get().delete()
    assert dora.ids["SESSION_ID"] in stored()
    call_command("finish_upgrade", stdout=io.StringIO())
    assert dora.ids["SESSION_ID"] not in stored()
    row = ProlificSubmission.objects.get()
    assert (row.participant_id, row.submission_id) == ("", dora.ids["SESSION_ID"])
