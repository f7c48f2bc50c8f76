import numpy as np
import pytest
from scipy.optimize import brentq

from crowd import model
from crowd.vectorised import CrowdTraits, log_gains, people, scores_of
from magnitudes.agreement import AgreementError
from magnitudes.agreement.alpha import (
    MIN_ITEMS,
    TOO_ALIKE,
    TOO_FEW,
    TOO_SMALL,
    UNDEFINED,
    bootstrap_alpha,
    krippendorff_alpha,
)
from magnitudes.agreement.alpha_sums import LEVELS
from magnitudes.scaling import groups
from magnitudes.scaling.groups import Resamples
from magnitudes.scaling.normalisation import normalise
from tests.magnitudes.agreement import plain_alpha

COVERED = 0.925, 0.975
SIZES = (30, 5), (100, 10), (400, 10)
ALPHAS = 0.2, 0.4, 0.65


def crowd(n_items=30, noise=1.0):
    rng = np.random.default_rng(6)
    items = np.repeat(np.arange(n_items), rng.integers(2, 6, n_items))
    truth = rng.normal(size=n_items)
    return rng.lognormal(truth[items], noise).round(1) + 0.1, items


# --- draws ------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("repeated", [False, True])
def test_each_draw_has_the_alpha_of_the_items_drawn(level, repeated):
    """With all disagreement, observed and expected, and with all ranks, of that draw alone."""
    values, items = crowd(12)
    judges = np.random.default_rng(1).integers(0, 3, len(items)) if repeated else None
    who = judges if repeated else np.arange(len(items))
    found = bootstrap_alpha(values, items, level, resamples=8, seed=3, judges=judges)
    used = np.unique(items[plain_alpha.counted(items, who)])
    ((_, weights),) = Resamples(len(used), 8, 3).chunks(1)
    for counts, alpha in zip(weights, found.alphas, strict=True):
        drawn = np.repeat(used, counts.astype(int))
        places = [np.flatnonzero(items == item) for item in drawn]
        copies = np.repeat(np.arange(len(drawn)), list(map(len, places)))
        rows = np.concatenate(places)
        plain = plain_alpha.alpha(values[rows], copies, who[rows], level, items[rows])
        assert alpha == pytest.approx(plain, abs=1e-12)


@pytest.mark.parametrize("level", LEVELS)
def test_how_much_is_done_at_once_does_not_matter(level, monkeypatch):
    values, items = crowd()
    whole = bootstrap_alpha(values, items, level, resamples=50, seed=3)
    monkeypatch.setattr(groups, "CHUNK_SIZE", 300)
    parts = bootstrap_alpha(values, items, level, resamples=50, seed=3)
    assert parts.alphas == pytest.approx(whole.alphas, abs=1e-12)
    assert (parts.low, parts.high) == pytest.approx((whole.low, whole.high), abs=1e-9)


def test_draws_are_with_replacement_and_of_as_many_items():
    (_, weights), *rest = Resamples(50, 400, 1).chunks(1)
    assert not rest
    assert (weights.sum(axis=1) == 50).all()
    assert weights.mean(axis=0) == pytest.approx(np.ones(50), abs=0.25)
    assert weights.var(axis=0).mean() == pytest.approx(1 - 1 / 50, rel=0.1)


def test_the_seed_decides_and_is_given_back():
    values, items = crowd()
    one, same, other = (bootstrap_alpha(values, items, seed=seed) for seed in (1, 1, 2))
    assert (one.alphas == same.alphas).all()
    assert (one.alphas != other.alphas).any()
    assert (one.seed, other.seed) == (1, 2)


# --- intervals --------------------------------------------------------------------------------


def expected_difference(sd):
    """E δ² of two log-normal values whose logarithms differ with this standard deviation."""
    z = np.linspace(-10, 10, 4001)
    return np.average(np.tanh(sd * z / 2) ** 2, weights=np.exp(-(z**2) / 2))


def documents_sd(alpha):
    """How far the logarithms of documents spread, for that alpha where those of scores do by 1."""
    observed = expected_difference(np.sqrt(2))
    return brentq(
        lambda sd: 1 - observed / expected_difference(np.sqrt(2 * (1 + sd**2))) - alpha, 0.01, 20
    )


def lognormal(rng, sd, documents, scores):
    logs = rng.normal(0, sd, (documents, 1)) + rng.normal(size=(documents, scores))
    return np.exp(logs).ravel(), np.repeat(np.arange(documents), scores)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_the_true_alpha_is_that_of_a_very_large_sample(alpha):
    values, items = lognormal(np.random.default_rng(1), documents_sd(alpha), 20_000, 10)
    assert krippendorff_alpha(values, items).alpha == pytest.approx(alpha, abs=0.01)


def covered(alpha, documents, scores, studies):
    """In what share of studies the interval holds the true alpha."""
    rng, sd = np.random.default_rng(documents), documents_sd(alpha)
    found = (
        bootstrap_alpha(*lognormal(rng, sd, documents, scores), resamples=400, seed=seed)
        for seed in range(studies)
    )
    return np.mean([each.low <= alpha <= each.high for each in found])


