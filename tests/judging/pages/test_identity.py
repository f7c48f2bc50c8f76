"""Who is who: an id of a platform names somebody, and proves nothing."""

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client

from judging.models import Assignment, PlatformAccount, Worker, WrongResumeCode
from judging.pages import resuming
from tests.factory import make_study
from tests.judging.browsing import Browser
from web.encryption import digests
from web.middleware.proxies import KEY_NAME

pytestmark = pytest.mark.django_db
PROLIFIC = "?PROLIFIC_PID=5f1e&STUDY_ID=s&SESSION_ID={}"
CONNECT = "?participantId=5f1e&assignmentId={}&projectId=p"
SONA = "?id=1001"


@pytest.fixture
def first(study, clock) -> Browser:
    """A device on which somebody whom SONA sent has begun to judge."""
    return begun(study, SONA)


def begun(study, query: str) -> Browser:
    browser = come(study, query)
    assert browser.come_to_documents().step == "document"
    return browser


def come(study, query: str) -> Browser:
    """Another device that comes by an address."""
    browser = Browser(study)
    browser.get(query)
    return browser


def resume_code() -> str:
    return Worker.objects.get().resume_code


def shows_nothing_of(page, first: Browser) -> bool:
    secrets = [first.token, resume_code(), *first.page.text.split("Topic: ")[1:]]
    return page.step == "resume" and not [secret for secret in secrets if secret in page.html]


# --- an id alone --------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "query",
    [SONA, PROLIFIC.format(""), PROLIFIC.format("t"), CONNECT.format("a"), "?PROLIFIC_PID=5f1e"],
)
def test_an_id_alone_shows_nothing_of_whose_it_is(study, clock, query):
    of_first = query.replace("=t", "=other").replace("=a&", "=other&")
    first, stranger = begun(study, of_first), come(study, query)
    assert shows_nothing_of(stranger.page, first)
    for path in ("", "1/"):
        assert shows_nothing_of(stranger.get(path), first)
    for again in ("", of_first):  # the link again in the same browser
        assert first.get(again).position == 1


def test_an_id_alone_can_do_nothing(study, first):
    stranger = come(study, SONA)
    form = first.page.form("next")
    for action in ("continue", "next", "finish", "back", "leave", "again", "keep"):
        for path in ("", "1/"):
            stranger.post(path, {**form, "score": "5", "justification": "x", "action": action})
            assert shows_nothing_of(stranger.page, first)
    assert Assignment.objects.get().state == "judging"
    assert Assignment.objects.get().judgments.count() == 0


def test_who_came_first_but_began_later_is_a_stranger_too(study, clock):
    """Both stood on Welcome; the other one agreed."""
    stranger, first = come(study, SONA), come(study, SONA)
    assert (stranger.page.step, first.page.step) == ("welcome", "welcome")
    first.press("continue")
    assert stranger.press("continue").step == "resume"
    assert Worker.objects.count() == 1
    assert first.get().step == "practice"


def test_codes_are_not_told_to_a_new_browser(study, clock):
    code = come(study, SONA).complete(clock).code
    assert code
    assert code not in come(study, SONA).page.html


# --- what proves it -----------------------------------------------------------------------------
@pytest.mark.parametrize("query", [PROLIFIC.format("t"), CONNECT.format("a")])
def test_the_same_submission_is_the_same_worker(study, clock, query):
    begun(study, query)
    assert come(study, query).page.position == 1
    assert Worker.objects.count() == 1


def test_the_resume_code(study, first):
    second = come(study, SONA)
    page = second.press("resume", code=f" {resume_code()[:4].lower()}-{resume_code()[4:]} ")
    assert (page.step, page.position) == ("document", 1)
    assert second.get("").position == 1  # by its cookie from now on
    assert first.get("").position == 1
    assert Worker.objects.count() == 1


def test_another_code_is_refused(study, first):
    """That of another worker, or of another study, too."""
    begun(study, "?id=1002")
    other = PlatformAccount.objects.get(external_id_hash=digests("1002")[0]).worker
    second, elsewhere = come(study, SONA), come(make_study(), "resume/")
    wrong = ("", "  ", "WRONG", "\0", "x" * 500, other.resume_code)
    for browser, code in (*((second, code) for code in wrong), (elsewhere, other.resume_code)):
        page = browser.press("resume", code=code)
        assert (page.status, page.step) == (422, "resume")
        assert 'aria-invalid="true"' in page.html
    assert elsewhere.client.get("/study/nowhere/resume/").status_code == 404


def test_who_has_lost_the_cookie_comes_back_by_the_code(study, clock):
    begun(study, "")
    again = Browser(study)
    assert "Enter your resume code" in again.get().text
    assert again.get("resume/").step == "resume"
    assert again.press("resume", code=resume_code()).position == 1


