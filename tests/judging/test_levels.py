"""Levels of a graded scale: what a study may call them, what a worker may choose, what is kept."""

import re
from dataclasses import replace

import pytest
from django.db import IntegrityError, transaction

from judging import flow
from judging.levels import CHOOSE, InvalidLevels, level_number, parse_level, read_levels
from judging.models import CheckFailure, Judgment, Study
from judging.monitoring import one_topic, one_worker
from judging.numbers import InvalidScore
from judging.studies.configuration.settings import BadStudy, create_study
from tests.cast import WORDS, ada
from tests.factory import GRADED, later, make_study
from tests.judging.browsing import Browser, stopped_clock
from tests.judging.invariants import broken

NAMES = GRADED["levels"]


@pytest.fixture
def study(study_for_all: Study, db: None) -> Study:
    return Study.objects.get(pk=study_for_all.pk)


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


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"scale": "graded"}, "levels: expected 2 to 10 names for a graded scale"),
        ({"levels": ["a", "b"]}, "levels: expected 2 to 10 names for a graded scale, and none"),
        ({"scale": "graded", "levels": "a, b"}, "levels: expected a list of texts"),
        ({"scale": "graded", "levels": ["a", "a"]}, "levels: “a” stands there twice"),
        ({"scale": "Graded", "levels": ["a", "b"]}, "scale: Graded; expected one of"),
    ],
)
def test_a_study_without_proper_levels_is_not_made(db, settings, said):
    other = make_study()
    with pytest.raises(BadStudy, match=said):
        create_study("s", other.collection.slug, {"title": "S", **settings})


@pytest.mark.parametrize(
    "wrong", [{"graded": True, "score": 1.5}, {"graded": True, "score": 10}, {"score": 0}]
)
def test_the_database_holds_scores_to_their_scale(judging, wrong):
    judging.next(1, "5")
    with pytest.raises(IntegrityError), transaction.atomic():
        Judgment.objects.update(**wrong)


def test_the_lowest_level_is_0_in_the_database(judging):
    judging.next(1, "5")
    Judgment.objects.update(graded=True, score=0)


# --- judging ------------------------------------------------------------------------------------
@pytest.fixture
def graded(db):
    return make_study(**GRADED)


@pytest.fixture
def chooser(graded):
    return ada(graded).come_to_documents()


def kept(position=1):
    return Judgment.objects.values_list("score", "score_text", "graded").get(position=position)


def test_a_level_is_kept_with_its_name(chooser):
    assert chooser.open(1).levels == NAMES
    assert chooser.next(1, "2").position == 2
    assert kept() == (2, "HRel", True)
    assert chooser.open(2).previous_score == "HRel"
    page = chooser.open(1)
    assert (page.score_text, page.typed) == ("HRel", "2")
    assert broken() == []


def test_the_lowest_level_is_a_score(chooser):
    assert chooser.next(1, "0").errors == {}
    assert kept() == (0, "Non", True)
    assert chooser.open(2).previous_score == "Non"


@pytest.mark.parametrize("typed", ["", "4", "Key", "12", "x"])
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


def test_back_keeps_a_draft_without_a_level(chooser):
    chooser.next(1)
    chooser.open(2)
    assert chooser.back(2, "", "half a").position == 1
    assert chooser.open(2).justification == "half a"


@pytest.mark.parametrize("n_k", ["3", "2"])
def test_check_c_wants_h_k_on_a_higher_level(chooser, n_k):
    levels = {chooser.position_of("n_k"): n_k, chooser.position_of("h_k"): "2"}
    chooser.judge_up_to(8, scores=levels)
    last = {"h_k": "2", "n_k": n_k, "other": "1"}[chooser.unit.roles[7]]
    chooser.wait(20).finish(8, last)
    assert chooser.assignment.state == "revising"
    assert list(CheckFailure.objects.values_list("check_name", flat=True)) == ["anchors"]


def test_finish_sends_to_the_first_page_without_a_level(chooser):
    chooser.judge_up_to(8)
    chooser.back(8, "1")
    chooser.back(7, "")
    chooser.open(8)
    assert chooser.finish(8).position == 7
    assert chooser.finish(8, "9").errors == {"score": CHOOSE}


def test_a_unit_is_completed_and_its_first_levels_stay(graded, chooser):
    chooser.judge_up_to(3)
    other = next(n for n, role in enumerate(chooser.unit.roles, 1) if role == "other")
    first = Judgment.objects.filter(position=other).exists()
    if not first:
        chooser.judge_up_to(other + 1)
    chooser.open(other)
    chooser.next(other, "2")
    chooser.open(chooser.assignment.furthest)
    chooser.judge_up_to(8).wait(20).finish()
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
    with stopped_clock() as clock:
        browser = Browser(graded)
        browser.get()
        assert "on a scale of 4 levels" in " ".join(browser.page.text.split())
        page = browser.walk_to_documents()
        assert list(page.options.values()) == NAMES
        assert browser.judge(score="7").position == 1
        assert CHOOSE in browser.page.text
        assert not re.search(r"<input[^>]* checked", browser.page.html)
        browser.judge(score="1")
        assert "You gave the previous document Rel" in browser.page.text
        browser.press("back")
        assert re.search(r'value="1"[^>]* checked', browser.page.html)
        browser.press("next", score="1")
        assert browser.judge_all(clock).step in ("done", "revise")


@pytest.mark.parametrize("step", ["instructions", "document"])
def test_instructions_speak_of_levels(graded, step):
    browser = Browser(graded)
    browser.walk_to_documents() if step == "document" else browser.get()
    if step == "instructions":
        browser.press("continue")
        browser.practise()
    text = " ".join(browser.page.text.split())
    assert "There are 4 levels, from the lowest to the highest" in text
    assert "Key: the highest" in text
    for words in ("half the number", "large number", "You choose the scale"):
        assert words not in text


def test_names_are_text_and_no_markup(db):
    study = make_study(scale="graded", levels=["<b>low</b>", "a & b"])
    browser = Browser(study)
    browser.walk_to_documents()
    assert "&lt;b&gt;low" in browser.page.html
    assert "<b>low" not in browser.page.html


def test_a_form_of_another_scale_changes_nothing_else(chooser):
    """What is typed as a number where levels are asked for is refused, whatever it is."""
    said = replace(chooser.says(1), score_text="1/2")
    args = (chooser.study.slug, chooser.pseudonym, chooser.unit.token, said)
    assert flow.judge(*args, back=False, now=chooser.now).errors == {"score": CHOOSE}
