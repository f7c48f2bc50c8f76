"""Artificial workers who come through flow: the whole plan, by a clock of their own."""

import json
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from crowd import through_flow, world
from crowd.people import Crowd
from judging import flow
from judging.flow.admission import Arrival
from judging.flow.ending import AlreadyRunning, own_clock
from judging.models import Assignment, Judgment, Study, Worker
from tests.cast import Person
from tests.database import Elsewhere
from tests.factory import SCALES, make_study
from tests.factory.crowds import simulate
from tests.judging.invariants import broken

pytestmark = pytest.mark.django_db


def scores(study: Study) -> dict[tuple[str, str], str]:
    """What everybody gave in the first place, by worker and document."""
    given = Judgment.objects.filter(assignment__study=study, assignment__failed_finishes=0)
    rows = given.values_list("assignment__worker__pseudonym", "document__doc_id", "score_text")
    return {(worker, doc_id): text for worker, doc_id, text in rows}


def check_truth(path: Path, study: Study) -> None:
    """The file has every pair and every worker who came."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    kinds = Counter(row["kind"] for row in rows)
    assert kinds["pair"] == 28
    assert kinds["worker"] >= Worker.objects.filter(study=study).count() > 0
    anchors = [row for row in rows if row.get("is_anchor")]
    assert {row["log_gain"] for row in anchors} == {0.0, 1.61}
    known = set(study.workers.values_list("pseudonym", flat=True))
    assert known <= {row["pseudonym"] for row in rows if row["kind"] == "worker"}


@pytest.mark.parametrize("scale", SCALES)
def test_a_crowd_completes_the_plan_and_its_truth_is_written(
    db: None, tmp_path: Path, scale: dict[str, Any]
) -> None:
    study = make_study(topics=2, redundancy=2, check_before_finish=bool(scale), **scale)
    before = timezone.now()
    truth = tmp_path / "truth.jsonl"
    assert simulate(study, truth=truth).startswith("8 of 8 units are complete")
    check_truth(truth, study)
    assert broken() == []
    study.refresh_from_db()
    assert study.mark == "simulated"
    assert set(study.workers.values_list("simulated", flat=True)) == {True}
    done = Assignment.objects.filter(study=study, state="completed")
    assert done.count() == 8
    assert not Assignment.objects.filter(study=study, state="judging").exists()
    spans = list(done.values_list("started_at", "finished_at"))
    assert all(timedelta(minutes=2) < end - start for start, end in spans)
    assert max(end for _, end in spans) < before + timedelta(hours=1)
    assert any(a < d and c < b for a, b in spans for c, d in spans if (a, b) != (c, d))  # at once


@pytest.mark.whole
def test_what_a_worker_gives_does_not_depend_on_who_else_is_there(db: None) -> None:
    studies = [make_study(topics=4, redundancy=6) for _ in range(2)]
    for study, workers in zip(studies, (2, 30), strict=True):
        simulate(study, workers=workers)
    few, many = map(scores, studies)
    both = few.keys() & many.keys()
    assert len(both) > 40  # who comes to which unit is drawn anew each time
    assert {key: few[key] for key in both} == {key: many[key] for key in both}


def test_a_limit_that_ends_it_is_said(db: None) -> None:
    study = make_study(topics=2, redundancy=2)
    with pytest.raises(CommandError, match=r"not complete: \d+ units are left. --limit 2 ended"):
        simulate(study, limit=2)
    assert Worker.objects.filter(study=study).count() <= 2
    assert broken() == []
    # The same crowd goes on where it stopped, with workers who have not been here yet.
    assert simulate(study).startswith("8 of 8")


def test_who_is_refused_is_told_why(db: None) -> None:
    with pytest.raises(CommandError, match="There is no study nowhere"):
        call_command("simulate_crowd", "nowhere", workers=1, seed=1)
    with pytest.raises(CommandError, match="is draft; expected an open one"):
        simulate(make_study(opened=False))
    with pytest.raises(CommandError, match="--speedup goes with --over-http"):
        simulate(make_study(), speedup=2.0)
    judged = make_study()
    Person(judged).begin()
    with pytest.raises(CommandError, match="has been judged by people"):
        simulate(judged)


def test_a_crowd_stops_at_what_is_wanted_or_when_the_study_closes(db: None) -> None:
    study = make_study(topics=2, redundancy=5, demo=True, payment=0)
    crowd = Crowd(world.read(study, 1))
    told: list[int] = []
    through_flow.run(crowd, 3, timezone.now(), told.append, target=7)
    assert crowd.completed() == 7
    assert told == list(range(1, 8))
    assert not Assignment.objects.filter(study=study, state__in=["practice", "judging"]).exists()
    assert Person(study).begin() is None
    Study.objects.filter(pk=study.pk).update(stage="closed", closed_at=timezone.now())
    through_flow.run(crowd, 3, timezone.now(), told.append)
    assert crowd.completed() == 7


@pytest.mark.django_db(transaction=True)
def test_nothing_expires_while_a_study_has_a_clock_of_its_own() -> None:
    study = make_study()
    now = timezone.now()
    flow.expire_overdue(now)
    flow.admit(study, Arrival("robot", simulated=True), now - timedelta(days=2))
    with own_clock(study):
        assert Elsewhere(lambda: flow.expire_overdue(now)).result() == 0
        with pytest.raises(AlreadyRunning, match="Another crowd"):
            Elsewhere(lambda: own_clock(study).__enter__()).result()
    assert flow.expire_overdue(now) == 1


def test_a_crowd_stops_when_the_study_has_all_the_people_it_takes(db: None) -> None:
    study = make_study(topics=2, redundancy=4, most_workers=3, newcomers_a_day=1)
    with pytest.raises(CommandError, match="The study takes 3 people at most"):
        simulate(study)
    assert study.workers.filter(assignments__state="completed").distinct().count() == 3
    assert broken() == []
