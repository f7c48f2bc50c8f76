"""The pages of researchers: what they show, and what they show where there is nothing yet."""

from collections.abc import Callable
from functools import partial
from html import unescape
from itertools import count
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

import pytest
from django.test import Client
from django.utils import timezone

from evaluation import results
from evaluation.cache import stored
from evaluation.pipeline import MEASURES, evaluate
from evaluation.publishing import exports
from judging import flow
from judging.models import CheckFailure, Collection, Study
from judging.monitoring import progress
from judging.studies import table_one
from judging.studies.conduct.closing import close_study
from judging.studies.conduct.stages import archive
from judging.studies.rehearsal import rehearse
from magnitudes.measures.names import parse, short
from tests.api import html
from tests.api.html import Page
from tests.cast import Person
from tests.factory import make_study
from tests.factory.completed import complete, judged_study
from tests.factory.runs import add_runs

pytestmark = pytest.mark.django_db
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def look(at_desk):
    return partial(html.look, at_desk)


def test_the_bare_address_leads_to_the_studies(at_desk):
    assert at_desk.get("/").url == "/studies/"


@pytest.mark.parametrize(("address", "status"), [("/", 200), ("/study/", 404), ("/stu", 404)])
def test_half_a_link_leads_to_what_to_do(address, status):
    response = Client().get(address)
    page = Page(response.content.decode())
    assert (response.status_code, page.faults) == (status, [])
    assert "open the study once more from there" in page.text
    assert "testserver/study/" in page.text


def test_without_a_study_the_list_says_how_to_begin(look):
    Study.objects.all().delete()
    Collection.objects.all().delete()
    assert "No study yet" in (page := look("/studies/")).text
    assert "/collections/new/" in page.links
    Collection.objects.create(slug="lamps")
    assert "You have 1 collection" in look("/studies/").text


def test_the_list_of_studies(look):
    draft = make_study(opened=False, title="Not yet")
    study, _ = judged_study(1, units=3, title="Under way & <well>")
    Person(study, "busy").come_to_documents()
    page = look("/studies/")
    assert "Under way & <well>" in page.text
    assert (
        f"3 of {study.units.count()} units, {progress(study).done} 1 {study.slug} admin"
        in page.text
    )
    assert f"0 of {draft.units.count()} units, 0% 0 {draft.slug} admin" in page.text
    assert f"/studies/{study.slug}/monitor/" in page.links
    assert f"/studies/{draft.slug}/set-up/" in page.links


def test_archived_studies_are_listed_when_asked_for(look):
    study, other = make_study(title="Old lamps"), make_study(title="New lamps")
    archive(close_study(study.slug), None)
    rehearse(other, None)
    in_use, archived = look("/studies/").text, look("/studies/?archived=yes").text
    assert "Old lamps" not in in_use
    assert "New lamps" in in_use
    assert "Rehearsal" not in in_use
    assert "1 archived study" in archived
    assert "Old lamps" in archived
    assert "New lamps" not in archived


# --- results ----------------------------------------------------------------------------------


def test_results_of_a_study_under_way(look, study):
    page = look(f"/studies/{study.slug}/")
    for name in MEASURES:
        ranking = results.ranking(study, parse(name))
        by = look(f"/studies/{study.slug}/?measure={quote(name)}").text
        assert parse(ranking["measure"]).title in by
        for system in ranking["results"]:
            assert f"{system['run']} {system['mean']:.4f}" in by
    ranked = results.ranking(study, parse(MEASURES[0]))["results"]
    assert f"{len(ranked)} systems ranked; which of them differ is being computed" in page.text
    stored.bring_up_to_date()
    computed = look(f"/studies/{study.slug}/").text
    units = study.units.count()
    assert f"Too early to rank {len(ranked)} systems: {units - 3} units are not done" in computed
    assert f"3 of {units:,} units, completed by 3 workers; 1 in progress" in page.text
    for row in table_one.table1(study):
        assert f"{row['topic']} {row['documents']} {row['units']} {row['completed']}" in page.text
    pay = table_one.pay(study)
    assert f"{pay.total:.2f} USD" in page.text
    assert f"{pay.per_hour:.2f} USD" in page.text
    files = look(f"/studies/{study.slug}/share/files/")
    assert "From 24 judgments of 3 completed units" in files.text
    for table, export in exports.EXPORTS.items():
        for written in export.formats:
            for_spreadsheet = "?for=spreadsheet" if written == "csv" else ""
            assert f"/studies/{study.slug}/{table}.{written}{for_spreadsheet}" in files.links


