"""The monitoring pages of a busy study, of one topic and of one worker."""

import csv
import io
from datetime import timedelta
from xml.etree import ElementTree

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from judging.models import Assignment, CheckFailure, Judgment, Visit
from judging.monitoring import one_topic, one_worker
from judging.monitoring.figures import monitor as figures
from judging.monitoring.figures import plots
from judging.monitoring.watch import Watch
from judging.states import State
from tests.cast import Person
from tests.factory import later, make_study

Check = CheckFailure.Check
SVG = "{http://www.w3.org/2000/svg}"


def test_all_that_a_worker_did(busy):
    ben = one_worker.worker_of(busy, "ben")
    attempt = one_worker.attempts(busy, ben, later(1200))[0]
    assert attempt.failures == [
        "(c) relevant anchor above irrelevant one",
        "(d) seconds on every document",
    ]
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


@pytest.mark.parametrize("opened", [False, True])
def test_a_study_without_attempts(desk, opened):
    study = make_study(opened=opened)
    text = desk.page(f"/studies/{study.slug}/monitor/")
    assert ("the study is not open yet" in text) is not opened
    assert ("; nobody is at work" in text) is opened
    assert "Nobody is at work just now" in text
    assert "No check has failed yet" in text
    assert "<svg" not in text.partition("<main")[2]
    for name in ("course", "units", "seconds", "failures", "rates"):
        assert desk.get(f"/studies/{study.slug}/monitor/{name}.svg").status_code == 404


def test_a_study_without_units(desk):
    study = make_study(opened=False)
    study.units.all().delete()
    assert "none is planned yet" in desk.page(f"/studies/{study.slug}/monitor/")


def test_every_number_can_be_followed(desk, busy):
    text = desk.page(f"/studies/{busy.slug}/monitor/?open=all")
    for name in ("ada", "ben", "carl", "gail", "hugo", "ivy", "eve"):
        address = f"/studies/{busy.slug}/monitor/workers/{name}/"
        assert (address in text) is (name not in ("hugo", "ivy"))  # nothing to tell of them
        assert name in desk.page(address)
    for topic in busy.topics.select_related("topic"):
        address = f"/studies/{busy.slug}/monitor/topics/{topic.topic.query_id}/"
        assert address in text
        assert topic.question in desk.page(address)


def test_a_page_of_failures_that_fit(desk, busy):
    text = desk.page(f"/studies/{busy.slug}/monitor/?worker=ben&check=time&last=6h")
    assert "n = 1 failure that fits" in text
    assert '<input type="hidden" name="last" value="6h">' in text
    assert '<option value="time" selected>' in text
    assert 'value="ben"' in text
    assert "No failure fits" in desk.page(f"/studies/{busy.slug}/monitor/?topic=none")


def test_headings_sort_and_keep_the_rest(desk, busy):
    text = desk.page(f"/studies/{busy.slug}/monitor/?open=all&workers_by=lines&check=time")
    assert "?open=all&amp;workers_by=question&amp;check=time#by-worker" in text
    assert "?open=all&amp;workers_by=lines&amp;check=time&amp;topics_by=anchors#by-topic" in text
    by_worker = text[text.index('id="by-worker"') : text.index('id="standouts"')]
    assert by_worker.index("carl") < by_worker.index("ben")
    assert 'aria-sort="descending"' in by_worker
    desk.page(f"/studies/{busy.slug}/monitor/?workers_by=nonsense&topics_by=&last=x&check=y")


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
    rows = list(csv.reader(io.StringIO(desk.page(f"{address}.csv"))))
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
        assert f"{kind} per hour" in svg


def test_pictures_of_very_little(db):
    study = make_study(topics=1, minimum_seconds=0)
    Person(study, "ada").come_to_the_end(0).finish()
    made = Watch(study, later(30))
    for make in figures.FIGURES.values():
        figure = make(made)
        assert figure is None or "<svg" in figure.svg
        assert figure is None or not any("NaN" in value for row in figure.shown for value in row)


@pytest.mark.parametrize("place", ["monitor/", "monitor/units.svg", "monitor/units.csv",
                                   "monitor/topics/401/", "monitor/workers/ada/"])  # fmt: skip
def test_only_the_team_sees_it(busy, desk, place):
    address = f"/studies/{busy.slug}/{place}"
    assert desk.get(address).status_code == 200
    assert "no-store" in desk.get(address)["Cache-Control"]
    assert Client().get(address).url == f"/login/?next={address}"
    for wrong in (f"/studies/nowhere/{place}", address.replace("ada", "x").replace("401", "9")):
        assert wrong == address or desk.get(wrong).status_code == 404
    desk.force_login(User.objects.create_user("otto"))
    assert desk.get(address).status_code == 404


def test_names_with_signs_have_pages(desk, study):
    odd = "a/b?c&d ü"
    Person(study, odd).begin()
    text = desk.page(f"/studies/{study.slug}/monitor/?open=all")
    address = f"/studies/{study.slug}/monitor/workers/a/b%3Fc&amp;d%20%C3%BC/"
    assert address in text
    assert "a/b?c&amp;d ü" in desk.page(address.replace("&amp;", "&"))


def test_what_workers_write_stays_text(desk, study):
    ada = Person(study, "ada").come_to_documents()
    ada.judge_up_to(8).wait(20)
    Judgment.objects.update(justification="<script>alert(1)</script>")
    ada.finish()
    text = desk.page(f"/studies/{study.slug}/monitor/workers/ada/")
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)" in text
