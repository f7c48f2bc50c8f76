"""What is said of the time that remains: by the study's own median, once there is one."""

from datetime import timedelta

import pytest
from django.core.cache import caches

from judging.pages.remaining import minutes_left, minutes_needed, seconds_by_position
from tests.cast import Person
from tests.factory import make_study
from tests.judging.browsing import Browser

pytestmark = pytest.mark.django_db


def completed(study, count: int, seconds: list[float]) -> None:
    """Units completed by as many workers, with these seconds on each page."""
    for number in range(count):
        person = Person(study, f"worker-{number}")
        person.complete()
        assignment = person.assignment
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


def test_nothing_is_left_where_all_is_answered(failed):
    assert "min left" not in failed.get("3/").words


def test_pages_ask_no_more_of_the_database(judging, django_assert_max_num_queries):
    judging.get()
    with django_assert_max_num_queries(11):
        judging.client.get(judging.path)


def test_the_median_stands_on_welcome(db):
    study = make_study(redundancy=10)
    completed(study, 10, [100.0] * 8)
    for attempt in study.assignments.all():
        attempt.started_at = attempt.finished_at - timedelta(minutes=19.6)
        attempt.save(update_fields=["started_at"])
    assert "About 20 minutes for one set" in Browser(study).get().words


def test_done_says_what_another_set_takes_and_pays(db, clock):
    browser = Browser(make_study(topics=4, payment="2.50", currency="GBP"))
    browser.come_to_documents()
    words = browser.judge_all(clock).words
    assert "It takes about 10 minutes in all. It pays £2.50. 3 sets are left for you." in words


def test_a_limit_of_units_is_the_limit_of_what_is_left(db, clock):
    browser = Browser(make_study(topics=4, max_units_per_worker=2))
    browser.come_to_documents()
    words = browser.judge_all(clock).words
    assert "pays $1.00. 1 set is left for you." in words