def judged(*, evaluated: bool = True, **how: Any) -> Study:
    study, _ = judged_study(1, **how)
    if evaluated:
        evaluate(study)
    return study


def without_units() -> Study:
    study = make_study(opened=False)
    study.units.all().delete()
    return study


def badly_paid() -> Study:
    study = make_study(minimum_hourly_pay=1000)
    complete(study, "ada")
    return study


SAID: dict[str, tuple[Callable[[], Study], list[str]]] = {
    "no units": (without_units, ["0% of the units are done"]),
    "no runs": (
        lambda: judged(runs=0, units=2),
        [
            "2 units judged, but there is no run to rank",
            "units, completed by 2 workers",
            "Work and pay",
        ],
    ),
    "not evaluated yet": (
        lambda: judged(topics=2, units=1, evaluated=False),
        ["1 completed, 0 in progress", "The ranking appears here within seconds"],
    ),
    "one topic": (
        lambda: judged(topics=1, units=2),
        ["over 1 topic, and of fewer than 6 none is shown"],
    ),
    "pay below the minimum": (badly_paid, ["below the study's minimum"]),
}


@pytest.mark.parametrize("of", SAID)
def test_what_results_say_of_a_study_with(look, of):
    make, said = SAID[of]
    text = look(f"/studies/{make().slug}/").text
    assert [words for words in said if words not in text] == []


@pytest.mark.parametrize("opened", [False, True])
def test_results_of_a_study_without_data(look, at_desk, opened):
    study = make_study(opened=opened)
    page = look(f"/studies/{study.slug}/")
    assert "No unit is completed yet" in page.text
    assert f"0 in progress, {study.units.count()} free" in page.text
    assert ("The study is not open yet" in page.text) is not opened
    assert (f"/study/{study.slug}/" in page.links) is opened
    assert "Work and pay" not in page.text
    monitor = look(f"/studies/{study.slug}/monitor/").text
    assert "0% of the units are done" in monitor
    assert "Nobody is at work just now" in monitor
    assert "No check has failed yet" in monitor
    drawn = at_desk.get(f"/studies/{study.slug}/ranking.svg").content
    assert ElementTree.fromstring(drawn.decode()).tag == f"{SVG}svg"


def test_results_of_a_closed_study(look):
    study = judged(topics=2, units=3)
    close_study(study.slug)
    page = look(f"/studies/{study.slug}/")
    assert "The study is closed" in page.text
    assert "export it, or make the report" in page.text
    stored.bring_up_to_date()
    assert "Too little is judged to rank" in look(f"/studies/{study.slug}/").text


def test_what_is_not_judged_and_missing_topics_are_marked(look):
    study = make_study(topics=2, redundancy=1)  # four units
    add_runs(
        study,
        {
            "whole": {"401": [("D401-003", 1.0)], "402": [("D402-003", 1.0)]},
            "some": {"401": [("D401-003", 1.0), ("stranger", 0.5)]},
        },
    )
    for number in range(4):
        complete(study, f"worker-{number}")
    evaluate(study)
    text = look(f"/studies/{study.slug}/").text
    assert "50% 1 topic missing" in text
    assert "100%" in text


def test_names_that_look_like_html_stay_names(look):
    study = make_study(title="<b>bold</b> & so on")
    add_runs(study, {"<script>x</script>&amp;": {"401": [("D401-003", 1.0)]}})
    complete(study, "ada")
    evaluate(study)
    page = look(f"/studies/{study.slug}/")
    assert "<script>x</script>&amp;" in page.text
    assert "<b>bold</b> & so on" in page.text


def test_a_demo_says_so_and_has_no_payment(look):
    study = make_study(demo=True, payment=0)
    complete(study, "ada")
    for path in ("", "monitor/"):
        text = look(f"/studies/{study.slug}/{path}").text
        assert "Demo study: people and artificial workers together. Nothing is paid." in text
        assert "USD" not in text


# --- files and pictures -----------------------------------------------------------------------


@pytest.mark.parametrize("path", ["judgments.trec", "scores.csv", "qrels.xml", "ranking.png", "x"])
def test_other_files_are_not_there(at_desk, study, path):
    assert at_desk.get(f"/studies/{study.slug}/{path}").status_code == 404
    assert at_desk.get(f"/studies/nowhere/{path}").status_code == 404


