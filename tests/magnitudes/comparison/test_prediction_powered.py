"""Few topics judged by people and many by a model: what is estimated, and how sure it is."""

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from magnitudes.comparison import ComparisonError
from magnitudes.comparison.interval import t_interval
from magnitudes.comparison.prediction_powered import (
    estimates,
    prediction_powered,
)
from tests import judged_topics as simulation
from tests.judged_topics import USELESS, Population

Floats = NDArray[np.float64]


def drawn(
    n: int = 20, others: int = 40, systems: int = 4, noise: float = 0.5, seed: int = 1
) -> list[Floats]:
    """Values by people and by a model of n topics, and by the model of others."""
    rng = np.random.default_rng(seed)
    true = rng.gamma(2, 1, (n + others, 1)) + rng.normal(0, 1, (n + others, systems))
    model = 0.8 * true + 0.3 + rng.normal(0, noise, true.shape)
    return [true[:n], model[:n], model[n:]]


def test_an_example_by_hand() -> None:
    """People give 1 and -1 on ten topics each; the model twice that, and 2 more on 20 others.

    Without a topic s(y, f) is 40/19 and s²(f) 80/19. S²(f) is (200 - 40/39)/38 without a topic of
    1, (200 - 360/39)/38 without one of -1; so λ is .2229 and .2281. The model's mean of others is
    2, so people's values become 1 and -1 + 4 · .2281. Nothing is skewed.
    """
    people = np.repeat([1.0, -1.0], 10)[:, np.newaxis] * [1, 0]
    found = prediction_powered(people, 2 * people, 2 * people + [2, 0]).pairs
    assert found.weight[0, 1] == pytest.approx((0.222857 + 0.228070) / 2, abs=1e-6)
    assert found.mean[0, 1] == pytest.approx((1 - 1 + 4 * 0.228070) / 2, abs=1e-6)
    v = 0.311351 / 20 + 0.2254635**2 * 200 / 39 / 20
    assert found.high[0, 1] - found.mean[0, 1] == pytest.approx(2.093 * v**0.5, abs=1e-4)
    assert found.mean[0, 1] - found.low[0, 1] == pytest.approx(2.093 * v**0.5, abs=1e-4)
    alone = 2.093 * (20 / 19 / 20) ** 0.5
    assert [each[0, 1] for each in found[3:6]] == pytest.approx([0, -alone, alone], abs=1e-4)
    # 2.0345 √(20/19/34) = .3580 is at least 2.093 √v = .3540, and 2.0322 √(20/19/35) = .3524 not.
    assert found.worth[0, 1] == 34


def plainly(y: Floats, f: Floats, others: Floats) -> tuple[float, float, float]:
    """Mean, half-width and λ of one quantity, topic by topic."""
    n, more = len(y), len(others)
    weights = []
    for topic in range(n):
        rest_y, rest_f = np.delete(y, topic), np.delete(f, topic)
        r = np.corrcoef(rest_y, rest_f)[0, 1]
        ratio = (n - 3) * r**2 / (1 - r**2)
        of_all = np.append(rest_f, others).var(ddof=1)
        best = np.cov(rest_y, rest_f)[0, 1] / (rest_f.var(ddof=1) + of_all * n / more)
        weights.append(max(best, 0) * max(1 - 2 / ratio, 0))
    weight = np.mean(weights)
    of_people = y - weights * (f - others.mean())
    everywhere = np.append(f, others)
    v = of_people.var(ddof=1) / n + weight**2 * everywhere.var(ddof=1) / more
    third = stats.kstat(of_people, 3) / n**2 + weight**3 * stats.kstat(everywhere, 3) / more**2
    q = stats.t.ppf(0.975, n - 1)
    wider = 1 + third**2 / v**3 * (q**4 + 2 * q**2 - 3) / 18 * (1 + 30 / n)
    return of_people.mean(), q * wider * v**0.5, float(weight)


@pytest.mark.parametrize("noise", [0.1, 1.0, 20.0])
def test_it_is_what_is_written_plainly(noise: float) -> None:
    people, model, others = drawn(60, 90, noise=noise)
    found = prediction_powered(people, model, others)
    for system in range(4):
        mean, _, weight = plainly(people[:, system], model[:, system], others[:, system])
        of = found.systems
        assert [of.mean[system], of.weight[system]] == pytest.approx([mean, weight])
    for one, other in product(range(4), range(4)):
        if one != other:
            by = (each[:, one] - each[:, other] for each in (people, model, others))
            mean, half, weight = plainly(*by)
            pairs = (each[one, other] for each in found.pairs[:3])
            assert list(pairs) == pytest.approx([mean, mean - half, mean + half])
            assert found.pairs.weight[one, other] == pytest.approx(weight)


