"""What the monitoring pages say, against studies small enough to count by hand."""

import csv
import io
import math
import threading
import traceback
from collections import Counter
from datetime import datetime, timedelta
from xml.etree import ElementTree

import numpy as np
import pytest
from django.contrib.auth import get_user_model
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from judging import flow
from judging.models import Assignment, CheckFailure, Judgment, Study, Visit, Worker
from judging.monitoring import (
    alike,
    bins,
    ended,
    failures,
    figures,
    live,
    one_topic,
    one_worker,
    pace,
    plots,
    progress,
    seconds,
    standouts,
    tries,
    words,
)
from judging.monitoring.watch import Watch
from judging.states import LIVE, State
from judging.studies import report
from judging.studies.opening import close_study
from tests.cast import Person
from tests.factory import NOON, later, make_study
from tests.factory.crowds import crowded_study

Check = CheckFailure.Check
SVG = "{http://www.w3.org/2000/svg}"
HOUR = timedelta(hours=1)


def complete(study: Study, name: str, at: datetime = NOON, seconds: float = 20) -> Person:
    """A whole unit without a fault, begun at a time."""
    person = Person(study, name, now=at).come_to_the_end(seconds)
    person.finish()
    assert person.assignment.state == State.COMPLETED
    return person


@pytest.fixture
def study(db) -> Study:
    """Sixteen units on four topics."""
    return make_study(topics=4)


@pytest.fixture
def busy(study) -> Study:
    """One of each fate. Ada completes. Ben fails (c) and (d), then completes. Carl fails the
    lines, Gail the question, Hugo leaves at his first document, Ivy expires, Eve is at work."""
    complete(study, "ada")
    ben = Person(study, "ben").come_to_documents()
    h_k = ben.position_of("h_k")
    ben.judge_up_to(8, seconds=5, scores={h_k: "0.5"}).wait(5)
    ben.finish(8, *(["0.5"] if h_k == 8 else []))
    ben.resume()
    for position in range(8, 0, -1):
        ben.open(position)
        ben.wait(20)
        ben.back(position)
    ben.open(8)
    ben.finish(8)
    assert ben.assignment.state == State.COMPLETED
    carl, gail, hugo, ivy = (Person(study, name) for name in ("carl", "gail", "hugo", "ivy"))
    carl.begin()
    carl.practise(1, 1, 1)
    gail.begin()
    gail.practise()
    gail.read()
    gail.answer("a wrong one")
    hugo.come_to_documents().open(1)
    hugo.wait(30).leave()
    ivy.begin()
    flow.expire_overdue(NOON)
    Assignment.objects.filter(worker__pseudonym="ivy").update(deadline_at=later(-60))
    flow.expire_overdue(later(1))
    Person(study, "eve", now=later(600)).come_to_documents()
    return study


@pytest.fixture
def watch(busy) -> Watch:
    return Watch(busy, later(1200))


@pytest.fixture
def desk(db) -> Client:
    client = Client()
    client.force_login(get_user_model().objects.create_user("rita", is_staff=True))
    return client


def page(desk: Client, address: str) -> str:
    response = desk.get(address)
    assert response.status_code == 200
    return response.content.decode()


# --- words ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("length", "said"),
    [
        (-3, "0 s"),
        (59.9, "59 s"),
        (60, "1 min"),
        (3599, "59 min"),
        (3600, "1 h 00 min"),
        (90_000, "1 d 1 h"),
    ],
)
def test_lengths_of_time(length, said):
    assert words.duration(length) == said


@pytest.mark.parametrize(
    ("after", "said"),
    [
        (timedelta(minutes=14), "today about 12:10"),
        (timedelta(hours=11), "today about 23:00"),
        (timedelta(hours=11, minutes=57), "tomorrow about 00:00"),
        (timedelta(hours=20), "tomorrow about 08:00"),
        (timedelta(days=3), "on Wednesday"),
        (timedelta(days=7), "on 8 March"),
        (timedelta(days=400), "on 5 April 2027"),
    ],
)
def test_days_to_come(after, said):
    assert words.day(NOON + after, NOON) == said


def test_ends_of_an_interval():
    assert words.moment(NOON + HOUR, NOON) == "13:00 today"
    assert words.moment(NOON + 30 * HOUR, NOON) == "Monday 18:00"
    assert words.moment(NOON + timedelta(days=30), NOON) == "31 March"


