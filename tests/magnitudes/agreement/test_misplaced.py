"""Documents among those of another level: against a plain loop, and on strange labels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.agreement.misplaced import misplaced
from magnitudes.scaling import ScalingError

DOCUMENT = st.tuples(
    st.floats(1e-3, 1e3), st.sampled_from([-2.0, 0.0, 0.5, 3.0]), st.integers(0, 2)
)


def plainly(
    place: int, logs: list[float], labels: list[float], topics: list[int]
) -> tuple[float, float, float]:
    """ln own, fits, strength of one document."""
    peers: dict[float, list[float]] = {}
    for other, (log, label) in enumerate(zip(logs, labels, strict=True)):
        if topics[other] == topics[place] and other != place:
            peers.setdefault(label, []).append(log)
    if labels[place] not in peers:
        return (np.nan,) * 3
    own = float(np.median(peers[labels[place]]))
    side = logs[place] - own
    away = {
        level: abs(logs[place] - float(np.median(of)))
        for level, of in sorted(peers.items())
        if (level > labels[place] and side >= 0) or (level < labels[place] and side <= 0)
    }
    if not away:
        return own, np.nan, np.nan
    fits = min(away, key=lambda level: away[level])
    return own, fits, side**2 - away[fits] ** 2


@given(st.lists(DOCUMENT, max_size=25))
def test_as_a_plain_loop_finds_it(documents: list[tuple[float, float, int]]) -> None:
    gains, labels, topics = ([one[field] for one in documents] for field in range(3))
    logs = [float(np.log(gain)) for gain in gains]
    found = misplaced(gains, labels, np.array(topics, dtype=int))
    expected = np.array(
        [plainly(place, logs, labels, topics) for place in range(len(gains))]  # type: ignore[arg-type]
    ).reshape(-1, 3)
    np.testing.assert_allclose(np.log(found.own), expected[:, 0], atol=1e-12)
    np.testing.assert_allclose(found.strength, expected[:, 2], atol=1e-10)
    np.testing.assert_array_equal(np.isnan(found.fits), np.isnan(expected[:, 1]))


def test_it_is_far_from_its_own_and_among_others() -> None:
    gains = [1, 1.5, 2, 30, 20, 25, 40, 1]
    labels = [0, 0, 0, 0, 1, 1, 1, 1]
    found = misplaced(gains, labels, np.zeros(8, dtype=int))
    assert np.flatnonzero(found.strength > 0).tolist() == [3, 7]
    assert found.fits[[3, 7]].tolist() == [1, 0]
    assert found.own[3] == pytest.approx(1.5)
    assert found.there[3] == pytest.approx(np.sqrt(20 * 25))


def test_a_higher_gain_never_fits_a_lower_level() -> None:
    """Even where the levels of a topic are in the wrong order."""
    found = misplaced([9, 10, 11, 1, 2, 10], [0, 0, 0, 1, 1, 1], np.zeros(6, dtype=int))
    assert np.isnan(found.fits[5])


def test_a_document_alone_at_its_level_cannot_be_placed() -> None:
    found = misplaced([1, 2, 9], [0, 0, 1], [0, 0, 0])
    assert np.isnan([found.own[2], found.fits[2], found.strength[2]]).all()
    assert np.isnan(misplaced([1, 9], [0, 0], [0, 1]).own).all()


def test_every_topic_is_as_if_alone() -> None:
    rng = np.random.default_rng(4)
    gains, labels, topics = (
        rng.lognormal(0, 2, 300),
        rng.integers(0, 3, 300),
        rng.integers(0, 40, 300),
    )
    together = misplaced(gains, labels, topics)
    assert np.isfinite(together.strength).any()
    for topic in range(40):
        here = topics == topic
        alone = misplaced(gains[here], labels[here], topics[here])
        for one, other in zip(together, alone, strict=True):
            np.testing.assert_array_equal(one[here], other)


def test_other_units_change_nothing() -> None:
    rng = np.random.default_rng(3)
    gains, labels = rng.lognormal(0, 2, 60), rng.integers(0, 4, 60)
    topics = rng.integers(0, 3, 60)
    plain = misplaced(gains, labels, topics)
    for factor in (1e9, 1e-9):
        other = misplaced(gains * factor, labels, topics)
        np.testing.assert_array_equal(other.fits, plain.fits)
        np.testing.assert_allclose(other.strength, plain.strength, atol=1e-9)


@pytest.mark.parametrize(
    ("gains", "labels", "topics", "said"),
    [
        ([0.0], [1], [0], "not a positive finite"),
        ([1.0], [np.nan], [0], "not a finite"),
        ([1.0], [1, 2], [0], "do not fit"),
        ([1.0], [1], [0.5], "whole numbers"),
    ],
)
def test_what_it_refuses(gains: list[float], labels: list[float], topics: list, said: str) -> None:
    with pytest.raises(ScalingError, match=said):
        misplaced(gains, labels, topics)
