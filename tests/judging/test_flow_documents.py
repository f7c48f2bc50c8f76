"""Opening pages and judging them: next, back, drafts; forms sent twice, late or out of order."""

from datetime import timedelta

import pytest

from judging import flow
from judging.flow.submission_checks import MAX_JUSTIFICATION_LENGTH, Submission
from judging.models import Judgment, Visit
from judging.numbers import MAX_LENGTH
from tests.cast import WORDS, Person
from tests.factory import NOON, later, make_study
from tests.judging.invariants import broken

BEYOND = [2, 8, 9, 0, -1, 10**30]  # of somebody on the first page


def judgments(person: Person) -> dict[int, tuple]:
    """Position -> text, value, words."""
    rows = Judgment.objects.filter(assignment=person.assignment)
    return {j.position: (j.score_text, j.score, j.justification) for j in rows}


def where(person: Person) -> tuple[int, int]:
    assignment = person.assignment
    return assignment.position, assignment.furthest


def everything(person: Person) -> tuple:
    """All that a form might change, but for the last activity."""
    assignment = person.assignment
    kept = [
        list(rows.order_by("pk").values())
        for rows in (assignment.judgments, assignment.visits, assignment.failures)
    ]
    activity = ("_state", "active_at", "deadline_at", "version")
    return {k: v for k, v in vars(assignment).items() if k not in activity}, *kept


# --- opening ------------------------------------------------------------------------------------
def test_a_page_holds_its_document_and_the_topic(judging):
    page = judging.open(1)
    document = judging.document(1).document
    assert (page.title, page.html) == (document.title, f"<p>{document.text}</p>")
    topic = (page.topic, page.description, page.narrative)
    assert topic == ("topic 401", "What about 401?", "All that matters is relevant.")
    assert (page.position, page.last, page.furthest, page.can_finish) == (1, 8, 1, False)
    assert (page.score_text, page.justification, page.previous_score) == ("", "", "")


def test_pages_show_the_units_documents_in_the_drawn_order(judging):
    judging.judge_up_to(8)
    titles = [judging.open(n).title for n in range(1, 9)]
    assert titles == [judging.document(n).document.title for n in range(1, 9)]
    assert len(set(titles)) == 8


@pytest.mark.parametrize("position", BEYOND)
def test_a_page_further_ahead_is_neither_opened_nor_judged(judging, position):
    before = everything(judging)
    assert judging.open(position) is None
    form = Submission(position, "5", WORDS)
    names = judging.study.slug, judging.pseudonym, judging.assignment.token
    for back in (False, True):
        assert flow.judge(*names, form, back=back, now=NOON).position is None
    assert everything(judging) == before


@pytest.mark.parametrize("step", ["nothing", "practice", "instructions", "topic"])
def test_there_are_no_documents_before_the_question(worker, step):
    if step == "nothing":
        assert worker.open(1) is None
        return
    worker.come_to(step)
    assert worker.open(1) is None
    assert worker.next(1).position is None
    assert judgments(worker) == {}


def test_a_stranger_opens_nothing(judging, another):
    assert flow.open_page(judging.study.slug, "nobody", 1, NOON) is None
    assert another.open(1) is None
    assert flow.open_page("no-such-study", judging.pseudonym, 1, NOON) is None


# --- next ---------------------------------------------------------------------------------------
def test_next_keeps_the_score_as_typed_and_its_value(judging):
    judging.open(1)
    result = judging.wait(20).next(1, " 2 ½ ", "  because \n")
    assert (result.position, result.errors) == (2, {})
    assert judgments(judging) == {1: (" 2 ½ ", 2.5, "because")}
    assert where(judging) == (2, 2)
    assert Judgment.objects.get().document == judging.document(1)


@pytest.mark.parametrize(
    ("score", "words", "wrong"),
    [
        ("", "because", {"score"}),
        ("-1", "because", {"score"}),
        ("1,500", "because", {"score"}),
        ("1" * 65, "because", {"score"}),
        ("5", "", {"justification"}),
        ("5", " \n\t ", {"justification"}),
        ("5", "\u200b \u2060", {"justification"}),
        ("5", "x" * (MAX_JUSTIFICATION_LENGTH + 1), {"justification"}),
        ("", "", {"score", "justification"}),
    ],
)
def test_next_wants_a_score_and_a_reason_and_loses_nothing(judging, score, words, wrong):
    judging.open(1)
    result = judging.next(1, score, words)
    assert (result.position, result.errors.keys()) == (1, wrong)
    assert where(judging) == (1, 1)
    page = judging.open(1)
    assert (page.score_text, page.justification) == (score, words.strip())
    assert flow.page_errors(page) == result.errors


def test_a_draft_is_cut_so_that_it_can_still_be_corrected(judging):
    judging.judge_up_to(2)
    judging.back(2, "1" * 1_200_000, "x" * 1_200_000)
    page = judging.open(2)
    assert MAX_LENGTH < len(page.score_text) < 1000
    assert MAX_JUSTIFICATION_LENGTH < len(page.justification) < 50_000
    assert judgments(judging)[2] == ("", None, "")  # a number cut short would be another number


