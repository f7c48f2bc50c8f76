"""Pools of several depths, against plain loops; and anchors proposed from them."""

import random

import pytest

from judging.models import Label, PooledDocument, Study, StudyTopic
from judging.studies.configuration.anchors import (
    all_contradictions,
    contradictions,
    propose_anchors,
)
from judging.studies.configuration.pooling import CUTOFFS, pool_depths
from judging.studies.unit_plans import plan
from tests.factory import make_study
from tests.factory.runs import Runs, add_runs, random_runs


@pytest.fixture
def study(db) -> Study:
    """A draft of two topics whose pools are those of its runs."""
    study = make_study(topics=2, opened=False, unit_size=3)
    StudyTopic.objects.filter(study=study).update(pool=[])
    return study


@pytest.fixture
def runs(study) -> Runs:
    runs = random_runs(study, random.Random(5))
    add_runs(study, runs)
    return runs


def evaluated(lines) -> list[str]:
    """The ids of a list, by score and then by id, both descending."""
    return [doc_id for doc_id, _ in sorted(lines, key=lambda line: (line[1], line[0]))][::-1]


@pytest.mark.parametrize("by", ["rank", "order"])
@pytest.mark.parametrize("depth", [1, 3, 10])
def test_what_a_pool_leaves_unjudged_in_each_run(study, runs, by, depth):
    [unjudged] = (pools := pool_depths(study, [depth], by)).unjudged
    plan(study, depth=depth, pool_by=by)
    pooled = set(PooledDocument.objects.values_list("study_topic__topic__query_id", "doc_id"))
    assert (unjudged.documents, unjudged.units) == (len(pooled), study.units.count())
    for run, shares in zip(pools.runs, unjudged.share, strict=True):
        for k, share in zip(CUTOFFS, shares, strict=True):
            parts = []
            for query_id, lines in runs[run].items():
                first = evaluated(lines)[:k]
                parts.append(sum((query_id, each) not in pooled for each in first) / len(first))
            assert share == pytest.approx(sum(parts) / len(parts))


def test_explicit_pools_and_more_topics_take_no_more_queries(study, django_assert_num_queries):
    add_runs(study, {"a": {"401": [("D401-001", 2.0), ("X", 1.0)]}})
    study.topics.filter(topic__query_id="401").update(pool=["D401-001", "D401-002"])
    with django_assert_num_queries(3):
        [unjudged] = pool_depths(study, [5], "order").unjudged
    assert unjudged.documents == 6, "two, and both anchors of both topics"
    assert unjudged.share.tolist() == [[0.5] * len(CUTOFFS)]


def test_a_study_without_runs(study):
    [unjudged] = pool_depths(study, [5]).unjudged
    assert (unjudged.documents, unjudged.share.shape, unjudged.means.shape) == (4, (0, 4), (4,))


def test_anchors_are_proposed_by_label_and_then_by_how_many_runs_have_them(study):
    pool = ["D401-001", "D401-002", "D401-003", "D401-007", "D401-000", "D401-004"]
    lists = [[*pool, "X"], ["D401-007", "D401-004"], ["D401-007", "X", "Y"]]
    add_runs(
        study,
        {
            f"run-{number}": {"401": [(doc, -float(rank)) for rank, doc in enumerate(ids)]}
            for number, ids in enumerate(lists)
        },
    )
    Label.objects.filter(doc_id="D401-001").delete()
    proposals = propose_anchors(study, "401")
    assert [(each.doc_id, each.level, each.runs) for each in proposals.h_k] == [
        ("D401-007", 3, 3),
        ("D401-003", 3, 1),
        ("D401-002", 2, 1),
    ]
    assert [each.doc_id for each in proposals.n_k] == [
        "D401-004",
        "D401-000",
        "D401-001",
        "Y",
        "X",
    ], "labelled, then without a label, of few runs first; those without a text last"
    assert proposals.n_k[0].words == 5
    assert proposals.n_k[-1].words is None


def test_labels_that_contradict_anchors(study):
    topic = study.topics.get(topic__query_id="401")
    topic.h_k, topic.n_k = "D401-000", "D401-002"
    topic.save()
    said = all_contradictions(study, study.topics.select_related("topic"))
    assert said[topic.pk] == [
        "Topic 401: the relevant anchor D401-000 is labelled 0, not relevant.",
        "Topic 401: the irrelevant anchor D401-002 is labelled 2, relevant.",
    ]
    assert [lines for key, lines in said.items() if key != topic.pk] == [[]]
    assert contradictions(topic, {}) == []