@pytest.mark.parametrize(
    ("share", "said"), [(0, "0%"), (0.001, "less than 1%"), (0.999, "99%"), (1, "100%")]
)
def test_what_is_done_is_never_rounded_up(share, said):
    assert words.done(share) == said


@pytest.mark.parametrize(
    ("chance", "said"),
    [
        (0.00031, "1 in 3,000"),
        (2.6e-7, "1 in 4 million"),
        (0.0, "less than 1 in a billion"),
    ],
)
def test_chances(chance, said):
    assert words.one_in(chance) == said


# --- time in bins -----------------------------------------------------------------------------
moments = st.floats(-2e8, 2e8).map(later)


@given(moments, st.floats(1, 3e8), st.integers(8, bins.MOST))
def test_bins_cover_what_they_should(start, length, most):
    until = start + timedelta(seconds=length)
    made = bins.cover(start, until, most)
    assert made.start <= start < made.start + made.width
    assert made.edges[-2] < until <= made.edges[-1]
    assert made.count <= most
    assert (made.start - bins.MONDAY) % made.width == timedelta(0)


def test_bins_begin_at_round_times():
    made = bins.cover(NOON + timedelta(minutes=7), NOON + timedelta(hours=40))
    assert (made.start, made.width) == (NOON, HOUR)


def test_pictures_show_what_was_before_the_last_half_minute():
    assert bins.as_of(later(29)) == NOON
    assert bins.as_of(later(30)) == later(30)


# --- pace -------------------------------------------------------------------------------------
def test_the_interval_of_a_rate_is_garwoods():
    for units in (0, 1, 10, 100):
        low, high = pace.interval_of_rate(units, 2)
        assert low == pytest.approx(stats.chi2.ppf(0.025, 2 * units) / 4 if units else 0)
        assert high == pytest.approx(stats.chi2.ppf(0.975, 2 * units + 2) / 4)


@pytest.mark.parametrize(("rate", "remaining"), [(8, 3), (40, 40), (40, 1000)])
def test_the_end_lies_in_its_interval_as_often_as_it_says(rate, remaining):
    rng = np.random.default_rng(3)
    seen = rng.poisson(rate, 4000)
    seen = seen[seen >= pace.LEAST]
    took = rng.gamma(remaining, 1 / rate, len(seen))
    ends = {n: pace.hours_left(remaining, int(n), 1.0) for n in set(seen.tolist())}
    inside = [ends[n][0] <= t <= ends[n][1] for n, t in zip(seen.tolist(), took, strict=True)]
    assert 0.94 <= np.mean(inside) <= 0.98


def course(study: Study, now: datetime) -> pace.Course:
    return Watch(Study.objects.get(pk=study.pk), now).course


def test_what_can_be_said_of_the_end(study):
    assert course(study, later(60)).status == "unknown"
    for number in range(4):
        complete(study, f"worker-{number}", NOON + number * HOUR)
    assert course(study, NOON + 4 * HOUR).status == "unknown"
    complete(study, "worker-4", NOON + 4 * HOUR)
    assert course(study, NOON + 5 * HOUR).status == "paced"
    assert course(study, NOON + timedelta(days=8)).status == "stalled"
    close_study(study.slug)
    assert course(study, NOON + 5 * HOUR).status == "closed"


def test_the_end_follows_from_the_rate(study):
    for number in range(6):
        complete(study, f"worker-{number}", NOON + number * HOUR)
    found = course(study, NOON + 6 * HOUR)
    # Six units in the six hours since the first began; ten are left.
    assert (found.pace.units, found.pace.window) == (6, 6 * HOUR)
    assert found.pace.per_hour == 1
    assert found.pace.expected == NOON + 16 * HOUR
    assert found.pace.slowest < 1 < found.pace.fastest
    assert NOON + 6 * HOUR < found.pace.earliest < found.pace.expected < found.pace.latest
    assert found.ends == "tomorrow about 04:00"
    assert found.pace.window_words == "6 hours"


def test_the_last_unit_may_be_completed_while_one_asks(db):
    study = make_study(topics=2)  # eight units
    before = progress(study)
    for number in range(8):
        complete(study, f"worker-{number}")
    found = pace.course(study, before, NOON + HOUR)
    assert found.pace.earliest > NOON + HOUR