def test_the_longest_reason(judging):
    words = "ä" * MAX_JUSTIFICATION_LENGTH
    assert judging.next(1, "5", f" {words} ").errors == {}
    assert judgments(judging)[1][2] == words


def test_no_message_shows_an_example_number(judging):
    """It would act as a modulus; the limits of length are no scores."""
    messages = [judging.next(1, score, "").errors for score in ("", "0", "-", "x", "1e5")]
    said = " ".join(str(text) for m in messages for text in m.values())
    assert not {char for char in said.replace("“1e5”", "").replace("“0”", "") if char.isdigit()}


def test_an_earlier_page_can_be_judged_anew_and_late(judging):
    judging.judge_up_to(5).open(2)
    for score in (77, 55):  # the second from the browser's memory
        assert judging.next(2, str(score), "on second thoughts").position == 3
        assert judgments(judging)[2] == (str(score), score, "on second thoughts")
        assert where(judging) == (3, 5)


@pytest.mark.parametrize(
    ("steps", "scores"),
    [
        pytest.param("open 1, next 1 5, open 1, back 1 7, next 1 9", (9, 5), id="revised"),
        pytest.param("next 1 -, open 1, back 1 perhaps, open 1, next 1 4", (4, 4), id="a draft"),
    ],
)
def test_the_first_score_is_that_of_the_first_answer(judging, steps, scores):
    judging.do(steps)
    judgment = Judgment.objects.get()
    assert (judgment.score, judgment.first_score) == scores


def test_the_previous_score_is_shown_as_it_was_typed(judging):
    judging.judge_up_to(3, scores={1: " 1/3 ", 2: "0,5"})
    assert [judging.open(n).previous_score for n in (1, 2, 3)] == ["", " 1/3 ", "0,5"]
    assert judging.do("back 3 -, back 2 much, open 3").previous_score == "0,5"  # no draft


def test_the_previous_score_is_not_shown_where_the_setting_is_off(db):
    person = Person(make_study(show_previous_score=False)).come_to_documents()
    assert person.judge_up_to(2).open(2).previous_score == ""


# --- back ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("score", "words"), [("", ""), ("many", "half a thou"), ("5", ""), ("", "because")]
)
def test_back_keeps_what_is_typed_as_a_draft(judging, score, words):
    judging.judge_up_to(2)
    assert judging.back(2, score, words).position == 1
    page = judging.open(2)
    assert (page.score_text, page.justification) == (score, words)


def test_a_draft_lies_beside_the_answer(judging):
    judging.judge_up_to(3, scores={2: "7"}).open(2)
    judging.back(2, "", "I am not sure")
    assert judgments(judging)[2] == ("7", 7.0, WORDS)
    page = judging.open(2)
    assert (page.score_text, page.justification) == ("", "I am not sure")
    assert (page.answer, page.is_draft, 2 in page.answered) == (("7", WORDS), True, False)
    assert judging.do("next 2 7").position == 3  # typed again
    assert not judging.open(2).is_draft


def test_the_first_answer_can_be_kept(judging):
    judging.judge_up_to(3, scores={2: "7"})
    page = judging.do("open 2, next 2 0, open 2")
    slug, token = judging.study.slug, judging.assignment.token
    flow.discard_draft(slug, judging.pseudonym, token, 2, page.version - 1)
    assert judging.open(2).is_draft  # the button of an older page
    flow.discard_draft(slug, judging.pseudonym, token, 2, judging.assignment.version)
    page = judging.open(2)
    assert (page.score_text, page.is_draft, page.answered) == ("7", False, {1, 2})


def test_the_first_page_has_no_back_and_the_last_no_next(judging):
    assert judging.do("open 1, wait 5, back 1 5").position == 1
    assert (where(judging), judging.assignment.back_steps) == ((1, 1), 0)
    assert judging.judge_up_to(8).next(8).position == 8
    assert where(judging) == (8, 8)


# --- the same form again, late or out of order --------------------------------------------------
@pytest.mark.parametrize("verb", ["next", "back"])
def test_an_identical_second_form_changes_nothing(judging, verb):
    judging.judge_up_to(3).wait(20)
    target = judging.do(f"{verb} 3 5").position
    once = everything(judging)
    assert judging.do(f"wait 1, {verb} 3 5").position == target
    assert everything(judging) == once
    judging.open(target)  # the browser has it already when the second form arrives
    once = everything(judging)
    judging.do(f"wait 30, {verb} 3 5")
    assert everything(judging) == once
    assert Visit.objects.latest("id").closed_at is None


def test_the_last_write_wins(judging):
    judging.judge_up_to(2)
    judging.next(2, "5", "first")
    judging.next(2, "6", "second")
    assert judgments(judging)[2] == ("6", 6.0, "second")
    assert where(judging) == (3, 3)


def test_an_identical_form_keeps_the_time_of_the_first(judging):
    judging.do("next 1 5, wait 100, next 1 5")
    assert Judgment.objects.get().submitted_at == NOON
    judging.next(1, "6")
    assert Judgment.objects.get().submitted_at == later(100)


