"""Any measure of a study, with options that a study alone can answer."""

import math
from collections.abc import Iterator
from typing import Any

import pytest

from evaluation import results
from evaluation.pipeline import evaluate
from evaluation.publishing import pair_gains
from judging.models import PooledDocument, Study
from magnitudes.measures.names import parse
from tests.acceptance.naive import mean
from tests.database import there_for_all
from tests.factory.completed import judged_study
from tests.factory.runs import Runs, naive_lists
from tests.magnitudes.measures.by_pairs.plain_loops import by_buckley_and_voorhees

pytestmark = pytest.mark.django_db
Given = tuple[Study, Runs]


@pytest.fixture(scope="module")
def given(django_db_setup: None, django_db_blocker: Any) -> Iterator[Given]:
    with there_for_all(django_db_blocker):
        study, runs = judged_study(11, topics=3, units=7)
        evaluate(study)
        yield study, runs


def gains(study: Study) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for gain in pair_gains.gains(study):
        found.setdefault(gain.query_id, {})[gain.doc_id] = gain.gain
    return found


def anchors(study: Study) -> dict[str, tuple[str, str]]:
    """The documents H_k and N_k of each topic."""
    found: dict[str, dict[str, str]] = {}
    for document in PooledDocument.objects.filter(study_topic__study=study).exclude(role="other"):
        query_id = document.study_topic.topic.query_id
        found.setdefault(query_id, {})[document.role] = document.doc_id
    return {query_id: (roles["h_k"], roles["n_k"]) for query_id, roles in found.items()}


def in_file_order(runs: Runs) -> dict[str, dict[str, list[str]]]:
    """The ranks of these runs are their lines."""
    return {
        tag: {query_id: [doc_id for doc_id, _ in ranked] for query_id, ranked in topics.items()}
        for tag, topics in runs.items()
    }


def values(study: Study, measure: str) -> dict[str, dict[str, float]]:
    ranking = results.ranking(study, parse(measure))
    return {
        system["run"]: {topic["query_id"]: topic["value"] for topic in system["topics"]}
        for system in ranking["results"]
    }


@pytest.mark.parametrize("by_rank", [False, True])
def test_relevant_is_what_is_nearer_to_h_k_than_to_n_k(given: Given, by_rank: bool) -> None:
    study, runs = given
    known, named = gains(study), anchors(study)
    lists = in_file_order(runs) if by_rank else naive_lists(runs)
    asked = "P(order='rank')@4" if by_rank else "P@4"
    means = []
    for tag, found in values(study, asked).items():
        for query_id, value in found.items():
            h_k, n_k = (known[query_id][doc_id] for doc_id in named[query_id])
            listed = lists[tag].get(query_id, [])[:4]
            hits = sum(known[query_id].get(d, 0) >= math.sqrt(h_k * n_k) for d in listed)
            assert value == hits / 4
            means.append(value)
    assert 0 < mean(means) < 1
    name = results.ranking(study, parse(asked))["measure"]
    assert name == ("P(rel='anchors',order='rank')@4" if by_rank else "P(rel='anchors')@4")


def by_hand(name: str, listed: list[str], gains: dict[str, float], rel: float) -> float:
    relevant = {doc_id for doc_id, gain in gains.items() if gain >= rel}
    if name == "Bpref":
        return by_buckley_and_voorhees(listed, gains, rel)
    if name == "Judged@4":
        return sum(doc_id in gains for doc_id in listed[:4]) / max(len(listed[:4]), 1)
    depth = len(relevant) if name == "Rprec" else 4
    hits = len(relevant.intersection(listed[:depth]))
    return float(hits > 0) if name == "Success@4" else hits / len(relevant)


@pytest.mark.parametrize("name", ["R@4", "Rprec", "Success@4", "Bpref", "Judged@4"])
def test_measures_of_relevant_documents_one_document_after_the_other(
    given: Given, name: str
) -> None:
    study, runs = given
    known, named, lists = gains(study), anchors(study), naive_lists(runs)
    for tag, by_topic in values(study, name).items():
        for query_id, value in by_topic.items():
            h_k, n_k = (known[query_id][doc_id] for doc_id in named[query_id])
            listed = lists[tag].get(query_id, [])
            expected = by_hand(name, listed, known[query_id], math.sqrt(h_k * n_k))
            assert value == pytest.approx(expected, rel=1e-12)


def test_a_threshold_that_is_given_is_kept(given: Given) -> None:
    study, _ = given
    assert values(study, "P(rel=1e9)@4") != values(study, "P@4")
    assert results.ranking(study, parse("RR(rel=2)"))["measure"] == "RR(rel=2)"


@pytest.mark.parametrize("unjudged", ["min", "n_k"])
def test_unjudged_documents_are_worth_what_is_said(given: Given, unjudged: str) -> None:
    study, runs = given
    known, named = gains(study), anchors(study)
    lists = naive_lists(runs)
    for tag, found in values(study, f"RBP(unjudged='{unjudged}')").items():
        for query_id, value in found.items():
            judged = known[query_id]
            other = min(judged.values()) if unjudged == "min" else judged[named[query_id][1]]
            worth = [judged.get(d, other) for d in lists[tag].get(query_id, [])]
            rbp = 0.2 * sum(gain * 0.8**i for i, gain in enumerate(worth)) / max(judged.values())
            assert value == pytest.approx(rbp, rel=1e-12)
