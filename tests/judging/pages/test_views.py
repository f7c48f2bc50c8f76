"""The worker's pages, each in the state it belongs to, as contracts name them."""

import pytest
from django.test import Client

from judging import flow
from judging.collections.cleaning import cleaned
from judging.models import Assignment, Judgment, Visit, Worker
from judging.studies.opening import close_study
from tests.factory import OPTIONS, make_study
from tests.judging.browsing import Browser

pytestmark = pytest.mark.django_db


# --- each page ----------------------------------------------------------------------------------
def test_welcome(browser):
    page = browser.get()
    assert (page.status, page.step, page.buttons) == (200, "welcome", ["continue"])
    assert page.can_leave
    for said in ("You take part freely.", "rosa@example.org", "Board 17/4", "30 days", "1.00 USD"):
        assert said in page.text
    assert "  minutes" not in page.text
    assert not Worker.objects.exists()  # nothing is stored before consent


def test_practice_text(browser):
    browser.get()
    page = browser.press("continue")
    assert (page.step, page.buttons, page.lines) == ("practice", ["continue"], [])
    assert page.can_leave
    assert browser.path == browser.address


def test_practice_lines(browser):
    browser.get()
    browser.press("continue")
    page = browser.press("continue")
    lengths = []
    for _ in range(3):
        assert (page.step, page.buttons, len(page.lines)) == ("practice", ["next"], 1)
        line = page.lines[0]
        assert browser.get().lines == [line]  # a reload draws it at the same place
        lengths.append(int(line["x2"]) - int(line["x1"]))
        page = browser.press("next", score=str(lengths[-1]))
    assert lengths == Assignment.objects.get().lines
    assert page.step == "instructions"


def test_instructions(browser):
    browser.get()
    browser.press("continue")
    page = browser.practise()
    assert (page.step, page.buttons, page.can_leave) == ("instructions", ["continue"], True)


def test_topic_and_question_on_one_page(browser):
    browser.get()
    browser.press("continue")
    browser.practise()
    page = browser.press("continue")
    assert (page.step, page.buttons, page.can_leave) == ("topic", ["continue"], True)
    for said in ("topic 401", "What about 401?", "All that matters is relevant.", "Which one?"):
        assert said in page.text
    assert "How to judge the documents" in page.text  # the instructions, to be read again
    order = Assignment.objects.get().option_order
    assert list(page.options.values()) == [OPTIONS[n] for n in order]
    assert list(page.options) == ["0", "1", "2", "3"]  # which is right does not show in the values


def test_the_first_document(judging):
    page = judging.page
    assert (page.step, page.position, page.buttons) == ("document", 1, ["next"])
    assert judging.path == f"{judging.address}1/"
    assert page.can_leave
    assert page.typed == ("", "")
    assert "topic 401" in page.text
    assert "<details" in page.html
    assert "How to judge the documents" in page.text


def test_documents_and_their_buttons(judging, clock):
    wanted = [["next"], *(["next", "back"] for _ in range(2, 8)), ["finish", "back"]]
    for position, buttons in enumerate(wanted, 1):
        assert (judging.page.position, judging.page.buttons) == (position, buttons)
        clock.wait(20)
        judging.judge("next" if position < 8 else "finish")
    assert judging.page.step == "done"


def test_next_and_finish_stand_before_back_in_the_markup(failed):
    """So that Enter never means Back."""
    failed.press("back")
    for position in range(1, 9):
        page = failed.get(f"{position}/")
        buttons = ["next"] * (position < 8) + ["finish"] + ["back"] * (position > 1)
        assert page.buttons == buttons
        (form,) = [f for f in page.forms if "finish" in f["buttons"]]
        assert form["buttons"] == [*buttons, "keep"]


def test_what_was_given_is_shown_when_a_page_is_revisited(judging):
    judging.judge(score=" 2 1/2 ", words='<b>&amp; so "on"')
    page = judging.get("1/")
    assert page.typed == (" 2 1/2 ", '<b>&amp; so "on"')


def test_the_previous_score_stands_beside_the_box(judging):
    judging.judge(score="1/7")
    assert "You gave the previous document 1/7" in judging.page.text


