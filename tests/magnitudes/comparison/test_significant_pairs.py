"""A headline on systems says what was tested, and no more."""

import json

import numpy as np
import pytest

from magnitudes.comparison.significant_pairs import (
    Pairs,
    SignificantPairs,
    pairs_of,
    significant_pairs,
    verdict,
)
from magnitudes.comparison.tukey import tukey_hsd

NAMES = [f"run-{n}" for n in range(8)]


def outcome(values: np.ndarray, seed: int = 1) -> SignificantPairs:
    """What is told of systems, best first."""
    ordered = values[:, np.argsort(-values.mean(axis=0), kind="stable")]
    names = NAMES[: values.shape[1]]
    return significant_pairs(ordered, names, tukey_hsd(ordered, seed=seed), 1.0)


def alike(topics: int = 12, systems: int = 8, seed: int = 3) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.uniform(0.3, 0.9, (topics, 1)) + rng.normal(0, 0.05, (topics, systems))


def one_below(**options: int) -> np.ndarray:
    """Systems that do not differ, and a far worse one."""
    values = alike(**options)
    values[:, 0] -= 0.3
    return values


def test_where_every_pair_hangs_on_one_run_the_others_do_not_differ() -> None:
    told = outcome(one_below())
    assert told.pairs.differ == 7
    assert (told.busiest, told.others.differ) == ("run-7", 0)
    found = verdict(told, 0, "nDCG@10")
    assert found.says == (
        "No difference between the other 7 systems can be shown; 7 of them are better than run-7"
    )
    assert found.is_sure
    assert found.beside == (
        "Randomised Tukey HSD over all pairs, nDCG@10, p < 0.05, seed 1: 7 of 28 pairs "
        "differ; tested without run-7, none of 21."
    )


def test_nobody_is_said_to_lead_where_no_pair_differs() -> None:
    told = outcome(alike())
    assert (told.pairs.differ, told.busiest) == (0, "")
    assert verdict(told, 0).says == "No difference between the 8 systems can be shown"


def test_the_best_is_said_to_be_better_than_those_alone_that_differ_from_it() -> None:
    values = alike(topics=30)
    values[:, 4:] -= 0.2
    values[:, 5:] -= 0.2
    told = outcome(values)
    assert (told.worse, told.others.differ > 0) == (4, True)
    assert verdict(told, 0).says == (
        "run-0 is better than 4 of the other 7 systems; 3 do not differ significantly from it"
    )
    values[:, 0] += 0.3
    assert verdict(outcome(values), 0).says == "run-0 is better than all 7 other systems"


@pytest.mark.parametrize(
    ("change", "still_open", "says"),
    [
        ({}, 2211, "Too early to rank 8 systems: 2,211 units are not done"),
        ({"judged": 0.8999}, 0, "Too little is judged to rank 8 systems: 89% of the documents"),
        ({"topics": 5}, 0, "Too few topics to say which of 8 systems differ: 5"),
        ({"systems": 1}, 0, "There is one system, and none to compare it with"),
    ],
)
def test_too_early_is_said_before_anything_else(
    change: dict[str, float], still_open: int, says: str
) -> None:
    told = outcome(one_below())._replace(**change)  # type: ignore[arg-type]
    found = verdict(told, still_open)
    assert found.says.startswith(says)
    assert not found.is_sure


def test_one_topic_and_one_system_are_told_as_well() -> None:
    for values in (alike(topics=1), alike(systems=1)):
        told = outcome(values)
        assert (told.pairs.differ, told.others.differ, told.busiest) == (0, 0, "")
        assert not verdict(told, 0).is_sure


def test_what_another_seed_may_find_is_said() -> None:
    """As many pairs differ by most other seeds; both they and the first stray."""
    values = alike(topics=12) + np.linspace(0.12, 0, 8)
    pairs = outcome(values).pairs
    assert pairs.fewest < pairs.most
    others = [outcome(values, seed).pairs.differ for seed in range(2, 12)]
    within = [pairs.fewest <= differ <= pairs.most for differ in others]
    assert sum(within) >= 8
    found = verdict(outcome(values), 0)
    assert not found.is_sure
    assert f"({pairs.fewest} to {pairs.most} by seed)" in found.beside


def test_pairs_near_the_level_are_counted_by_two_standard_errors() -> None:
    tukey = tukey_hsd(alike(systems=3))
    p = np.array([[1, 0.0436, 0.0561], [0.0436, 1, 0.0563], [0.0561, 0.0563, 1]])
    assert pairs_of(tukey._replace(p=p)) == Pairs(1, 1, 2, 3)
    assert pairs_of(tukey._replace(p=p + 0.0004)) == Pairs(1, 0, 1, 3)


def test_it_is_kept_as_json_and_read_again() -> None:
    told = outcome(one_below())
    assert SignificantPairs.read(json.loads(json.dumps(told.to_json()))) == told


def test_sure_is_what_every_pair_of_the_headline_has_below_one_in_a_hundred() -> None:
    """A difference that .05 lets through is not sure; nor is one whose p lies near .01."""
    told = outcome(one_below())
    assert told.p is not None
    assert told.p < 0.007
    assert verdict(told, 0).is_sure
    for p in (0.008, 0.011, 0.03):
        assert not verdict(told._replace(p=p), 0).is_sure
    nothing = outcome(alike())
    assert nothing.p is None
    assert not verdict(nothing, 0).is_sure  # that nothing can be shown is no finding


def test_the_p_of_a_headline_is_that_of_the_pairs_that_it_names() -> None:
    values = alike(topics=30)
    values[:, 4:] -= 0.2
    values[:, 5:] -= 0.2
    ordered = values[:, np.argsort(-values.mean(axis=0), kind="stable")]
    tested = tukey_hsd(ordered, seed=1)
    assert outcome(values).p == tested.p[0][tested.p[0] < 0.05].max()
