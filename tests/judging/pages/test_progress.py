"""The marks of the bar, and their words: what is stored, not where one stands."""

import re
from datetime import timedelta

import pytest
from django.core.cache import caches
from django.db.models import F

from judging.pages.remaining import minutes_left, minutes_needed, seconds_by_position
from tests.factory import make_study
from tests.factory.completed import complete
from tests.judging.browsing import Browser

pytestmark = pytest.mark.django_db


def marks(page) -> list[str]:
    (bar,) = re.findall(r'<(?:span|nav) class="marks"[^>]*>(.*?)</(?:span|nav)>\n', page.html)
    return re.findall(r'<(?:span|a)(?: href="[^"]+")?(?: class="(now|done|part)")?>', bar)


def links(page) -> dict[str, str]:
    """Where the marks lead, by what they say."""
    found = re.findall(
        r'<a href="([^"]+)" class="\w+"><span class="unseen">(.*?)</span>', page.html
    )
    return {words: address for address, words in found}


def spoken(page) -> str:
    found = re.search(r'Document \d of 8<span class="unseen">, (.*?)</span>', page.html)
    return found[1]


def test_what_is_answered_is_done_and_what_was_left_without_an_answer_incomplete(judging):
    assert marks(judging.page) == ["now", *[""] * 7]
    assert spoken(judging.page) == "none answered, 7 to come"
    judging.judge()
    judging.judge()
    assert marks(judging.page) == ["done", "done", "now", *[""] * 5]
    assert spoken(judging.page) == "2 answered, 5 to come"
    judging.press("back", score="5", justification=" ")
    assert marks(judging.page) == ["done", "now", "part", *[""] * 5]
    assert spoken(judging.page) == "2 answered, 1 incomplete, 5 to come"
    address = judging.address
    assert links(judging.page) == {
        "Document 1, answered": f"{address}1/",
        "Document 3, incomplete": f"{address}3/",
    }
    judging.press("back", score="", justification="")  # what was answered is emptied
    assert marks(judging.page) == ["now", "part", "part", *[""] * 5]
    assert judging.get(links(judging.page)["Document 3, incomplete"]).position == 3


def test_all_are_answered_where_they_revise(failed):
    """The last page too, though they stand before it; and none is to come."""
    page = failed.get("3/")
    assert marks(page) == ["done", "done", "now", *["done"] * 5]
    assert spoken(page) == "8 answered"
    assert spoken(failed.get("1/")) == "8 answered"
    assert "min left" not in page.words


def test_practice_lines_have_no_links(browser):
    assert marks(browser.come_to("line")) == ["now", "", ""]
    page = browser.press("next", score="5")
    assert (marks(page), links(page)) == (["done", "now", ""], {})


# --- the time that remains ------------------------------------------------------------------------
def completed(study, count: int, seconds: list[float]) -> None:
    """Units completed by as many workers, with these seconds on each page."""
    for number in range(count):
        assignment = complete(study, f"worker-{number}").assignment
        assignment.seconds = [s + number for s in seconds]
        assignment.save(update_fields=["seconds"])
    caches["pictures"].clear()


def test_few_units_say_nothing_yet(db):
    study = make_study(redundancy=10)
    completed(study, 4, [30.0] * 8)
    assert seconds_by_position(study) == (68.0,) * 8
    assert minutes_left(study, ()) == 10
    assert minutes_left(study, {1, 2, 3}) == 6  # 340 seconds, rounded up
    assert minutes_needed(study) == {"reading_minutes": 10, "minutes": 10}


def test_the_median_of_each_page(db):
    study = make_study(redundancy=10)
    completed(study, 5, [100.0, 50, 40, 30, 30, 30, 30, 30])
    assert seconds_by_position(study) == (102, 52, 42, 32, 32, 32, 32, 32)
    assert minutes_left(study, {1, 2}) == 4  # 202 seconds
    assert minutes_left(study, range(1, 9)) == 0


def test_a_study_that_asks_for_more_time(db):
    assert minutes_left(make_study(minimum_seconds=120), ()) == 16


def test_the_bar_says_what_is_left(judging):
    assert "Document 1 of 8, none answered, 7 to come · about 10 min left" in judging.page.words
    judging.judge()
    assert "· about 8 min left" in judging.page.words
    judging.get("1/")
    assert "· about 8 min left" in judging.page.words


def test_pages_ask_no_more_of_the_database(judging, django_assert_max_num_queries):
    judging.get()
    with django_assert_max_num_queries(11):
        judging.client.get(judging.path)


def test_the_median_stands_on_welcome(db):
    study = make_study(redundancy=10)
    completed(study, 10, [100.0] * 8)
    started = F("finished_at") - timedelta(minutes=19.6)
    study.assignments.update(started_at=started)
    assert "About 20 minutes for one set" in Browser(study).get().words


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (
            {"payment": "2.50", "currency": "GBP"},
            "It takes about 10 minutes in all. It pays £2.50. 3 sets are left for you.",
        ),
        ({"max_units_per_worker": 2}, "pays $1.00. 1 set is left for you."),
    ],
)
def test_done_says_what_another_set_takes_and_pays(db, clock, settings, said):
    assert said in Browser(make_study(topics=4, **settings)).complete(clock).words