def test_revise(failed):
    page = failed.page
    assert (page.step, page.buttons, page.can_leave) == ("revise", ["back"], True)
    assert failed.path == failed.address
    page = failed.press("back")
    assert (page.step, page.position) == ("document", 8)


def test_done(judging, clock):
    page = judging.judge_all(clock)
    assert (page.status, page.step) == (200, "done")
    assert page.code == Assignment.objects.get().completion_code
    assert page.buttons == []  # the only topic is done
    assert judging.get("3/").step == "done"


def test_done_offers_another_topic_while_there_is_one(db, clock):
    browser = Browser(make_study(topics=2))
    browser.come_to_documents()
    page = browser.judge_all(clock)
    assert page.buttons == ["again"]
    first = page.code
    assert browser.press("again").step == "practice"
    browser.practise()
    browser.press("continue")
    browser.answer()
    page = browser.judge_all(clock)
    assert (page.step, page.buttons) == ("done", [])
    assert page.code != first
    assert first in page.text


@pytest.mark.parametrize("check", ["practice", "question"])
def test_failed(db, check):
    browser = Browser(make_study(topics=2))
    browser.get()
    browser.press("continue")
    if check == "practice":
        browser.press("continue")
        while browser.page.step == "practice":
            browser.press("next", score="5")
    else:
        browser.practise()
        browser.press("continue")
        browser.answer(right=False)
    page = browser.page
    assert (page.status, page.step, page.buttons) == (200, "failed", ["again"])
    assert browser.press("again").step == "practice"


def test_failed_without_another_topic(browser):
    browser.get()
    browser.press("continue")
    browser.practise()
    browser.press("continue")
    page = browser.answer(right=False)
    assert (page.step, page.buttons) == ("failed", [])


def test_expired(judging, clock):
    clock.wait(3601)
    flow.expire_overdue(clock.now)
    page = judging.get()
    assert page.step == "failed"
    assert "deleted" in page.text


def test_left(judging):
    page = judging.press("leave")
    assert (page.status, page.step) == (200, "left")
    assert Assignment.objects.get().state == "left"
    assert judging.get("1/").step == "left"


def test_left_and_begun_again(db):
    browser = Browser(make_study(topics=2))
    browser.come_to_documents()
    page = browser.press("leave")
    assert page.buttons == ["again"]
    assert browser.press("again").step == "practice"


def test_leaving_at_the_welcome_leaves_no_trace(browser):
    browser.get()
    page = browser.press("leave")
    assert page.step == "left"
    assert not Worker.objects.exists()


@pytest.mark.parametrize(
    "step", ["practice", "line", "instructions", "topic", "document", "revise"]
)
def test_leaving_from_every_page(browser, clock, step):
    browser.get()
    browser.press("continue")
    if step == "line":
        browser.press("continue")
    elif step != "practice":
        browser.practise()
        if step != "instructions":
            browser.press("continue")
        if step in ("document", "revise"):
            browser.answer()
        if step == "revise":
            browser.judge_all(clock, seconds=1)
    assert browser.page.step == ("practice" if step == "line" else step)
    assert browser.press("leave").step == "left"
    assert Assignment.objects.get().state == "left"


def test_leaving_from_a_page_that_asks_for_what_is_missing(judging, clock):
    """Finish led here, and the address says so."""
    while judging.page.position < 8:
        judging.judge()
    judging.get("3/")
    judging.judge("back", words=" ")
    judging.get("8/")
    page = judging.judge("finish")
    assert (page.step, page.position, judging.path[-7:]) == ("document", 3, "/?check")
    assert "Say in a few words" in page.text
    assert judging.press("leave").step == "left"
    assert Assignment.objects.get().state == "left"


def test_no_work_for_now(db):
    study = make_study(documents=8, redundancy=1)
    Browser(study).come_to_documents()
    page = Browser(study).get()
    assert (page.status, page.step, page.buttons) == (200, "no-work", [])
    assert "in a while" in page.text
    assert Worker.objects.count() == 1


