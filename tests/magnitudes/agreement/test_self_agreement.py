import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.agreement import AgreementError
from magnitudes.agreement.opinions import Opinions
from magnitudes.agreement.overlap import self_and_cross


def repeated(seed, items=60, n_levels=3):
    """Three labels of each of two judges for every item, and one of a third."""
    rng = np.random.default_rng(seed)
    level = rng.integers(n_levels, size=(items, 7))
    judges = np.tile([0, 0, 0, 1, 1, 1, 2], items)
    return Opinions(np.repeat(np.arange(items), 7), level.ravel(), judges, n_levels, [0] * items)


def expected(said, same, replacement):
    """p(T|i) over all pairs of labels of the same judge, or of the two judges."""
    hits, counts = np.zeros((2, said.n_levels))
    for item in range(said.n_items):
        labels = [said.levels[(said.items == item) & (said.judges == judge)] for judge in (0, 1)]
        for one, other in [(0, 0), (1, 1)] if same else [(0, 1), (1, 0)]:
            pairs = [
                (x, y)
                for a, x in enumerate(labels[one])
                for b, y in enumerate(labels[other])
                if not same or replacement or a != b
            ]
            for x, y in pairs:
                counts[x] += 1 / len(pairs)
                hits[x] += (y == said.n_levels - 1) / len(pairs)
    return hits / counts


@pytest.mark.parametrize("replacement", [True, False])
def test_draws_come_to_what_all_pairs_of_labels_come_to(replacement):
    said = repeated(1)
    found = self_and_cross(said, 0, 1, 4000, replacement, seed=2)
    for spread, same in ((found.own, True), (found.cross, False)):
        error = spread.sd / np.sqrt(4000)
        assert (np.abs(spread.mean - expected(said, same, replacement)) < 4 * error + 0.004).all()
        np.testing.assert_allclose(spread.mean, spread.draws.mean(axis=0))
        np.testing.assert_allclose(spread.sd, spread.draws.std(axis=0, ddof=1))
    assert found.items == 60
    assert found.seed == 2


def test_a_label_drawn_with_itself_makes_a_judge_look_more_consistent():
    said = repeated(3)
    with_itself = self_and_cross(said, 0, 1, seed=1).own.mean[2]
    assert with_itself > self_and_cross(said, 0, 1, replacement=False, seed=1).own.mean[2] + 0.15


@given(st.integers(0, 2**32 - 1))
def test_consistent_judges_agree_with_themselves_whatever_the_other_says(seed):
    level = np.repeat(np.random.default_rng(seed).integers(3, size=(50, 2)), 2, axis=1)
    said = Opinions(np.repeat(np.arange(50), 4), level.ravel(), [0, 0, 1, 1] * 50, 3, [0] * 50)
    found = self_and_cross(said, 0, 1, draws=5, seed=seed)
    assert set(found.own.draws[:, 2]) <= {1}
    assert (found.own.draws[:, :2] == 0).all()
    assert (found.cross.sd < 1e-12).all()


def test_items_that_a_judge_labelled_once_are_left_out():
    items, judges = [0, 0, 0, 0, 1, 1, 1, 2, 2, 2], [0, 0, 1, 1, 0, 0, 1, 0, 1, 1]
    said = Opinions(items, [2, 2, 2, 2] + [0] * 6, judges, 3, [0, 0, 0])
    found = self_and_cross(said, 0, 1, draws=3, seed=1)
    assert found.items == 1
    assert np.isnan(found.cross.mean[0])
    assert found.cross.mean[2] == 1


def test_draws_are_the_same_however_many_are_made_at_a_time(monkeypatch):
    once = self_and_cross(repeated(1), 0, 1, 20, seed=1).own.draws
    monkeypatch.setattr("magnitudes.scaling.groups.CHUNK_SIZE", 1)
    assert self_and_cross(repeated(1), 0, 1, 20, seed=1).own.draws.tolist() == once.tolist()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ((0, 0, 5), "judge 0 cannot be compared"),
        ((0, 2, 5), "judges 0 and 2 labelled no item twice each"),
        ((0, 9, 5), "judges 0 and 9 labelled no item twice each"),
        ((0, 1, 0), "at least one draw must be made, not 0"),
    ],
)
def test_what_cannot_be_compared_is_an_error(wrong, message):
    with pytest.raises(AgreementError, match=message):
        self_and_cross(repeated(1), *wrong, seed=1)