def test_a_form_of_another_assignment_changes_nothing(judging, another):
    theirs = another.come_to_documents().assignment.token
    before = everything(another)
    judging.open(1)
    assert judging.next(1, token=theirs).position is None
    assert judging.finish(1, token=theirs).position is None
    assert judging.next(1, token="").position is None
    assert judgments(judging) == {}
    assert everything(another) == before


def test_a_form_of_their_own_earlier_assignment_changes_nothing(db):
    person = Person(make_study(topics=2)).come_to_documents()
    old = person.assignment.token
    person.leave()
    person.come_to_documents()
    assert person.next(1, token=old).position is None
    assert judgments(person) == {}


@pytest.mark.parametrize("end", ["finish", "leave"])
def test_after_the_end_nothing_can_be_changed(judging, end):
    judging.judge_up_to(8).do(f"wait 20, {end}")
    before = everything(judging)
    token = judging.assignment.token
    for position in range(1, 9):
        assert judging.open(position) is None
        for press in (judging.next, judging.back, judging.finish):
            assert press(position, "3", token=token).position is None
    judging.resume()
    assert not judging.leave()
    assert everything(judging) == before


def test_finish_cannot_be_pressed_before_the_last_page(judging):
    judging.judge_up_to(5)
    before = everything(judging)
    for position in range(1, 9):
        assert not judging.finish(position, "3").finished
    assert everything(judging) == before


# --- time on the pages --------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("steps", "visits"),
    [
        pytest.param(
            "wait 5, open 1, wait 20, next 1, wait 3, open 2, wait 30, back 2, wait 1, open 1",
            [(1, 5, 25), (2, 28, 58), (1, 59, None)],
            id="from the page served to its form",
        ),
        pytest.param(
            "open 1, wait 7, open 1, wait 7, open 1, wait 7, open 1, wait 4, next 1",
            [(1, 0, 25)],
            id="a reload goes on",
        ),
        pytest.param(
            "open 1, wait 10, next 1 -, open 1, wait 10, next 1",
            [(1, 0, 20)],
            id="a refused form goes on",
        ),
        pytest.param(
            "open 1, next 1, open 2, wait 5, open 1, wait 5, open 2, wait 5, open 1",
            [(1, 0, 0), (2, 0, 5), (1, 5, 10), (2, 10, 15), (1, 15, None)],
            id="opening a page closes any other",
        ),
        pytest.param(
            "open 1, wait 9, next 1, open 2, wait 9, next 2, open 3, wait 5, next 1 8",
            [(1, 0, 9), (2, 9, 18), (3, 18, 23)],
            id="a form of another page, of a second tab, closes the open one",
        ),
        pytest.param(
            "open 1, wait -3, next 1",
            [(1, 0, 0)],
            id="a clock that goes back closes none before it began",
        ),
    ],
)
def test_a_visit_lasts(judging, steps, visits):
    judging.do(steps)

    def second(moment):
        return moment and (moment - NOON).total_seconds()

    rows = Visit.objects.order_by("id").values_list("position", "opened_at", "closed_at")
    assert [(page, second(opened), second(closed)) for page, opened, closed in rows] == visits


@pytest.mark.parametrize(("steps", "seen"), [("open 1", [12.5]), ("judge_up_to 3", [None] * 3)])
def test_the_browsers_seconds_are_kept_with_their_own_page(judging, steps, seen):
    judging.do(steps)
    said = Submission(1, "5", WORDS, visible_seconds=12.5)
    flow.judge(judging.study.slug, "ada", judging.assignment.token, said, back=False, now=later(99))
    assert [v.visible_seconds for v in Visit.objects.order_by("id")] == seen


def test_seconds_sum_over_visits(judging):
    judging.do("open 1, wait 4, next 1, open 2, wait 6, back 2, open 1, wait 8, leave")
    assert judging.assignment.seconds == [12, 6, 0, 0, 0, 0, 0, 0]


# --- activity -----------------------------------------------------------------------------------
@pytest.mark.parametrize("steps", ["open 1", "next 2", "back 2", "next 2 -, open 2"])
def test_the_deadline_moves_with_activity(judging, steps):
    judging.judge_up_to(2, seconds=1).wait(600).do(steps)
    assert judging.assignment.active_at == judging.now
    assert (judging.assignment.deadline_at - judging.now).total_seconds() == 3600


def test_nothing_that_is_refused_is_activity(judging):
    judging.do("wait 600, open 2, next 2 5, finish 1")
    assert judging.assignment.active_at == NOON


def test_a_request_that_waited_longer_than_later_ones_is_as_late_as_they(judging):
    """Its own time lies before theirs; visits must not overlap for that."""
    judging.open(1)
    asked = judging.now + timedelta(seconds=5)
    judging.judge_up_to(3)
    assert flow.open_page(judging.study.slug, judging.pseudonym, 1, asked)
    assert broken() == []
    late = flow.Submission(1, "7", "It waited.")
    flow.judge(judging.study.slug, judging.pseudonym, None, late, back=False, now=asked)
    assert broken() == []
    assert judging.assignment.active_at == judging.now
