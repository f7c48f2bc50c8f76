"""Opening pages and judging them: next, back, drafts; forms sent twice, late or out of order."""

from datetime import timedelta

import pytest

from judging import flow
from judging.flow.submission_checks import MAX_JUSTIFICATION_LENGTH, Submission
from judging.models import Judgment, Study, Visit
from judging.numbers import MAX_LENGTH
from tests.cast import WORDS, Person
from tests.factory import NOON, later, make_study
from tests.judging.invariants import broken


@pytest.fixture
def study(study_for_all: Study, db: None) -> Study:
    return Study.objects.get(pk=study_for_all.pk)


def judgments(person) -> dict[int, tuple]:
    """Position -> text, value, words."""
    rows = Judgment.objects.filter(assignment=person.assignment)
    return {j.position: (j.score_text, j.score, j.justification) for j in rows}


def where(person) -> tuple[int, int]:
    assignment = person.assignment
    return assignment.position, assignment.furthest


def visits(person) -> list[tuple[int, float, float | None]]:
    """Position, second of opening, second of closing."""
    return [
        (
            v.position,
            (v.opened_at - NOON).total_seconds(),
            v.closed_at and (v.closed_at - NOON).total_seconds(),
        )
        for v in Visit.objects.filter(assignment=person.assignment).order_by("id")
    ]


def everything(person) -> tuple:
    """All that a form might change, but for the last activity."""
    assignment = person.assignment
    kept = [
        list(rows.order_by("pk").values())
        for rows in (assignment.judgments, assignment.visits, assignment.failures)
    ]
    activity = ("active_at", "deadline_at", "version")
    row = {k: v for k, v in vars(assignment).items() if k not in activity}
    row.pop("_state")
    return row, *kept


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


@pytest.mark.parametrize("position", [2, 8, 9, 0, -1, 10**30])
def test_a_page_further_ahead_cannot_be_opened(judging, position):
    before = everything(judging)
    assert judging.open(position) is None
    assert everything(judging) == before


@pytest.mark.parametrize("step", ["nothing", "practice", "instructions", "topic"])
def test_there_are_no_documents_before_the_question(worker, step):
    if step != "nothing":
        worker.begin()
    if step in ("instructions", "topic"):
        worker.practise()
    if step == "topic":
        worker.read()
    assert worker.open(1) is None
    if step != "nothing":
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
        ("5", "", {"justification"}),
        ("5", " \n\t ", {"justification"}),
        ("5", "\u200b \u2060", {"justification"}),
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


@pytest.mark.parametrize(
    ("score", "words", "wrong"),
    [
        ("1" * 65, "because", {"score"}),
        ("5", "x" * (MAX_JUSTIFICATION_LENGTH + 1), {"justification"}),
    ],
)
def test_next_refuses_what_is_too_long(judging, score, words, wrong):
    judging.open(1)
    result = judging.next(1, score, words)
    assert (result.position, result.errors.keys()) == (1, wrong)
    assert where(judging) == (1, 1)


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


def test_an_earlier_page_can_be_judged_anew(judging):
    judging.judge_up_to(5)
    judging.open(2)
    assert judging.next(2, "77", "on second thoughts").position == 3
    assert judgments(judging)[2] == ("77", 77.0, "on second thoughts")
    assert where(judging) == (3, 5)


def test_the_first_score_is_kept_where_it_was_revised(judging):
    judging.open(1)
    judging.next(1, "5")
    judging.open(1)
    judging.back(1, "7")
    judging.next(1, "9")
    judgment = Judgment.objects.get()
    assert (judgment.score, judgment.first_score) == (9, 5)


def test_a_draft_without_a_number_is_no_first_score(judging):
    judging.judge_up_to(2)
    judging.back(2, "perhaps", "")
    judging.open(2)
    judging.next(2, "4")
    assert Judgment.objects.get(position=2).first_score == 4


def test_the_previous_score_is_shown_as_it_was_typed(judging):
    judging.judge_up_to(3, scores={1: " 1/3 ", 2: "0,5"})
    assert [judging.open(n).previous_score for n in (1, 2, 3)] == ["", " 1/3 ", "0,5"]


def test_a_draft_is_not_shown_as_the_previous_score(judging):
    judging.judge_up_to(3, scores={2: "7"})
    judging.back(3, "", "")
    judging.back(2, "much", "")
    assert judging.open(3).previous_score == "7"


