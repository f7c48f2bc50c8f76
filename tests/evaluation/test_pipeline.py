"""From completed units to published rankings, in a real database."""

import random
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from evaluation import pipeline, results, waiting
from evaluation.models import Evaluation, TopicEvaluation
from evaluation.pipeline import bring_up_to_date, evaluate
from evaluation.publishing import exports, pair_gains
from evaluation.publishing.judgment_rows import judgments
from judging import completed, flow
from judging.models import Assignment, Study
from magnitudes.measures.names import parse
from tests.acceptance import naive
from tests.factory import make_study
from tests.factory.completed import by_role, complete, judged_study, random_scores
from tests.factory.runs import Runs, add_runs, naive_lists, random_runs

pytestmark = pytest.mark.django_db
NEAR = 1e-12
JK, ERR = pipeline.MEASURES


def published(study: Study) -> dict[str, Any]:
    """All that is published of a study but for when and how often; doubles as they are."""
    header = Evaluation.objects.get(study=study)
    return {
        "header": (header.runs, header.topics, header.units, header.judgments),
        "versions": (header.collection_revision, header.code_version),
        "topics": {
            topic.study_topic_id: (
                *(topic.revision, topic.gamma, topic.assignments, topic.gamma_u),
                *(topic.normalised, topic.documents, topic.gains, topic.counts),
            )
            for topic in header.topic_set.all()
        },
        "rankings": sorted(
            header.rankings.values_list(
                *("measure", "query_ids", "values", "judged", "means", "lows", "highs", "ranks"),
                *("shares", "missing"),
            )
        ),
    }


def computed_anew(study: Study) -> dict[str, Any]:
    """What would be published if all were computed anew; nothing is."""
    with transaction.atomic():
        evaluate(study, everything=True)
        anew = published(study)
        transaction.set_rollback(True)
    return anew


def systems(study: Study, measure: str = JK) -> dict[str, dict[str, Any]]:
    """The ranking by run."""
    ranking = results.ranking(study, parse(measure))
    return {system["run"]: system for system in ranking["results"]}


def naive_values(study: Study, runs: Runs) -> dict[str, dict[str, dict[str, float]]]:
    """The values by plain loops, from the judgments as they are exported."""
    return naive.values(naive.gains([dict(row) for row in judgments(study)]), naive_lists(runs))


@pytest.mark.parametrize("seed", range(3))
def test_values_equal_those_of_plain_loops(seed: int) -> None:
    study, runs = judged_study(seed, topics=3, units=7)
    evaluate(study)
    expected = naive_values(study, runs)
    assert {str(parse(name)) for name in expected} == set(pipeline.MEASURES)
    for measure, by_run in expected.items():
        for run, system in systems(study, measure).items():
            values = {topic["query_id"]: topic["value"] for topic in system["topics"]}
            values["all"] = system["mean"]
            assert values == pytest.approx(by_run.pop(run), rel=NEAR, abs=NEAR)
        assert not by_run


def test_gains_and_normalised_scores_equal_those_of_plain_loops() -> None:
    study, _ = judged_study(5, units=6)
    evaluate(study)
    rows = [dict(row) for row in judgments(study)]
    expected = naive.gains(rows)
    found = pair_gains.gains(study)
    assert [(gain.query_id, gain.doc_id) for gain in found] == sorted(
        (query_id, doc_id) for query_id, documents in expected.items() for doc_id in documents
    )
    for gain in found:
        assert gain.gain == pytest.approx(expected[gain.query_id][gain.doc_id], rel=NEAR)
        scores = [r for r in rows if (r["query_id"], r["doc_id"]) == (gain.query_id, gain.doc_id)]
        assert gain.count == len(scores)
        assert gain.gain == pytest.approx(naive.median([r["normalised"] for r in scores]), rel=NEAR)


@pytest.mark.parametrize("seed", range(3))
def test_grown_step_by_step_is_the_same_as_computed_anew_to_the_last_bit(seed: int) -> None:
    rng = random.Random(seed)
    study = make_study(topics=3, redundancy=3)
    add_runs(study, random_runs(study, rng, 4))
    codes: list[str] = []
    for step in range(8):
        for _ in range(rng.randint(1, 2)):
            if codes and rng.random() < 0.35:
                flow.withdraw(codes.pop(rng.randrange(len(codes))), timezone.now())
            else:
                person = complete(study, f"worker-{step}-{rng.random()}", random_scores(rng))
                codes.append(str(person.assignment.completion_code))
        if rng.random() < 0.2:
            add_runs(study, random_runs(study, rng, 1))
        assert bring_up_to_date() == 1
        assert published(study) == computed_anew(study)
        assert bring_up_to_date() == 0
    for code in codes:
        flow.withdraw(code, timezone.now())
    bring_up_to_date()
    assert published(study) == computed_anew(study)


