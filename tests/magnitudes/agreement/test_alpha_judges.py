"""Alpha where judges score a document more than once, and within topics."""

import numpy as np
import pytest

from magnitudes.agreement import AgreementError
from magnitudes.agreement.alpha import krippendorff_alpha
from magnitudes.agreement.alpha_draws import as_they_are
from magnitudes.agreement.alpha_judges import _of_values, widening
from magnitudes.agreement.alpha_pools import pools
from magnitudes.agreement.alpha_sums import LEVELS
from tests.magnitudes.agreement import plain_alpha
from tests.magnitudes.agreement.test_alpha import peer


def scores(seed=3, n=90, n_items=14, n_judges=4):
    rng = np.random.default_rng(seed)
    items = rng.integers(0, n_items, n)
    values = rng.lognormal(rng.normal(size=n_items)[items]).round(1) + 0.1
    return values, items, rng.integers(0, n_judges, n)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", range(5))
def test_pairs_of_one_judges_own_scores_are_left_out(level, seed):
    values, items, judges = scores(seed)
    found = krippendorff_alpha(values, items, level, judges=judges).alpha
    assert found == pytest.approx(plain_alpha.alpha(values, items, judges, level), abs=1e-12)
    assert found != pytest.approx(krippendorff_alpha(values, items, level).alpha, abs=1e-4)


@pytest.mark.parametrize("level", LEVELS)
def test_with_one_score_of_a_judge_it_is_the_peers(level):
    values, items, _ = scores()
    judges = np.arange(len(values)) - np.searchsorted(np.sort(items), items)  # all of an item apart
    judges -= judges.min()
    places = np.argsort(items, kind="stable")
    judges[places] = np.arange(len(items)) - np.searchsorted(items[places], items[places])
    found = krippendorff_alpha(values, items, level, judges=judges).alpha
    assert found == pytest.approx(peer(values, items, level), abs=1e-12)


def test_a_document_that_one_judge_scored_again_and_again_says_nothing():
    found = krippendorff_alpha([1, 2, 3, 4, 7, 70], [0, 0, 1, 1, 2, 2], judges=[0, 1, 0, 1, 5, 5])
    assert found == krippendorff_alpha([1, 2, 3, 4], [0, 0, 1, 1])


@pytest.mark.parametrize("level", LEVELS)
def test_within_topics_chance_is_that_of_the_same_topic(level):
    values, items, judges = scores()
    topics = items // 5
    observed = expected = 0.0
    for topic in np.unique(topics):
        of = topics == topic
        places = plain_alpha.counted(items[of], judges[of])
        here = (values[of][places], items[of][places], judges[of][places])
        _, one, other = plain_alpha.disagreements(*here, level, here[1])
        observed, expected = observed + one, expected + other
    found = krippendorff_alpha(values, items, level, judges=judges, strata=topics).alpha
    assert found == pytest.approx(1 - observed / expected, abs=1e-12)


def test_topics_that_lie_apart_have_alpha_without_agreement_but_not_within():
    rng = np.random.default_rng(1)
    items = np.repeat(np.arange(400), 5)
    values = rng.lognormal(2.0 * (items // 100), 1)
    assert krippendorff_alpha(values, items).alpha > 0.3
    assert abs(krippendorff_alpha(values, items, strata=items // 100).alpha) < 0.05


def test_a_document_is_of_one_topic():
    with pytest.raises(AgreementError, match="item 1 is in two"):
        krippendorff_alpha([1, 2, 3, 4], [0, 0, 1, 1], strata=[0, 0, 0, 1])


@pytest.mark.parametrize("level", LEVELS)
def test_what_a_value_changes_is_what_a_heavier_one_would(level):
    """Twice the weight is a judge's value twice, which the derivative must foretell in the mean."""
    values, items, judges = scores(n=60, n_judges=1000)
    (pool,) = pools(values, items, level, None, judges, None)
    found = _of_values(pool)
    # Of degree 1: derivatives by all weights together are the disagreements themselves.
    if level != "ordinal":
        assert found.observed.sum() == pytest.approx(pool.observed)
        assert found.expected.sum() == pytest.approx(pool.expected, rel=0.1)
    here = as_they_are([pool])
    assert (here.observed[0], here.expected[0]) == pytest.approx((pool.observed, pool.expected))


def test_judges_with_habits_make_alpha_less_sure():
    rng = np.random.default_rng(5)
    judges, items = np.repeat(np.arange(30), 20), rng.integers(0, 60, 600)
    truth, habit = rng.normal(0, 1, 60)[items], rng.normal(0, 1.5, 30)[judges]
    noise = rng.normal(size=600)
    apart = pools(np.exp(truth + noise), items, "ratio", None, judges, None)
    alike = pools(np.exp(truth + habit + noise), items, "ratio", None, judges, None)
    assert 1 <= widening(apart, judges) < 1.2
    assert widening(alike, judges) > 1.2