def test_no_work_for_good(db, clock):
    study = make_study(documents=8, redundancy=1)
    first = Browser(study)
    first.come_to_documents()
    first.judge_all(clock)
    page = Browser(study).get()
    assert page.step == "no-work"
    assert "in a while" not in page.text


def test_no_work_left_when_agreeing(db):
    """The last unit went while they read the welcome."""
    study = make_study(documents=8, redundancy=1)
    late = Browser(study)
    late.get()
    Browser(study).come_to_documents()
    page = late.press("continue")
    assert (page.status, page.step) == (200, "no-work")


def test_closed(study):
    close_study(study.slug)
    page = Browser(study).get()
    assert (page.status, page.step, page.buttons) == (200, "closed", [])


def test_a_draft(db):
    page = Browser(make_study(opened=False)).get()
    assert (page.status, page.step, page.buttons) == (200, "closed", [])
    assert "not begun" in page.text


def test_closed_while_they_read_the_welcome(study, browser):
    browser.get()
    close_study(study.slug)
    assert browser.press("continue").step == "closed"
    assert not Worker.objects.exists()


def test_closed_while_they_judge(study, judging, clock):
    close_study(study.slug)
    page = judging.judge_all(clock)
    assert page.step == "done"
    assert page.code
    assert page.buttons == []


def test_a_study_that_is_not_there(client):
    for path in ("/study/nowhere/", "/study/a%20b/", "/study//"):
        assert client.get(path).status_code == 404
    assert client.get("/study/nowhere/1/", follow=True).status_code == 404


# --- what is typed ------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("score", "words"), [("", "because"), ("5", ""), ("-1", ""), ("1,500", "x")]
)
def test_a_refused_form_shows_what_was_typed_and_says_what_is_wrong(judging, score, words):
    page = judging.press("next", score=score, justification=words)
    assert (page.status, page.step, page.position) == (422, "document", 1)
    assert page.typed == (score, words)
    assert "Please correct this" in page.text
    assert judging.get().typed == (score, words)


def test_a_refused_practice_score(browser):
    browser.get()
    browser.press("continue")
    browser.press("continue")
    page = browser.press("next", score="<none>")
    assert (page.status, page.step, page.form("next")["score"]) == (422, "practice", "<none>")
    assert "<none>" not in page.html
    assert Assignment.objects.get().practice_step == 1


@pytest.mark.parametrize("answer", [None, "", "4", "-1", "x", "٣", "0 ", "1" * 5000])
def test_no_answer_is_no_failure(browser, answer):
    browser.get()
    browser.press("continue")
    browser.practise()
    browser.press("continue")
    page = browser.press("continue", **({} if answer is None else {"answer": answer}))
    assert (page.status, page.step) == (422, "topic")
    assert Assignment.objects.get().state == "topic"


def test_back_stores_a_draft_without_a_word(judging):
    judging.judge()
    page = judging.press("back", score="ma", justification="half a")
    assert (page.status, page.position) == (200, 1)
    assert judging.get("2/").typed == ("ma", "half a")


def test_line_ends_are_kept_as_one_character(judging):
    judging.judge(words="one\r\ntwo")
    assert Judgment.objects.get().justification == "one\ntwo"
    assert judging.get("1/").typed[1] == "one\ntwo"


def test_the_longest_text_that_may_come(judging):
    page = judging.press("next", score="9" * 20_000, justification="x" * 40_000)
    assert (page.status, page.position) == (422, 1)
    assert len(page.typed[1]) == 40_000


def test_more_than_the_server_takes(judging):
    response = judging.client.post(judging.path, {"justification": "x" * 3_000_000})
    assert response.status_code == 413


# --- the true page ------------------------------------------------------------------------------
@pytest.mark.parametrize("path", ["2/", "8/", "9/", "0/", "100000/", "9" * 40 + "/", "0002/"])
def test_a_page_further_ahead_leads_to_the_true_page(judging, path):
    page = judging.get(path)
    assert (page.step, page.position) == ("document", 1)
    assert judging.path == f"{judging.address}1/"