def test_with_many_topics_it_is_ppi_plus_plus() -> None:
    """The equations that PPI++ has for a mean, one λ for all topics and a normal quantile."""
    y, f, others = (each[:, 0] for each in drawn(4000, 9000, 1))
    n, more = len(y), len(others)
    everywhere = np.append(f, others)
    weight = np.cov(y, f)[0, 1] / ((1 + n / more) * everywhere.var())
    mean = weight * others.mean() + (y - weight * f).mean()
    half = 1.96 * (weight**2 * others.var() / more + (y - weight * f).var() / n) ** 0.5
    found = estimates(y[np.newaxis], f[np.newaxis], others[np.newaxis])
    assert found.weight[0] == pytest.approx(weight, rel=0.05)
    assert found.mean[0] == pytest.approx(mean, abs=half / 50)
    assert found.high[0] - found.mean[0] == pytest.approx(half, rel=0.01)


@pytest.mark.parametrize("useless", ["constant", "opposite", "no other topics"])
def test_a_model_that_is_not_used_leaves_what_people_say(useless: str) -> None:
    people, model, others = drawn(50)
    if useless == "no other topics":
        others = others[:0]
    else:
        model, others = (0 * x + 0.1 if useless == "constant" else -x for x in (model, others))
    found = prediction_powered(people, model, others)
    assert not found.systems.weight.any()
    assert not found.pairs.weight.any()
    np.testing.assert_allclose(found.systems.mean, people.mean(axis=0))
    assert set(found.pairs.worth[~np.eye(4, dtype=bool)]) == {50}
    for mine, alone in zip(found.pairs[:3], found.pairs[3:6], strict=True):
        np.testing.assert_allclose(mine, alone, rtol=0, atol=1e-13)


def test_people_alone_without_skewness_have_students_interval() -> None:
    people = np.array([np.arange(15.0), np.zeros(15)]).T
    found = prediction_powered(people, people, people)
    for mine, students in zip(found.pairs[3:6], t_interval(people[:, 0]), strict=True):
        assert mine[0, 1] == pytest.approx(float(students))


def test_skewed_values_have_a_wider_interval() -> None:
    people = np.array([np.exp(np.arange(15) / 4), np.zeros(15)]).T
    pairs = prediction_powered(people, people, people).pairs
    mean, high = pairs.alone[0, 1], pairs.alone_high[0, 1]
    assert high - mean > 1.05 * (t_interval(people[:, 0]).high - mean)


def test_a_model_that_is_people_gives_the_mean_of_all_topics() -> None:
    people, _, _ = drawn(60, 90)
    others = np.random.default_rng(3).permuted(np.concatenate([people, people[:30]]), axis=0)
    found = prediction_powered(people, people, others).systems
    every = np.concatenate([people, others]).mean(axis=0)
    np.testing.assert_allclose(found.mean, every, atol=0.2 * np.abs(found.alone - every).max())
    np.testing.assert_allclose(found.weight, 90 / 150, rtol=0.1)
    worth = estimates(people.T, people.T, others.T).worth
    assert (worth > 120).all()
    assert (worth <= 150).all()


@pytest.mark.parametrize(("times", "plus"), [(3.0, 0.0), (1.0, 7.0), (0.01, -2.0)])
def test_units_and_what_a_model_adds_everywhere_do_not_matter(times: float, plus: float) -> None:
    people, model, others = drawn(50)
    plain = prediction_powered(people, model, others)
    moved = prediction_powered(times * people + plus, 5 * model - 40, 5 * others - 40)
    for n, (one, other) in enumerate(zip(plain.systems[:6], moved.systems[:6], strict=True)):
        np.testing.assert_allclose(times * one + plus, other, rtol=1e-7, err_msg=str(n))
    for one, other in zip(plain.pairs[:6], moved.pairs[:6], strict=True):
        np.testing.assert_allclose(times * one, other, rtol=1e-6, atol=1e-10)
    np.testing.assert_allclose(plain.pairs.weight * times / 5, moved.pairs.weight, rtol=1e-6)
    np.testing.assert_array_equal(plain.pairs.worth, moved.pairs.worth)


