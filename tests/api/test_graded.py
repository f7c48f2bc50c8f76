"""A study whose workers give levels, as it leaves the product: files, REST, pages."""

import json
import math
from statistics import median
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from evaluation import pipeline, results
from evaluation.analyses import ANALYSES, of_study
from evaluation.cache import stored
from evaluation.publishing import exports
from judging.models import PooledDocument, Study
from magnitudes.measures.by_rank.ndcg import ndcg
from magnitudes.measures.names import parse
from tests.factory import GRADED, make_study
from tests.factory.completed import complete
from tests.factory.runs import add_runs

pytestmark = pytest.mark.django_db
LEVEL = {"h_k": "3", "n_k": "0"}
RANKED = ["D401-003", "D401-001", "D401-002", "D401-000"]


def level_of(document: PooledDocument) -> str:
    """3 for H_k, 0 for N_k; of others by the last digit of the document's id."""
    return LEVEL.get(document.role, str(int(document.doc_id[-1]) % 3))


@pytest.fixture(scope="module")
def study(for_all):
    """Three units and two runs, evaluated."""
    made = make_study(topics=1, redundancy=3, **GRADED)
    runs = {"best": RANKED, "worst": RANKED[::-1]}
    add_runs(
        made,
        {tag: {"401": [(d, -float(n)) for n, d in enumerate(ids)]} for tag, ids in runs.items()},
    )
    complete(made, "ada", level_of)
    complete(made, "ben", lambda d: LEVEL.get(d.role, "1"))
    complete(made, "carl", level_of)
    pipeline.evaluate(made)
    return made


def rows(study: Study, table: str, **options: str) -> list[dict[str, Any]]:
    lines = exports.lines(study, table, "jsonl", **options)
    return [json.loads(line) for line in lines]


# --- files ------------------------------------------------------------------------------------
def test_judgments_have_the_level_and_its_name(study):
    found = rows(study, "judgments")
    assert len(found) == 24
    names = GRADED["levels"]
    for row in found:
        assert row["score_text"] == names[int(row["score"])]
        assert row["normalised"] == row["score"] == row["first_score"]
    assert {row["score_text"] for row in found if row["role"] == "n_k"} == {"Non"}


def test_qrels_are_the_medians_of_levels(study):
    given: dict[str, list[float]] = {}
    for row in rows(study, "judgments"):
        given.setdefault(row["doc_id"], []).append(row["score"])
    found = {row["doc_id"]: row["relevance"] for row in rows(study, "qrels")}
    assert found == {doc_id: median(levels) for doc_id, levels in given.items()}
    means = {
        row["doc_id"]: row["relevance"] for row in rows(study, "qrels", aggregation="arithmetic")
    }
    assert means == {d: pytest.approx(sum(levels) / len(levels)) for d, levels in given.items()}


def test_units_have_no_ratio(study):
    assert [(row["hk_nk_ratio"], row["gamma_u"]) for row in rows(study, "units")] == [(None, 1)] * 3


def test_rankings_are_by_levels(study):
    gains = {row["doc_id"]: row["relevance"] for row in rows(study, "qrels")}
    ranked = [gains.get(doc_id, 0.0) for doc_id in RANKED]
    found = {
        row["run"]: row["value"]
        for row in rows(study, "rankings")
        if row["query_id"] == "all" and row["measure"] == pipeline.MEASURES[0]
    }
    wanted = ndcg([ranked, ranked[::-1]], list(gains.values()), k=10, dcg="jk")
    assert [found["best"], found["worst"]] == pytest.approx(list(wanted))
    assert found["best"] > found["worst"]


