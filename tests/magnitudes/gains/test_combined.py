import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.agreement import AgreementError
from magnitudes.agreement.opinions import Opinions
from magnitudes.gains import GainError
from magnitudes.gains.combined import combined, combined_weights


@given(st.integers(0, 2**32 - 1))
def test_two_judges_pairs_of_levels_counted_by_loops(seed):
    rng = np.random.default_rng(seed)
    snippets, pages = rng.choice([-1, 0, 1, 2], (2, 80)), rng.choice([-1, 0, 1], (2, 80))
    said = Opinions(np.tile(np.arange(80), 2), snippets.ravel(), [0] * 80 + [1] * 80, 3, [0] * 80)
    found = combined_weights(said, pages.ravel(), 2, m=1, n=3, few=20)
    pairs = []
    for one, other in ((0, 1), (1, 0)):
        for document in range(80):
            cell = snippets[one, document], pages[one, document]
            beside = snippets[other, document], pages[other, document]
            if -1 not in cell + beside:
                pairs.append((cell, beside))
    for cell in np.ndindex(3, 2):
        best = [beside == (2, 1) for of, beside in pairs if of == cell]
        p = np.mean(best) if best else np.nan
        weight = 1 if cell == (2, 1) else 0 if cell[1] == 0 else 1 - (1 - p) ** 2
        assert found.p[cell] == pytest.approx(p, nan_ok=True)
        assert found.weights[cell] == pytest.approx(weight, nan_ok=True)
        assert found.observations[cell] == len(best)
        assert found.few[cell] == (len(best) < 20)


def test_the_lowest_level_of_the_second_aspect_may_keep_its_weight():
    said = Opinions([0, 0, 1, 1], [1, 1, 1, 1], [0, 1, 0, 1], 2, [0, 0])
    pages = [0, 1, 1, 0]
    assert combined_weights(said, pages, 2).weights[1].tolist() == [0, 1]
    assert combined_weights(said, pages, 2, keep_lowest=True).weights[1].tolist() == [1, 1]


@pytest.mark.parametrize(
    ("second", "n_second", "message"),
    [
        ([0, 2], 2, "second: 2 at place 1 is not from -1 to 1"),
        ([0], 2, "second must be one list of 2"),
        ([0, 0], 1, "n_second: a scale has at least 2 levels"),
    ],
)
def test_a_second_aspect_must_fit(second, n_second, message):
    with pytest.raises((GainError, AgreementError), match=message):
        combined(Opinions([0, 0], [1, 0], [0, 1], 2, [0]), second, n_second)