@pytest.mark.parametrize("path", ["-1/", "1.5/", "x/", "1//", "٣/", "9" * 5000 + "/"])
def test_addresses_that_are_none(judging, path):
    assert judging.client.get(judging.address + path).status_code == 404


def test_the_entry_leads_to_the_page_they_were_on(judging):
    judging.judge()
    judging.judge()
    judging.get("2/")
    page = judging.get()
    assert (page.position, judging.path) == (2, f"{judging.address}2/")


@pytest.mark.parametrize("step", ["welcome", "practice", "instructions", "topic", "revise"])
def test_there_is_no_document_before_its_time(browser, clock, step):
    browser.get()
    if step == "revise":
        browser.come_to_documents()
        browser.judge_all(clock, seconds=1)
    elif step != "welcome":
        browser.press("continue")
        if step != "practice":
            browser.practise()
        if step == "topic":
            browser.press("continue")
    page = browser.get("9/")
    assert page.step == step


def test_someone_who_has_no_cookie(judging):
    stranger = Browser(judging.study)
    assert stranger.get("1/").step == "welcome"
    stranger = Browser(judging.study)
    response = stranger.client.post(judging.path, judging.page.form("next"))
    assert response.status_code == 302
    assert not Judgment.objects.exists()


def test_someone_elses_assignment(judging, clock):
    """Neither its pages nor its forms are of use to another worker."""
    other = Browser(judging.study)
    other.come_to_documents()
    stolen = {**judging.page.form("next"), "score": "5", "justification": "x", "action": "next"}
    before = Visit.objects.count()
    assert other.post("1/", stolen).position == 1
    assert not Judgment.objects.exists()
    assert other.post("", {"page": f"{judging.token}:document:3", "action": "leave"}).position == 1
    assert other.post("1/", {"page": judging.token, "action": "leave"}).position == 1
    assert set(Assignment.objects.values_list("state", flat=True)) == {"judging"}
    assert Visit.objects.count() == before


@pytest.mark.parametrize("cookie", ["", "x", "a:b:c", "{}", "worker:1t:xyz", "\xff"])
def test_a_forged_cookie_is_nobody(judging, cookie):
    real = judging.client.cookies["worker"].value
    for forged in (cookie, real[:-1] + ("A" if real[-1] != "A" else "B"), "x" + real):
        client = Client()
        client.cookies["worker"] = forged
        page = Browser(judging.study, client).get()
        assert (page.status, page.step) == (200, "welcome")
        assert client.cookies["worker"].value != forged  # a new one


def test_the_cookie(browser):
    browser.get()
    cookie = browser.client.cookies["worker"]
    assert (cookie["path"], cookie["httponly"], cookie["samesite"]) == (
        browser.address,
        True,
        "Lax",
    )
    assert cookie["max-age"] == 365 * 24 * 3600


def test_no_cookie_where_there_is_nothing_to_agree_to(study):
    close_study(study.slug)
    browser = Browser(study)
    browser.get()
    assert "worker" not in browser.client.cookies


# --- forms, twice and late ----------------------------------------------------------------------
def test_a_form_of_an_earlier_step_changes_nothing(browser):
    browser.get()
    welcome = browser.page.form("continue")
    browser.press("continue")
    browser.practise()
    before = Assignment.objects.get()
    assert browser.post("", {**welcome, "action": "continue"}).step == "instructions"
    assert Assignment.objects.count() == 1
    assert Assignment.objects.get().state == before.state


def test_a_practice_form_sent_twice(browser):
    browser.get()
    browser.press("continue")
    browser.press("continue")
    form = {**browser.page.form("next"), "score": "7", "action": "next"}
    for _ in range(3):
        browser.post("", form)
    assert Assignment.objects.get().line_scores == [7]


def test_a_document_form_sent_twice(judging):
    form = {**judging.page.form("next"), "score": "7", "justification": "x", "action": "next"}
    for _ in range(3):
        page = judging.post("1/", form)
    assert page.position == 2
    assert Judgment.objects.count() == 1
    assert Assignment.objects.get().back_steps == 0


