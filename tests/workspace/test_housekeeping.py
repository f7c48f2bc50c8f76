"""What is kept for a time is deleted then; a part that fails holds up no other, nor the tick."""

import logging
from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session

from accounts.models import StoredResponse
from judging import flow
from judging.flow.admission import Arrival
from judging.models import Participant, PlatformAccount, Study
from judging.studies.conduct.closing import close_study
from judging.tasks import tick
from tests.cast import ada
from tests.database import changes_refused
from tests.factory import NOON, make_study
from tests.judging.races.racing import overdue
from web import clock
from workspace.models import ImportJob
from workspace.tasks import purge

pytestmark = pytest.mark.django_db(transaction=True)


def closed_with_accounts() -> Study:
    """A study whose retention days are over, with ids of people."""
    study = make_study(retention_days=1)
    flow.admit(study, Arrival("p", "prolific", "someone"), NOON)
    Participant.objects.create(study=study, external_id="someone")
    close_study(study.slug)
    Study.objects.filter(pk=study.pk).update(closed_at=NOON - timedelta(days=2))
    return study


def ids_of(study: Study) -> list[int]:
    personal = PlatformAccount, Participant
    return [model.objects.filter(study=study).count() for model in personal]


def test_a_unit_expires_beside_a_study_whose_housekeeping_fails(monkeypatch):
    failing = closed_with_accounts()
    person = ada(make_study())
    person.begin()
    overdue(person)
    monkeypatch.setattr("web.clock.now", lambda: person.now + timedelta(hours=2))
    with changes_refused("judging_platformaccount", f"OLD.study_id = {failing.pk}"):
        assert tick() == 2
    assert person.assignment.state == "expired"


def test_the_tick_does_nothing_but_expire():
    study = closed_with_accounts()
    tick()
    assert ids_of(study) == [1, 1]


@pytest.mark.parametrize("table", ["judging_platformaccount", "judging_participant"])
def test_ids_are_deleted_beside_a_study_that_fails(table, caplog):
    failing, other = closed_with_accounts(), closed_with_accounts()
    refused = changes_refused(table, f"OLD.study_id = {failing.pk}")
    with refused, caplog.at_level(logging.ERROR):
        purge()
    assert ids_of(failing) == [1, 1], "all of a study, or nothing"
    assert ids_of(other) == [0, 0]
    (logged,) = [record for record in caplog.records if record.exc_info]
    assert failing.slug in logged.getMessage()
    assert other.slug not in logged.getMessage()


KEPT_FOR_A_TIME = {
    "accounts_storedresponse": StoredResponse,
    "django_session": Session,
    "workspace_importjob": ImportJob,
}


@pytest.mark.parametrize("failing", KEPT_FOR_A_TIME)
def test_what_belongs_to_no_study_is_deleted_beside_what_fails(failing, django_user_model):
    rosa, old = django_user_model.objects.create_user("rosa"), clock.now() - timedelta(days=999)
    StoredResponse.objects.create(user=rosa, key_digest="k", request_digest="d", at=old)
    Session.objects.create(session_key="k", session_data="", expire_date=old)
    job = ImportJob.objects.create(owner=rosa, collection="c", files=[], asked_at=old)
    ImportJob.objects.filter(pk=job.pk).update(state="failed", fault="none", ended_at=old)
    with changes_refused(failing, "true"):
        purge()
    left = [table for table, model in KEPT_FOR_A_TIME.items() if model.objects.exists()]
    assert left == [failing]