def test_every_number_is_finite_and_evaluated_anew_the_same(study):
    for table in exports.EXPORTS:
        for row in rows(study, table):
            assert all(math.isfinite(v) for v in row.values() if isinstance(v, float))
    before = rows(study, "rankings")
    pipeline.evaluate(study, everything=True)
    assert rows(study, "rankings") == before


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"normalisation": "geometric"}, "“geometric”: expected one of none, as scores are levels"),
        ({"normalisation": "anchors"}, "expected one of none, as scores are levels"),
        ({"aggregation": "geometric"}, "expected one of median, arithmetic, as scores are levels"),
    ],
)
def test_other_schemes_are_refused(researcher, study, options, said):
    response = researcher.get(f"/api/v1/studies/{study.slug}/qrels/", options)
    assert response.status_code == 400
    assert said in response.content.decode()
    with pytest.raises(exports.CannotExport, match=said):
        exports.lines(study, "qrels", "trec", **options)
    (name, value), *_ = options.items()
    with pytest.raises(CommandError, match=said):
        call_command("export", study.slug, "qrels", **{name: value})


def test_no_normalisation_may_be_asked_for(researcher, study):
    address = f"/api/v1/studies/{study.slug}/qrels/"
    usual, asked = (
        b"".join(researcher.get(address, options))
        for options in ({}, {"normalisation": "none", "aggregation": "median"})
    )
    assert usual == asked != b""


# --- REST -------------------------------------------------------------------------------------
def test_judgments_and_rankings_are_there_with_the_scale(get):
    told = get("")
    assert (told["scale"], told["levels"]) == ("graded", GRADED["levels"])
    assert get("judgments/")["results"][0]["score_text"] in GRADED["levels"]
    told = get("rankings/")
    assert told["source"]["normalisation"] == "none"
    assert [one["run"] for one in told["results"]] == ["best", "worst"]


def test_relevant_is_what_is_above_the_lowest_level(study):
    for measure in "P@4 AP ERR@10 RR nDCG@3 R@4 Rprec Success@4 Bpref Judged@4".split():
        assert results.table(study, parse(measure)).measure == measure
    gains = {row["doc_id"]: row["relevance"] for row in rows(study, "qrels")}
    found = sum(gains.get(doc_id, 0) > 0 for doc_id in RANKED)
    relevant = sum(gain > 0 for gain in gains.values())
    for measure, value in (("P@4", found / 4), ("R@4", found / relevant)):
        (values,) = results.table(study, parse(measure)).values
        assert values[0] == value


@pytest.mark.parametrize("measure", ["ERR(unit='n_k')@10", "P(rel='anchors')@4"])
def test_what_needs_a_ratio_is_refused(researcher, study, measure):
    address = f"/api/v1/studies/{study.slug}/rankings/"
    assert researcher.get(address, {"measure": measure}).status_code == 400


# --- pages ------------------------------------------------------------------------------------
def test_pages_show_what_fits(at_desk, researcher, study):
    listed = researcher.get(f"/api/v1/studies/{study.slug}/analyses/").json()
    assert [one["name"] for one in listed] == list(of_study(study))
    index = f"/studies/{study.slug}/method/"
    assert at_desk.get(index).status_code == 200
    stored.bring_up_to_date()
    page = at_desk.get(index).content.decode()
    assert "could not be computed" not in page
    assert "Not applicable: its workers give levels, which have no ratios." in page
    for name in of_study(study):
        assert at_desk.get(f"{index}{name}/").status_code == 200
    assert researcher.get(f"/api/v1/studies/{study.slug}/analyses/spread/").status_code == 404
    assert "spread" in ANALYSES


def test_results_and_monitor_speak_of_levels(at_desk, study):
    page = at_desk.get(f"/studies/{study.slug}/").content.decode()
    assert "With magnitudes as gains" not in page
    topic = at_desk.get(f"/studies/{study.slug}/monitor/topics/401/").content.decode()
    assert "3.0 levels more than" in " ".join(topic.split())
    worker = study.workers.first()
    shown = at_desk.get(f"/studies/{study.slug}/monitor/workers/{worker.pseudonym}/")
    assert "Key" in shown.content.decode()