def test_the_order_of_completion_makes_no_difference_to_the_last_bit() -> None:
    study, _ = judged_study(2, topics=2, units=6)
    evaluate(study)
    before = published(study)
    ended = list(Assignment.objects.filter(study=study).values_list("finished_at", flat=True))
    for assignment, other in zip(study.assignments.order_by("-id"), ended, strict=True):
        Assignment.objects.filter(pk=assignment.pk).update(finished_at=other)
    evaluate(study, everything=True)
    assert published(study)["rankings"] == before["rankings"]


def test_only_topics_with_new_data_are_computed() -> None:
    study, _ = judged_study(3, topics=2, units=5)
    evaluate(study)
    before = {topic.study_topic_id: topic.pk for topic in TopicEvaluation.objects.all()}
    person = complete(study, "one more")
    evaluate(study)
    after = {topic.study_topic_id: topic.pk for topic in TopicEvaluation.objects.all()}
    changed = {key for key in after if before.get(key) != after[key]}
    assert changed == {person.assignment.study_topic_id}


def test_recompute_computes_all() -> None:
    study, _ = judged_study(3, topics=2, units=4)
    evaluate(study)
    before = published(study)
    TopicEvaluation.objects.update(gamma=0.5)
    evaluate(study)
    assert published(study) != before
    evaluate(study, everything=True)
    assert published(study) == before


def test_there_is_nothing_to_do_without_a_completed_unit() -> None:
    study = make_study()
    make_study(opened=False)
    assert bring_up_to_date() == 0
    assert results.published(study) is None
    assert results.ranking(study, parse(JK)) == {
        "study": study.slug,
        "crowd": "people",
        "measure": JK,
        "gains": "magnitude",
        "topics": 0,
        "interim": "",
        "source": None,
        "results": [],
    }


def test_recompute_before_anything_is_completed() -> None:
    header = evaluate(make_study(), everything=True)
    assert header
    assert (header.number, header.units, header.topics, header.judgments) == (1, 0, 0, 0)
    assert bring_up_to_date() == 0


def test_without_a_run_there_are_gains_and_no_ranking() -> None:
    study, _ = judged_study(1, runs=0, units=2)
    assert bring_up_to_date() == 1
    assert len(pair_gains.gains(study)) >= 8
    ranking = results.ranking(study, parse(JK))
    assert ranking["results"] == []
    assert ranking["source"]["units"] == 2
    assert list(exports.rankings(study)) == []


def test_each_publication_has_a_number_and_says_what_it_holds() -> None:
    study, _ = judged_study(1, topics=2, units=3)
    evaluate(study)
    first = results.source(results.published(study))
    complete(study, "one more")
    evaluate(study)
    second = results.source(results.published(study))
    assert first
    assert second
    assert (first["evaluation"], second["evaluation"]) == (1, 2)
    assert (first["units"], first["judgments"]) == (3, 24)
    assert (second["units"], second["judgments"]) == (4, 32)
    assert sum(second["revisions"].values()) == 4
    assert second["computed_at"] > first["computed_at"]


# --- runs that come later ---------------------------------------------------------------------


def test_a_run_imported_later_is_picked_up_on_every_topic() -> None:
    study, runs = judged_study(4, units=6)
    bring_up_to_date()
    more = {"a-newcomer": random_runs(study, random.Random(9), 1).popitem()[1]}
    add_runs(study, more)
    assert bring_up_to_date() == 1
    expected = naive_values(study, {**runs, **more})[JK]
    assert {run: s["mean"] for run, s in systems(study).items()} == pytest.approx(
        {run: values["all"] for run, values in expected.items()}, rel=NEAR
    )
    assert published(study) == computed_anew(study)


def test_a_list_that_a_run_gets_later_is_picked_up() -> None:
    study = make_study(topics=2, redundancy=1)  # four units
    add_runs(study, {"half": {"401": [("D401-003", 1.0)]}})
    for number in range(4):
        complete(study, f"worker-{number}")
    bring_up_to_date()
    assert systems(study)["half"]["missing_topics"] == 1
    add_runs(study, {"half": {"402": [("D402-003", 1.0)]}})
    assert bring_up_to_date() == 1
    assert systems(study)["half"]["missing_topics"] == 0


def test_the_same_runs_again_change_nothing() -> None:
    study, runs = judged_study(4, units=2)
    bring_up_to_date()
    add_runs(study, runs)
    assert bring_up_to_date() == 0