def test_the_window_is_the_shortest_that_holds_enough(db):
    study = crowded_study(NOON, topics=3, documents=32, crowd=200)
    found = course(study, NOON)
    recent = Assignment.objects.filter(study=study, state=State.COMPLETED)
    within = [recent.filter(finished_at__gte=NOON - window).count() for window in pace.WINDOWS]
    first = next(n for n in within if n >= pace.ENOUGH)
    assert found.pace.units == first
    assert found.pace.window == pace.WINDOWS[within.index(first)]


def test_a_finished_study_says_when_the_last_unit_was_completed(db, desk):
    study = make_study(topics=1)  # four units
    people = [complete(study, f"worker-{number}", later(number)) for number in range(4)]
    found = course(study, NOON + timedelta(days=90))
    assert (found.status, found.pace) == ("done", None)
    assert found.last_at == people[-1].now
    made = Watch(study, NOON + timedelta(days=90))
    assert made.bins.until == people[-1].now + bins.A_LITTLE  # and not three empty months
    text = page(desk, f"/studies/{study.slug}/monitor/")
    assert "All 4 units are done" in text
    assert "There is no unit to be done." in text


# --- who is at work ---------------------------------------------------------------------------
def test_who_is_at_work(study):
    Person(study, "new").begin()
    halfway = Person(study, "halfway", now=later(60)).come_to_documents().judge_up_to(3)
    carl = Person(study, "carl", now=later(120)).come_to_the_end(1)
    carl.finish()
    found = live.live(study, later(3000))
    assert dict(found.steps) == {
        "practice": 1,
        "instructions": 0,
        "topic": 0,
        "documents": 1,
        "revising": 1,
    }
    rows = {row.assignment.worker.pseudonym: row for row in found.rows}
    assert [*rows] == ["new", "halfway", "carl"]  # the longest idle first
    assert {name: row.page for name, row in rows.items()} == {
        "new": "practice",
        "halfway": "document 3 of 8",
        "carl": "told to revise",
    }
    assert (rows["new"].idle, rows["new"].left, rows["new"].near) == ("50 min", "now", True)
    idle = (later(3000) - halfway.now).total_seconds()
    assert rows["halfway"].idle == words.duration(idle)
    assert found.near == 3
    # Until practice is passed a unit is held for 10 minutes only.
    assert [live.live(study, later(after)).near for after in (440, 460, 1000)] == [0, 1, 1]


def test_a_practice_line_is_named(study):
    person = Person(study, "ada")
    person.begin()
    flow.start_practice(person.unit.token, NOON)
    assert live.live(study, NOON).rows[0].page == "practice, line 1 of 3"


# --- attempts over time -----------------------------------------------------------------------
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
    assert row.says == "2 units were completed; 2 attempts failed a check, 1 left, 1 expired"
    assert sum(line[2] for line in row.rows) == 2


def test_a_withdrawn_unit_was_completed_and_does_not_count(watch):
    code = Assignment.objects.filter(state=State.COMPLETED).first().completion_code
    flow.withdraw(code, later(1000))
    found = Watch(watch.study, watch.now)
    assert sum(found.ended["completed"]) == 2
    assert sum(found.ended[ended.COUNTED]) == found.progress.completed == 1
    assert figures.course(found).rows[-1][1] == 1


def test_only_the_last_hours(watch):
    complete(watch.study, "late", NOON + 30 * HOUR)
    recent = Watch(watch.study, NOON + 31 * HOUR, "6h")
    assert sum(recent.ended["completed"]) == 1
    assert figures.units(recent).says.startswith("In the last 6 hours 1 unit was completed")
    assert sum(Watch(watch.study, NOON + 31 * HOUR).ended["completed"]) == 3
    assert recent.whole[1][-1] or sum(recent.whole[1]) == 3  # the course is that of all time
    assert Watch(watch.study, NOON, "a year").last == ""


def test_artificial_workers_may_be_ahead_of_the_clock(busy):
    early = Watch(busy, NOON - HOUR)
    assert sum(early.ended["completed"]) == 2
    assert figures.course(early).rows


