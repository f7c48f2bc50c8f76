"""What a crowd is like is found again from what it has judged."""

import numpy as np
import pytest

from crowd.many import Nature
from workspace.planning.pilots import (
    FEWEST_UNITS,
    MOST_UNITS,
    JudgedTopic,
    Likely,
    Pilot,
    TooLittle,
    fit,
    judged_by,
)
from workspace.planning.simulating import nested_units

CALM = Nature(noise=0.6, slope=0.2, careless=0.03, spread=0.4)
WILD = Nature(noise=1.6, slope=0.4, careless=0.3, spread=1.0)


def units(topics: int = 2, documents: int = 44, judges: int = 4, levels: int = 0) -> Pilot:
    """Units that nobody has judged yet."""
    rng = np.random.default_rng(3)
    made = []
    for _ in range(topics):
        labels = rng.integers(0, 4, documents).astype(float)
        rows = nested_units(documents, 8, judges, rng)
        made.append(JudgedTopic(rows, np.ones(rows.shape), labels))
    return Pilot(made, levels, 3.0, ("none" if levels else "geometric", "median"))


def fitted(nature: Nature, levels: int = 0) -> Likely:
    """What is found of a crowd; each of its traits must be found again."""
    likely = fit(judged_by(units(levels=levels), nature, "pilot of", levels), seed=1)
    for trait in ("noise", "careless", "spread", "slope"):
        low, _, high = likely.interval(trait)
        assert low <= getattr(nature, trait) <= high, (trait, low, high)
    return likely


def test_crowds_natures_are_found_again() -> None:
    calm, wild = fitted(CALM), fitted(WILD, levels=4)
    for trait in ("noise", "careless", "spread"):
        assert 1.4 * calm.interval(trait)[1] < wild.interval(trait)[1], trait


def test_too_few_units_say_too_little() -> None:
    with pytest.raises(TooLittle, match=f"7 completed units.*{FEWEST_UNITS}"):
        fit(units(topics=1, documents=44, judges=1), seed=1)


def test_of_a_large_pilot_some_topics_are_taken() -> None:
    large = units(topics=40, documents=62, judges=4)
    some = large.bounded(seed=1)
    assert MOST_UNITS <= some.units < MOST_UNITS + 40
    assert len(some.topics) == 15
    assert units().bounded(seed=1).units == units().units
