import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from magnitudes.comparison.drawing import Topic
from magnitudes.comparison.recomputing import recompute, same_systems
from magnitudes.measures.names import MeasureNameError, parse

NAMES = (
    "nDCG@10",
    "nDCG@3",
    "nDCG",
    "nDCG(dcg='jk')@10",
    "nDCG(dcg='zipf')@5",
    "nDCG(dcg='exp-log2')@10",
    "nDCG(dcg='exp-zipf')",
    "ERR@10",
    "ERR",
    "ERR(unit='n_k')@10",
    "RBP@10",
    "P(rel='anchors')@5",
)


def made_up(seed, systems=6, depth=12, size=30, scale=1.0):
    """Lists of different lengths; a document in six is unjudged."""
    rng = np.random.default_rng(seed)
    codes = np.argsort(rng.random((systems, size)), axis=1)[:, :depth]
    codes[np.arange(depth) >= rng.integers(0, depth + 1, systems)[:, np.newaxis]] = -1
    documents = np.repeat(np.arange(size), rng.integers(1, 6, size))
    documents = documents[(documents % 6 > 0) | (documents == 0)]
    scores = rng.lognormal(0, 1.5, len(documents)) * scale
    return Topic(codes, scores, documents, size, h_k=0, n_k=1)


def one_by_one(topic, measure, gains):
    """The measure, asked for one choice of gains and one system at a time."""
    found = np.empty((len(topic.codes), gains.shape[1]))
    for choice, column in enumerate(gains.T):
        numbers = {"n_k": column[1], "anchors": np.sqrt(column[0]) * np.sqrt(column[1])}
        for system, codes in enumerate(topic.codes):
            ranked = [0.0 if code < 0 else np.nan_to_num(column[code]) for code in codes]
            judged = column[~np.isnan(column)]
            found[system, choice] = measure.evaluate(ranked, judged, **numbers)
    return found


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), scale=st.sampled_from([1, 1e-3, 300]))
def test_values_are_the_measures(name, seed, scale):
    topic = made_up(seed, scale=scale)
    gains = topic.draw(np.random.default_rng(seed), 5)
    found = recompute(topic, parse(name))(gains)
    np.testing.assert_allclose(found, one_by_one(topic, parse(name), gains), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_parts_make_no_difference(name, monkeypatch):
    topic = made_up(3)
    gains = topic.draw(np.random.default_rng(3), 9)
    whole = recompute(topic, parse(name))(gains)
    monkeypatch.setattr("magnitudes.scaling.groups.CHUNK_SIZE", 1)
    assert (recompute(topic, parse(name))(gains) == whole).all()


def test_unjudged_documents_are_worth_what_the_measure_says():
    topic = Topic(np.array([[2, 0]]), np.array([4.0, 2.0]), np.array([0, 1]), 3)
    gains = topic.aggregated[:, np.newaxis]
    assert recompute(topic, parse("nDCG@1"))(gains) == [[0]]
    assert recompute(topic, parse("nDCG(unjudged='min')@1"))(gains) == [[0.5]]


@pytest.mark.parametrize("scale", [1e9, 1e-9])
@pytest.mark.parametrize("name", ["nDCG@10", "nDCG(dcg='jk')", "ERR@10", "nDCG(dcg='exp-log2')@10"])
def test_extreme_gains(name, scale):
    topic = made_up(5, scale=scale)
    gains = topic.draw(np.random.default_rng(5), 3)
    found = recompute(topic, parse(name))(gains)
    expected = one_by_one(topic, parse(name), gains)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("name", [name for name in NAMES if "n_k" not in name])
def test_nothing_judged_is_worth_nothing(name):
    nothing = np.empty(0, dtype=int)
    topic = Topic(np.array([[0, 1], [1, -1]]), np.empty(0), nothing, 2)
    if "anchors" in name:
        with pytest.raises(MeasureNameError):
            recompute(topic, parse(name))(np.full((2, 3), np.nan))
        return
    assert recompute(topic, parse(name))(np.full((2, 3), np.nan)).tolist() == [[0] * 3] * 2


@pytest.mark.parametrize("name", ["nDCG@10", "ERR@10", "RBP@10"])
def test_no_document_is_worth_nothing(name):
    nothing = np.empty(0, dtype=int)
    topic = Topic(np.full((2, 4), -1), np.empty(0), nothing, 0)
    assert recompute(topic, parse(name))(np.empty((0, 3))).tolist() == [[0] * 3] * 2


def test_a_choice_of_whole_gains_is_trec_evals():
    topic = made_up(8, systems=12, depth=20, size=80)
    gains = np.ceil(topic.draw(np.random.default_rng(8), 4) * 1000)
    found = recompute(topic, parse("nDCG@10"))(gains)
    for choice, column in enumerate(gains.T):
        known = np.flatnonzero(~np.isnan(column))
        qrels = {"1": {f"d{code}": int(column[code]) for code in known}}
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10"})
        for system, codes in enumerate(topic.codes):
            run = {f"d{code}": 100.0 - rank for rank, code in enumerate(codes) if code >= 0}
            theirs = evaluator.evaluate({"1": run})["1"]["ndcg_cut_10"] if run else 0
            assert found[system, choice] == pytest.approx(theirs, abs=1e-12)


def test_topics_have_the_same_systems():
    assert same_systems([]) == 0
    assert same_systems([made_up(1), made_up(2)]) == 6
    with pytest.raises(ValueError, match="the same systems"):
        same_systems([made_up(1), made_up(2, systems=5)])