# --- seconds ----------------------------------------------------------------------------------
def test_seconds_are_those_of_the_report(study):
    complete(study, "ada", seconds=25)
    complete(study, "ben", seconds=40)
    # A visit of eleven minutes.
    visit = Visit.objects.filter(assignment__worker__pseudonym="ada", position=3).get()
    Visit.objects.filter(pk=visit.pk).update(opened_at=visit.closed_at - timedelta(minutes=11))
    long = Assignment.objects.get(worker__pseudonym="ada")
    long.seconds[2] = 660.0
    long.save(update_fields=["seconds"])
    found = seconds.reading(study)
    for ours, theirs in (
        (found.all, report.seconds_per_document(study)),
        (found.without_long, report.seconds_per_document(study, without_long=True)),
    ):
        assert (ours.n, ours.mean) == (theirs.n, pytest.approx(theirs.mean))
        assert ours.quantiles == pytest.approx(theirs.quantiles)
    assert (found.long_visits, found.all.n, found.without_long.n) == (1, 16, 15)
    assert found.of(long.worker_id).n == 8
    drawn = seconds.histogram(found, 20)
    assert (sum(drawn.short), sum(drawn.long)) == (15, 1)
    assert drawn.edges[0] <= 20
    assert drawn.edges[-1] > 660


@given(st.lists(st.floats(0, 1e5), min_size=1), st.floats(0, 100))
def test_a_histogram_holds_every_document(spent, minimum):
    read = seconds.Reading(
        np.zeros(len(spent), dtype=np.int64),
        np.array(spent),
        np.arange(len(spent)) % 3 == 0,
        0,
    )
    found = seconds.histogram(read, minimum)
    assert sum(found.short) + sum(found.long) == len(spent)
    assert sum(found.long) == int(read.long.sum())
    assert len(found.edges) == len(found.short) + 1 == len(found.long) + 1


# --- checks -----------------------------------------------------------------------------------
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


def test_topics_and_workers_add_up(watch):
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


def test_orders(watch):
    assert [t.name for t in tries.ordered(watch.topics, "name")] == ["401", "402", "403", "404"]
    assert tries.ordered(watch.workers, "all")[0].name == "ben"
    assert tries.ordered(watch.workers, "lines")[0].name == "carl"
    assert tries.ordered(watch.workers, "question")[0].name == "gail"


def test_failures_over_time_add_up(watch):
    found = watch.over_time
    for check in watch.checks:
        assert sum(found.counts[check.name]) == check.rate.failures
        assert sum(rate.failures for rate in found.rates[check.name]) == check.rate.failures
        assert sum(rate.tries for rate in found.rates[check.name]) == check.rate.tries


def test_a_press_that_fails_both_checks_is_one_try(study):
    carl = Person(study, "carl").come_to_documents()
    h_k = carl.position_of("h_k")
    carl.judge_up_to(8, seconds=1, scores={h_k: "0.5"}).wait(1)
    carl.finish(8, *(["0.5"] if h_k == 8 else []))
    assert CheckFailure.objects.count() == 2
    found = Watch(study, later(1200)).over_time
    for check in ("anchors", "time"):
        assert [(r.failures, r.tries) for r in found.rates[check] if r.tries] == [(1, 1)]


def test_filters(busy):
    def found(**wanted: str) -> Counter:
        rows = failures.failures(busy, failures.Filter(**wanted))
        return Counter((f.check_name, f.assignment.worker.pseudonym) for f in rows)

    assert sum(found().values()) == 4
    assert found(worker="ben") == {("anchors", "ben"): 1, ("time", "ben"): 1}
    assert found(check="lines") == {("lines", "carl"): 1}
    topic = Assignment.objects.get(worker__pseudonym="gail").study_topic.topic.query_id
    assert ("question", "gail") in found(topic=topic)
    assert found(topic=topic, worker="nobody") == {}
    assert failures.Filter(check="a&b").query == "check=a%26b"


# --- who is worth a look ----------------------------------------------------------------------
def counts(x, n, **least) -> standouts.Counts:
    x, n = np.array(x), np.array(n)
    given = {"least": 1, **least}
    return standouts.Counts("rule", "{x} of {n}; others {others}", np.arange(len(x)), x, n, **given)


@given(st.lists(st.integers(0, 40).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
                min_size=2, max_size=40))  # fmt: skip
