"""The test of no agreement: scores change places within what they were given in."""

import numpy as np
import pytest

from magnitudes.agreement import AgreementError
from magnitudes.agreement.alpha import bootstrap_alpha, krippendorff_alpha
from magnitudes.agreement.alpha_randomised import STAYS, randomisation_test
from magnitudes.agreement.alpha_sums import LEVELS


def units(rng, agree=0.0, apart=0.0, n=24, topics=3, documents=15, size=6):
    """Scores of units of topics whose scales lie apart, with agreement or without."""
    topic = np.arange(n) % topics
    shown = np.array([rng.choice(documents, size, replace=False) for _ in range(n)])
    items = (shown + topic[:, np.newaxis] * documents).ravel()
    truth = rng.normal(0, agree, topics * documents)[items] + apart * np.repeat(topic, size)
    return rng.lognormal(truth, 1), items, np.repeat(np.arange(n), size)


def test_p_is_uniform_without_agreement_though_topics_lie_apart():
    """Where the share of the bootstrap's alphas below 0 would say that all studies agree."""
    rng = np.random.default_rng(4)
    studies = [units(rng, apart=2.0) for _ in range(200)]
    assert np.mean([krippendorff_alpha(*study[:2]).alpha for study in studies]) > 0.3
    shares = [np.mean(bootstrap_alpha(*s[:2], resamples=100, seed=1).alphas <= 0) for s in studies]
    assert np.mean(np.array(shares) <= 0.05) > 0.9
    p = np.array([randomisation_test(*s, permutations=199, seed=1).p for s in studies])
    assert np.mean(p <= 0.05) <= 0.09
    assert p.mean() == pytest.approx(0.5, abs=0.06)


def test_agreement_is_found():
    rng = np.random.default_rng(4)
    p = [randomisation_test(*units(rng, agree=0.8), seed=1).p for _ in range(20)]
    assert np.mean(np.array(p) < 0.05) > 0.8


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("repeated", [False, True])
def test_each_permutation_has_the_alpha_of_the_values_permuted(level, repeated):
    rng = np.random.default_rng(2)
    values, items, blocks = units(rng, agree=0.5, n=9, topics=1, documents=8)
    values = values.round(1) + 0.1
    judges = blocks // 2 if repeated else None
    blocks[::5] = STAYS
    found = randomisation_test(values, items, blocks, level, permutations=9, seed=5, judges=judges)
    assert found.alphas.shape == (9,)
    assert len(np.unique(found.alphas)) > 1
    alone = krippendorff_alpha(values, items, level, judges=judges).alpha
    higher = int((found.alphas >= alone - 1e-12).sum())
    assert found.p == (higher + 1) / 10


def test_what_stays_stays_and_the_rest_keeps_to_its_block():
    """Values that tell where they come from: blocks lie far apart, and alpha cannot fall."""
    values = np.array([1.0, 1, 2, 2, 100, 100, 200, 200])
    items = np.array([0, 0, 1, 1, 2, 2, 3, 3])
    none = randomisation_test(values, items, np.full(8, STAYS), seed=1)
    assert np.isnan(none.p)
    alone = randomisation_test(values, items, np.arange(8), seed=1)
    assert np.isnan(alone.p)
    same = randomisation_test(values, items, [0, 0, 1, 1, 2, 2, 3, 3], seed=1)  # equal ones swap
    assert same.p == 1
    half = randomisation_test(values, items, [0, 1, 0, 1, 2, 3, 2, 3], permutations=50, seed=1)
    within = krippendorff_alpha(values, items).alpha
    assert half.alphas.min() > 0.5  # 1, 2 and 100, 200 do not mix
    assert half.alphas.max() == pytest.approx(within)


def test_p_is_never_0_nor_above_1():
    values = np.tile([1.0, 10, 100, 1000, 10_000, 100_000], 20)
    items, blocks = np.tile(np.arange(6), 20), np.repeat(np.arange(20), 6)
    assert randomisation_test(values, items, blocks, permutations=99, seed=1).p == 1 / 100
    assert randomisation_test(values[::-1], items, blocks, permutations=99, seed=1).p == 1 / 100


@pytest.mark.parametrize("level", LEVELS)
def test_where_alpha_is_not_defined_there_is_no_test(level):
    found = randomisation_test([2, 2, 2, 2], [0, 0, 1, 1], [0, 1, 0, 1], level, 5, seed=1)
    assert np.isnan(found.p)


def test_the_seed_decides_and_there_must_be_a_permutation():
    study = units(np.random.default_rng(1))
    one, same, other = (randomisation_test(*study, seed=seed).alphas for seed in (1, 1, 2))
    assert (one == same).all()
    assert (one != other).any()
    with pytest.raises(AgreementError, match="at least one permutation"):
        randomisation_test(*study, permutations=0, seed=1)


def test_many_scores_of_a_document_are_compared_as_few_are():
    """Beyond 200 waves take the place of pairs."""
    rng = np.random.default_rng(3)
    values, items = rng.lognormal(size=450), np.repeat([0, 1], [220, 230])
    found = randomisation_test(values, items, np.arange(450) % 225, permutations=4, seed=1)
    assert found.alphas == pytest.approx(krippendorff_alpha(values, items).alpha, abs=0.05)
