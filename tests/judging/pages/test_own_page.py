"""The page of one's own: codes, pay, what is stored; a unit is withdrawn by its code."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from judging.models import (
    Assignment,
    DocumentNote,
    Judgment,
    Payment,
    Study,
    TrailEntry,
    WrongResumeCode,
)
from judging.pages import resuming
from judging.payments.decisions import mark_paid, refuse
from judging.studies import trail
from judging.studies.conduct.closing import close_study
from tests.factory import make_study
from tests.factory.completed import complete
from tests.judging.browsing import Browser
from tests.judging.invariants import broken

pytestmark = pytest.mark.django_db
LONG_WORDS = "No reason that you gave says anything about the documents. " * 3


@pytest.fixture
def done(browser: Browser, clock: Any) -> Browser:
    """A browser whose worker has completed a unit."""
    browser.complete(clock)
    return browser


@pytest.fixture
def going_on(db: None, clock: Any) -> Browser:
    """A browser whose worker may judge another topic after the first."""
    browser = Browser(make_study(topics=2))
    browser.complete(clock)
    return browser


def code() -> str:
    return str(Assignment.objects.paid().latest("finished_at").completion_code)


def ask(browser: Browser, typed: str) -> Any:
    return browser.post("me/", {"action": "withdraw", "code": typed})


def withdraw(browser: Browser, typed: str) -> Any:
    """Type a code, and answer the question."""
    browser.get("me/")
    asked = ask(browser, typed)
    assert "Withdraw these answers?" in asked.words
    return browser.post("me/", asked.sent("sure"))


def downloaded(browser: Browser) -> dict[str, Any]:
    return json.loads(browser.client.get(f"{browser.address}me/data.json").content)


def test_done_and_every_foot_lead_there_once_there_is_a_code(going_on: Browser) -> None:
    done, address = going_on, f'href="{going_on.address}me/"'
    assert address in done.page.html
    assert address in done.press("again").html
    assert address not in Browser(done.study).get().html
    page = done.get("me/")
    assert page.step == "me"
    assert code() in page.words
    assert "$1.00 earned" in page.words
    assert "8 answers" in page.words


def test_pay_is_told_with_its_state(done: Browser) -> None:
    payment = Payment.objects.get()
    refuse(done.study, payment.pk, "other", LONG_WORDS, None)
    assert f"refused: {LONG_WORDS.strip()}" in done.get("me/").words
    Payment.objects.update(state="owed", category="", reason="")
    mark_paid(done.study, [payment.pk], None)
    assert "$1.00 paid" in done.get("me/").words


def test_a_unit_is_withdrawn_by_its_code_after_a_question(done: Browser) -> None:
    page = withdraw(done, f" {code()[:5].lower()} {code()[5:]}")
    unit = Assignment.objects.get()
    assert (unit.state, unit.unit.free, Judgment.objects.count()) == ("withdrawn", True, 0)
    said = f"Done. Your answers of the set {unit.completion_code} have been deleted."
    assert said in page.words
    assert page.words.index(said) < page.words.index("Your pay")
    assert "withdraw" not in page.buttons  # nothing is left to withdraw
    assert said not in done.get("me/?withdrawn=nothing").words
    assert "$1.00 earned" in page.words, "the pay stays"
    entry = TrailEntry.objects.get(action="withdrawn by worker")
    assert (entry.by, entry.details["worker"]) == (None, unit.worker.pseudonym)
    again = ask(done, code())
    assert (again.status, "deleted already" in again.words) == (422, True)
    assert not WrongResumeCode.objects.exists()
    assert broken() == []


def test_nothing_is_withdrawn_without_the_answer(done: Browser) -> None:
    for typed in ("", "FFFF", "x" * 99):
        assert ask(done, typed).status == 422
    assert ask(done, code()).status == 200
    assert Judgment.objects.count() == 8


def test_a_code_is_proof_where_the_browser_is_not_known(done: Browser) -> None:
    stranger = Browser(done.study)
    page = stranger.get("me/")
    assert "not known" in page.words
    assert code() not in page.html
    withdraw(stranger, code())
    assert Judgment.objects.count() == 0
    assert f"the set {code()} have been deleted" in stranger.page.words
    assert stranger.get("me/data.json").step == "me"


def test_codes_are_not_to_be_guessed(
    done: Browser, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resuming, "MAX_FROM_AN_ADDRESS", 2)
    stranger = Browser(done.study)
    for typed, status in (("FFFF", 422), ("FFFF", 422), (code(), 429)):
        assert ask(stranger, typed).status == status
    clock.wait(3601)
    assert ask(stranger, code()).status == 200


def test_no_stranger_keeps_anybody_from_their_own(
    done: Browser, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither from the same address, nor by guesses that they made themselves."""
    monkeypatch.setattr(resuming, "MAX_FROM_AN_ADDRESS", 2)
    monkeypatch.setattr(resuming, "MAX_ON_AN_ACCOUNT", 2)
    stranger = Browser(done.study)
    for browser in (stranger, stranger, stranger, done, done, done):
        ask(browser, "FFFF")
    assert WrongResumeCode.objects.count() == 2
    assert ask(done, "FFFF").status == 429
    withdraw(done, code())
    assert Judgment.objects.count() == 0


