"""The pages that say who may enter a study."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from judging import flow
from judging.flow.admission import Arrival
from judging.models import Membership, Study
from tests.desks import at_desk, member
from tests.factory import NOON, make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return make_study(most_workers=9)


@pytest.fixture
def rita(study):
    return member(study, name="rita")


@pytest.fixture
def desk(rita):
    return at_desk(rita)


def text(client: Client, study: Study, page: str = "entry") -> str:
    return " ".join(client.get(f"/studies/{study.slug}/set-up/{page}/").content.decode().split())


def test_how_many_there_are_and_more_may_come(desk, study):
    flow.admit(study, Arrival("p"), NOON)
    assert "1 worker has a place of 9" in text(desk, study)
    address = f"/studies/{study.slug}/set-up/entry/"
    sent = {"version": study.version, "most_workers": "12", "newcomers_a_day": "4"}
    sent["quiet_hours"] = "24"
    assert desk.post(address, sent).status_code == 302  # it is open: these may change
    study.refresh_from_db()
    assert (study.most_workers, study.newcomers_a_day, study.entry) == (12, 4, "open")
    assert study.quiet_hours == 24
    page = desk.post(address, {"version": study.version, "most_workers": "0"})
    assert "a whole number from 1 to 1,000,000 was expected, not 0" in page.content.decode()


def test_a_list_comes_by_hand_and_by_file(desk, study, rita):
    address = f"/studies/{study.slug}/set-up/participants/"
    file = SimpleUploadedFile("ids.txt", "\ufeff5f1e\r\n77aa\r\n".encode())
    page = desk.post(address, {"action": "add", "ids": "99bb\n", "file": file}, follow=True)
    assert "3 people were put on the list" in page.content.decode()
    assert "77aa" not in text(desk, study, "participants")
    rita.memberships.update(sees_platform_ids=True)
    assert "77aa" in text(desk, study, "participants")
    desk.post(address, {"action": "remove", "ids": "77aa"})
    assert {row.external_id for row in study.participants.all()} == {"5f1e", "99bb"}
    page = desk.post(address, {"action": "add", "ids": "a b"})
    assert "line 1: a b; expected a single id" in page.content.decode()
    broken = SimpleUploadedFile("ids.txt", b"\xff\xfe5")
    page = desk.post(address, {"action": "add", "ids": "", "file": broken})
    assert "not UTF-8 text" in page.content.decode()
    desk.post(address, {"action": "clear", "ids": ""})
    assert not study.participants.exists()


def test_earlier_studies_are_chosen(desk, study, rita):
    earlier, hidden = make_study(title="Pilot of lamps", retention_days=30), make_study()
    Membership.objects.create(study=earlier, user=rita, role="viewer")
    flow.admit(earlier, Arrival("p", "prolific", "5f1e"), NOON)
    flow.admit(hidden, Arrival("p", "prolific", "5f1e"), NOON)
    study.excluded_studies.add(hidden)
    shown = text(desk, study, "earlier")
    assert "Pilot of lamps: 1 id, held until 30 days after it closes" in shown
    assert hidden.title not in shown
    address = f"/studies/{study.slug}/set-up/earlier/"
    page = desk.post(address, {"version": study.version, "study": hidden.slug})
    assert "expected names of other studies that you see" in page.content.decode()
    desk.post(address, {"version": study.version, "study": earlier.slug})
    assert set(study.excluded_studies.all()) == {earlier, hidden}
    page_of_step = text(desk, study)
    assert "Participants of 2 earlier studies do not come in" in page_of_step
    assert "1 of them is a study of which you are not in the team" in page_of_step
    visitor = Client().get(f"/study/{study.slug}/?PROLIFIC_PID=5f1e", follow=True)
    assert "You have taken part in an earlier study" in visitor.content.decode()


def test_fewer_people_than_the_plan_needs_are_told(desk, study):
    address = f"/api/v1/studies/{study.slug}/warnings/"
    assert "people" not in desk.get(address).content.decode()
    Study.objects.filter(pk=study.pk).update(most_workers=2)
    said = desk.get(address).content.decode()
    assert "The plan needs at least 4 people, and the study takes 2" in said