def test_runs_that_come_while_a_study_is_evaluated_are_measured_on_all_topics(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study, _ = judged_study(4, topics=2, units=4)
    evaluate(study)
    complete(study, "one more")
    read_runs = completed.runs

    def import_first(study: Study) -> tuple[list[int], list[str]]:
        add_runs(study, {"just-now": {"401": [("D401-003", 1.0)]}})
        return read_runs(study)

    monkeypatch.setattr(completed, "runs", import_first)
    evaluate(study)
    assert len(systems(study)["just-now"]["topics"]) == 2
    monkeypatch.undo()
    bring_up_to_date()
    assert published(study) == computed_anew(study)


def test_another_version_of_the_code_computes_all_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    study, _ = judged_study(3, units=4)
    bring_up_to_date()
    keys = set(TopicEvaluation.objects.values_list("pk", flat=True))
    for module in (pipeline, waiting):
        monkeypatch.setattr(module, "VERSION", "a later one")
    assert bring_up_to_date() == 1
    assert keys.isdisjoint(TopicEvaluation.objects.values_list("pk", flat=True))
    assert results.published(study).code_version == "a later one"  # type: ignore[union-attr]


# --- withdrawal -------------------------------------------------------------------------------


def test_a_topic_whose_last_unit_is_withdrawn_leaves_the_mean() -> None:
    study = make_study(topics=2, redundancy=1)
    add_runs(
        study,
        {
            "good": {"401": [("D401-003", 1.0)], "402": [("D402-003", 1.0)]},
            "half": {"401": [("D401-003", 1.0)]},
        },
    )
    persons = [complete(study, f"worker-{number}") for number in range(4)]
    evaluate(study)
    before = systems(study)
    assert before["half"]["mean"] == pytest.approx(before["good"]["mean"] / 2)
    for person in persons:
        if person.assignment.study_topic.topic.query_id == "402":
            flow.withdraw(str(person.assignment.completion_code), timezone.now())
    assert bring_up_to_date() == 1
    after = systems(study)
    assert after["half"]["mean"] == after["good"]["mean"] == before["good"]["topics"][0]["value"]
    assert [topic["query_id"] for topic in after["good"]["topics"]] == ["401"]
    assert after["good"]["low"] is after["good"]["high"] is None
    assert {gain.query_id for gain in pair_gains.gains(study)} == {"401"}
    source = results.source(results.published(study))
    assert source
    assert source["units"] == 2
    assert list(source["revisions"]) == ["401", "402"]


def test_when_every_unit_is_withdrawn_no_ranking_is_left() -> None:
    study, _ = judged_study(1, topics=1, units=2)
    evaluate(study)
    for assignment in study.assignments.all():
        flow.withdraw(str(assignment.completion_code), timezone.now())
    assert bring_up_to_date() == 1
    assert systems(study) == {}
    assert pair_gains.gains(study) == []
    assert pair_gains.gains(study, "anchors", "arithmetic") == []
    assert results.ranking(study, parse("nDCG@3"))["topics"] == 0


# --- lists ------------------------------------------------------------------------------------


def test_ties_share_the_smallest_rank_and_systems_come_by_bytes() -> None:
    study = make_study()
    best, other = [("D401-003", 2.0), ("D401-000", 1.0)], [("D401-000", 1.0)]
    add_runs(
        study,
        {tag: {"401": best if tag == "é" else other} for tag in ("b", "é", "Z", "a-2")}
        | {"last": {"401": [("stranger", 1.0)]}},
    )
    complete(study, "ada")
    evaluate(study)
    ranking = results.ranking(study, parse(JK))["results"]
    listed = [(system["rank"], system["run"]) for system in ranking]
    assert listed[:4] == [(1, "é"), (2, "Z"), (2, "a-2"), (2, "b")]
    rows = [row for row in exports.rankings(study) if row["query_id"] == "all"]
    assert [row["run"] for row in rows[:4]] == ["Z", "a-2", "b", "last"]
    assert rows[4]["run"] == "é"


def test_a_missing_topic_counts_as_0_and_is_counted() -> None:
    study = make_study(topics=2, redundancy=1)  # four units
    good = [("D401-003", 1.0)]
    add_runs(study, {"all": {"401": good, "402": [("D402-003", 1.0)]}, "one": {"401": good}})
    for number in range(4):
        complete(study, f"worker-{number}")
    evaluate(study)
    for measure in (*pipeline.MEASURES, "nDCG@5", "nDCG"):
        found = systems(study, measure)
        assert [topic["value"] for topic in found["one"]["topics"]][1] == 0
        assert found["one"]["mean"] == pytest.approx(found["one"]["topics"][0]["value"] / 2)
        assert [found[run]["missing_topics"] for run in ("all", "one")] == [0, 1]


def test_the_share_judged_is_that_of_the_listed_documents_above_the_cutoff() -> None:
    study = make_study(topics=2, redundancy=1)
    h_k, n_k = ("D401-003", 20.0), ("D401-000", 19.0)
    strangers = [(f"S{n:02}", 10.0 - n) for n in range(9)]
    add_runs(
        study,
        {
            "ten": {"401": [h_k, *strangers, n_k]},  # N_k is on rank 2, as its score says
            "two": {"401": [h_k, n_k]},
            "none": {"401": strangers, "402": [("D402-000", 1.0)]},
            "deep": {"401": [*((f"T{n:02}", 30.0 - n) for n in range(10)), h_k]},
        },
    )
    while not TopicEvaluation.objects.filter(study_topic__topic__query_id="401").exists():
        complete(study, f"worker-{Assignment.objects.count()}")
        evaluate(study)
    topics = results.published(study).topics  # type: ignore[union-attr]
    found = systems(study)
    assert found["ten"]["judged"] == pytest.approx(0.2)
    assert found["two"]["judged"] == 1
    assert found["deep"]["judged"] == 0
    assert found["none"]["judged"] == (0 if topics == 1 else 0.5)
    assert systems(study, "nDCG@11")["deep"]["judged"] == pytest.approx(1 / 11)


def test_unjudged_documents_count_as_0() -> None:
    study = make_study()
    add_runs(
        study,
        {
            "known": {"401": [("S1", 3.0), ("D401-003", 2.0)]},
            "other": {"401": [("S2", 3.0), ("D401-003", 2.0)]},
        },
    )
    complete(study, "ada")
    evaluate(study)
    found = systems(study)
    assert found["known"]["mean"] == found["other"]["mean"] > 0
    assert found["known"]["rank"] == found["other"]["rank"] == 1


def test_other_measures_come_from_the_published_gains() -> None:
    study, runs = judged_study(6, units=6)
    evaluate(study)
    gains = naive.gains([dict(row) for row in judgments(study)])
    lists = naive_lists(runs)
    for name in ("nDCG@5", "nDCG(dcg='jk')@3", "nDCG", "ERR@3", "ERR"):
        measure = parse(name)
        found = results.table(study, measure)
        for run, values in zip(found.runs, found.values.T, strict=True):
            for query_id, value in zip(found.query_ids, values, strict=True):
                known = gains[query_id]
                listed = [known.get(doc_id, 0.0) for doc_id in lists[run].get(query_id, [])]
                expected = measure.evaluate(listed or [0.0], list(known.values()))
                assert value == pytest.approx(float(expected), rel=NEAR, abs=NEAR)


def test_a_measure_in_units_of_n_k() -> None:
    study, _ = judged_study(6, units=6)
    evaluate(study)
    before = systems(study, "ERR(unit='n_k')@10")
    # Another factor on all scores of a topic changes ERR, but not in units of N_k.
    for topic in TopicEvaluation.objects.all():
        topic.gains = [gain * 7 for gain in topic.gains]
        topic.save()
    after = systems(study, "ERR(unit='n_k')@10")
    for run in before:
        assert after[run]["mean"] == pytest.approx(before[run]["mean"], rel=NEAR, abs=NEAR)


# --- more than one study ----------------------------------------------------------------------


def test_studies_on_one_collection_are_evaluated_apart() -> None:
    one, _ = judged_study(1, units=3)
    other, _ = judged_study(2, units=4)
    assert bring_up_to_date() == 2
    assert [results.published(study).units for study in (one, other)] == [3, 4]  # type: ignore[union-attr]
    complete(one, "one more", by_role)
    assert bring_up_to_date() == 1
    assert [results.published(study).number for study in (one, other)] == [2, 1]  # type: ignore[union-attr]


def test_a_closed_study_is_evaluated_too() -> None:
    study, _ = judged_study(1, units=1)
    study.stage, study.closed_at = Study.Stage.CLOSED, timezone.now()
    study.save()
    assert bring_up_to_date() == 1


def test_one_study_that_cannot_be_evaluated_holds_up_no_other(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    broken, _ = judged_study(1, units=1)
    sound, _ = judged_study(2, units=1)
    judgments = completed.judgments

    def fail(study_topic: int) -> completed.Completed:
        if broken.topics.filter(pk=study_topic).exists():
            raise ValueError("broken")
        return judgments(study_topic)

    monkeypatch.setattr(completed, "judgments", fail)
    assert bring_up_to_date() == 1
    assert results.published(broken) is None
    assert results.published(sound)
    assert broken.slug in caplog.text
    monkeypatch.undo()
    assert bring_up_to_date() == 1
    assert results.published(broken)
