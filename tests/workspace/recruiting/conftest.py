"""A study that is recruited for on a double of Prolific."""

from collections.abc import Iterator
from decimal import Decimal

import pytest
from django.test import Client

from accounts.models import User
from judging.models import Membership, Role, Study
from tests.cast import Person
from tests.doubles.prolific import TOKEN, Prolific, prolific
from tests.factory import make_study
from web import clock
from workspace.models import ProlificStudy
from workspace.recruiting import connecting, drafts, spending, studies
from workspace.recruiting.drafts import Draft
from workspace.recruiting.sync import sync_due_studies

ADDRESS = "https://judge.example/study/s/"


@pytest.fixture
def there(settings) -> Iterator[Prolific]:
    """Prolific's double, empty."""
    with prolific() as double:
        settings.PROLIFIC_API_URL = double.address
        yield double


@pytest.fixture
def rosa(db: None) -> User:
    return User.objects.create_user("rosa")


def on_prolific(owner: User, completion_code: str) -> Study:
    """An open study that is recruited for on Prolific, and pays further units by a bonus."""
    study = make_study(
        topics=2,
        documents=5,
        unit_size=3,
        platform="prolific",
        further_units="bonus",
        submission_minutes=60,
        completion_code=completion_code,
        payment=Decimal("2.00"),
        currency="GBP",
    )
    Membership.objects.create(study=study, user=owner, role=Role.OWNER)
    return study


@pytest.fixture
def study(rosa: User) -> Study:
    return on_prolific(rosa, "CDONE")


@pytest.fixture
def connected(there: Prolific, study: Study, rosa: User) -> ProlificStudy:
    return connecting.connect(study, TOKEN, "", rosa)


@pytest.fixture
def published(connected: ProlificStudy, rosa: User) -> ProlificStudy:
    """A study with ten places, of which nobody has taken one."""
    spending.set_limit(connected, Decimal("100"), rosa)
    draft = Draft("Read and judge", "Eight short texts.", ADDRESS, places=10, minutes=15)
    return studies.publish(drafts.create(connected, draft, rosa), rosa)


def comes(there: Prolific, recruiting: ProlificStudy, participant: str) -> Person:
    """A participant who takes a place there and comes here with its ids."""
    submission = there.take_place(recruiting.prolific_id, participant)
    ids = {"STUDY_ID": recruiting.prolific_id, "SESSION_ID": submission}
    return Person(
        recruiting.study, f"w-{participant}", platform="prolific", external_id=participant, ids=ids
    )


@pytest.fixture
def listening(published: ProlificStudy, rosa) -> ProlificStudy:
    """The same, with events."""
    path = connecting.hook_path(published.connection)
    connecting.subscribe(published, f"https://judge.example{path}", rosa)
    published.connection.refresh_from_db()
    sync_due_studies(clock.now())
    return published


def send(recruiting: ProlificStudy, body: bytes, headers: dict[str, str]) -> int:
    path = connecting.hook_path(recruiting.connection)
    answer = Client().post(path, body, content_type="application/json", headers=headers)
    return answer.status_code
