"""A study that is recruited for on a double of Prolific."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from judging.models import Study
from tests.cast import Person
from tests.doubles.prolific import TOKEN, Prolific, prolific
from tests.factory import make_study
from web import clock
from workspace.models import ProlificStudy
from workspace.recruiting import connecting, drafts, spending, studies
from workspace.recruiting.drafts import Draft
from workspace.recruiting.sync import sync_due_studies

ADDRESS = "https://judge.example/study/s/"
DRAFT = Draft("Read and judge", "Eight short texts.", ADDRESS, places=10, minutes=15)


@pytest.fixture
def there(settings):
    """Prolific's double, empty."""
    with prolific() as double:
        settings.PROLIFIC_API_URL = double.address
        yield double


@pytest.fixture
def rosa(db):
    return User.objects.create_user("rosa")


def on_prolific(owner: User, completion_code: str) -> Study:
    """An open study that is recruited for on Prolific, and pays further units by a bonus."""
    there = {"platform": "prolific", "completion_code": completion_code, "submission_minutes": 60}
    paid = {"payment": Decimal("2.00"), "currency": "GBP", "further_units": "bonus"}
    study = make_study(topics=2, documents=5, unit_size=3, **there, **paid)
    study.memberships.create(user=owner, role="owner")
    return study


@pytest.fixture
def study(rosa):
    return on_prolific(rosa, "CDONE")


@pytest.fixture
def connected(there, study, rosa):
    return connecting.connect(study, TOKEN, "", rosa)


@pytest.fixture
def published(connected, rosa):
    """A study with ten places, of which nobody has taken one."""
    return publish(connected.study, rosa)


def publish(study: Study, owner: User, limit: int = 100, **draft: Any) -> ProlificStudy:
    """Connect a study with Prolific and publish it there."""
    recruiting = connecting.connect(study, TOKEN, "", owner)
    spending.set_limit(recruiting, Decimal(limit), owner)
    return studies.publish(drafts.create(recruiting, replace(DRAFT, **draft), owner), owner)


def listen(recruiting: ProlificStudy, owner: User) -> None:
    path = connecting.hook_path(recruiting.connection)
    connecting.subscribe(recruiting, f"https://judge.example{path}", owner)
    recruiting.connection.refresh_from_db()


def comes(there: Prolific, recruiting: ProlificStudy, participant: str) -> Person:
    """A participant who takes a place there and comes here with its ids."""
    submission = there.take_place(recruiting.prolific_id, participant)
    ids = {"STUDY_ID": recruiting.prolific_id, "SESSION_ID": submission}
    return Person(
        recruiting.study, f"w-{participant}", platform="prolific", external_id=participant, ids=ids
    )


@pytest.fixture
def listening(published, rosa):
    """The same, with events."""
    listen(published, rosa)
    sync_due_studies(clock.now())
    return published


def send(recruiting: ProlificStudy, body: bytes, headers: dict[str, str]) -> int:
    path = connecting.hook_path(recruiting.connection)
    answer = Client().post(path, body, content_type="application/json", headers=headers)
    return answer.status_code