def test_chances_are_binomial_tails_at_the_others_rate(pairs):
    x, n = np.array(pairs).T
    found, others = standouts.chance(x, n)
    for place in range(len(x)):
        rest_x, rest_n = x.sum() - x[place], n.sum() - n[place]
        if rest_n < standouts.OTHERS:
            assert found[place] == 1
            continue
        rate = (rest_x + 0.5) / (rest_n + 1)
        assert found[place] == pytest.approx(stats.binom.sf(x[place] - 1, n[place], rate))
        assert others[place] == pytest.approx(rest_x / rest_n)


def test_one_who_fails_far_more_often_stands_out():
    found = standouts.reasons([counts([1] * 99 + [10], [10] * 100)])
    assert [*found] == [99]
    assert found[99][0].words == "10 of 10; others 10%"


def test_workers_who_are_alike_are_hardly_ever_listed():
    rng = np.random.default_rng(5)
    tried = rng.integers(1, 60, 300)
    lists = [standouts.reasons([counts(rng.binomial(tried, 0.1), tried)]) for _ in range(400)]
    assert np.mean([bool(found) for found in lists]) <= standouts.FAMILY


def test_few_are_not_enough():
    rare = counts([0] * 200 + [2], [10] * 201, least=3)
    assert standouts.reasons([rare]) == {}
    minority = counts([0] * 200 + [4], [10] * 201, share=0.5)
    assert standouts.reasons([minority]) == {}
    assert standouts.reasons([counts([5], [5])]) == {}  # nobody to compare with
    assert standouts.reasons([]) == {}


@given(st.lists(st.tuples(st.integers(1, 5), st.sampled_from([1.0, 2.0, 3.0])), min_size=1))
def test_flat_units_against_a_plain_loop(rows):
    units, scores = (np.array(column) for column in zip(*rows, strict=True))
    workers, flat = alike.flat_units(units + 100, units, scores)
    expected = {}
    for unit in set(units.tolist()):
        found = Counter(score for u, score in rows if u == unit)
        expected[unit + 100] = max(found.values()) >= sum(found.values()) - 1
    assert dict(zip(workers.tolist(), flat.tolist(), strict=True)) == expected


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 4)), min_size=1))
def test_repeated_justifications_against_a_plain_loop(rows):
    workers, texts = (np.array(column) for column in zip(*rows, strict=True))
    marks = alike.repeated(workers, texts)
    for worker in set(workers.tolist()):
        own = [text for w, text in rows if w == worker]
        assert marks[workers == worker].sum() == len(own) - len(set(own))


def test_each_rule_finds_the_one_it_is_for(db):
    """One of a crowd reads in no time, one gives the same score, one the same reason, and one
    fails check (c) again and again."""
    study = crowded_study(NOON, topics=3, documents=50, crowd=160)
    assert Watch(study, NOON).standouts == []
    done = Assignment.objects.filter(study=study, state=State.COMPLETED)
    busiest = [key for key, _ in Counter(done.values_list("worker", flat=True)).most_common()]
    quick, flat, pasting, failing = busiest[:4]
    done.filter(worker=quick).update(seconds=[20.5] * 8)
    of = Judgment.objects.filter(assignment__in=done)
    of.filter(assignment__worker=flat).exclude(position=1).update(score=7)
    of.filter(assignment__worker=pasting).update(justification="Good  ")
    unit = done.filter(worker=failing).first()
    CheckFailure.objects.bulk_create(
        CheckFailure(assignment=unit, check_name="anchors", at=NOON, attempt=10 + n)
        for n in range(12)
    )
    Assignment.objects.filter(pk=unit.pk).update(failed_finishes=12)
    found = {one.worker.key: one for one in Watch(study, NOON).standouts}
    assert {key: [why.rule for why in one.reasons] for key, one in found.items()} == {
        quick: ["quick"],
        flat: ["flat"],
        pasting: ["pasted"],
        failing: ["anchors"],
    }
    times = of.filter(assignment__worker=pasting).count()
    assert found[pasting].often == f"“Good  ”, {times} times"
    assert found[pasting].reasons[0].words.startswith(f"gave {times - 1} of {times} reasons")


# --- one worker, one topic --------------------------------------------------------------------
def test_all_that_a_worker_did(busy):
    ben = one_worker.worker_of(busy, "ben")
    attempt = one_worker.attempts(busy, ben, later(1200))[0]
    assert attempt.failures == ["(c) H_k above N_k", "(d) seconds on every document"]
    assert [spent.seconds for spent in attempt.spent] == attempt.assignment.seconds
    assert len(attempt.judged) == 8
    assert one_worker.worker_of(busy, "nobody") is None


