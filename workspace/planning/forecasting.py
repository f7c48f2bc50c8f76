"""What to expect of a study, for 1 to 15 judges a document and for fewer topics."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crowd import model
from crowd.vectorised import CrowdTraits
from magnitudes.comparison.correlation import tau_many
from magnitudes.comparison.top_set import LEAST_TOPICS, overlap, top_set
from workspace.planning.simulating import Design, Simulated, simulate

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Progress = Callable[[float], None]
MAX_JUDGES = 15
SHARES = (1.0, 0.75, 0.5, 0.25)  # of the topics
QUANTILES = (0.025, 0.975)


class Row(NamedTuple):
    """What to expect of a number of topics and of judges: means, and 95% of simulated studies.

    units: of the plan, averaged over the topics that may be drawn. tau: with the order by true
    gains on all topics; top_set_found: the share of the true top set that is in the estimated one;
    in_top_set: the size of the latter; best_in_true_top_set: how often its best system is in the
    true one; gain_off: the mean factor, or number of levels, by which gains differ from the true
    ones. NaN: there is no order, or too few topics for a top set.
    """

    topics: int
    judges: int
    units: float
    cost: float
    tau: float
    tau_low: float
    tau_high: float
    top_set_found: float
    top_set_low: float
    top_set_high: float
    in_top_set: float
    best_in_true_top_set: float
    gain_off: float
    gain_off_low: float
    gain_off_high: float


class Outcome(NamedTuple):
    """One simulated study, (numbers of topics, redundancies); NaN: no order."""

    units: Floats
    tau: Floats
    top_set: Floats
    in_top_set: Floats
    best: Floats
    error: Floats


def forecast(
    design: Design,
    trait_draws: Sequence[CrowdTraits],
    replications: int,
    seed: int,
    progress: Progress = lambda share: None,
    *,
    unit_cost: float = 0.0,
) -> list[Row]:
    """Simulate a study again and again.

    Args:
        trait_draws: of the crowd; the studies take them in turn.
        replications: the number of studies, each with its own documents and people.
        seed: of all draws, each for one study and topic: more replications change none.
    """
    numbers = topic_numbers(len(design.pools))
    outcomes = []
    for study in range(replications):
        key = seed, "forecast", study
        traits = trait_draws[study % len(trait_draws)]
        simulated = simulate(design, traits, MAX_JUDGES, *key)
        outcomes.append(outcome(design, simulated, numbers, model.draws(*key, "topics")))
        progress((study + 1) / replications)
    whole = Outcome(*(np.stack(column) for column in zip(*outcomes, strict=True)))
    return [
        _row(whole, row, number, judges, design.levels, unit_cost)
        for row, number in enumerate(numbers)
        for judges in range(1, MAX_JUDGES + 1)
    ]


def topic_numbers(topics: int) -> list[int]:
    """All topics and some shares of them, without repetition, largest first.

    >>> topic_numbers(18), topic_numbers(2)
    ([18, 14, 9, 4], [2, 1])
    """
    return sorted({max(1, round(share * topics)) for share in SHARES}, reverse=True)


def outcome(
    design: Design, simulated: Simulated, numbers: Sequence[int], draw: np.random.Generator
) -> Outcome:
    """Orders by some topics, drawn at random, against the true order by all of them."""
    order = draw.permutation(len(design.pools))
    units = np.array([design.units(judges) for judges in range(1, MAX_JUDGES + 1)])
    rows = [_compared(simulated, np.sort(order[:number])) for number in numbers]
    tau, top_set_shares, size, best = (np.stack(column) for column in zip(*rows, strict=True))
    return Outcome(
        np.stack([units[:, order[:number]].sum(axis=1) for number in numbers]).astype(np.float64),
        tau,
        top_set_shares,
        size,
        best,
        np.tile(simulated.errors, (len(numbers), 1)),
    )


def _compared(simulated: Simulated, topics: Ints) -> tuple[Floats, Floats, Floats, Floats]:
    """Tau, overlap and size of the top set, and whether its best is right, by redundancy."""
    values, truth = simulated.values[:, topics], simulated.true_values
    if values.shape[-1] < 2:
        nothing = np.full(len(values), np.nan)
        return nothing, nothing, nothing, nothing
    tau = tau_many(truth.mean(axis=0), values.mean(axis=1))
    true_members, top = top_set(truth).members, top_set(values)
    best = true_members[top.best].astype(np.float64)
    return tau, overlap(true_members, top.members), top.members.sum(axis=-1), best


def _row(
    whole: Outcome, place: int, topics: int, judges: int, levels: int, unit_cost: float
) -> Row:
    units, tau, top_set_shares, size, best, error = (
        column[:, place, judges - 1] for column in whole
    )
    n_units, errors = float(units.mean()), _spread(error)
    top_set_found = (*_spread(top_set_shares), float(size.mean()), float(best.mean()))
    return Row(
        *(topics, judges, n_units, n_units * unit_cost),
        *_spread(tau),
        *(top_set_found if topics >= LEAST_TOPICS else (np.nan,) * 5),
        *(errors if levels else np.exp(errors).tolist()),
    )


def _spread(values: Floats) -> tuple[float, float, float]:
    """Mean and the ends of the middle 95%, without NaN of studies that make all systems equal."""
    defined = values[~np.isnan(values)]
    if not defined.size:
        return np.nan, np.nan, np.nan
    low, high = np.quantile(defined, QUANTILES).tolist()
    return float(defined.mean()), low, high
