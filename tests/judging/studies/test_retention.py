"""The platforms' ids of workers are forgotten when their time is over."""

from datetime import timedelta

import pytest

from judging import flow
from judging.flow.admission import Arrival
from judging.models import Participant, PlatformAccount, Worker
from judging.studies.conduct.closing import close_study
from judging.studies.retention import purge_accounts
from tests.factory import NOON, make_study

pytestmark = pytest.mark.django_db


def account_of(study):
    flow.admit(study, Arrival("p", "prolific", "someone"), NOON)
    return PlatformAccount.objects.get(study=study)


def test_forgotten_after_the_retention_days_of_a_closed_study():
    """And the list of participants with the accounts."""
    study = make_study(retention_days=30)
    account_of(study)
    study.participants.create(external_id="someone")
    closed = close_study(study.slug).closed_at
    assert purge_accounts(closed + timedelta(days=30)) == 0
    assert purge_accounts(closed + timedelta(days=30, seconds=1)) == 2
    assert not PlatformAccount.objects.exists()
    assert not Participant.objects.exists()
    assert Worker.objects.filter(study=study).exists()


def test_stored_while_the_study_is_open_or_names_no_days():
    account_of(make_study(retention_days=0))
    account_of(unlimited := make_study())
    close_study(unlimited.slug)
    assert purge_accounts(NOON + timedelta(days=9999)) == 0
