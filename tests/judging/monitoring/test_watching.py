"""Lights over simulated studies: healthy ones raise no alarm, and what is wrong is found."""

import numpy as np
import pytest

from judging.monitoring.status.anchors import ALPHA, INTERIM
from judging.monitoring.status.sequential import alarms
from tests.judging.monitoring.simulated import healthy, watched

FAST, SLOW = {"every": 6.0, "units": 1200}, {"every": 300.0, "units": 240}
SOME = [pytest.param(2), pytest.param(50, marks=pytest.mark.whole)]


@pytest.mark.parametrize("each", SOME)
def test_healthy_studies_watched_to_their_end(each):
    red = {}
    for kind in (FAST, SLOW):
        for seed in range(each):
            rng = np.random.default_rng([seed, int(kind["every"])])
            seen = watched(healthy(rng, **kind))
            red[kind["every"], seed] = sum(moment.flow.is_stopped for moment in seen)
    assert sum(map(bool, red.values())) <= 1, red


@pytest.mark.parametrize("each", SOME)
def test_a_crowd_that_stops_turns_red_in_time(each):
    for kind, minutes in ((FAST, 20), (SLOW, 60)):
        for seed in range(each):
            rng = np.random.default_rng([seed, int(kind["every"]), 1])
            attempts = healthy(rng, **kind)
            stop = attempts[len(attempts) // 3].started + 30
            # Someone alone may have left; at the hour of a stop there are more.
            seen = list(watched(attempts, until=stop))
            assert seen, (kind, seed)
            last = seen[-1]
            assert last.flow.is_stopped or last.flow.in_hand < 2, (kind, seed, last)
            assert last.at - stop < minutes * 60, (kind, seed, (last.at - stop) / 60)


def failing(rng: np.random.Generator, rates: np.ndarray, workers: int) -> dict[int, np.ndarray]:
    """Of each topic whose first Finish failed (c), of people who are unlike each other."""
    careless = rng.beta(1, 6, workers)  # a seventh of theirs fail, some half, most hardly any
    return {
        topic: rng.random(workers) < np.clip(rng.permutation(careless) * 7 * rate, 0, 1)
        for topic, rate in enumerate(rates)
    }


def alarmed(failed: dict[int, np.ndarray], upto: int) -> set[int]:
    """The topics with an alarm at any look, while workers come one after the other."""
    found: set[int] = set()
    for n in (look for look in INTERIM if look <= upto):
        first = {topic: seen[:n] for topic, seen in failed.items()}
        found |= {*alarms(first, n_groups=len(failed), sizes=INTERIM, alpha=ALPHA)}
    return found


def test_healthy_anchors_raise_hardly_an_alarm():
    """At most four of a hundred studies, of 12 topics that differ by half in how hard they are."""
    studies = 0
    for seed in range(100):
        rng = np.random.default_rng([seed, 3])
        rates = 0.09 * rng.uniform(0.6, 1.4, 12)
        studies += bool(alarmed(failing(rng, rates, 100), upto=80))
    assert studies <= 4


def test_swapped_anchors_are_found_by_the_fortieth_worker():
    found = 0
    for seed in range(100):
        rng = np.random.default_rng([seed, 4])
        rates = 0.09 * rng.uniform(0.6, 1.4, 12)
        failed = failing(rng, rates, 40)
        failed[5] = rng.random(40) < 0.7  # who reads puts the anchors in their true order
        found += 5 in alarmed(failed, upto=40)
    assert found >= 95
