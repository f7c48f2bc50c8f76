"""Attempts, seconds and checks of a study small enough to count by hand."""

from collections import Counter
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from judging import flow
from judging.models import Assignment
from judging.monitoring import newest, over_time, seconds, tries
from judging.monitoring.figures import monitor as figures
from judging.monitoring.watch import Watch
from judging.states import State
from tests.cast import Person
from tests.factory import NOON, later, make_study
from tests.factory.completed import complete

HOUR = timedelta(hours=1)


def test_what_became_of_attempts(watch):
    found = watch.ended
    assert {kind: sum(counts) for kind, counts in found.items()} == {
        "completed": 2,
        "failed": 2,
        "left": 1,
        "expired": 1,
        "counted": 2,
    }
    row = figures.units(watch)
    assert row.sentence == (
        f"Until {row.until:%H:%M:%S} 2 units were completed;"
        " 2 attempts failed a check, 1 left, 1 expired"
    )
    assert sum(line[2] for line in row.rows) == 2


def test_pictures_say_until_when_they_are(watch, desk):
    """Numbers are of now and pictures of a little earlier: a unit between the two is not lost."""
    until = watch.lifetime.until
    complete(watch.study, "late", at=until - timedelta(seconds=160))
    found = Watch(watch.study, watch.now)
    assert found.progress.completed == 3
    assert sum(found.ended["completed"]) == 2  # the last ended at that moment
    for name in ("course", "units", "failures", "rates"):
        assert figures.FIGURES[name](found).until == until
    text = desk.page(f"/studies/{watch.study.slug}/monitor/?open=all")
    assert text.count("Until <time datetime=") == 4
    # What check fails most often is counted once, for heading and table alike.
    heading = text[text.index('id="checks"') :].split("</h2>")[0]
    rates = {check.rate.percent for check in found.checks}
    assert any(share in heading for share in rates)


def test_a_withdrawn_unit_was_completed_and_does_not_count(watch):
    code = watch.study.assignments.filter(state=State.COMPLETED).first().completion_code
    flow.withdraw(code, later(1000))
    found = Watch(watch.study, watch.now)
    assert sum(found.ended["completed"]) == 2
    assert sum(found.ended[over_time.COUNTED]) == found.progress.completed == 1
    assert figures.course(found).rows[-1][1] == 1


def test_only_the_last_hours(watch):
    complete(watch.study, "late", at=NOON + 30 * HOUR)
    recent = Watch(watch.study, NOON + 31 * HOUR, "6h")
    assert sum(recent.ended["completed"]) == 1
    sentence = figures.units(recent).sentence
    assert sentence.startswith("In the last 6 hours until 19:00:00 1 unit was")
    assert sum(Watch(watch.study, NOON + 31 * HOUR).ended["completed"]) == 3
    whole = recent.whole_lifetime
    assert whole[1][-1] or sum(whole[1]) == 3  # the course is that of all time
    assert Watch(watch.study, NOON, "a year").last == ""


def test_artificial_workers_may_be_ahead_of_the_clock(busy):
    early = Watch(busy, NOON - HOUR)
    assert sum(early.ended["completed"]) == 2
    assert figures.course(early).rows


def test_seconds_on_a_document_are_summed_over_its_visits(study):
    assert seconds.reading(study).all is None
    person = Person(study).come_to_documents()
    spent = [25.0, 30.0, 40.0, 20.0, 55.0, 21.0, 22.0, 100.0]
    for page, own in enumerate(spent[:-1], 1):
        person.judge_up_to(page + 1, seconds=own)
    person.do("open 2, wait 7, next 2, open 8, wait 100, finish")
    spent[1] += 7
    summary = seconds.reading(study).all
    assert (summary.n, summary.mean) == (8, pytest.approx(np.mean(spent)))
    assert summary.sd == pytest.approx(np.std(spent, ddof=1))
    assert summary.quantiles == pytest.approx(np.quantile(spent, seconds.QUANTILES))


def test_documents_with_a_long_visit_stand_apart(study):
    complete(study, "ben", seconds=40)
    ada = complete(study, "ada", seconds=25).assignment
    # Just ten minutes are not long; nor are two visits that only together take longer.
    for position, minutes in ((1, [10]), (2, [10.01]), (3, [6, 6]), (4, [30, 1])):
        ada.visits.filter(position=position).delete()
        for length in minutes:
            ended = NOON + timedelta(minutes=length)
            ada.visits.create(position=position, opened_at=NOON, closed_at=ended)
        ada.seconds[position - 1] = 60 * sum(minutes)
    ada.save(update_fields=["seconds"])
    found = seconds.reading(study)
    assert (found.long_visits, found.all.n, found.without_long.n) == (2, 16, 14)
    assert found.without_long.mean == pytest.approx((60 * (10 + 12) + 4 * 25 + 8 * 40) / 14)
    assert found.of(ada.worker_id).n == 8
    drawn = seconds.histogram(found, 20)
    assert (sum(drawn.short), sum(drawn.long)) == (14, 2)
    assert drawn.edges[0] <= 20
    assert drawn.edges[-1] > 60 * 31


