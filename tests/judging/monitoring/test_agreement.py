"""Whether numbers go with those of others: permutations, false alarms, power."""

from itertools import permutations
from statistics import median

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from crowd import model, vectorised
from crowd.vectorised import CrowdTraits
from judging.monitoring.signals import agreement
from judging.monitoring.signals.agreement import Verdict
from workspace.planning.simulating import nested_units

SCORES = st.lists(st.integers(1, 9), min_size=6, max_size=6).filter(lambda own: own[0] > own[1])
RANDOMS = 10  # of sixty workers
ENOUGH = 6  # units: with so many something can be said
EVERYTHING = np.ones((1, 6), dtype=bool)


@settings(max_examples=30)
@given(SCORES, st.lists(st.integers(1, 9), min_size=6, max_size=6))
def test_random_sums_against_every_order(own, others):
    a, b = (agreement.ranks(np.array([row], dtype=float), EVERYTHING) for row in (own, others))
    assert a[0].tolist() == (stats.rankdata(own) - 3.5).tolist()
    sums = [
        np.dot(order, b[0])
        for order in permutations(a[0])
        if order[0] > order[1]  # H_k above N_k
    ]
    expected, variance = agreement.random_sums(a, b, EVERYTHING)
    assert expected[0] == pytest.approx(np.mean(sums), abs=1e-9)
    assert variance[0] == pytest.approx(np.var(sums), abs=1e-9)


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(1, 4), st.integers(1, 9)), min_size=1))
def test_medians_of_others_against_a_plain_loop(rows):
    documents, scores = (np.array(column) for column in zip(*rows, strict=True))
    medians = agreement.medians_of_others(documents[:, np.newaxis], scores[:, np.newaxis] / 1.0)
    for place, (document, _) in enumerate(rows):
        others = [s for n, (d, s) in enumerate(rows) if d == document and n != place]
        expected = median(others) if len(others) >= agreement.MIN_OTHERS else np.nan
        np.testing.assert_equal(medians[place, 0], expected)


def test_a_correlation_is_spearmans():
    documents = np.tile(np.arange(8), (4, 1))
    scores = np.exp(np.random.default_rng(2).normal(size=(4, 8)))
    scores[:, :2] = [[9, 1]] * 4
    units = agreement.comparable_units(np.arange(4), documents, scores, graded=False)
    logs = np.log(scores) - np.log(scores).mean(axis=1, keepdims=True)
    expected = stats.spearmanr(scores[0], np.median(logs[1:], axis=0)).statistic
    assert units.correlations[0] == pytest.approx(expected)


def study(seed: int, levels: int = 0, *, randoms: int = 0, people: int = 60):
    """Workers, documents and scores of a simulated study; the first workers give random numbers."""
    traits = CrowdTraits(careless=0)
    draw = model.draws("agreement", seed)
    crowd = vectorised.people(draw, people, traits)
    crowd = crowd._replace(is_careless=np.arange(people) < randoms)
    workers, documents, scores = [], [], []
    for topic in range(8):
        labels = draw.choice(4, 40, p=[0.6, 0.2, 0.12, 0.08]).astype(float)
        gains = vectorised.log_gains(draw, labels, 3, traits)
        gains[:2] = model.LEVELS[-1], model.LEVELS[0]
        rows = nested_units(40, 8, 6, draw)
        who = draw.choice(people, len(rows), replace=False)
        workers.append(who)
        documents.append(rows + 1000 * topic)
        scores.append(vectorised.scores_of(draw, crowd.take(who), gains[rows], traits, levels))
    return np.concatenate(workers), np.concatenate(documents), np.concatenate(scores)


@pytest.mark.parametrize("levels", [0, 4])
def test_random_givers_are_distinguished_from_careful_ones(levels):
    """Of random givers with enough units about 19 of 20 are seen, of careful workers 1 in 40."""
    random, careful = [], []
    for seed in range(10):
        found = agreement.agreements(*study(seed, levels, randoms=RANDOMS), graded=bool(levels))
        for key, answer in found.items():
            (random if key < RANDOMS else careful).append(answer)
    exceed = [found.verdict == Verdict.MORE for found in random]
    seen = [found.verdict == Verdict.NO_MORE for found in random if found.units >= ENOUGH]
    false_alarms = [found.verdict == Verdict.NO_MORE for found in careful]
    assert np.mean(exceed) < 0.12
    assert len(seen) > 30
    assert np.mean(seen) > 0.85
    assert np.mean(false_alarms) <= agreement.FALSE_ALARMS


def test_who_copies_goes_with_the_others():
    workers, documents, scores = study(1)
    logs = np.log(scores) - np.log(scores).mean(axis=1, keepdims=True)
    copied = np.exp(np.nan_to_num(agreement.medians_of_others(documents, logs)))
    own = workers == np.bincount(workers).argmax()
    scores[own] = copied[own]
    found = agreement.agreements(workers, documents, scores, graded=False)
    assert found[int(workers[own][0])].verdict == Verdict.MORE


def test_one_unit_or_too_few_others_say_nothing():
    workers, documents, scores = study(1, randoms=60)
    alone = agreement.agreements(workers[:1], documents[:1], scores[:1], graded=False)
    assert alone == {}
    assert agreement.agreements(workers[:0], documents[:0], scores[:0], graded=False) == {}
    everybody = agreement.agreements(workers, documents, scores, graded=False)
    assert {found.verdict for found in everybody.values()} <= {Verdict.TOO_FEW, Verdict.MORE}
