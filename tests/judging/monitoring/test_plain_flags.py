"""Flags from the first unit on, which need no statistics."""

import json
from pathlib import Path
from typing import Any

import pytest

from judging.models import Judgment, Study, Visit
from judging.monitoring.signals.plain_flags import (
    normalised,
    one_reason,
    plain_flags,
    shared_reasons,
)
from judging.monitoring.signals.repeated_judgments import judgments
from judging.monitoring.watch import Watch
from tests.cast import Person
from tests.factory import NOON, make_study
from tests.factory.completed import complete
from tests.factory.crowds import simulate

LONG = "The text names the law and says whom it is for."


@pytest.mark.parametrize(
    ("reasons", "is_flagged"),
    [
        (["good"] * 8, True),
        (["Good.", " good", "GOOD!", "good", "good", "good", "good", "another"], True),
        (["good"] * 6 + ["another", "and another"], False),
        (["another"] + ["good"] * 7, False),  # H_k has a reason of its own
        (["good", "bad"] + ["good"] * 6, False),  # N_k
        (["good", "bad", "fair", "good", "bad", "fair", "good", "bad"], False),
    ],
)
def test_one_reason_for_all_or_all_but_one(reasons, is_flagged):
    words = map(normalised, reasons)  # H_k and N_k first
    assert bool(one_reason([1] * 8, [1] * 8, words)) is is_flagged


def test_a_long_reason_of_several_workers():
    short = "one two three four five six seven"
    given = [(1, LONG), (1, "another"), (2, LONG.upper()), (2, "another"), (3, short), (4, short)]
    own = [(5, LONG + " Indeed."), (5, LONG + " Indeed.")]
    workers, reasons = zip(*given, *own, strict=True)
    assert shared_reasons(workers, map(normalised, reasons)) == {1: 1, 2: 1}


# --- in a study -------------------------------------------------------------------------------
def give_reasons(person: Person, name: str) -> None:
    """A reason of its own for each document."""
    for judgment in Judgment.objects.filter(assignment__worker=person.worker):
        judgment.justification = f"{name} on {judgment.document.doc_id}"
        judgment.save()


@pytest.fixture
def study(db: None) -> Study:
    """Ada is careful; one gives one reason, one is quick, two share what they say."""
    study = make_study(topics=2, redundancy=6)
    for name in ("ada", "one", "cy", "di", "quick"):
        give_reasons(complete(study, name, seconds=21.9 if name == "quick" else 60), name)
    given = Judgment.objects.filter(assignment__study=study)
    given.filter(assignment__worker__pseudonym="one").update(justification="ok")
    shared = given.filter(assignment__worker__pseudonym__in=["cy", "di"], position=3)
    shared.update(justification=LONG)
    return study


def flags(study: Study) -> dict[str, list[str]]:
    names = dict(study.workers.values_list("pk", "pseudonym"))
    return {
        names[key]: sorted(rules) for key, rules in plain_flags(study, judgments(study)).items()
    }


def test_each_flag_is_for_the_one_it_should_tell(study: Study) -> None:
    assert flags(study) == {
        "one": ["one reason"],
        "cy": ["shared reason"],
        "di": ["shared reason"],
        "quick": ["least time"],
    }
    watch = Watch(study, NOON)
    assert {row.worker.name for row in watch.standouts} == {"one", "cy", "di", "quick"}


def test_who_failed_a_finish_before_or_stayed_once_is_not_too_quick(db: None) -> None:
    study = make_study(redundancy=6)
    late = complete(study, "late", seconds=21)
    visit = Visit.objects.filter(assignment__worker=late.worker, position=4)
    visit.update(closed_at=visit.get().opened_at.replace(minute=59))
    again = Person(study, "again").come_to_the_end(seconds=1)
    again.do("finish, resume")
    for page in range(8, 0, -1):
        again.do(f"open {page}, wait 21, back {page}")
    again.finish(1)
    assert again.assignment.state == "completed"
    assert "least time" not in str(flags(study))


def test_the_excluded_have_no_flag(study: Study) -> None:
    study.workers.update(excluded_at=NOON, exclusion_reason="a machine")
    study.topics.update(revision=99)
    assert flags(study) == {}


def test_pages_and_rest_show_them(study: Study, desk: Any) -> None:
    page = desk.page(f"/studies/{study.slug}/monitor/")
    assert "gave one reason for all documents, or all but one: 1 unit" in page
    page = desk.page(f"/studies/{study.slug}/monitor/workers/quick/")
    assert "left each document within 22 s at first: 1 unit" in page
    answer = desk.get(f"/api/v1/studies/{study.slug}/monitor/").json()
    found = {row["worker"]: row["reasons"] for row in answer["standouts"]}
    words = "gave a long reason in another worker’s words: 1 reason"
    assert found["cy"] == [{"rule": "shared reason", "words": words, "chance": None}]


@pytest.mark.parametrize("units", [10, pytest.param(20, marks=pytest.mark.whole)])
def test_of_careful_artificial_workers_hardly_any_has_a_flag(
    db: None, tmp_path: Path, units: int
) -> None:
    study = make_study(topics=2, documents=8, redundancy=units)
    truth = tmp_path / "truth.jsonl"
    simulate(study, workers=2 * units, truth=truth)
    rows = [json.loads(line) for line in truth.read_text().splitlines()]
    people = {row["pseudonym"]: row for row in rows if row["kind"] == "worker"}
    done = study.assignments.completed().values_list("worker__pseudonym", flat=True)
    careful = {name for name in done if not people[name]["is_careless"]}
    assert len(careful) > units / 2
    assert len(careful & set(flags(study))) <= 0.01 * len(careful)