def test_intervals_of_a_small_study_hold_the_true_alpha_as_often_as_they_say():
    assert COVERED[0] <= covered(0.4, 30, 5, 1000) <= COVERED[1]


@pytest.mark.whole
@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize(("documents", "scores"), SIZES)
def test_intervals_hold_the_true_alpha_as_often_as_they_say(documents, scores, alpha):
    assert COVERED[0] <= covered(alpha, documents, scores, 2000) <= COVERED[1]


def judged_by_a_crowd(rng, topics, documents, scores, careless=model.CARELESS):
    """Normalised scores of artificial workers without the anchors, who each judge one unit."""
    columns = [[], [], [], []]
    traits = CrowdTraits(careless=careless)
    for topic in range(topics):
        labels = rng.choice(4, documents, p=[0.5, 0.25, 0.15, 0.1])
        gains = log_gains(rng, labels, 3, traits)
        shown = np.concatenate([rng.permutation(documents) for _ in range(scores)]).reshape(-1, 6)
        units = len(shown)
        anchors = np.tile([model.LEVELS[3], model.LEVELS[0]], (units, 1))
        seen = np.hstack([anchors, gains[shown]])
        given = scores_of(rng, people(rng, units, traits), seen, traits)
        columns[0].append(normalise(given).values[:, 2:].ravel())
        columns[1].append(shown.ravel() + topic * documents)
        columns[2].append(np.repeat(np.arange(units) + topic * units, 6))
        columns[3].append(np.full(shown.size, topic))
    return list(map(np.concatenate, columns))


def covered_of_a_crowd(topics, documents, scores, studies, careless=model.CARELESS):
    def made(rng, *size):
        values, items, judges, strata = judged_by_a_crowd(rng, *size, careless)
        return (values, items), {"judges": judges, "strata": strata, "first": 10}

    very_many, of = made(np.random.default_rng(1), 60, 600, scores)  # topics differ a little
    true = krippendorff_alpha(*very_many, **of).alpha
    rng, hits = np.random.default_rng(2), 0
    for seed in range(studies):
        judgments, of = made(rng, topics, documents, scores)
        found = bootstrap_alpha(*judgments, **of, resamples=500, seed=seed)
        hits += found.low <= true <= found.high
    return hits / studies


def test_intervals_of_a_crowd_hold_the_true_alpha_as_often_as_they_say():
    """Scores of a unit depend on one another, which draws of documents alone do not see."""
    assert COVERED[0] <= covered_of_a_crowd(1, 60, 10, 400) <= COVERED[1]


@pytest.mark.whole
@pytest.mark.parametrize("careless", [model.CARELESS, 0.3])
@pytest.mark.parametrize(("topics", "documents", "scores"), [(1, 60, 10), (1, 198, 10)])
def test_intervals_of_other_crowds(topics, documents, scores, careless):
    assert COVERED[0] <= covered_of_a_crowd(topics, documents, scores, 1000, careless) <= COVERED[1]


def test_below_30_documents_there_is_no_interval():
    for documents, reason in ((MIN_ITEMS - 1, TOO_FEW), (MIN_ITEMS, "")):
        values, items = lognormal(np.random.default_rng(1), 1.0, documents, 4)
        found = bootstrap_alpha(values, items, seed=1)
        assert found.reason == reason
        assert np.isnan([found.low, found.high]).all() == bool(reason)
        assert 0 < found.alpha < 1


def test_within_topics_there_is_no_interval_where_topics_are_small():
    values, items = lognormal(np.random.default_rng(1), 1.0, 80, 4)
    assert bootstrap_alpha(values, items, seed=1, strata=items // 8).reason == TOO_SMALL
    assert not bootstrap_alpha(values, items, seed=1, strata=items // 40).reason


@pytest.mark.parametrize("level", LEVELS)
def test_without_anything_to_expect_it_is_nan(level):
    found = bootstrap_alpha([2, 2, 2, 2], [0, 0, 1, 1], level, resamples=7, seed=1)
    assert found.alphas.shape == (7,)
    assert np.isnan([found.alpha, found.low, found.high, *found.alphas]).all()
    assert found.reason == UNDEFINED


@pytest.mark.parametrize("level", LEVELS)
def test_items_that_all_agree_agree_in_every_draw_and_have_no_interval(level):
    """Nothing shows by how much they might have differed."""
    values, items = np.repeat(np.arange(1.0, 41), 3), np.repeat(np.arange(40), 3)
    found = bootstrap_alpha(values, items, level, resamples=100, seed=1)
    assert found.alphas == pytest.approx(np.ones(100))
    assert found.reason == TOO_ALIKE
    assert np.isnan([found.low, found.high]).all()


def test_no_draw_is_no_bootstrap():
    with pytest.raises(AgreementError, match="at least one resample"):
        bootstrap_alpha([1, 2], [0, 0], resamples=0, seed=1)