def test_what_was_not_completed_shows_how_far_it_came(busy):
    hugo = one_worker.attempts(busy, one_worker.worker_of(busy, "hugo"), later(1200))[0]
    assert [spent.seconds for spent in hugo.spent] == [30.0]
    assert hugo.spent[0].remark == ""
    assert hugo.judged == []
    eve = Person(busy, "eve", now=later(700))
    eve.worker = one_worker.worker_of(busy, "eve")
    eve.open(1)
    live_one = one_worker.attempts(busy, eve.worker, later(705))[0]
    assert [(s.seconds, s.remark) for s in live_one.spent] == [(5.0, "under 20 s")]


def test_times_that_are_remarkable(busy):
    ada = one_worker.worker_of(busy, "ada")
    visit = Visit.objects.filter(assignment__worker=ada, position=2).get()
    Visit.objects.filter(pk=visit.pk).update(opened_at=visit.closed_at - timedelta(minutes=20))
    attempt = one_worker.attempts(busy, ada, later(1200))[0]
    assert [spent.remark for spent in attempt.spent][:3] == ["", "a visit over 10 minutes", ""]


def test_anchors_of_a_topic(busy):
    done = Assignment.objects.filter(state=State.COMPLETED).first()
    topic = one_topic.topic_of(busy, done.study_topic.topic.query_id)
    h_k, n_k = one_topic.anchors(busy, topic)
    assert (h_k.doc_id, h_k.level) == (topic.h_k, 3)
    assert (n_k.doc_id, n_k.level) == (topic.n_k, 0)
    assert h_k.document.document.text == f"Text of {topic.h_k}."
    ratio = one_topic.distance(busy, topic)
    assert (ratio.low, ratio.median, ratio.high) == (100, 100, 100)
    free = busy.topics.exclude(assignment__state=State.COMPLETED).first()
    assert one_topic.distance(busy, free) is None
    assert one_topic.topic_of(busy, "999") is None


# --- pages ------------------------------------------------------------------------------------
@pytest.mark.parametrize("opened", [False, True])
def test_a_study_without_attempts(desk, opened):
    study = make_study(opened=opened)
    text = page(desk, f"/studies/{study.slug}/monitor/")
    assert ("the study is not open yet" in text) is not opened
    assert ("when the study ends cannot be said yet" in text) is opened
    assert "Nobody is at work just now" in text
    assert "No check has failed yet" in text
    assert "<svg" not in text
    for name in ("course", "units", "seconds", "failures", "rates"):
        assert desk.get(f"/studies/{study.slug}/monitor/{name}.svg").status_code == 404


def test_a_study_without_units(desk):
    study = make_study(opened=False)
    study.units.all().delete()
    assert "none is planned yet" in page(desk, f"/studies/{study.slug}/monitor/")


def test_every_number_can_be_followed(desk, busy):
    text = page(desk, f"/studies/{busy.slug}/monitor/")
    for name in ("ada", "ben", "carl", "gail", "hugo", "ivy", "eve"):
        address = f"/studies/{busy.slug}/workers/{name}/"
        assert (address in text) is (name not in ("ada", "hugo", "ivy"))  # nothing to tell of them
        assert name in page(desk, address)
    for topic in busy.topics.select_related("topic"):
        address = f"/studies/{busy.slug}/monitor/topics/{topic.topic.query_id}/"
        assert address in text
        assert topic.question in page(desk, address)


def test_a_page_of_failures_that_fit(desk, busy):
    text = page(desk, f"/studies/{busy.slug}/monitor/?worker=ben&check=time&last=6h")
    assert "n = 1 failure that fits" in text
    assert '<input type="hidden" name="last" value="6h">' in text
    assert '<option value="time" selected>' in text
    assert 'value="ben"' in text
    assert "No failure fits" in page(desk, f"/studies/{busy.slug}/monitor/?topic=none")


