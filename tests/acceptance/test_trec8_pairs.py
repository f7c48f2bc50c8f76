"""Every measure that needs no lengths on the 129 runs of TREC-8, and which pairs of runs differ.

DATA names the folder that holds `trec8/`; it may be a relative path. Its labels are 0 and 1, its
runs have 18 of the 50 topics with labels.
"""

from collections.abc import Mapping

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import ttest_rel

from magnitudes.comparison.bootstrap import bootstrap
from magnitudes.comparison.correlation import tau_b
from magnitudes.comparison.discrimination import discriminative_power
from magnitudes.comparison.paired_t import paired_t
from magnitudes.comparison.random_signs import random_signs
from magnitudes.comparison.tukey import N_RESAMPLES, tukey_hsd
from magnitudes.evaluation import Judged, evaluate, judged
from magnitudes.files.containers.archives import open_members
from magnitudes.files.labels.qrels import read_qrels
from magnitudes.measures.catalogue import MEASURES
from magnitudes.measures.names import parse
from tests.acceptance import test_trec8
from tests.acceptance.test_evaluate import QRELS, RUNS

pytestmark = [*test_trec8.pytestmark, pytest.mark.nightly]
NAMES = (
    *("nDCG@10", "nDCG", "ERR@10", "AP", "P@10", "RR@10", "RBP", "nG@10", "nERR@10", "P+@10"),
    *("bpref_de_beer_moens", "rpref", "GAP"),
    *("R@100", "Rprec", "Bpref"),
)
# These tell few systems apart: 0 or 1 on a topic; and what was judged, not what is relevant.
COARSE = ("Success@10", "Judged@10")
ALL = (*NAMES, *COARSE)
LEAST_TAU = {"rpref": 0.3, "bpref_de_beer_moens": 0.3, "Success@10": 0.5, "Judged@10": 0.1}
RUNS_THERE, TOPICS_THERE, PAIRS = 129, 18, 8256
Table = NDArray[np.float64]


@pytest.fixture(scope="module")
def known() -> Judged:
    return judged(read_qrels(open_members([QRELS])))


@pytest.fixture(scope="module")
def values(known: Judged) -> Mapping[str, Table]:
    """By name of the measure, (topics with labels, runs); 0 where a run leaves a topic out."""
    found = list(evaluate(known, open_members([RUNS]), [parse(name) for name in ALL]))
    assert {one.missing for one in found} == {len(known.query_ids) - TOPICS_THERE}
    return dict(zip(ALL, np.stack([one.values for one in found], axis=2), strict=True))


def answered(table: Table) -> Table:
    return table[table.any(axis=1)]


def test_each_measure_has_values_of_all_runs_that_go_with_ndcg(
    values: Mapping[str, Table],
) -> None:
    assert {parse(name).name for name in values} == set(MEASURES) - {"TBG"}
    usual = values["nDCG@10"].mean(axis=0)
    for name, table in values.items():
        assert table.shape == (50, RUNS_THERE)
        assert table.min() >= 0
        assert 0.5 < table.max() <= 1
        assert len(answered(table)) == TOPICS_THERE
        tau = tau_b(usual, table.mean(axis=0))
        # Who lists little has little to misplace: by preferences runs with few documents are first.
        assert tau > LEAST_TAU.get(name, 0.6)


def test_of_two_levels_measures_are_those_that_they_extend(
    known: Judged, values: Mapping[str, Table]
) -> None:
    """With labels 0 and 1, R relevant documents, and the first of them in the list at rank r."""
    np.testing.assert_allclose(values["rpref"], values["bpref_de_beer_moens"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(values["nG@10"], values["P@10"], rtol=0, atol=1e-12)
    relevant = known.gains.sum(axis=1, keepdims=True)
    there = values["RR@10"] > 0
    first = 1 / np.where(there, values["RR@10"], 1)
    blended = np.where(there, 2 / (first + np.minimum(first, relevant)), 0)
    np.testing.assert_allclose(values["P+@10"], blended, rtol=0, atol=1e-12)
    ranks = np.arange(1, 11)
    ideal = np.where(ranks <= relevant, 0.5**ranks / ranks, 0).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(values["nERR@10"] * ideal, values["ERR@10"], rtol=0, atol=1e-12)


def test_tukey_tells_as_many_pairs_apart_as_noted(values: Mapping[str, Table]) -> None:
    """Topics without lists change no difference, only what is drawn: one in a hundred pairs."""
    table = values["nDCG@10"]
    whole = discriminative_power(tukey_hsd(table, seed=1).p)
    assert N_RESAMPLES == 5000
    assert (whole.significant, whole.tested) == (1142, PAIRS)
    for seed in (2, 3):
        less = discriminative_power(tukey_hsd(answered(table), seed=seed).p)
        assert abs(less.significant - whole.significant) < PAIRS / 100


@pytest.mark.parametrize("name", NAMES)
def test_three_tests_of_single_pairs_agree_and_tukey_is_stricter(
    values: Mapping[str, Table], name: str
) -> None:
    table = answered(values[name])
    t = paired_t(table).p
    rows, columns = np.triu_indices(RUNS_THERE, 1)
    theirs = ttest_rel(table[:, rows], table[:, columns]).pvalue
    same = (table[:, rows] == table[:, columns]).all(axis=0)  # of which theirs is NaN
    np.testing.assert_allclose(t[rows, columns], np.where(same, 1, theirs), rtol=1e-6)
    shares = {}
    for test, p in (
        ("t", t),
        ("randomisation", random_signs(table, seed=1).p),
        ("bootstrap", bootstrap(table, seed=1).p),
        ("Tukey", tukey_hsd(table, seed=1).p),
    ):
        power = discriminative_power(p)
        assert power.tested == power.pairs == PAIRS
        shares[test] = power.share
    tukey = shares.pop("Tukey")
    assert max(shares.values()) - min(shares.values()) < 0.05
    assert min(shares.values()) > 0.3
    assert max(shares.values()) < 0.7
    assert 0.03 < tukey < min(shares.values()) / 2
