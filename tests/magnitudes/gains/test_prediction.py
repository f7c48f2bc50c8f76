from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.gains import GainError
from magnitudes.gains.disagreement import disagreement
from magnitudes.gains.level_weights import level_weights
from magnitudes.gains.prediction import (
    observed_weights,
    p_by_labels,
    sampled_weights,
)
from tests.magnitudes.gains.making import made_up, of_documents

SEEDS = st.integers(0, 2**32 - 1)
LISTS = [1, 1, 2, 2, 3], [1, 3, 3, 4, 4]


def documents(seed, least=4):
    rng = np.random.default_rng(seed)
    return [rng.integers(0, 3, rng.integers(least - 1, least + 2)).tolist() for _ in range(6)]


def by_loops(labelled, m, n, least):
    """Every order in which the labels of every document can be drawn."""
    hits, drawn = np.zeros((2, 3))
    for levels in labelled:
        if len(levels) >= least:
            orders = list(permutations(levels))
            for order in orders:
                drawn[order[0]] += 1 / len(orders)
                hits[order[0]] += (order[:n].count(2) >= m) / len(orders)
    return [hit / of if of else np.nan for hit, of in zip(hits, drawn, strict=True)]


@given(SEEDS)
def test_what_is_expected_is_the_mean_over_all_orders(seed):
    labelled = [*documents(seed), [0, 1, 2, 2]]
    found = observed_weights(of_documents(*labelled), *LISTS, least=4)
    for row, m, n in zip(found, *LISTS, strict=True):
        np.testing.assert_allclose(row, by_loops(labelled, m, n, 4), atol=1e-9)
    alone = observed_weights(of_documents(*labelled), 2, 3, least=4)
    assert alone.tolist() == pytest.approx(found[2].tolist(), nan_ok=True)


@given(SEEDS)
def test_of_two_users_it_is_p_itself(seed):
    said = of_documents(*documents(seed), [0, 1, 2, 2])
    many = said.where(said.counts.sum(axis=1)[said.items] >= 4)
    found = observed_weights(said, 1, 2, least=4)
    np.testing.assert_allclose(found[:-1], disagreement(many).p[:-1], atol=1e-9)
    assert found[-1] in (pytest.approx(1), pytest.approx(np.nan, nan_ok=True))


def test_where_labels_are_independent_the_prediction_holds():
    said = of_documents(*np.random.default_rng(1).choice(3, (3000, 6), p=[0.5, 0.2, 0.3]).tolist())
    predicted = level_weights(disagreement(said).p, *LISTS, keep_lowest=True)
    np.testing.assert_allclose(observed_weights(said, *LISTS), predicted, atol=0.02)


def test_where_documents_differ_it_does_not():
    said = of_documents(*([[1, 2, 2, 2, 2, 2]] * 50 + [[1, 0, 0, 0, 0, 0]] * 50))
    assert level_weights(disagreement(said).p, 1, 3)[1] == pytest.approx(0.75)
    assert observed_weights(said, 1, 3)[1] == pytest.approx(0.5)


def test_draws_come_to_what_is_expected():
    said = made_up(2, items=40, judges=400, said=400)
    found = sampled_weights(said, *LISTS, repeats=400, seed=3)
    error = found.sd / np.sqrt(400)
    expected = observed_weights(said, *LISTS)
    assert (np.abs(found.mean - expected) <= 4 * error + 0.005).all()
    assert found.documents == (said.counts.sum(axis=1) >= 6).sum()
    assert found.seed == 3
    again = sampled_weights(said, *LISTS, repeats=400, seed=3)
    assert again.mean.tolist() == found.mean.tolist()


def test_one_pair_of_numbers_is_one_row():
    assert sampled_weights(made_up(2, said=200), 1, 3, seed=1).mean.shape == (1, 3)


def test_p_of_few_labels_is_that_of_many_but_less_sure():
    said = made_up(5, items=60, judges=700, said=700)
    many = said.where(said.counts.sum(axis=1)[said.items] >= 6)
    labelled = many.given
    expected = disagreement(
        type(labelled)(
            labelled.items, labelled.levels, np.arange(len(labelled.items)), 3, said.topic_of_item
        )
    ).p
    found = p_by_labels(said, repeats=400, seed=1)
    assert found.mean.shape == (5, 3)
    np.testing.assert_allclose(found.mean, np.tile(expected, (5, 1)), atol=0.02)
    assert (found.sd[0] > 1.5 * found.sd[-1]).all()


def test_a_level_that_is_never_drawn_has_no_mean():
    found = sampled_weights(of_documents([0, 2, 2], [0, 2, 0]), 1, 2, least=3, seed=1)
    assert np.isnan(found.mean[0, 1])
    assert np.isnan(found.sd[0, 1])
    assert found.mean[0, 2] == 1


SAID = of_documents([0, 1, 2, 2, 1, 0])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: observed_weights(SAID, 1, 7), "N = 7 labels of documents with at least 6"),
        (lambda: observed_weights(SAID, 3, 2), "M must lie from 0 to N"),
        (lambda: observed_weights(SAID, [[1]], 2), "lists of one length"),
        (lambda: observed_weights(SAID, least=7), "no document has at least 7 labels"),
        (lambda: sampled_weights(SAID, least=7, seed=1), "no document has at least 7 labels"),
        (lambda: sampled_weights(SAID, repeats=1, seed=1), "at least 2 repeats"),
        (lambda: p_by_labels(SAID, least=1, seed=1), "needs 2 labels of a document"),
    ],
)
def test_what_cannot_be_drawn_is_an_error(wrong, message):
    with pytest.raises(GainError, match=message):
        wrong()
