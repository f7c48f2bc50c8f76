"""The demo: its finished study has all that its pages are to find, the other takes people."""

from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client

from accounts.models import User
from crowd.reasons import TONES
from demo import make_runs
from evaluation.cache import stored
from evaluation.models import CachedAnalysis, Verdict
from evaluation.pages.cards import RESTS_ON
from judging.models import Assignment, Judgment, Study
from judging.monitoring.watch import Watch
from judging.states import LIVE
from tests.judging.invariants import broken
from web import clock
from workspace.archive.importing import import_archive
from workspace.management.commands.load_demo import FOLDER
from workspace.management.commands.load_demo import LIVE as LIVE_STUDY

pytestmark = pytest.mark.django_db
ARCHIVE = FOLDER / "finished.zip"
MEGABYTE = 1_000_000


@pytest.fixture
def finished() -> Study:
    return import_archive(ARCHIVE, by=None).study


def test_the_archive_is_small_and_whole(finished: Study) -> None:
    assert ARCHIVE.stat().st_size <= MEGABYTE
    assert (finished.stage, finished.mark) == ("closed", "simulated")
    assert finished.topics.count() == 12
    assert finished.collection.runs.count() == 14
    names = finished.collection.label_sets.order_by("name").values_list("name", flat=True)
    assert list(names) == ["reference", "second"]
    left = finished.units.count() - finished.assignments.completed().count()
    assert left == 0
    counts = finished.evaluation.topic_set.values_list("counts", flat=True)
    assert min(min(of_topic) for of_topic in counts) >= 10
    assert broken() == []


def test_the_monitor_finds_what_was_planted(finished: Study) -> None:
    watch = Watch(finished, clock.now())
    assert [one.topic.topic.query_id for one in watch.anchors.suspect] == ["911"]
    (careless,) = watch.standouts
    assert "reasons in words used before" in careless.reasons[0].words
    ends = sorted(finished.assignments.completed().values_list("finished_at", flat=True))
    stops = [late - early for early, late in pairwise(ends)]
    assert sum(stop > timedelta(hours=1) for stop in stops) == 1
    findings = Verdict.objects.filter(document__study_topic__study=finished)
    assert set(findings.values_list("finding", flat=True)) == {"labels", "crowd", "topic"}


def test_those_who_hold_with_other_labels_differ(finished: Study) -> None:
    """Of a document that the two label sets place at either end."""
    place = {"document__study_topic__topic__query_id": "908", "document__doc_id": "D140"}
    given = Judgment.objects.filter(assignment__study=finished, **place)
    reasons = given.values_list("justification", flat=True)
    of_tone = [sum(reason.startswith(tuple(tone.openings)) for reason in reasons) for tone in TONES]
    assert sum(of_tone[:2]) >= 3
    assert of_tone[-1] >= 3


def test_the_overview_has_an_answer_in_every_card(finished: Study, client: Client) -> None:
    stored.get_or_request(finished, RESTS_ON, finished.labels, clock.now())
    stored.bring_up_to_date()
    assert not CachedAnalysis.objects.exclude(fault="").exists()
    client.force_login(User.objects.create_superuser("rosa"))
    page = client.get(f"/studies/{finished.slug}/").content.decode()
    assert "is better than 11 of the other 13 systems" in page
    assert "too early" not in page
    assert "being computed" not in page
    assert "anchors of topic 911 may be bad" in page


def test_it_is_loaded_beside_a_study_to_judge_in_and_stays(capsys, settings, tmp_path) -> None:
    settings.VAR_DIR = tmp_path
    call_command("load_demo")
    first = capsys.readouterr().out
    assert '"study": "demo-live", "results": "demo"' in first
    live = Study.objects.get(slug=LIVE_STUDY)
    assert (live.stage, live.demo) == ("open", True)
    done = live.assignments.completed().count()
    assert done == round(live.units.count() * 2 / 3)
    assert not Assignment.objects.filter(study__slug="demo", state__in=LIVE).exists()
    Study.objects.get(slug="demo").delete()
    call_command("load_demo")
    assert capsys.readouterr().out == first.replace('"results": "demo"', '"results": "demo-live"')
    assert live.assignments.completed().count() == done


def test_the_runs_are_those_that_the_texts_give() -> None:
    for tag, topics in make_runs.make_runs().items():
        lines = Path(FOLDER / "runs" / f"{tag}.run").read_text().splitlines()
        stored_scores = {tuple(line.split()[::2][:2]): float(line.split()[4]) for line in lines}
        made = {(query, doc): score for query, of in topics.items() for doc, score in of.items()}
        assert made == pytest.approx(stored_scores, abs=1e-5)