def test_again_sent_twice(db, clock):
    browser = Browser(make_study(topics=3))
    browser.come_to_documents()
    browser.judge_all(clock)
    form = {**browser.page.form("again"), "action": "again"}
    for _ in range(3):
        assert browser.post("", form).step == "practice"
    assert Assignment.objects.count() == 2


def test_a_late_leave_does_not_end_the_next_unit(db, clock):
    browser = Browser(make_study(topics=3))
    browser.come_to_documents()
    late = {**browser.page.form("leave"), "action": "leave"}
    browser.press("leave")
    browser.press("again")
    assert browser.post("1/", late).step == "practice"
    assert browser.post("", late).step == "practice"
    assert Assignment.objects.filter(state="practice").count() == 1


def test_a_second_tab(judging):
    """It shows the same worker; what each sends is kept, and each goes on from there."""
    judging.judge()
    judging.judge()
    tab = Browser(judging.study)
    tab.client.cookies = judging.client.cookies
    assert tab.get().position == 3
    tab.get("1/")
    tab.judge(score="77")
    assert tab.page.position == 2
    assert judging.judge(score="33").position == 4
    assert set(Judgment.objects.filter(score__in=[77, 33]).values_list("position", flat=True)) == {
        1,
        3,
    }


@pytest.mark.parametrize("data", [{}, {"action": ""}, {"action": "dance"}, {"action": "again"}])
def test_an_action_that_the_page_does_not_have(judging, data):
    assert judging.post("1/", data).position == 1
    assert judging.post("", data).position == 1
    assert Assignment.objects.count() == 1
    assert not Judgment.objects.exists()


def test_finish_before_the_last_page(judging):
    page = judging.press("next", score="5", justification="x")
    assert page.position == 2
    form = {**page.form("next"), "score": "5", "justification": "x", "action": "finish"}
    assert judging.post("2/", form).position == 2
    assert Judgment.objects.count() == 1


# --- finish -------------------------------------------------------------------------------------
def test_finish_twice_shows_the_message_twice_and_counts_once(judging, clock):
    while judging.page.position < 8:
        judging.judge()
    form = {**judging.page.form("finish"), "score": "5", "justification": "x", "action": "finish"}
    for _ in range(3):
        assert judging.post("8/", form).step == "revise"
    assert Assignment.objects.get().failed_finishes == 1


def test_a_failed_finish_after_a_failed_finish(failed, clock):
    failed.press("back")
    assert failed.judge("finish").step == "revise"
    assert Assignment.objects.get().failed_finishes == 2


def test_revised_and_finished_from_a_page_in_the_middle(failed, clock):
    failed.press("back")
    while failed.page.position > 1:
        clock.wait(20)
        failed.judge("back")
    clock.wait(20)
    failed.judge()
    assert failed.page.position == 2
    assert failed.judge("finish").step == "done"


def test_history_back_from_the_message(failed):
    assert failed.get("8/").position == 8
    assert Assignment.objects.get().revise_steps == 1


# --- participant platforms ----------------------------------------------------------------------
ADDRESSES = [
    (
        "?PROLIFIC_PID=5f1e&STUDY_ID=s&SESSION_ID=t",
        "prolific",
        {"STUDY_ID": "s", "SESSION_ID": "t"},
    ),
    (
        "?participantId=5f1e&assignmentId=a&projectId=p",
        "connect",
        {"assignmentId": "a", "projectId": "p"},
    ),
    ("?id=5f1e", "sona", {}),
]


@pytest.mark.parametrize(("query", "platform", "ids"), ADDRESSES)
def test_parameters_of_a_platform(study, query, platform, ids):
    browser = Browser(study)
    response = browser.client.get(browser.address + query)
    assert (response.status_code, response["Location"]) == (302, browser.address)
    assert "5f1e" not in str(response.cookies["worker"].value)
    browser.walk_to_documents()
    account = Worker.objects.get().account
    assert (account.platform, account.external_id, account.ids) == (platform, "5f1e", ids)
    for page in ("", "1/"):
        assert "5f1e" not in browser.get(page).html


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
    code = Worker.objects.get(account__external_id="one").resume_code
    assert browser.press("resume", code=code).step == "practice"


