"""Prolific's ids of submissions are encrypted as those of participants are."""

import pytest

from judging.models import PlatformAccount
from tests.doubles.prolific import Prolific
from tests.security.test_encrypted_ids import NEW, columns, quietly
from web import clock
from web.encryption import CannotDecrypt
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
    assert ProlificEvent.objects.get().submission_id == session
    dora.come_to_documents()
    sync_due_studies(clock.now())
    assert session not in stored()
    assert ProlificSubmission.objects.get().submission_id == session
    assert ProlificEvent.objects.get().submission_id == "", "nobody needs to know it any more"


def test_an_id_opens_in_its_own_row_alone(there: Prolific, published: ProlificStudy) -> None:
    for name in ("d0ra", "e1sa"):
        comes(there, published, name)
    sync_due_studies(clock.now())
    first, second = ProlificSubmission.objects.order_by("pk")
    for name in ("submission_id", "participant_id"):
        stored = ProlificSubmission.objects.filter(pk=first.pk).values_list(name, flat=True)[0]
        ProlificSubmission.objects.filter(pk=second.pk).update(**{name: stored})
        with pytest.raises(CannotDecrypt):
            getattr(ProlificSubmission.objects.get(pk=second.pk), name)


def test_the_same_submission_before_amid_and_after_new_keys(
    there: Prolific, published: ProlificStudy, settings
) -> None:
    """It is read under each, by its event and by the clock, and stands once."""
    dora = comes(there, published, "d0ra")
    dora.come_to_documents()
    session, now = dora.ids["SESSION_ID"], clock.now()
    statuses = iter(("ACTIVE", "AWAITING REVIEW", "ACTIVE", "AWAITING REVIEW"))

    def is_read() -> None:
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


def test_that_of_a_participant_who_is_forgotten_is_encrypted_anew_too(
    there: Prolific, published: ProlificStudy, settings
) -> None:
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
