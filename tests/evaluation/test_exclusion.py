"""A worker is excluded: nothing is computed of their scores, and taking it back restores all."""

import random
from collections.abc import Iterator

import pytest

from evaluation.models import Ranking, TopicEvaluation
from evaluation.pipeline import bring_up_to_date, evaluate
from evaluation.publishing import exports
from evaluation.study.data import load
from judging import flow
from judging.models import Assignment, Study, Worker
from judging.monitoring.watch import Watch
from judging.studies import table_one
from judging.studies.conduct.batches import add_batch, short_of_judgments
from judging.studies.conduct.closing import close_study
from judging.studies.conduct.exclusion import MAX_REASON_LENGTH, exclude, take_back_exclusion
from judging.studies.conduct.stages import CannotRun
from tests.cast import Person, ada
from tests.factory import NOON, later, make_study
from tests.factory.completed import complete, judged_study, random_scores
from tests.judging.invariants import broken

TABLES = ("qrels", "rankings", "crowdkit")


@pytest.fixture
def study(db: None) -> Study:
    study = judged_study(units=8)[0]
    evaluate(study)
    return study


@pytest.fixture
def careless(study: Study) -> Worker:
    return study.workers.get(pseudonym="worker-02")


def computed(study: Study) -> dict[str, object]:
    """All that is computed of scores, to the last bit."""
    of_topics = TopicEvaluation.objects.filter(evaluation__study=study).order_by("study_topic")
    names = ("assignments", "gamma_u", "normalised", "documents", "gains", "counts", "gamma")
    rankings = Ranking.objects.filter(evaluation__study=study).order_by("measure")
    return {
        "topics": [*of_topics.values_list(*names)],
        "rankings": [
            {k: v for k, v in row.items() if k not in ("id", "evaluation_id")}
            for row in rankings.values()
        ],
        **{name: [*exports.lines(study, name, "jsonl")] for name in TABLES},
        "analyses": [topic.scores.tolist() for topic in load(study).topics],
        "unanimity": [*exports.lines(study, "qrels", "jsonl", gains="unanimity:0.2")],
    }


def test_rankings_are_those_of_the_data_without_the_worker(study: Study, careless: Worker) -> None:
    before = computed(study)
    exclude(careless, "all in one minute", None)
    assert bring_up_to_date() == 1
    without = computed(study)
    assert without != before
    flow.withdraw(careless.assignments.codes()[0], later(900))
    assert bring_up_to_date() == 1
    assert computed(study) == without, "as if the unit had never been"


def test_taking_it_back_restores_all(study: Study, careless: Worker) -> None:
    before = computed(study)
    exclude(careless, "all in one minute", None)
    bring_up_to_date()
    take_back_exclusion(careless, None)
    assert bring_up_to_date() == 1
    assert computed(study) == before
    entries = study.trail.order_by("pk").values_list("action", "details")
    assert [*entries][-2:] == [
        ("excluded", {"worker": "worker-02", "reason": "all in one minute"}),
        ("took back exclusion", {"worker": "worker-02"}),
    ]


def test_the_unit_stays_completed_and_paid(study: Study, careless: Worker) -> None:
    paid = table_one.pay(study)
    exclude(careless, "pasted", None)
    unit = careless.assignments.get()
    assert unit.state == "completed"
    assert unit.completion_code
    assert not unit.unit.free
    assert table_one.pay(study) == paid
    assert broken() == []


def rows(study: Study, table: str) -> Iterator[dict]:
    export = exports.exports_of(study)[table]
    return iter(export.rows(study))


def test_files_say_who_is_excluded(study: Study, careless: Worker) -> None:
    exclude(careless, "pasted", None)
    bring_up_to_date()
    for table, scaled in (("judgments", "normalised"), ("units", "gamma_u")):
        for row in rows(study, table):
            assert row["excluded"] == (row["worker"] == "worker-02")
            assert (row[scaled] is None) == row["excluded"]
            assert row["batch"] is None
    assert "worker-02" not in {row["worker"] for row in rows(study, "crowdkit")}
    total = table_one.total(table_one.table1(study))
    assert (total["completed"], total["excluded"], total["back_0"]) == (7, 1, 7)


def test_figures_of_quality_leave_them_out(study: Study, careless: Worker) -> None:
    assert len(Watch(study, later(900)).reading.seconds) == 64
    exclude(careless, "pasted", None)
    assert len(Watch(study, later(900)).reading.seconds) == 56
    tallies = {tally.name: tally for tally in Watch(study, NOON).workers}
    assert [name for name, tally in tallies.items() if tally.excluded] == ["worker-02"]


def test_with_a_topics_only_worker_its_ranking_goes(db: None) -> None:
    study = judged_study(topics=1, units=1)[0]
    evaluate(study)
    exclude(study.workers.get(), "pasted", None)
    bring_up_to_date()
    assert not Ranking.objects.filter(evaluation__study=study).exists()
    take_back_exclusion(study.workers.get(), None)
    bring_up_to_date()
    assert Ranking.objects.filter(evaluation__study=study).exists()


def test_a_batch_makes_up_for_the_worker(db: None) -> None:
    rng = random.Random(3)
    study = judged_study(topics=1, units=4, runs=2)[0]
    worker = study.workers.get(pseudonym="worker-02")
    exclude(worker, "pasted", None)
    batch = add_batch(study, short_of_judgments(study), 1, None, all_judgments=False)
    new = complete(study, "new", random_scores(rng)).assignment
    assert new.unit.batch == batch
    evaluate(study)
    (topic,) = TopicEvaluation.objects.all()
    assert new.pk in topic.assignments
    assert min(topic.counts) >= study.redundancy
    take_back_exclusion(worker, None)
    bring_up_to_date()
    (topic,) = TopicEvaluation.objects.all()
    assert new.pk not in topic.assignments, "it goes beyond the redundancy again"


# --- who is excluded, and how -------------------------------------------------------------------
def test_they_begin_nothing_more_and_finish_what_they_have(db: None) -> None:
    study = make_study(topics=2)
    worker = ada(study).come_to_the_end()
    assert worker.worker
    exclude(worker.worker, "pasted", None)
    worker.finish()
    assert worker.assignment.completion_code
    assert worker.begin() == "final"
    evaluate(study)
    assert not TopicEvaluation.objects.filter(units__gt=0).exists()
    take_back_exclusion(worker.worker, None)
    assert worker.begin() is None


def test_twice_is_once(study: Study, careless: Worker) -> None:
    exclude(careless, "pasted", None)
    first = Worker.objects.get(pk=careless.pk).excluded_at
    assert exclude(careless, "other words", None).excluded_at == first
    take_back_exclusion(careless, None)
    take_back_exclusion(careless, None)
    assert study.trail.filter(action__in=("excluded", "took back exclusion")).count() == 2


def test_a_reason_is_wanted(db: None) -> None:
    worker = complete(make_study(), "carl").worker
    assert worker
    for reason in ("", "  ", "x" * (MAX_REASON_LENGTH + 1)):
        with pytest.raises(CannotRun, match="Say why") as refusal:
            exclude(worker, reason, None)
        assert refusal.value.faults[0].where == ("reason",)


def test_a_closed_study_may_exclude(study: Study, careless: Worker) -> None:
    close_study(study.slug)
    exclude(careless, "pasted", None)
    assert Assignment.objects.completed().not_excluded().filter(study=study).count() == 7
    assert Person(study, "late").begin() == "closed"