def test_headings_sort_and_keep_the_rest(desk, busy):
    text = page(desk, f"/studies/{busy.slug}/monitor/?workers_by=lines&check=time")
    assert "?workers_by=question&amp;check=time#by-worker" in text
    assert "?workers_by=lines&amp;check=time&amp;topics_by=anchors#by-topic" in text
    by_worker = text[text.index('id="by-worker"') : text.index('id="worth-a-look"')]
    assert by_worker.index("carl") < by_worker.index("ben")
    assert 'aria-sort="descending"' in by_worker
    page(desk, f"/studies/{busy.slug}/monitor/?workers_by=nonsense&topics_by=&last=x&check=y")


@pytest.mark.parametrize("name", figures.FIGURES)
def test_every_figure_is_a_file(desk, busy, name):
    address = f"/studies/{busy.slug}/monitor/{name}"
    response = desk.get(f"{address}.svg")
    assert response["Content-Type"] == "image/svg+xml"
    assert response["Content-Disposition"] == f'attachment; filename="{busy.slug}-{name}.svg"'
    drawn = ElementTree.fromstring(response.content.decode())
    assert drawn.tag == f"{SVG}svg"
    assert not [
        node for node in drawn.iter() if "style" in node.attrib or node.tag == f"{SVG}style"
    ]
    assert "currentColor" in response.content.decode()
    rows = list(csv.reader(io.StringIO(page(desk, f"{address}.csv"))))
    figure = figures.FIGURES[name](Watch(busy, timezone.now()))
    assert rows[0] == list(figure.columns)
    assert len(rows) == len(figure.rows) + 1
    assert {len(row) for row in rows} == {len(figure.columns)}
    assert desk.get(f"{address}.png").status_code == 404


def test_the_same_picture_is_drawn_once(watch):
    plots.bars.cache_clear()
    for _ in range(3):
        assert figures.units(Watch(watch.study, watch.now)).svg
    assert plots.bars.cache_info().misses == 1


def test_every_kind_has_its_panel(busy):
    """Also where there is nothing in it."""
    CheckFailure.objects.exclude(check_name="lines").delete()
    Assignment.objects.filter(state=State.EXPIRED).update(state=State.LEFT)
    Assignment.objects.filter(state=State.COMPLETED).update(
        state=State.LEFT, completion_code=None, failed_finishes=0
    )
    made = Watch(busy, later(1200))
    for name in ("failures", "rates"):
        svg = figures.FIGURES[name](made).svg
        assert [label for label in Check.labels if label not in svg] == []
    svg = figures.units(made).svg
    for kind in ("completed", "failed", "left", "expired"):
        assert f"{kind}, an hour" in svg


def test_pictures_of_very_little(db):
    study = make_study(topics=1, minimum_seconds=0)
    Person(study, "ada").come_to_the_end(0).finish()
    made = Watch(study, later(30))
    for make in figures.FIGURES.values():
        figure = make(made)
        assert figure is None or "<svg" in figure.svg
        assert figure is None or not any("NaN" in value for row in figure.shown for value in row)


@pytest.mark.parametrize("place", ["monitor/", "monitor/units.svg", "monitor/units.csv",
                                   "monitor/topics/401/", "workers/ada/"])  # fmt: skip
def test_only_the_staff_see_it(busy, desk, place):
    address = f"/studies/{busy.slug}/{place}"
    assert desk.get(address).status_code == 200
    assert "no-store" in desk.get(address)["Cache-Control"]
    client = Client()
    assert client.get(address).url == f"/login/?next={address}"
    client.force_login(get_user_model().objects.create_user("otto"))
    assert client.get(address).status_code == 302
    for wrong in (f"/studies/nowhere/{place}", address.replace("ada", "x").replace("401", "9")):
        assert wrong == address or desk.get(wrong).status_code == 404


def test_names_with_signs_have_pages(desk, study):
    odd = "a/b?c&d ü"
    Person(study, odd).begin()
    text = page(desk, f"/studies/{study.slug}/monitor/")
    address = f"/studies/{study.slug}/workers/a/b%3Fc&amp;d%20%C3%BC/"
    assert address in text
    assert "a/b?c&amp;d ü" in page(desk, address.replace("&amp;", "&"))


def test_what_workers_write_stays_text(desk, study):
    ada = Person(study, "ada").come_to_documents()
    ada.judge_up_to(8).wait(20)
    Judgment.objects.update(justification="<script>alert(1)</script>")
    ada.finish()
    text = page(desk, f"/studies/{study.slug}/workers/ada/")
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)" in text


