"""The monitoring pages of a study with a large crowd."""

import re
import traceback
from datetime import timedelta

from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from judging.models import Assignment, CheckFailure, Worker
from judging.monitoring import over_time, progress
from judging.monitoring.figures import monitor as figures
from judging.monitoring.watch import Watch
from judging.states import LIVE
from tests.factory import NOON
from tests.factory.crowds import crowded_study

HOUR = timedelta(hours=1)


def test_a_crowd_takes_no_more_queries_and_nothing_is_written(desk):
    asked = {}
    for crowd, topics in ((100, 1), (200, 4)):
        study = crowded_study(timezone.now(), topics=topics, live=10 * topics, crowd=crowd)
        address = f"/studies/{study.slug}/monitor/?open=all"
        desk.page(address)
        with CaptureQueriesContext(connection) as queries:
            text = desk.page(address)
        verbs = {query["sql"].split()[0] for query in queries}
        assert verbs <= {"SELECT", "BEGIN", "SET", "COMMIT", "SAVEPOINT", "RELEASE"}
        asked[crowd] = len(queries)
        alive = Assignment.objects.filter(study=study, state__in=LIVE).count()
        assert alive == 10 * topics
        assert f"{alive} units are in progress" in text
    # The units of a forecast are counted only while forms come in, which chance decides here.
    assert max(asked.values()) - min(asked.values()) <= 1, asked


def test_pages_have_read_everything_before_they_are_drawn(desk, busy):
    asked_while_drawn = []

    def note(execute, sql, *rest):
        if any("/django/template/" in frame.filename for frame in traceback.extract_stack()):
            asked_while_drawn.append(sql)
        return execute(sql, *rest)

    for place in ("monitor/", "monitor/workers/ben/", "monitor/topics/401/"):
        with connection.execute_wrapper(note):
            desk.page(f"/studies/{busy.slug}/{place}")
    assert asked_while_drawn == []


def test_it_is_sent_packed(desk, busy):
    address = f"/studies/{busy.slug}/monitor/?open=all"
    packed = desk.get(address, headers={"Accept-Encoding": "gzip"})
    assert packed["Content-Encoding"] == "gzip"
    assert 5 * len(packed.content) < len(desk.page(address).encode())


def test_folded_parts_are_not_drawn(desk, busy):
    address = f"/studies/{busy.slug}/monitor/"
    whole, folded = desk.page(f"{address}?open=all"), desk.page(address)
    assert (whole.count("data-unsent"), folded.count("data-unsent")) == (0, 8)
    assert whole.count('<details class="part" open>') == 8
    assert '<a href="?open=checks#checks">Show this part</a>' in folded
    by_address = desk.page(f"{address}?last=6h&open=checks")
    by_header = desk.get(f"{address}?last=6h", headers={"X-Open-Parts": "checks newest"})
    for page, other in ((by_address, "over-time"), (by_header.content.decode(), "newest")):
        assert page.count("data-unsent") == 6
        assert 'aria-label="By check"' in page
        assert f'<details class="part" open><summary><h2 id="{other}">' in page
    assert 'aria-label="By check"' not in folded
    headings = re.compile(r"<h2[^>]*>.*?</h2>", re.DOTALL)
    assert headings.findall(folded) == headings.findall(whole)
    assert 3 * len(folded) < len(whole)


def test_long_tables_say_of_how_many(desk):
    study = crowded_study(timezone.now(), topics=4, documents=50, live=60, crowd=200)
    text = desk.page(f"/studies/{study.slug}/monitor/?open=all")
    assert "The 50 longest without activity, of 60" in text
    failing = CheckFailure.objects.filter(assignment__study=study)
    workers = len(set(failing.values_list("assignment__worker", flat=True)))
    assert f"The first 50 of {workers}" in text
    assert f"The newest 50 of {failing.count()} failures" in text
    assert f"{workers} of {Worker.objects.filter(study=study).count()} workers failed" in text
    first, second = (
        desk.page(f"/studies/{study.slug}/monitor/workers/?by=numbers&page={number}")
        for number in (1, 2)
    )
    assert "1 to 50 of" in first
    assert 'href="?by=numbers&amp;page=2#workers" rel="next"' in first
    assert 'href="?by=name"' in second  # another order begins at its first page
    named = [set(re.findall(r"<code>([\w-]+)</code>", text)) for text in (first, second)]
    assert len(named[0]) == 50
    assert named[1]
    assert not named[0] & named[1]


def test_the_numbers_of_a_crowd_agree(db):
    study = crowded_study(NOON, topics=3, documents=32, crowd=200)
    watch = Watch(study, NOON + HOUR)
    found = progress(study)
    assert sum(watch.ended[over_time.COUNTED]) == found.completed
    assert figures.course(watch).rows
    assert watch.reading.all.n == found.judgments
    failures = CheckFailure.objects.filter(assignment__study=study)
    assert sum(check.rate.failures for check in watch.checks) == failures.count()
    presses = sum(rate.tries for rate in watch.over_time.rates["time"])
    assert presses == watch.checks[3].rate.tries