@given(st.lists(st.floats(0, 1e5), min_size=1), st.floats(0, 100))
def test_a_histogram_holds_every_document(spent, minimum):
    read = seconds.Reading(
        np.zeros(len(spent), dtype=np.int64),
        np.zeros(len(spent), dtype=np.int64),
        np.array(spent),
        np.arange(len(spent)) % 3 == 0,
        0,
    )
    found = seconds.histogram(read, minimum)
    assert sum(found.short) + sum(found.long) == len(spent)
    assert sum(found.long) == int(read.long.sum())
    assert len(found.edges) == len(found.short) + 1 == len(found.long) + 1


def test_failures_and_tries_by_check(watch):
    found = {check.name: check for check in watch.checks}
    assert {name: (c.rate.failures, c.rate.tries) for name, c in found.items()} == {
        # Ada, Ben, Carl, Gail, Hugo and Eve came to the last line; all but Carl to the question.
        "lines": (1, 6),
        "question": (1, 5),
        # Ben pressed Finish twice, Ada once.
        "anchors": (1, 3),
        "time": (1, 3),
    }
    assert {name: (c.workers, c.topics) for name, c in found.items()} == dict.fromkeys(
        found, (1, 1)
    )


def test_topics_workers_and_moments_add_up(watch):
    for tallies in (watch.topics, watch.workers):
        for place, check in enumerate(watch.checks):
            rates = [tally.rates[place] for tally in tallies]
            assert sum(rate.failures for rate in rates) == check.rate.failures
            assert sum(rate.tries for rate in rates) == check.rate.tries
    assert sum(tally.attempts for tally in watch.topics) == 7
    by_name = {tally.name: tally for tally in watch.workers}
    assert by_name["ben"].failures == 2
    assert (by_name["ben"].attempts, by_name["ben"].completed) == (1, 1)
    assert len(by_name) == 7
    found = watch.over_time
    for check in watch.checks:
        rates = found.rates[check.name]
        assert sum(found.counts[check.name]) == check.rate.failures
        assert sum(rate.failures for rate in rates) == check.rate.failures
        assert sum(rate.tries for rate in rates) == check.rate.tries


def test_workers_who_practised_before_are_not_asked_again(db):
    study = make_study(topics=4, practice="once per worker")
    ada = Person(study, "ada")
    ada.complete()
    ada.complete()
    lines, question, *_ = Watch(study, later(5000)).checks
    assert (lines.rate.tries, question.rate.tries) == (1, 2)


@given(st.integers(0, 500), st.integers(1, 500))
def test_intervals_of_rates(failed, passed):
    rate = tries.Rate(failed, failed + passed)
    low, high = rate.interval
    expected = stats.binomtest(failed, failed + passed).proportion_ci(0.95, "wilson")
    assert (low, high) == (pytest.approx(expected.low, abs=1e-6), pytest.approx(expected.high))
    assert low <= rate.share + 1e-12
    assert high >= rate.share - 1e-12


def test_nothing_tried_has_no_rate():
    assert (tries.Rate(0, 0).share, tries.Rate(0, 0).interval) == (None, None)
    assert (tries.Rate(0, 0).percent, tries.Rate(0, 0).between) == ("–", "–")


@pytest.mark.parametrize(("by", "first"), [("all", "ben"), ("lines", "carl"), ("question", "gail")])
def test_orders(watch, by, first):
    assert tries.ordered(watch.workers, by)[0].name == first
    assert [t.name for t in tries.ordered(watch.topics, "name")] == ["401", "402", "403", "404"]


def test_a_press_that_fails_both_checks_is_one_try(study):
    carl = Person(study, "carl", scores={"h_k": "0.5"}).come_to_the_end(seconds=1)
    carl.finish()
    assert carl.assignment.failures.count() == 2
    found = Watch(study, later(1200)).over_time
    for check in ("anchors", "time"):
        assert [(r.failures, r.tries) for r in found.rates[check] if r.tries] == [(1, 1)]


def test_filters(busy):
    def found(**wanted: str) -> Counter:
        rows = newest.failures(busy, wanted)
        return Counter((f.check_name, f.assignment.worker.pseudonym) for f in rows)

    assert sum(found().values()) == 4
    assert found(worker="ben") == {("anchors", "ben"): 1, ("time", "ben"): 1}
    assert found(check="lines") == {("lines", "carl"): 1}
    topic = Assignment.objects.get(worker__pseudonym="gail").study_topic.topic.query_id
    assert ("question", "gail") in found(topic=topic)
    assert found(topic=topic, worker="nobody") == {}