def test_the_previous_score_is_not_shown_where_the_setting_is_off(db):
    person = Person(make_study(show_previous_score=False)).come_to_documents()
    person.judge_up_to(2)
    assert person.open(2).previous_score == ""


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
    judging.judge_up_to(3, scores={2: "7"})
    judging.open(2)
    judging.back(2, "", "I am not sure")
    assert judgments(judging)[2] == ("7", 7.0, WORDS)
    page = judging.open(2)
    assert (page.score_text, page.justification) == ("", "I am not sure")
    assert (page.answer, page.is_draft, 2 in page.answered) == (("7", WORDS), True, False)


def test_the_first_answer_can_be_kept(judging):
    judging.judge_up_to(3, scores={2: "7"})
    judging.open(2)
    judging.next(2, "0")
    page = judging.open(2)
    slug, token = judging.study.slug, judging.assignment.token
    flow.discard_draft(slug, judging.pseudonym, token, 2, page.version - 1)
    assert judging.open(2).is_draft  # the button of an older page
    flow.discard_draft(slug, judging.pseudonym, token, 2, judging.assignment.version)
    page = judging.open(2)
    assert (page.score_text, page.is_draft, page.answered) == ("7", False, {1, 2})


def test_typing_the_answer_again_ends_its_draft(judging):
    judging.judge_up_to(3, scores={2: "7"})
    judging.open(2)
    judging.back(2, "70")
    judging.open(2)
    assert judging.next(2, "7").position == 3
    assert not judging.open(2).is_draft


def test_back_on_the_first_page_stays_there(judging):
    judging.open(1)
    assert judging.wait(5).back(1, "5").position == 1
    assert where(judging) == (1, 1)
    assert judging.assignment.back_steps == 0


def test_next_on_the_last_page_stays_there(judging):
    judging.judge_up_to(8)
    assert judging.next(8).position == 8
    assert where(judging) == (8, 8)


# --- the same form again, late or out of order --------------------------------------------------
@pytest.mark.parametrize("back", [False, True])
def test_an_identical_second_form_changes_nothing(judging, back):
    judging.judge_up_to(3)
    press = judging.back if back else judging.next
    judging.wait(20)
    target = press(3, "5").position
    once = everything(judging)
    judging.wait(1)
    assert press(3, "5").position == target
    assert everything(judging) == once


@pytest.mark.parametrize("back", [False, True])
def test_an_identical_second_form_leaves_the_open_page_open(judging, back):
    """The browser has fetched the next page already when the second form arrives."""
    judging.judge_up_to(3)
    press = judging.back if back else judging.next
    target = press(3, "5").position
    judging.open(target)
    once = everything(judging)
    judging.wait(30)
    press(3, "5")
    assert everything(judging) == once
    assert visits(judging)[-1][2] is None


def test_the_last_write_wins(judging):
    judging.judge_up_to(2)
    judging.next(2, "5", "first")
    judging.next(2, "6", "second")
    assert judgments(judging)[2] == ("6", 6.0, "second")
    assert where(judging) == (3, 3)


def test_an_identical_form_keeps_the_time_of_the_first(judging):
    judging.next(1, "5")
    judging.wait(100).next(1, "5")
    assert Judgment.objects.get().submitted_at == NOON
    judging.next(1, "6")
    assert Judgment.objects.get().submitted_at == later(100)


def test_a_late_form_stores_what_it_says_and_leads_to_its_neighbour(judging):
    judging.judge_up_to(6)
    assert judging.next(2, "55", "late").position == 3
    assert judgments(judging)[2] == ("55", 55.0, "late")
    assert where(judging) == (3, 6)


@pytest.mark.parametrize("position", [2, 8, 9, 0, -1, 10**30])
@pytest.mark.parametrize("back", [False, True])
def test_a_form_beyond_the_furthest_page_changes_nothing(judging, position, back):
    before = everything(judging)
    press = flow.judge
    result = press(
        judging.study.slug,
        judging.pseudonym,
        judging.assignment.token,
        Submission(position, "5", WORDS),
        back=back,
        now=NOON,
    )
    assert result.position is None
    assert everything(judging) == before


