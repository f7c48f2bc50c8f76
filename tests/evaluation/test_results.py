"""Publication as others see it: whole, one at a time, and never half."""

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from scipy.stats import kendalltau

from evaluation import pipeline, results
from evaluation.pipeline import bring_up_to_date, evaluate
from evaluation.publishing import exports, named_gains, pair_gains
from evaluation.publishing.judgment_rows import judgments
from evaluation.tasks import bring_up_to_date as tick
from judging.models import Study
from judging.studies.unit_plans import plan
from magnitudes.measures.names import parse
from tests.acceptance import naive
from tests.database import Elsewhere
from tests.factory import make_study
from tests.factory.completed import complete, graded_study, judged_study, random_scores
from tests.factory.runs import add_runs, naive_lists

pytestmark = pytest.mark.django_db(transaction=True)
JK = pipeline.MEASURES[0]


@contextmanager
def held_up(monkeypatch: pytest.MonkeyPatch, name: str) -> Iterator[tuple[Any, Any]]:
    """The first call of a function of the pipeline says that it has come, and waits to go on."""
    come, go_on = threading.Event(), threading.Event()
    function = getattr(pipeline, name)

    def wait_first(*args: Any) -> Any:
        if not come.is_set():
            come.set()
            assert go_on.wait(20)
        return function(*args)

    monkeypatch.setattr(pipeline, name, wait_first)
    try:
        yield come, go_on
    finally:
        go_on.set()


def seen(study: Study) -> dict[str, Any]:
    """All that a reader sees of what is published."""
    return {
        "rankings": [results.ranking(study, parse(name)) for name in pipeline.MEASURES],
        "gains": pair_gains.gains(study),
        "exported": list(exports.lines(study, "rankings", "csv")),
    }


def test_a_publication_is_seen_as_a_whole_or_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    study, _ = judged_study(1, topics=2, units=4)
    evaluate(study)
    before = seen(study)
    complete(study, "one more")
    with held_up(monkeypatch, "_rank") as (come, go_on):
        writer = Elsewhere(bring_up_to_date)
        assert come.wait(20)
        # New gains and values are written, the ranking is not: none of it is to be seen.
        assert seen(study) == before
        go_on.set()
        assert writer.result() == 1
    after = seen(study)
    assert after["rankings"][0]["source"]["evaluation"] == 2
    assert after["rankings"][0]["source"]["units"] == 5
    for name in before:
        assert after[name] != before[name]


@pytest.mark.parametrize(
    ("within", "measure"),
    [("source", JK), ("topics_of", "nDCG@3"), ("_measure", "nDCG@3"), ("source", "nDCG@3")],
)
def test_a_ranking_is_of_one_publication_whatever_is_published_meanwhile(
    monkeypatch: pytest.MonkeyPatch, within: str, measure: str
) -> None:
    study, _ = judged_study(1, topics=2, units=3)
    evaluate(study)
    before = results.ranking(study, parse(measure))
    function = getattr(results, within)

    def publish() -> None:
        complete(study, "one more")
        add_runs(study, {"newcomer": {"401": [("D401-003", 1.0)]}})
        bring_up_to_date()

    def publish_first(*args: Any) -> Any:
        monkeypatch.undo()
        Elsewhere(publish).result()
        return function(*args)

    monkeypatch.setattr(results, within, publish_first)
    assert results.ranking(study, parse(measure)) == before
    after = results.ranking(study, parse(measure))
    assert after["source"]["evaluation"] == 2
    assert "newcomer" in {system["run"] for system in after["results"]}


@pytest.mark.parametrize("graded", [False, True])
def test_what_is_read_and_what_is_computed_are_equal_to_the_bit(graded: bool) -> None:
    study = graded_study(1)[0] if graded else judged_study(1, topics=3, units=7)[0]
    evaluate(study)
    header = results.published(study)
    assert header
    for name in pipeline.MEASURES:
        read = results.table(study, parse(name)).ranked
        gain = named_gains.named(study)
        computed = results.computed(
            study, parse(name).in_study(), gain, results.of_runs(header.runs)
        )
        assert read
        assert computed
        assert read.query_ids == computed.query_ids
        for was, now in zip(read[1:], computed[1:], strict=True):
            assert was.dtype == now.dtype
            assert was.tobytes() == now.tobytes()


def test_a_published_ranking_is_read_by_one_query() -> None:
    study, _ = judged_study(1, topics=2, units=3)
    evaluate(study)
    with CaptureQueriesContext(connection) as queries, transaction.atomic():
        assert results.table(study, parse(JK)).ranked
    asked = [query["sql"] for query in queries if query["sql"].startswith("SELECT")]
    assert len(asked) == 1


def test_a_file_is_of_one_publication_whatever_is_published_meanwhile() -> None:
    study, _ = judged_study(1, topics=2, units=3)
    evaluate(study)
    before = list(exports.lines(study, "rankings", "csv"))
    lines = exports.lines(study, "rankings", "csv")
    begun = [next(lines)]

    def publish() -> None:
        complete(study, "one more")
        evaluate(study)

    Elsewhere(publish).result()
    assert [*begun, *lines] == before
    assert not connection.in_atomic_block
    assert list(exports.lines(study, "rankings", "csv")) != before