@pytest.mark.parametrize("number", [1, 2])
def test_a_ranking_is_drawn_with_every_system(at_desk, study, number):
    response = at_desk.get(f"/studies/{study.slug}/ranking.svg?measure={MEASURES[number - 1]}")
    assert response["Content-Type"] == "image/svg+xml"
    text = response.content.decode()
    drawn = ElementTree.fromstring(text)
    assert drawn.tag == f"{SVG}svg"
    words = {unescape("".join(node.itertext())) for node in drawn.iter(f"{SVG}text")}
    ranking = results.ranking(study, parse(MEASURES[number - 1]))
    assert {system["run"] for system in ranking["results"]} <= words
    assert any(short(ranking["measure"]) in word for word in words)
    assert not [n for n in drawn.iter() if n.tag in (f"{SVG}script", f"{SVG}image", f"{SVG}style")]
    assert "http" not in text.replace("http://www.w3.org/", "")
    # It takes the colour of the text around it, in light and dark.
    assert "currentColor" in text


# --- monitor ----------------------------------------------------------------------------------


def test_the_monitor_shows_failures_by_check_topic_and_worker(look, study):
    text = look(f"/studies/{study.slug}/monitor/?open=all").text
    assert "(a) lines in order 1 1 1" in text
    assert "(b) question on the topic 1 1 1" in text
    assert "(c) relevant anchor above irrelevant one 1 1 1" in text
    assert "(d) seconds on every document 0 0 0" in text
    for failure in CheckFailure.objects.filter(assignment__study=study):
        assignment = failure.assignment
        query_id = assignment.study_topic.topic.query_id
        worker = assignment.worker.pseudonym
        assert f"{query_id} {query_id}-{assignment.unit.number} {worker} 1" in text
        assert f"{query_id} topic {query_id}" in text
        assert f"{worker} 1" in text


def test_one_worker_who_fails_twice_says_nothing_of_anchors(look):
    study = make_study(topics=3, redundancy=1)  # six units
    bad = Person(study, "bad").come_to_documents()
    topic, h_k = bad.assignment.study_topic, bad.position_of("h_k")
    bad.judge_up_to(8, scores={h_k: "0.1"}).wait(20)
    for _ in range(2):
        bad.finish(8, *(["0.1"] if h_k == 8 else []))
        bad.resume()
        bad.open(8)
    names = (f"worker-{number}" for number in count())
    while study.units.filter(free=True).exclude(study_topic=topic).exists():
        person = Person(study, next(names)).come_to_documents()
        if person.assignment.study_topic == topic:
            person.leave()
        else:
            person.judge_up_to(8).wait(20).finish()
    for path in ("", "monitor/"):
        assert f"Topic {topic.topic.query_id}: " not in look(f"/studies/{study.slug}/{path}").text
    assert "No topic has the 10 workers yet" in look(f"/studies/{study.slug}/monitor/").text


def test_the_monitor_keeps_failures_of_what_is_gone(look):
    study = make_study()
    person = Person(study, "hugo").come_to_documents()
    person.judge_up_to(8, seconds=1).wait(1).finish()
    person.leave()
    other = complete(study, "ada").assignment
    flow.withdraw(str(other.completion_code), timezone.now())
    text = look(f"/studies/{study.slug}/monitor/?open=all").text
    assert "(d) seconds on every document 1 1 1" in text
    assert "hugo 1 left" in text


def test_pages_of_the_staff_are_kept_nowhere(at_desk, study):
    for path in ("/studies/", f"/studies/{study.slug}/", f"/studies/{study.slug}/monitor/"):
        assert "no-store" in at_desk.get(path)["Cache-Control"]


# --- a collection ---------------------------------------------------------------------------------
def test_runs_come_fifty_a_page_sorted_over_all(at_desk):
    study = make_study()
    names = [f"D401-{n:03}" for n in range(14)]
    lists = ([(name, 1.0) for name in names[: 1 + n]] for n in range(60))
    add_runs(study, {f"run-{n:02}": {"401": ranked} for n, ranked in enumerate(lists)})
    address = f"/collections/{study.collection.slug}/"
    first, second = (
        at_desk.get(address, {"runs-sort": "-run", "runs-page": page}).content.decode()
        for page in (1, 2)
    )
    assert "60 runs" in first
    assert "1 to 50 of 60" in first
    assert first.index("run-59") < first.index("run-10")
    assert "run-09" not in first
    assert second.index("run-09") < second.index("run-00")
