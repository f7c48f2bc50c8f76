"""The same numbers from programs of others, where they can be had.

They read integer labels only, so real gains go to them as thousandths; their scores must differ by
more than a float32 can blur; gdeval wants topics that are numbers and labels up to 4, and prints
five digits.
"""

import shutil

import ir_measures
import numpy as np
import pytest
import pytrec_eval

from magnitudes.measures.by_rank.err import err
from magnitudes.measures.by_rank.ndcg import ndcg
from magnitudes.measures.names import parse

TOPICS, DEPTH, DOCUMENTS = 30, 25, 60


class Experiment:
    """Random judgments and one random run, as arrays and as the dictionaries of other programs."""

    def __init__(self, seed, highest):
        rng = np.random.default_rng(seed)
        self.labels = rng.integers(0, highest + 1, (TOPICS, DOCUMENTS))
        self.labels[:, rng.random(DOCUMENTS) < 0.4] = 0
        self.labels[0] = 0  # a topic with nothing to find
        known = rng.random((TOPICS, DOCUMENTS)) < 0.7
        known[:, 0] = True
        self.judged = np.where(known, self.labels, 0)
        order = rng.permuted(np.tile(np.arange(DOCUMENTS), (TOPICS, 1)), axis=1)[:, :DEPTH]
        self.ranked = np.take_along_axis(self.judged, order, axis=1)
        self.qrels = {
            str(t + 1): {f"d{d:02}": int(self.labels[t, d]) for d in np.flatnonzero(known[t])}
            for t in range(TOPICS)
        }
        self.run = {
            str(t + 1): {f"d{d:02}": float(DEPTH - i) for i, d in enumerate(order[t])}
            for t in range(TOPICS)
        }

    def by_pytrec_eval(self, name):
        key = name.replace(".", "_")
        found = pytrec_eval.RelevanceEvaluator(self.qrels, {name}).evaluate(self.run)
        return [found[str(t + 1)][key] for t in range(TOPICS)]

    def by_gdeval(self, measure):
        found = {
            metric.query_id: metric.value
            for metric in ir_measures.gdeval.iter_calc([measure], self.qrels, self.run)
        }
        # gdeval leaves out topics with nothing to find.
        return [found.get(str(t + 1), 0.0) for t in range(TOPICS)]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("k", [1, 5, 10, 20, 100])
def test_ndcg_at_a_cutoff_is_trec_evals(seed, k):
    given = Experiment(seed, highest=3)
    theirs = given.by_pytrec_eval(f"ndcg_cut.{k}")
    assert ndcg(given.ranked, given.judged, k).tolist() == pytest.approx(theirs, rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_ndcg_of_the_whole_ranking_is_trec_evals(seed):
    given = Experiment(seed, highest=4)
    theirs = given.by_pytrec_eval("ndcg")
    assert ndcg(given.ranked, given.judged, None).tolist() == pytest.approx(theirs, rel=1e-12)


def test_ndcg_of_real_gains_is_trec_evals_of_thousandths():
    given = Experiment(7, highest=250_000)
    theirs = given.by_pytrec_eval("ndcg_cut.10")
    ours = ndcg(given.ranked / 1000, given.judged / 1000, 10)
    assert ours.tolist() == pytest.approx(theirs, rel=1e-12)


@pytest.mark.parametrize("measure", [ir_measures.nDCG @ 10, ir_measures.nDCG @ 3, ir_measures.nDCG])
def test_plain_names_give_the_values_of_ir_measures(measure):
    given = Experiment(8, highest=4)
    found = ir_measures.iter_calc([measure], given.qrels, given.run)
    theirs = {metric.query_id: metric.value for metric in found}
    ours = parse(str(measure)).evaluate(given.ranked, given.judged)
    for topic, value in enumerate(ours):
        assert value == pytest.approx(theirs[str(topic + 1)], rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("AP", "map"),
        ("AP@10", "map_cut.10"),
        ("P@5", "P.5"),
        ("P@100", "P.100"),
        ("R@5", "recall.5"),
        ("R@100", "recall.100"),
        ("Success@1", "success.1"),
        ("Success@5", "success.5"),
        ("Rprec", "Rprec"),
        ("RR", "recip_rank"),
        ("nDCG@10", "ndcg_cut.10"),
    ],
)
def test_measures_of_relevant_documents_are_trec_evals(seed, ours, theirs):
    given = Experiment(seed, highest=2)
    found = parse(ours).evaluate(given.ranked, given.judged)
    assert found.tolist() == pytest.approx(given.by_pytrec_eval(theirs), rel=1e-12)


@pytest.mark.parametrize(
    "name",
    [
        *("AP", "AP(rel=2)", "AP(rel=2)@5", "P@5", "P(rel=3)@20", "RR", "RR(rel=2)", "RR@5"),
        *("R@5", "R(rel=3)@20", "Success@1", "Success(rel=4)@3", "Rprec", "Rprec(rel=2)"),
    ],
)
def test_thresholds_are_those_of_ir_measures(name):
    given = Experiment(8, highest=4)
    found = ir_measures.iter_calc([ir_measures.parse_measure(name)], given.qrels, given.run)
    theirs = {metric.query_id: metric.value for metric in found}
    ours = parse(name).evaluate(given.ranked, given.judged)
    for topic, value in enumerate(ours):
        assert value == pytest.approx(theirs.get(str(topic + 1), 0), rel=1e-12)


@pytest.mark.skipif(not shutil.which("perl"), reason="gdeval is a Perl script")
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("k", [1, 10, 20])
def test_err_and_exponential_ndcg_are_gdevals(seed, k):
    given = Experiment(seed, highest=4)
    ours = err(given.ranked, given.judged, k, largest=4)
    np.testing.assert_allclose(ours, given.by_gdeval(ir_measures.ERR @ k), atol=5.1e-6)
    ours = ndcg(given.ranked, given.judged, k, "exp-log2")
    theirs = given.by_gdeval(ir_measures.nDCG(dcg="exp-log2") @ k)
    np.testing.assert_allclose(ours, theirs, atol=5.1e-6)