def test_a_form_of_another_assignment_changes_nothing(judging, another):
    theirs = another.come_to_documents().assignment.token
    before = everything(judging), everything(another)
    judging.open(1)
    assert judging.next(1, token=theirs).position is None
    assert judging.finish(1, token=theirs).position is None
    assert judging.next(1, token="").position is None
    assert judgments(judging) == {}
    assert everything(another) == before[1]


def test_a_form_of_their_own_earlier_assignment_changes_nothing(db):
    person = Person(make_study(topics=2)).come_to_documents()
    old = person.assignment.token
    person.leave()
    person.come_to_documents()
    assert person.next(1, token=old).position is None
    assert judgments(person) == {}


@pytest.mark.parametrize("end", ["complete", "leave"])
def test_after_the_end_nothing_can_be_changed(judging, end):
    judging.judge_up_to(8).wait(20)
    judging.finish() if end == "complete" else judging.leave()
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
def test_a_visit_lasts_from_the_page_served_to_its_form(judging):
    judging.wait(5).open(1)
    judging.wait(20).next(1)
    judging.wait(3).open(2)
    judging.wait(30).back(2)
    judging.wait(1).open(1)
    assert visits(judging) == [(1, 5, 25), (2, 28, 58), (1, 59, None)]


def test_a_reload_goes_on_with_the_visit(judging):
    judging.open(1)
    for _ in range(3):
        judging.wait(7).open(1)
    judging.wait(4).next(1)
    assert visits(judging) == [(1, 0, 25)]


def test_a_refused_form_goes_on_with_the_visit(judging):
    judging.open(1)
    judging.wait(10).next(1, "")
    judging.open(1)
    judging.wait(10).next(1)
    assert visits(judging) == [(1, 0, 20)]


def test_opening_a_page_closes_any_other(judging):
    judging.judge_up_to(3, seconds=10)
    judging.wait(5).open(1)
    judging.wait(5).open(3)
    judging.wait(5).open(2)
    assert visits(judging)[2:] == [(3, 20, 25), (1, 25, 30), (3, 30, 35), (2, 35, None)]


def test_a_form_of_another_page_closes_the_open_one(judging):
    judging.judge_up_to(4, seconds=10)
    judging.wait(5).next(1, "8")  # from a second tab; it leads to page 2
    assert visits(judging)[-1] == (4, 30, 35)


def test_a_clock_that_goes_back_closes_no_visit_before_it_began(judging):
    judging.open(1)
    judging.wait(-3).next(1)
    assert visits(judging) == [(1, 0, 0)]


def test_the_browsers_seconds_are_kept_beside(judging):
    judging.open(1)
    said = Submission(1, "5", WORDS, visible_seconds=12.5)
    flow.judge(judging.study.slug, "ada", judging.assignment.token, said, back=False, now=later(20))
    assert Visit.objects.get().visible_seconds == 12.5


def test_the_browsers_seconds_do_not_go_to_another_page(judging):
    judging.judge_up_to(3)
    said = Submission(1, "5", WORDS, visible_seconds=12.5)
    flow.judge(judging.study.slug, "ada", judging.assignment.token, said, back=False, now=later(99))
    assert [v.visible_seconds for v in Visit.objects.order_by("id")] == [None, None, None]


def test_seconds_sum_over_visits(judging):
    judging.open(1)
    judging.wait(4).next(1)
    judging.open(2)
    judging.wait(6).back(2)
    judging.open(1)
    judging.wait(8).leave()
    assert judging.assignment.seconds == [12, 6, 0, 0, 0, 0, 0, 0]


# --- activity -----------------------------------------------------------------------------------
@pytest.mark.parametrize("how", ["open", "next", "back", "refused"])
def test_the_deadline_moves_with_activity(judging, how):
    judging.judge_up_to(2, seconds=1)
    judging.wait(600)
    if how == "open":
        judging.open(1)
    elif how == "refused":
        judging.next(2, "")
        judging.open(2)  # as the page does
    else:
        getattr(judging, how)(2)
    assert judging.assignment.active_at == judging.now
    assert (judging.assignment.deadline_at - judging.now).total_seconds() == 3600


def test_nothing_that_is_refused_is_activity(judging):
    judging.wait(600)
    judging.open(2)
    judging.next(2, "5")
    judging.finish(1)
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