# --- a crowd ----------------------------------------------------------------------------------
def test_a_crowd_takes_no_more_queries_and_nothing_is_written(desk):
    asked = {}
    for crowd, topics in ((100, 1), (200, 4)):
        study = crowded_study(timezone.now(), topics=topics, live=10 * topics, crowd=crowd)
        address = f"/studies/{study.slug}/monitor/"
        page(desk, address)
        with CaptureQueriesContext(connection) as queries:
            text = page(desk, address)
        verbs = {query["sql"].split()[0] for query in queries}
        assert verbs <= {"SELECT", "BEGIN", "SET", "COMMIT", "SAVEPOINT", "RELEASE"}
        asked[crowd] = len(queries)
        alive = Assignment.objects.filter(study=study, state__in=LIVE).count()
        assert alive == 10 * topics
        assert f"{alive} units are in hand" in text
    assert len(set(asked.values())) == 1, asked


def addresses(study: Study) -> list[str]:
    """The monitoring pages of a study."""
    worker = CheckFailure.objects.filter(assignment__study=study)[0].assignment.worker
    query_id = study.topics.first().topic.query_id
    return [
        f"/studies/{study.slug}/{place}"
        for place in ("monitor/", f"workers/{worker.pseudonym}/", f"monitor/topics/{query_id}/")
    ]


def test_pages_have_read_everything_before_they_are_drawn(desk, busy):
    asked_while_drawn = []

    def note(execute, sql, *rest):
        if any("/django/template/" in frame.filename for frame in traceback.extract_stack()):
            asked_while_drawn.append(sql)
        return execute(sql, *rest)

    for address in addresses(busy):
        with connection.execute_wrapper(note):
            page(desk, address)
    assert asked_while_drawn == []


@pytest.mark.django_db(transaction=True)
def test_a_page_is_of_one_moment_whatever_happens_meanwhile(desk):
    with transaction.atomic():
        study = crowded_study(timezone.now(), topics=1, live=10, crowd=100)
    failures = CheckFailure.objects.filter(assignment__study=study)

    def delete_them():
        failures.all().delete()
        connection.close()

    def meanwhile(execute, sql, *rest):
        result = execute(sql, *rest)
        if "judging_checkfailure" in sql and not deleting.ident:
            deleting.start()
            deleting.join()
        return result

    deleting = threading.Thread(target=delete_them)
    with connection.execute_wrapper(meanwhile):
        response = desk.get(f"/studies/{study.slug}/monitor/")
    assert not failures.exists()
    watch = response.context["watch"]
    by_topic, by_worker = (sum(t.failures for t in them) for them in (watch.topics, watch.workers))
    assert by_topic == by_worker == response.context["fitting"] > 0


def test_it_is_sent_packed(desk, busy):
    """It is asked for every five seconds."""
    address = f"/studies/{busy.slug}/monitor/"
    packed = desk.get(address, headers={"Accept-Encoding": "gzip"})
    assert packed["Content-Encoding"] == "gzip"
    assert 5 * len(packed.content) < len(page(desk, address).encode())


def test_long_tables_say_of_how_many(desk):
    study = crowded_study(timezone.now(), topics=4, documents=50, live=60, crowd=200)
    text = page(desk, f"/studies/{study.slug}/monitor/")
    assert "The 50 longest without activity, of 60" in text
    failing = CheckFailure.objects.filter(assignment__study=study)
    workers = len(set(failing.values_list("assignment__worker", flat=True)))
    assert f"The first 50 of {workers}" in text
    assert f"The newest 50 of {failing.count()} failures" in text
    assert f"{workers} of {Worker.objects.filter(study=study).count()} workers failed" in text


def test_the_numbers_of_a_crowd_agree(db):
    study = crowded_study(NOON, topics=3, documents=32, crowd=200)
    watch = Watch(study, NOON + HOUR)
    found = progress(study)
    assert sum(watch.ended[ended.COUNTED]) == found.completed
    assert figures.course(watch).rows
    assert watch.reading.all.n == found.judgments
    assert sum(check.rate.failures for check in watch.checks) == CheckFailure.objects.count()
    median = report.seconds_per_document(study).quantiles[2]
    assert math.isclose(watch.reading.all.median, median, rel_tol=1e-6)
    presses = sum(rate.tries for rate in watch.over_time.rates["time"])
    assert presses == watch.checks[3].rate.tries