def test_parameters_win_over_the_cookie(judging):
    assert judging.get("?id=new").step == "welcome"


def test_the_same_submission_on_two_devices_is_one_worker_in_one_state(study):
    first, second = Browser(study), Browser(study)
    first.get(ADDRESSES[0][0])
    assert second.get(ADDRESSES[0][0]).step == "welcome"
    first.press("continue")
    first.practise()
    assert second.get().step == "instructions"  # by its cookie alone
    second.press("continue")
    second.answer()
    assert (second.page.step, first.get().step) == ("document", "document")
    assert first.get("1/").position == 1
    assert Worker.objects.count() == 1


def test_agreeing_on_the_second_device_as_well(study):
    first, second = Browser(study), Browser(study)
    for device in (first, second):
        device.get(ADDRESSES[0][0])
    for device in (first, second):
        device.press("continue")
    assert second.page.step == "practice"
    assert Assignment.objects.count() == 1


def test_a_second_device_at_once_on_a_document(study):
    first, second = Browser(study), Browser(study)
    second.get(ADDRESSES[0][0])
    first.get(ADDRESSES[0][0])
    first.come_to_documents()
    assert second.get("1/").position == 1


# --- headers, methods, forgery ------------------------------------------------------------------
def test_no_page_may_be_stored(browser, clock):
    responses = [browser.get().response]
    browser.come_to_documents()
    responses += [browser.page.response, browser.client.get(browser.address)]
    responses += [browser.client.post("1/"), browser.judge_all(clock).response][1:]
    for response in responses:
        assert "no-store" in response["Cache-Control"]
        assert "private" in response["Cache-Control"]


def test_head_is_answered_like_get_and_changes_nothing(judging, clock):
    judging.judge()
    judging.judge()
    rows = list(Assignment.objects.values()), list(Visit.objects.values())
    clock.wait(60)
    for path, status in (("1/", 200), ("3/", 200), ("4/", 302), ("", 302)):
        response = judging.client.head(judging.address + path)
        assert (response.status_code, response.content) == (status, b"")
    assert (list(Assignment.objects.values()), list(Visit.objects.values())) == rows


def test_head_for_somebody_new(browser):
    response = browser.client.head(browser.address)
    assert (response.status_code, response.content) == (200, b"")


@pytest.mark.parametrize("method", ["put", "patch", "delete", "options", "trace"])
def test_other_methods_are_refused(judging, method):
    for path in ("", "1/"):
        assert getattr(judging.client, method)(judging.address + path).status_code == 405


def test_forms_from_elsewhere_are_refused(study):
    """Every form carries a token, and without it nothing is done."""
    browser = Browser(study, Client(enforce_csrf_checks=True))
    browser.walk_to_documents()  # with it, everything works
    assert browser.page.position == 1
    form = browser.page.form("next")
    del form["csrfmiddlewaretoken"]
    for path in ("", "1/"):
        for action in ("next", "back", "finish", "leave", "continue", "again"):
            data = {**form, "score": "5", "justification": "x", "action": action}
            assert browser.client.post(browser.address + path, data).status_code == 403
    assert Assignment.objects.get().state == "judging"
    assert not Judgment.objects.exists()


# --- weird input --------------------------------------------------------------------------------
def test_zero_bytes(judging):
    judging.press("next", score="5\0", justification="a\0b")
    assert Judgment.objects.get().justification == "ab"
    assert Judgment.objects.get().score == 5


def multipart(charset: str, **fields: bytes) -> dict:
    """A form in a character set of its own."""
    parts = b"".join(
        b'--x\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n' % (name.encode(), value)
        for name, value in fields.items()
    )
    return {
        "data": parts + b"--x--\r\n",
        "content_type": f"multipart/form-data; boundary=x; charset={charset}",
    }