def test_who_shares_an_id_sees_nothing(study: Study, clock: Any) -> None:
    first, other = Browser(study), Browser(study)
    for browser in (first, other):
        browser.get("?id=1001")
    first.complete(clock)
    assert "not known" in other.get("me/").words


def test_answers_can_be_withdrawn_until_the_day_that_is_named(db: None, clock: Any) -> None:
    done = Browser(make_study(withdraw_days=2, contact="rosa@example.org"))
    done.complete(clock)
    last = f"{Assignment.objects.get().finished_at + timedelta(days=2):%-d %B %Y}"
    assert f"until {last}" in done.get("me/").words
    clock.wait(2 * 24 * 3600 + 1)
    page = ask(done, code())
    assert (page.status, f"could be withdrawn until {last}" in page.words) == (422, True)
    assert done.post("me/", {"action": "sure", "code": code()}).status == 422
    assert Judgment.objects.count() == 8


def test_copies_that_were_taken_are_told(done: Browser, clock: Any) -> None:
    trail.record(done.study, None, "made a release")
    withdraw(done, code())
    day = TrailEntry.objects.get(action="made a release").at
    page = done.get("me/").words
    assert f"as it was taken before: a release of {day:%-d %B %Y}" in page


def test_a_closed_study_gives_the_unit_to_nobody(done: Browser) -> None:
    close_study(done.study.slug)
    done.get("me/")
    asked = ask(done, code())
    assert "go to somebody else" not in asked.words
    done.post("me/", asked.sent("sure"))
    assert Browser(done.study).get().step == "closed"


def test_what_is_stored_can_be_downloaded_and_is_ones_own(going_on: Browser) -> None:
    complete(going_on.study, "ben")
    going_on.press("again")
    data = downloaded(going_on)
    finished, in_progress = data["sets"]
    assert [answer["page"] for answer in finished["answers"]] == list(range(1, 9))
    assert len(finished["visits"]) == 8
    assert finished["payments"][0]["state"] == "owed"
    assert in_progress.keys() == {"topic", "began_at", "state"}
    text = json.dumps(data)
    assert not [word for word in ("h_k", "n_k", "doc_id", "role", "label", "ben") if word in text]


def test_notes_comments_and_what_is_in_progress_are_named_and_downloaded(going_on: Browser) -> None:
    unit = Assignment.objects.get()
    note = {"position": 2, "document_id": unit.order[1], "at": unit.active_at}
    unit.notes.create(kind="broken", text="half of it", **note)
    unit.worker.comments.create(text="fine", at=unit.active_at)
    page = going_on.get("me/")
    assert "1 note that something is wrong with a document" in page.words
    assert "1 comment on the study" in page.words
    assert "working on, also what" not in page.words
    (stored,) = downloaded(going_on)["sets"][0]["notes_on_documents"]
    assert stored["what_is_wrong"] == "The text is cut off or broken"
    assert (stored["page"], stored["in_words"]) == (2, "half of it")
    going_on.get()
    going_on.press("again")
    assert "working on, also what" in going_on.get("me/").words
    page = withdraw(going_on, code())
    assert not DocumentNote.objects.exists()
    assert "note that" not in page.words
    assert "No answers from sets that have ended" in page.words


def test_answers_of_a_set_without_a_code_are_counted(db: None, clock: Any) -> None:
    browser = Browser(make_study(most_failed_finishes=1, pay_after_limit=False))
    browser.get()
    browser.person().come_to("revising")
    assert browser.get().step == "failed"
    assert "8 answers with the reasons" in browser.get("me/").words


def test_pay_an_hour_is_said_where_it_is_known(db: None, clock: Any) -> None:
    study = make_study(topics=3, payment="2.50", currency="GBP", long_visit_minutes=4)
    browser = Browser(study)
    assert "up to 3 sets, £7.50 in all" in browser.get().words
    complete(study, browser.person().name, at=clock.now, seconds=60)
    page = browser.get()
    assert "you took 8 minutes: that comes to £18.75 an hour" in page.words
    assert "In all" not in page.words
    assert "You took 8 minutes, which comes to £18.75 an hour." in browser.get("me/").words
    Payment.objects.update(state="refused", category="other", reason=LONG_WORDS)
    assert "an hour" not in browser.get("").words
    Payment.objects.update(state="paid", category="", reason="")
    clock.wait(8 * 60)
    complete(study, browser.person().name, at=clock.now, seconds=4 * 60 + 1)  # perhaps a pause
    page = browser.get()
    assert "In all you have earned £5.00 in this study, for 2 sets." in page.words
    assert "an hour" not in page.words
    withdraw(browser, Assignment.objects.earliest("pk").completion_code or "")
    assert "an hour" not in browser.get("me/").words


def test_somebody_who_has_not_begun_has_nothing_there(study: Study) -> None:
    client = Client()
    assert client.get(f"/study/{study.slug}/me/").status_code == 200
    assert client.get("/study/nowhere/me/").status_code == 404
    assert client.get("/study/nowhere/me/data.json").status_code == 404
