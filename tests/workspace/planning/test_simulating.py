"""Simulated studies: plans that grow, scores to values, and what a crowd is like."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crowd import model
from crowd.model import Pair, Person, person
from crowd.vectorised import CrowdTraits
from judging.studies.drawing import units_needed
from magnitudes.comparison.correlation import tau_b
from workspace.planning.forecasting import forecast, topic_numbers
from workspace.planning.pilots import (
    MAX_UNITS,
    MIN_UNITS,
    JudgedTopic,
    Pilot,
    Posterior,
    TooFewUnits,
    fit,
    judged_by,
)
from workspace.planning.simulating import (
    Design,
    TopicPool,
    error,
    nested_units,
    scaled,
    simulate,
)

SCHEMES = ("geometric", "median")


def pool(number: int, documents: int = 20, systems: int = 6) -> TopicPool:
    """A topic whose first systems rank relevant documents higher than the last ones do."""
    rng = np.random.default_rng(number)
    labels = rng.integers(0, 4, documents).astype(float)
    labels[:2] = 3, 0
    wanted = np.linspace(2, 0, systems)[:, np.newaxis] * labels
    lists = np.argsort(-(wanted + rng.normal(size=(systems, documents))), axis=1)[:, :10]
    return TopicPool(str(number), labels, lists)


def design(topics: int = 4, levels: int = 0) -> Design:
    schemes = ("none", "median") if levels else SCHEMES
    return Design([pool(number) for number in range(topics)], 8, levels, 3.0, schemes)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_the_first_units_are_a_plan_with_fewer_judges(data):
    size = data.draw(st.integers(3, 9))
    documents = data.draw(st.integers(size, 40))
    units = nested_units(documents, size, 6, np.random.default_rng(data.draw(st.integers(0, 99))))
    assert (units[:, :2] == [0, 1]).all()
    assert all(len(set(unit)) == size for unit in units.tolist())
    for judges in range(1, 7):
        first = units[: units_needed(documents, judges, size), 2:]
        counts = np.bincount(first.ravel(), minlength=documents)[2:]
        assert counts.min() >= judges
        assert counts.max() - counts.min() <= 1
    assert len(units) == units_needed(documents, 6, size)


def test_people_without_faults_find_the_true_order():
    """Without noise, only round numbers and ceilings stand between scores and truth."""
    faultless = CrowdTraits(noise=0.0, slope=0.0, careless=0.0, spread=0.0)
    simulated = simulate(design(), faultless, 5, "faultless")
    assert simulated.errors[-1] < 0.15  # of round numbers
    best = simulated.true_values.mean(axis=0).argmax()
    assert simulated.values[-1].mean(axis=0).argmax() == best == 0


def test_draws_belong_to_their_study_and_topic():
    one, again = (simulate(design(3), CrowdTraits(), 3, 7, "study", 0) for _ in range(2))
    assert (one.values == again.values).all()
    fewer = simulate(design(2), CrowdTraits(), 3, 7, "study", 0)
    assert (fewer.true_values == one.true_values[:2]).all()


def test_a_factor_on_gains_is_no_error_but_a_level_is():
    truth = np.array([1.0, 2.0, 8.0])
    assert error(5 * truth, truth, 0) == pytest.approx(0)
    assert error(truth * [1, 1, np.e], truth, 0) == pytest.approx(1 / 3)
    assert error(truth + 1, truth, 4) == 1


@pytest.mark.parametrize("levels", [0, 4])
def test_more_judges_and_more_topics_tell_more(levels):
    points = forecast(design(8, levels), [CrowdTraits()], 6, seed=1)
    by = {(point.topics, point.judges): point for point in points}
    assert [*dict.fromkeys(point.topics for point in points)] == [8, 6, 4, 2]
    assert by[8, 1].tau < by[8, 15].tau
    assert by[2, 15].tau < by[8, 15].tau
    assert by[8, 1].gain_off > by[8, 3].gain_off > by[8, 15].gain_off
    assert by[8, 15].tau_low <= by[8, 15].tau <= by[8, 15].tau_high
    assert by[8, 10].units == 8 * units_needed(20, 10, 8)
    assert by[4, 10].units == 4 * units_needed(20, 10, 8)
    more = forecast(design(8, levels), [CrowdTraits()], 2, seed=1)
    assert more[0].units == points[0].units


def test_without_systems_there_is_no_order():
    alone = [TopicPool("1", pool(1).labels, np.empty((0, 10), dtype=int))]
    (first, *_) = forecast(Design(alone, 8, 0, 3.0, SCHEMES), [CrowdTraits()], 2, seed=1)
    assert np.isnan(first.tau)
    assert first.gain_off > 1


def test_numbers_of_topics():
    assert topic_numbers(1) == [1]
    assert topic_numbers(50) == [50, 38, 25, 12]


# --- held against artificial workers of the model, one by one -------------------------------------


def judged_one_by_one(study: Design, seed: int, judges: int) -> float:
    """Tau with the true order of a study that workers of `crowd.model` judge, with their habits."""
    values, true_values = [], []
    for topic in study.pools:
        labels = enumerate(topic.labels)
        log_gains = [model.log_gain(seed, topic.query_id, str(n), level, 3) for n, level in labels]
        log_gains[:2] = model.LEVELS[-1], model.LEVELS[0]
        pairs = [Pair(topic.query_id, str(n), gain, n < 2, 1.0) for n, gain in enumerate(log_gains)]
        rows = nested_units(topic.documents, 8, judges, np.random.default_rng(seed))
        scores = [finished(person(seed, n, 1), [pairs[place] for place in row])
                  for n, row in enumerate(rows)]  # fmt: skip
        gains = scaled(rows, np.array(scores), topic.documents, SCHEMES).gains
        values.append(topic.measured(np.append(gains, np.nan)[:, np.newaxis])[:, 0])
        truth = np.append(np.exp(log_gains), np.nan)[:, np.newaxis]
        true_values.append(topic.measured(truth)[:, 0])
    return tau_b(np.mean(true_values, axis=0), np.mean(values, axis=0))


def finished(worker: Person, pairs: list[Pair]) -> list[float]:
    """The scores of the first attempt that has the anchors in order."""
    attempts = ([float(worker.score(pair, n)) for pair in pairs] for n in range(99))
    return next(scores for scores in attempts if scores[0] > scores[1])


def test_studies_come_out_as_forecast():
    """Of 20 whole studies nearly all lie within the interval that 95% of studies do."""
    study = Design([pool(number, systems=12) for number in range(5)], 8, 0, 3.0, SCHEMES)
    expected = forecast(study, [CrowdTraits()], 40, seed=1)[2]
    assert (expected.topics, expected.judges) == (5, 3)
    taus = [judged_one_by_one(study, seed, judges=3) for seed in range(20)]
    within = [expected.tau_low <= tau <= expected.tau_high for tau in taus]
    assert sum(within) >= 17
    assert np.mean(taus) == pytest.approx(expected.tau, abs=0.08)


# --- what a crowd is like is found again from what it has judged ----------------------------------
CALM = CrowdTraits(noise=0.6, slope=0.2, careless=0.03, spread=0.4)
WILD = CrowdTraits(noise=1.6, slope=0.4, careless=0.3, spread=1.0)


def units(topics: int = 2, documents: int = 44, judges: int = 4, levels: int = 0) -> Pilot:
    """Units that nobody has judged yet."""
    rng = np.random.default_rng(3)
    made = []
    for _ in range(topics):
        labels = rng.integers(0, 4, documents).astype(float)
        rows = nested_units(documents, 8, judges, rng)
        made.append(JudgedTopic(rows, np.ones(rows.shape), labels))
    return Pilot(made, levels, 3.0, ("none" if levels else "geometric", "median"))


def fitted(traits: CrowdTraits, levels: int = 0) -> Posterior:
    """What is found of a crowd; each of its traits must be found again."""
    posterior = fit(judged_by(units(levels=levels), traits, "pilot of", levels), seed=1)
    for trait in ("noise", "careless", "spread", "slope"):
        low, _, high = posterior.interval(trait)
        assert low <= getattr(traits, trait) <= high, (trait, low, high)
    return posterior


def test_crowds_natures_are_found_again():
    calm, wild = fitted(CALM), fitted(WILD, levels=4)
    for trait in ("noise", "careless", "spread"):
        assert 1.4 * calm.interval(trait)[1] < wild.interval(trait)[1], trait


def test_too_few_units_say_too_little():
    with pytest.raises(TooFewUnits, match=f"7 completed units.*{MIN_UNITS}"):
        fit(units(topics=1, documents=44, judges=1), seed=1)


def test_of_a_large_pilot_some_topics_are_taken():
    large = units(topics=40, documents=62, judges=4)
    some = large.limited(seed=1)
    assert MAX_UNITS <= some.units < MAX_UNITS + 40
    assert len(some.topics) == 15
    assert units().limited(seed=1).units == units().units
