"""What a crowd is like is found again from what it has judged."""

import numpy as np
import pytest

from crowd.vectorised import CrowdTraits
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
from workspace.planning.simulating import nested_units

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


def test_crowds_natures_are_found_again() -> None:
    calm, wild = fitted(CALM), fitted(WILD, levels=4)
    for trait in ("noise", "careless", "spread"):
        assert 1.4 * calm.interval(trait)[1] < wild.interval(trait)[1], trait


def test_too_few_units_say_too_little() -> None:
    with pytest.raises(TooFewUnits, match=f"7 completed units.*{MIN_UNITS}"):
        fit(units(topics=1, documents=44, judges=1), seed=1)


def test_of_a_large_pilot_some_topics_are_taken() -> None:
    large = units(topics=40, documents=62, judges=4)
    some = large.limited(seed=1)
    assert MAX_UNITS <= some.units < MAX_UNITS + 40
    assert len(some.topics) == 15
    assert units().limited(seed=1).units == units().units