def test_a_pair_is_the_same_both_ways_and_among_other_systems() -> None:
    tables = drawn(30, systems=5)
    pairs = prediction_powered(*tables).pairs
    np.testing.assert_array_equal(pairs.mean, -pairs.mean.T)
    np.testing.assert_array_equal(pairs.low, -pairs.high.T)
    np.testing.assert_array_equal(pairs.alone_low, -pairs.alone_high.T)
    np.testing.assert_array_equal(pairs.worth, pairs.worth.T)
    assert np.isnan(np.diagonal(pairs.low)).all()
    two = prediction_powered(*(table[:, [3, 1]] for table in tables)).pairs
    for mine, among in zip(two, pairs, strict=True):
        np.testing.assert_allclose(mine[0, 1], among[3, 1], rtol=1e-12)


def test_what_would_not_hold_has_no_interval() -> None:
    few = prediction_powered(*drawn(14))
    assert few.reason == "intervals need 15 topics judged by people, not 14"
    assert np.isnan([*few.systems, *few.pairs.mean]).all()

    enough = prediction_powered(*drawn(15))
    assert not enough.reason
    assert np.isnan(enough.pairs.low).sum() == 4
    of = enough.systems
    assert np.isnan([of.low, of.high, of.alone_low, of.alone_high, of.worth]).all()
    assert not np.isnan([of.mean, of.alone]).any()


@pytest.mark.parametrize(("different", "known"), [(0, False), (9, False), (10, True)])
def test_a_pair_has_to_differ_on_ten_topics(different: int, known: bool) -> None:
    people, model, others = drawn(15, systems=2)
    people[different:, 1] = people[different:, 0]
    found = prediction_powered(people, model, others)
    assert np.isfinite(found.pairs.low[0, 1]) == known
    assert np.isfinite(found.pairs.worth[0, 1]) == known
    assert ("pairs that differ" in found.reason) != known
    assert np.isfinite(found.pairs.mean).all()


def test_a_constant_difference_says_nothing_of_its_spread() -> None:
    people, model, others = drawn(20, systems=2)
    people[:, 1] = people[:, 0] - 0.1
    found = prediction_powered(people, model, others).pairs
    assert found.mean[0, 1] == pytest.approx(0.1)
    assert np.isnan([found.low[0, 1], found.alone_low[0, 1]]).all()


def test_a_tiny_variance_is_one() -> None:
    people, model, others = drawn(20, systems=2)
    plain = prediction_powered(people, model, others).pairs
    tiny = prediction_powered(people * 1e-6, model, others).pairs
    np.testing.assert_allclose(tiny.high, plain.high * 1e-6, rtol=1e-4, atol=1e-12)


def test_values_must_be_tables_of_the_same_systems_and_finite() -> None:
    people, model, others = drawn()
    for table, name in zip((people, model, others), ("people", "model", "others"), strict=True):
        tables = {"people": people, "model": model, "others": others}
        broken = table.copy()
        broken[3, 1] = np.nan
        message = f"{name}: the value of system 1 on topic 3 is nan"
        with pytest.raises(ComparisonError, match=message):
            prediction_powered(**(tables | {name: broken}))
        with pytest.raises(ComparisonError, match=f"{name} must have the shape"):
            prediction_powered(**(tables | {name: table[0]}))
    for wrong in ((people, model[1:], others), (people, model, others[:, 1:])):
        with pytest.raises(ComparisonError, match="same systems"):
            prediction_powered(*wrong)


def test_a_system_or_none_has_no_pair() -> None:
    for systems in (0, 1):
        found = prediction_powered(*(table[:, :systems] for table in drawn(50)))
        assert found.pairs.mean.shape == (systems, systems)
        assert found.systems.mean.shape == (systems,)
        assert not found.reason


def test_intervals_hold_the_true_difference_as_often_as_they_say() -> None:
    """A few cells of the simulation; 3% wider than people's alone at most."""
    for measure, judged in Population().drawn(5000, 7).items():
        people = list(simulation.quantities(judged["people"], single=False))
        for who in ("good", "biased", "random"):
            model = list(simulation.quantities(judged[who], single=False))
            cells = [simulation.cell(people[at], model[at], 15, 100, 2000) for at in (1, 2)]
            assert min(cell.covered for cell in cells) >= 0.935, (measure, who)
            most = simulation.MAX_WIDTH if who in USELESS else 0.97
            assert max(cell.width for cell in cells) <= most, (measure, who)


@pytest.mark.nightly
def test_intervals_hold_in_all_populations() -> None:
    assert not simulation.failures(simulation.rows(single=False))
