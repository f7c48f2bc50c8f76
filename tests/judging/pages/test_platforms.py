"""Workers whom a participant platform sends."""

import pytest

from judging.models import Assignment, PlatformAccount, Worker
from tests.judging.browsing import Browser
from web.encryption import digests

pytestmark = pytest.mark.django_db


ADDRESSES = [
    ("?PROLIFIC_PID=pid-5f1e&STUDY_ID=s&SESSION_ID=t", "prolific", ["STUDY_ID", "SESSION_ID"]),
    (
        "?participantId=pid-5f1e&assignmentId=s&projectId=t",
        "connect",
        ["assignmentId", "projectId"],
    ),
    ("?id=pid-5f1e", "sona", []),
]


@pytest.mark.parametrize(("query", "platform", "ids"), ADDRESSES)
def test_parameters_of_a_platform(study, query, platform, ids):
    browser = Browser(study)
    response = browser.client.get(browser.address + query)
    assert (response.status_code, response["Location"]) == (302, browser.address)
    assert "pid-5f1e" not in str(response.cookies[browser.cookie_name].value)
    browser.walk_to_documents()
    account = Worker.objects.get().account
    assert (account.platform, account.external_id) == (platform, "pid-5f1e")
    assert account.ids == dict(zip(ids, "st", strict=False))
    for page in ("", "1/"):
        assert "pid-5f1e" not in browser.get(page).html


@pytest.mark.parametrize(
    "query", ["?x=1", "?PROLIFIC_PID=", "?id=%20", "?id=%00", "?STUDY_ID=s", "?check"]
)
def test_other_parameters_are_put_away(judging, query):
    response = judging.client.get(judging.address + query)
    assert (response.status_code, response["Location"]) == (302, judging.address)
    assert judging.get().position == 1


def test_another_id_in_the_same_browser_is_another_worker(study):
    browser = Browser(study)
    browser.get("?id=one")
    browser.press("continue")
    assert browser.get("?id=two").step == "welcome"
    browser.press("continue")
    assert Worker.objects.count() == 2
    browser.practise()
    assert browser.get("?id=one").step == "resume"  # for the browser is somebody else now
    code = PlatformAccount.objects.get(external_id_hash=digests("one")[0]).worker.resume_code
    assert browser.press("resume", code=code).step == "practice"


def test_the_same_submission_on_two_devices_is_one_worker_in_one_state(study):
    first, second = Browser(study), Browser(study)
    for device in (first, second):
        assert device.get(ADDRESSES[0][0]).step == "welcome"
    for device in (first, second):
        assert device.press("continue").step == "practice"
    first.practise()
    assert second.get().step == "instructions"  # by its cookie alone
    second.press("continue")
    second.answer()
    assert (second.page.step, first.get().step) == ("document", "document")
    assert first.get("1/").position == 1
    assert Worker.objects.count() == Assignment.objects.count() == 1
