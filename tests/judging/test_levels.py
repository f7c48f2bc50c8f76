"""Levels of a graded scale: what a study may call them, what a worker may choose, what is kept."""

import re

import pytest

from judging import flow
from judging.levels import CHOOSE, InvalidLevels, level_number, parse_level, read_levels
from judging.models import CheckFailure, Judgment
from judging.monitoring import one_topic, one_worker
from judging.numbers import InvalidScore
from tests.cast import WORDS, ada
from tests.factory import GRADED, later, make_study
from tests.judging.browsing import Browser, stopped_clock
from tests.judging.invariants import broken

NAMES = GRADED["levels"]


# --- names --------------------------------------------------------------------------------------
def test_names_are_trimmed():
    assert read_levels([" a ", "b\n", "two  words"]) == ["a", "b", "two words"]
    assert read_levels(["-1", "0.5", "10"]) == ["-1", "0.5", "10"]
    assert read_levels(["none", "2", "1"]) == ["none", "2", "1"]
    assert read_levels(["x" * 40, *"0123456789"[:9]])[0] == "x" * 40


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("low, high", "a list of texts"),
        ([0, 1], "a list of texts"),
        (None, "a list of texts"),
        ([], "0 names; expected 2 to 10"),
        (["one"], "1 name; expected 2 to 10"),
        ([str(n) for n in range(11)], "11 names; expected 2 to 10"),
        (["", "b"], "“” has 0 characters; expected 1 to 40"),
        (["a", " \t"], "“” has 0 characters"),
        (["x" * 41, "b"], "has 41 characters"),
        (["a", "b", "a "], "“a” stands there twice"),
        (["2", "1", "0"], "level 2 stands before level 1; expected the lowest first"),
        (["0", "10", "9.5"], "level 10 stands before level 9.5"),
    ],
)
def test_other_names_are_refused(given, said):
    with pytest.raises(InvalidLevels, match=said.replace("(", r"\(")):
        read_levels(given)


@pytest.mark.parametrize("text", ["", "4", "10", "-1", "1.0", " 1", "Key", "²", "١", "x"])
def test_what_names_no_level_is_refused(text):
    with pytest.raises(InvalidScore, match=CHOOSE):
        parse_level(text, NAMES)


def test_each_level_is_chosen_by_its_number():
    assert [parse_level(str(n), NAMES) for n in range(4)] == [0, 1, 2, 3]
    assert level_number("9") == 9


# --- a study ------------------------------------------------------------------------------------
def test_a_study_keeps_its_levels(db):
    study = make_study(scale="graded", levels=[" Low", "High "])
    assert (study.is_graded, study.levels) == (True, ["Low", "High"])
    assert not make_study().is_graded


# --- judging ------------------------------------------------------------------------------------
@pytest.fixture
def graded(db):
    return make_study(**GRADED)


@pytest.fixture
def chooser(graded):
    return ada(graded).come_to_documents()


def kept(position=1):
    return Judgment.objects.values_list("score", "score_text", "graded").get(position=position)


@pytest.mark.parametrize(("typed", "name"), [("2", "HRel"), ("0", "Non")])
def test_a_level_is_kept_with_its_name(chooser, typed, name):
    assert chooser.open(1).levels == NAMES
    result = chooser.next(1, typed)
    assert (result.position, result.errors) == (2, {})
    assert kept() == (int(typed), name, True)
    assert chooser.open(2).previous_score == name
    page = chooser.open(1)
    assert (page.score_text, page.typed) == (name, typed)
    assert broken() == []


@pytest.mark.parametrize("typed", ["", "4", "Key", "12", "x", "1/2"])
def test_what_is_no_level_is_refused_and_the_reason_kept(chooser, typed):
    result = chooser.next(1, typed)
    assert (result.position, result.errors) == (1, {"score": CHOOSE})
    assert kept() == (None, "", True)
    page = chooser.open(1)
    assert (page.typed, page.justification) == ("", WORDS)
    assert flow.page_errors(page) == {"score": CHOOSE}


def test_a_level_without_a_reason_waits_for_it(chooser):
    result = chooser.next(1, "3", "  ")
    assert result.errors == {"justification": "Say in a few words why you chose this level."}
    assert chooser.open(1).typed == "3"


@pytest.mark.parametrize("n_k", ["3", "2"])
def test_check_c_wants_h_k_on_a_higher_level(graded, n_k):
    person = ada(graded, h_k="2", n_k=n_k).come_to_the_end()
    person.finish()
    assert person.assignment.state == "revising"
    assert list(CheckFailure.objects.values_list("check_name", flat=True)) == ["anchors"]


def test_finish_sends_to_the_first_page_without_a_level(chooser):
    chooser.judge_up_to(8)
    assert chooser.do("back 8 1, back 7 -, open 8, finish").position == 7
    assert chooser.finish(8, "9").errors == {"score": CHOOSE}


def test_a_unit_is_completed_and_its_first_levels_stay(graded, chooser):
    other = chooser.position_of("other")
    chooser.judge_up_to(8).do(f"open {other}, next {other} 2, open 8, wait 20, finish")
    assert chooser.assignment.state == "completed"
    judgment = Judgment.objects.get(position=other)
    assert (judgment.first_score, judgment.score) == (1, 2)
    (attempt,) = one_worker.attempts(graded, chooser.worker, later(1000))
    assert [first for _, first, _ in attempt.judged if first] == ["Rel"]
    found = one_topic.distance(graded, graded.topics.get())
    assert (found.n, found.low, found.median, found.high) == (1, 3, 3, 3)
    assert broken() == []


# --- pages --------------------------------------------------------------------------------------
def test_a_whole_unit_in_a_browser_without_scripts(graded):
    """Instructions speak of levels, there and on the pages of documents."""
    with stopped_clock() as clock:
        browser = Browser(graded)
        assert "on a scale of 4 levels" in browser.get().words
        practice = browser.press("continue").words
        assert "Only the lines get numbers; the documents get levels." in practice
        instructions = browser.practise()
        assert "Relevant means:" in instructions.words
        browser.press("continue")
        page = browser.answer()
        for words in (instructions.words, page.words):
            assert "There are 4 levels, from the lowest to the highest" in words
            assert "Key: the highest" in words
            for of_numbers in ("half the number", "large number", "You choose the scale"):
                assert of_numbers not in words
        assert list(page.options.values()) == NAMES
        assert browser.judge(score="7").position == 1
        assert CHOOSE in browser.page.text
        assert not re.search(r"<input[^>]* checked", browser.page.html)
        page = browser.judge(score="1")
        assert "You gave the previous document Rel" in page.text
        assert page.html.index('id="score_previous"') < page.html.index('class="options"')
        browser.press("back")
        assert re.search(r'value="1"[^>]* checked', browser.page.html)
        browser.press("next", score="1")
        assert browser.judge_all(clock).step in ("done", "revise")


def test_names_are_text_and_no_markup(db):
    browser = Browser(make_study(scale="graded", levels=["<b>low</b>", "a & b"]))
    browser.come_to_documents()
    assert "&lt;b&gt;low" in browser.page.html
    assert "<b>low" not in browser.page.html