@pytest.mark.parametrize("path", ["", "1/"])
def test_halves_of_characters(judging, path):
    """A client may name a character set in which they can be written."""
    surrogate = b"+2AA-"
    assert surrogate.decode("utf-7") == "\ud800"
    for fields in (
        {"action": b"next", "score": b"5" + surrogate, "justification": b"x" + surrogate},
        {"action": b"next", "score": surrogate, "justification": surrogate},
        {"action": b"leave", "page": surrogate},
        {"action": surrogate},
        {"action": b"back", "visible_seconds": surrogate},
    ):
        response = judging.client.post(judging.address + path, **multipart("utf-7", **fields))
        assert response.status_code in (302, 422)
    assert Assignment.objects.get().state == "judging"


def test_halves_of_characters_in_practice(browser):
    browser.get()
    browser.press("continue")
    browser.press("continue")
    form = multipart("utf-7", action=b"next", score=b"+2AA-")
    assert browser.client.post(browser.address, **form).status_code == 422


def test_halves_of_characters_in_the_address(study):
    browser = Browser(study)
    browser.get("?id=%2B2AA-x", content_type="text/plain; charset=utf-7")
    browser.press("continue")
    assert browser.page.step == "practice"


def test_bytes_that_are_no_text(judging):
    response = judging.client.post(
        judging.path,
        b"action=next&score=5&justification=%ff%fe%c3",
        content_type="application/x-www-form-urlencoded",
    )
    assert response.status_code == 302
    assert Judgment.objects.get().justification


@pytest.mark.parametrize("said", ["", "x", "nan", "inf", "-1", "1e400", "9" * 400, "1e6", "٣"])
def test_what_the_browser_says_of_its_time(judging, said):
    judging.press("next", score="5", justification="x", visible_seconds=said)
    assert Visit.objects.order_by("id").first().visible_seconds in (None, 3)


def test_what_the_browser_says_of_its_time_is_kept(judging):
    judging.press("next", score="5", justification="x", visible_seconds="12.5")
    assert Visit.objects.order_by("id").first().visible_seconds == 12.5


def test_markup_in_everything_a_researcher_may_write(db, clock):
    nasty = "<script>alert(1)</script>\"'&"
    study = make_study(title=nasty, consent=nasty, contact=nasty, ethics_approval=nasty)
    topic = study.topics.get()
    for name in ("title", "description", "narrative"):
        setattr(topic.topic, name, nasty)
    topic.topic.save()
    topic.question, topic.options = nasty, [nasty, "b", "c", "d"]
    topic.answer = nasty
    topic.save()
    for pooled in topic.documents.all():
        pooled.document.title = pooled.document.text = nasty
        pooled.document.cleaned = cleaned(nasty, pooled.document.is_html)
        pooled.document.save()
    browser = Browser(study)
    pages = [browser.get()]
    browser.walk_to_documents()
    pages.append(browser.page)
    pages += [browser.judge(words=nasty), browser.get("1/")]
    pages.append(browser.judge_all(clock))
    for page in pages:
        assert "alert(1)" in page.text
        assert "<script>" not in page.html


def test_no_page_shows_an_id_of_a_document_or_a_role(db, clock):
    study = make_study()
    for number, pooled in enumerate(study.topics.get().documents.all()):
        pooled.document.title, pooled.document.text = f"Title {number}", f"Text {number}"
        pooled.document.cleaned = cleaned(pooled.document.text, pooled.document.is_html)
        pooled.document.save()
    browser = Browser(study)
    pages = [browser.get()]
    browser.come_to_documents()
    while browser.page.step == "document" and browser.page.position < 8:
        pages.append(browser.page)
        browser.judge()
    pages += [browser.page, browser.judge("finish"), browser.press("back"), browser.get("4/")]
    browser.get("1/")
    pages.append(browser.judge_all(clock))
    assert pages[-1].step == "done"
    for page in pages:
        for secret in ("D401", "h_k", "n_k", "H_k", "anchor", "relevance label"):
            assert secret not in page.html


def test_no_page_shows_an_example_of_a_score(browser, clock):
    """It would act as a modulus. The instructions, where they judge, are free of numbers."""
    browser.get()
    browser.press("continue")
    page = browser.practise()
    text = page.main_text.replace("8 documents", "")
    assert not {char for char in text if char.isdigit()}
