"""Personal links: each participant on a study's list has an address of their own."""

import pytest

from judging.models import Participant, PlatformAccount, Study
from judging.studies.personal_links import personal_links
from tests.factory import make_study
from tests.judging.browsing import Browser
from web.encryption import digests

pytestmark = pytest.mark.django_db


@pytest.fixture
def listed() -> Study:
    study = make_study(platform="links", entry="platforms")
    for external_id in ("rosa", "=otto"):
        Participant.objects.create(study=study, external_id=external_id)
    return study


def links_of(study: Study) -> dict[str, str]:
    return dict(personal_links(study, f"/study/{study.slug}/"))


def test_a_link_names_its_participant_and_does_not_show_the_id(listed):
    link = links_of(listed)["rosa"]
    assert "rosa" not in link
    browser = Browser(listed)
    assert browser.get(link).step == "welcome"
    browser.press("continue")
    account = PlatformAccount.objects.select_related("worker").get()
    assert (account.platform, account.external_id) == ("links", "rosa")
    assert account.worker.verified


def test_the_same_link_on_another_device_goes_on_there(listed):
    link = links_of(listed)["rosa"]
    first, second = Browser(listed), Browser(listed)
    first.get(link)
    first.press("continue")
    assert second.get(link).step == "practice"


def test_no_link_is_valid_elsewhere_or_changed_or_off_the_list(listed):
    other = make_study(platform="links", entry="platforms")
    Participant.objects.create(study=other, external_id="rosa")
    token = links_of(listed)["rosa"].split("?")[1]
    changed = links_of(listed)["=otto"].replace(token.split("%3A")[0], "person=0")
    assert Browser(other).get(f"?{token}").step == "closed"
    assert Browser(listed).get(f"{changed}x").step == "closed"
    Participant.objects.filter(study=listed).filter(external_id_hash=digests("rosa")[0]).delete()
    assert Browser(listed).get(f"?{token}").step == "closed"