def test_readers_and_writers_at_once_agree_on_every_publication() -> None:
    study, _ = judged_study(1, topics=2, units=2, redundancy=4)
    evaluate(study)
    published = {1: results.ranking(study, parse(JK))}
    done = threading.Event()

    def read() -> list[dict[str, Any]]:
        found = []
        while not done.is_set():
            found.append(results.ranking(study, parse(JK)))
        return found

    readers = [Elsewhere(read) for _ in range(2)]
    for number in range(2, 8):
        complete(study, f"more-{number}")
        header = evaluate(study)
        assert header
        published[header.number] = results.ranking(study, parse(JK))
    done.set()
    found = [ranking for reader in readers for ranking in reader.result()]
    assert len({ranking["source"]["evaluation"] for ranking in found}) > 1
    for ranking in found:
        assert ranking == published[ranking["source"]["evaluation"]]


def test_a_task_that_dies_in_the_middle_leaves_the_old_publication(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study, _ = judged_study(1, topics=2, units=3)
    tick()
    before = seen(study)
    complete(study, "one more")

    def die(*args: object) -> None:
        raise SystemExit

    monkeypatch.setattr(pipeline, "_rank", die)
    with pytest.raises(SystemExit):
        tick()
    assert seen(study) == before
    monkeypatch.undo()
    assert tick() == 1
    assert results.published(study).units == 4  # type: ignore[union-attr]


def test_of_two_evaluations_at_once_the_second_leaves_it_to_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study, _ = judged_study(1, topics=1, units=2)
    other, _ = judged_study(2, topics=1, units=1)
    with held_up(monkeypatch, "_rank") as (come, go_on):
        first = Elsewhere(lambda: evaluate(study))
        assert come.wait(20)
        assert evaluate(study) is None
        assert bring_up_to_date() == 1  # the other study, which nobody is at
        recompute = Elsewhere(lambda: evaluate(study, everything=True))
        recompute.join(0.3)
        assert recompute.is_alive()
        go_on.set()
        assert first.result().number == 1
        assert recompute.result().number == 2
    assert bring_up_to_date() == 0
    assert results.published(other).number == 1  # type: ignore[union-attr]


def test_what_is_completed_while_a_study_is_evaluated_is_found_by_the_next_tick(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study, _ = judged_study(1, topics=1, units=2)
    with held_up(monkeypatch, "_rank") as (come, go_on):
        first = Elsewhere(bring_up_to_date)
        assert come.wait(20)
        complete(study, "meanwhile")  # the evaluation makes nobody wait
        go_on.set()
        assert first.result() == 1
    assert results.published(study).units == 2  # type: ignore[union-attr]
    assert bring_up_to_date() == 1
    assert results.published(study).units == 3  # type: ignore[union-attr]


def test_many_ticks_at_once_publish_what_there_is() -> None:
    study, _ = judged_study(1, topics=2, units=3)
    for thread in [Elsewhere(bring_up_to_date) for _ in range(6)]:
        thread.result()
    bring_up_to_date()
    assert results.published(study).units == 3  # type: ignore[union-attr]
    anew = seen(study)["rankings"][0]["results"]
    evaluate(study, everything=True)
    assert seen(study)["rankings"][0]["results"] == anew


def test_a_version_changes_with_the_data_the_publication_and_the_plan() -> None:
    draft = make_study(opened=False)
    versions = [results.version(draft)]
    plan(draft, seed=1)
    versions.append(results.version(draft))
    study, _ = judged_study(1, units=1)
    versions.append(results.version(study))
    evaluate(study)
    versions.append(results.version(study))
    complete(study, "one more")
    versions.append(results.version(study))
    evaluate(study)
    versions.append(results.version(study))
    assert len(set(versions)) == len(versions)
    assert results.version(study) == versions[-1]


def test_gains_under_other_schemes_follow_the_judgments() -> None:
    study, _ = judged_study(1, topics=1, units=3)
    evaluate(study)
    complete(study, "one more", random_scores(random.Random(3)))
    rows = [dict(row) for row in judgments(study)]
    scores: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        scores.setdefault((row["query_id"], row["doc_id"]), []).append(row["score"])
    for aggregation, mean in (("median", naive.median), ("arithmetic", naive.mean)):
        assert {
            (gain.query_id, gain.doc_id): gain.gain
            for gain in pair_gains.gains(study, "none", aggregation)
        } == pytest.approx({pair: mean(given) for pair, given in scores.items()}, rel=1e-12)
    everything = {
        (normalisation, aggregation): [
            gain.gain for gain in pair_gains.gains(study, normalisation, aggregation)
        ]
        for normalisation in pair_gains.NORMALISATIONS
        for aggregation in pair_gains.AGGREGATIONS
    }
    assert len({tuple(gains) for gains in everything.values()}) == len(everything)


def test_how_the_order_by_err_depends_on_the_size_of_the_gains() -> None:
    study, runs = judged_study(3, topics=2, units=6, runs=8)
    evaluate(study)
    gains = naive.gains([dict(row) for row in judgments(study)])
    lists = naive_lists(runs)

    def means(factor: float) -> list[float]:
        scaled = {
            query_id: {doc_id: factor * gain for doc_id, gain in known.items()}
            for query_id, known in gains.items()
        }
        by_run = naive.values(scaled, lists)["ERR@10"]
        return [round(by_run[run]["all"], 12) for run in sorted(by_run)]

    found = dict(results.err_by_factor(study, parse("ERR@10")))
    assert set(found) == set(results.FACTORS)
    for factor, tau in found.items():
        assert tau == pytest.approx(kendalltau(means(1.0), means(factor)).statistic)
    assert results.err_by_factor(make_study(), parse("ERR@10")) == []
