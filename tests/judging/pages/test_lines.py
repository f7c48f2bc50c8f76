"""After a practice that was passed: its lines, the numbers given, and the ratios that they say."""

import re
from typing import Any

import pytest
from django.utils.formats import number_format
from lxml import html

from judging.models import Assignment
from judging.pages.lines import ratio_of
from tests.factory import make_study
from tests.judging.browsing import Browser, Page

HEAD = "Your numbers for the lines"
RULE = "Documents go by the same rule"
RATIO = "times the number of line"
NUMBERS = ["10.0463", "10.1141", "10.2152"]


@pytest.mark.parametrize(
    ("score", "before", "said"),
    [
        (10.114, 10.046, "1.01"),
        (5.5, 12, "0.458"),
        (30, 10, "3"),
        (100, 10, "10"),
        (1234567, 1, "1234567"),
        (1e12, 1e-9, "1000000000000000000000"),
        (1e-9, 1e12, "0.000000000000000000001"),
        # Numbers that differ are not said to be 1 times each other.
        (1.001, 1, "1.001"),
        (0.99996, 1, "0.99996"),
        (1e12, 1e12 - 1, "1.000000000001"),
    ],
)
def test_a_ratio_is_written_without_an_exponent_and_is_never_1(
    score: float, before: float, said: str
) -> None:
    assert number_format(ratio_of(score, before), use_l10n=False) == said


def practise(browser: Browser) -> Page:
    """Give numbers that rise with the lengths of the lines, all near 10; the instructions."""
    browser.press("continue")
    lengths = Assignment.objects.latest("id").lines
    for length in lengths:
        browser.press("next", score=NUMBERS[sorted(lengths).index(length)])
    assert browser.page.step == "instructions"
    return browser.page


def test_the_first_passed_practice_is_shown_with_its_ratios_and_no_later_one(db: None) -> None:
    browser = Browser(make_study(topics=2))
    browser.get()
    browser.person().fail("lines")  # which is not passed yet
    assert browser.get().step == "failed"
    browser.press("again")
    page, attempt = practise(browser), Assignment.objects.latest("id")
    given = attempt.line_scores
    said = [f"Line {n} got {given[n - 1] / given[n - 2]:.3g} {RATIO} {n - 1}." for n in (2, 3)]
    (part,) = html.fromstring(page.html).find_class("ratios")
    words = " ".join(" ".join(part.itertext()).split())
    assert words.startswith(f"{HEAD} {' '.join(map(str, given))} {' '.join(said)} {RULE}")
    assert not re.search(r"\d", words.split(RULE)[1])  # no example, and no true ratio
    assert [line["x2"] for line in page.lines] == [str(length) for length in attempt.lines]
    assert browser.get().words == page.words
    browser.press("continue")
    assert Assignment.objects.latest("id").line_scores == []
    browser.press("leave")
    browser.press("again")
    page = practise(browser)
    assert (RATIO in page.words, page.lines) == (False, [])
    assert Assignment.objects.latest("id").line_scores == []


@pytest.mark.parametrize(
    ("settings", "shows", "rule"),
    [
        ({"ratios_after_practice": False}, False, ""),
        ({"scale": "graded", "levels": ["no", "yes"]}, True, ""),
        ({"instructions": "Read them."}, True, RULE),
        ({"language": "de"}, True, "Für Dokumente gilt dieselbe Regel"),
    ],
)
def test_a_study_may_leave_it_out_and_levels_go_by_another_rule(
    db: None, settings: dict[str, Any], shows: bool, rule: str
) -> None:
    browser = Browser(make_study(**settings))
    browser.come_to("practice")
    page = practise(browser)
    assert (len(page.lines) == 3) is shows
    assert rule in page.words
    assert (RULE in page.words) is (rule == RULE)
    if "language" in settings:
        assert "10,0463" in page.words
        assert "-Fache der Zahl für Linie 2." in page.words
        assert "." not in "".join(re.findall(r"[\d.,]+(?=-Fache)", page.words))
