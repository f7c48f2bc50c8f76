import numpy as np
import pytest

from magnitudes.comparison import ComparisonError
from magnitudes.comparison.compared import compare_definitions
from magnitudes.comparison.discrimination import discriminative_power, significance_curve
from magnitudes.comparison.paired_t import paired_t
from magnitudes.comparison.tukey import tukey_hsd

VALUES = np.random.default_rng(2).normal(np.linspace(0, 0.5, 9), 0.3, (25, 9))


def test_power_is_where_the_curve_crosses_the_level():
    p = paired_t(VALUES).p
    power, curve = discriminative_power(p), significance_curve(p)
    assert power.pairs == power.tested == len(curve) == 36
    assert 0 < power.significant < 36
    assert (curve[: power.significant] < 0.05).all()
    assert (curve[power.significant :] >= 0.05).all()
    assert power.share == power.significant / 36
    assert discriminative_power(p, level=0).share == 0


def test_pairs_without_p_are_left_out_and_counted():
    values = VALUES.copy()
    values[0, 0] = np.nan
    power = discriminative_power(paired_t(values).p)
    assert (power.tested, power.pairs) == (28, 36)
    nothing = discriminative_power(paired_t(VALUES[:1]).p)
    assert np.isnan(nothing.share)
    assert nothing.tested == 0
    assert not len(significance_curve(paired_t(VALUES[:1]).p))


def test_only_the_level_itself_is_not_significant():
    assert discriminative_power([[1, 0.05], [0.05, 1]]).significant == 0
    assert discriminative_power([[1, 0.0499], [0.0499, 1]]).significant == 1


@pytest.mark.parametrize("p", [[0.1, 0.2], [[0.1, 0.2]]])
def test_p_that_are_not_square(p):
    with pytest.raises(ComparisonError, match="systems, systems"):
        discriminative_power(p)


def test_two_definitions_get_the_same_orders():
    """So that one which only counts in another unit differs in nothing."""
    found = compare_definitions(VALUES, {"fourfold": VALUES * 4}, n_resamples=500, seed=3)[
        "fourfold"
    ]
    assert found.tau.tau == 1
    np.testing.assert_array_equal(found.reference.p, found.other.p)
    np.testing.assert_allclose(found.reference.effect, found.other.effect)
    assert not len(found.discrepancies.pairs)
    np.testing.assert_array_equal(found.reference.p, tukey_hsd(VALUES, 500, 3).p)


def test_definitions_that_cannot_be_compared():
    with pytest.raises(ComparisonError, match="not of one shape"):
        compare_definitions(VALUES, {"x": VALUES[1:]})
    one = compare_definitions(VALUES[:1], {"x": VALUES[:1]}, n_resamples=5)["x"]
    assert one.discrepancies.reason == "one topic cannot show a difference"
    nothing = compare_definitions(VALUES[:0], {"x": VALUES[:0]}, n_resamples=5)["x"]
    assert np.isnan(nothing.tau.tau)
    assert nothing.tau.reason == "there is no topic"
