"""What a worker reads before the first document is short, and says all that they must know."""

from copy import deepcopy

import pytest

from judging.models import Study
from tests.factory import GRADED, make_study
from tests.judging.browsing import Browser, Clock, Page
from tests.judging.pages.states import PAID

pytestmark = pytest.mark.django_db
MAX_WORDS = {
    "welcome and instructions": 420,
    "practice": 170,
    "all, folded texts too": 800,
    "second set": 120,
}
# The contents of a worker's way up to the topic, each by words that say it.
WELCOME = {
    "purpose": "which search engines answer best",
    "how to reach those who run it": "rosa@example.org",
    "how long it takes": "About 10 minutes",
    "what is paid and on what it depends": "each set that you finish and that passes the checks",
    "there are checks": "Your work is checked before the documents and at the end",
    "what is recorded": "Your answers, and how long you take; not your name",
    "for how long": "deleted",
    "release of data": "for research, under a random name",
    "the right to stop": "You may stop on any page",
    "the right to withdraw": "you may withdraw your answers",
    "agreement": "I agree, begin",
}
PRACTICE = {
    "any positive number": "Any number above zero",
    "in relation to the one before": "in relation to the one before",
    "no unit": "not centimetres or any other unit",
    "always a larger and a smaller one": "always a larger number, and always a smaller one",
    "check (a)": "The longer the line, the larger its number must be",
}
INSTRUCTIONS = {
    "three documents": "of high, one of medium and one of low relevance",
    "three numbers": "a large, a medium and a small number",
    "match them": "Match the two",
    "in relation to the one before": "half as relevant, half the number",
    "not relevant at all": "nothing to do with the topic",
    "the order means nothing": "The order means nothing",
    "do not anticipate": "do not guess what comes next",
    "read to the end": "Read every document to its end",
    "Back is for mistakes": "Back is there to correct mistakes",
    "checks": "Your answers are checked at the end",
    "re-readable": "shows them again",
}


def words(page: Page, *, folded: bool = False) -> list[str]:
    """The words of a page's main part; folded: also those that one must unfold."""
    main = deepcopy(next(page.tree.iter("main")))
    for other in main.xpath(".//footer | .//nav"):
        other.drop_tree()
    if not folded:
        for hidden in main.xpath(".//details[not(@open)]/*[not(self::summary)]"):
            hidden.drop_tree()
    return str(main.text_content()).split()


def pages(study: Study) -> list[Page]:
    """Welcome, practice, instructions."""
    browser = Browser(study)
    shown = [browser.get(), browser.press("continue")]
    browser.practise()
    return [*shown, browser.page]


@pytest.mark.parametrize("settings", [{}, GRADED], ids=["magnitudes", "levels"])
def test_texts_are_short(settings: dict[str, object]) -> None:
    shown = pages(make_study(**PAID, **settings))
    welcome, practice, instructions = (len(words(page)) for page in shown)
    assert welcome + instructions <= MAX_WORDS["welcome and instructions"]
    assert practice <= MAX_WORDS["practice"]
    every = sum(len(words(page, folded=True)) for page in shown)
    assert every <= MAX_WORDS["all, folded texts too"]


def test_nothing_that_must_be_said_is_missing() -> None:
    for page, contents in zip(
        pages(make_study(**PAID)), (WELCOME, PRACTICE, INSTRUCTIONS), strict=True
    ):
        said = " ".join(words(page, folded=True))
        assert [content for content, by in contents.items() if by not in said] == []


def test_a_second_set_begins_with_a_reminder(clock: Clock) -> None:
    browser = Browser(make_study(topics=2, **PAID))
    browser.complete(clock)
    shown = [browser.press("again"), browser.practise()]
    assert [page.step for page in shown] == ["practice", "instructions"]
    assert sum(len(words(page)) for page in shown) <= MAX_WORDS["second set"]