# --- guesses ------------------------------------------------------------------------------------
def test_guesses_are_limited(study, first, clock, monkeypatch):
    monkeypatch.setattr(resuming, "MAX_ON_AN_ACCOUNT", 3)
    guesser = come(study, SONA)
    for _ in range(3):
        assert guesser.press("resume", code="GUESS").status == 422
    page = guesser.press("resume", code=resume_code())
    assert (page.status, page.step) == (429, "resume")
    assert "in an hour" in page.text
    assert come(study, SONA).press("resume", code=resume_code()).status == 429  # from anywhere
    clock.wait(3601)
    assert come(study, SONA).press("resume", code="GUESS").status == 422
    assert WrongResumeCode.objects.count() == 1, "old ones are gone"
    assert guesser.press("resume", code=resume_code()).position == 1


@pytest.mark.parametrize(
    ("guesser", "same", "another"),
    [
        ("198.51.100.7", "198.51.100.7", "198.51.100.8"),
        ("2001:db8:1:2::7", "2001:db8:1:2:ffff::8", "2001:db8:1:3::7"),
    ],
)
def test_guesses_without_an_id_are_limited_by_address(
    study, first, clock, monkeypatch, guesser, same, another
):
    """In all studies together, and in none for anybody else."""
    monkeypatch.setattr(resuming, "MAX_FROM_AN_ADDRESS", 3)

    def resume(study, code, address):
        browser = Browser(study, Client(REMOTE_ADDR=address))
        browser.get("resume/")
        return browser.press("resume", code=code)

    elsewhere = make_study()
    for _ in range(3):
        assert resume(elsewhere, "GUESS", guesser).status == 422
    assert resume(study, resume_code(), same).status == 429
    assert resume(study, resume_code(), another).position == 1
    clock.wait(3601)
    assert resume(study, resume_code(), same).position == 1


def test_no_address_is_stored(study, first, clock):
    browser = Browser(study, Client(REMOTE_ADDR="198.51.100.7"))
    browser.get("resume/")
    browser.press("resume", code="GUESS")
    assert len(WrongResumeCode.objects.get().address) == 64
    caches["default"].delete(KEY_NAME)  # as it is forgotten after a day
    browser.press("resume", code="GUESS")
    assert len(set(WrongResumeCode.objects.values_list("address", flat=True))) == 2
    with connection.cursor() as cursor:
        cursor.execute("SELECT cache_key || encode(value::bytea, 'escape') FROM cache")
        assert not [row for row in cursor.fetchall() if "198.51.100.7" in row[0]]


# --- cookies ------------------------------------------------------------------------------------
def test_a_cookie_is_valid_in_its_own_study_alone(first):
    other = Browser(make_study(), Client())
    other.client.cookies = first.client.cookies
    other.client.cookies[other.cookie_name] = first.client.cookies[first.cookie_name].value
    assert other.get().step == "welcome"
    other.press("continue")
    assert len(set(Worker.objects.values_list("pseudonym", flat=True))) == 2, "they are strangers"


# --- who may enter ------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("platform", "entry", "query", "step"),
    [
        ("prolific", "", "", "closed"),
        ("prolific", "", SONA, "closed"),  # another platform's
        ("prolific", "", PROLIFIC.format("a"), "welcome"),
        ("prolific", "open", "", "welcome"),
        ("sona", "", SONA, "welcome"),
        ("links", "", "", "welcome"),  # one link for all names nobody
        ("", "", "", "welcome"),
    ],
)
def test_a_study_with_a_platform_takes_its_people_alone(db, platform, entry, query, step):
    sona = "https://sona.example/?credit_token=t&survey_code=1"
    codes = {"prolific": {"completion_code": "CODE1"}, "sona": {"completion_address": sona}}
    study = make_study(platform=platform, entry=entry, **codes.get(platform, {}))
    assert come(study, query).page.step == step


@pytest.mark.parametrize(
    ("value", "entry"), [("{{%PROLIFIC_PID%}}", ""), ("%SURVEY_CODE%", "open"), ("{id}", "")]
)
def test_a_place_holder_is_a_fault_of_the_link(db, clock, admin_client, value, entry):
    study = make_study(platform="prolific", completion_code="CODE1", entry=entry)
    answer = Browser(study).client.get(f"/study/{study.slug}/", {"PROLIFIC_PID": value})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert f"<code>{value}</code>" in page
    assert not Worker.objects.exists()
    assert not [name for name in answer.cookies if name.startswith("worker")]
    monitor = admin_client.get(f"/studies/{study.slug}/monitor/").content.decode()
    assert "with a place-holder where the platform puts an id" in monitor


def test_a_study_for_platforms_alone(db):
    study = make_study(entry="platforms", contact="rosa@example.org")
    page = come(study, "").page
    assert (page.status, page.step, page.buttons) == (200, "closed", [])
    assert "by the link on your platform" in page.words
    assert come(study, SONA).page.step == "welcome"
    begun(study, "?id=1002")
