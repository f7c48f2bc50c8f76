"""The light for the flow over simulated studies: healthy ones never stop, and a stop is seen.

Nothing is written to a database: what is simulated are the times of forms.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pytest

from judging.monitoring.status import accepted
from judging.monitoring.status.accepted import N_FORMS, Activity
from judging.monitoring.status.flow import Flow, at_work, without_breaks

HOUR = 3600.0
NIGHT = 8  # o'clock, until which nobody begins
HELD = 1 * HOUR  # how long a unit is held for who is silent
QUIET = 12 * HOUR
LEAVES, FAILS = 0.05, 0.05  # of attempts


class Attempt(NamedTuple):
    """The times of one attempt's forms; over: by a form, or None for who leaves in silence."""

    started: float
    at_documents: list[float]
    over: float | None
    fate: str


class Moment(NamedTuple):
    """When it was looked, and what the light said."""

    at: float
    flow: Flow


def healthy(
    rng: np.random.Generator, *, every: float, units: int, silent: float = 0.01
) -> list[Attempt]:
    """A crowd that completes a unit `every` so many seconds by day; none begins by night.

    The last tenth comes ten times as slowly. silent: the share who leave without a word.
    """
    attempts: list[Attempt] = []
    now, done = 20 * HOUR, 0
    while done < units:
        slowly = 10 if done > 0.9 * units else 1
        now += rng.exponential(every * (1 - LEAVES - FAILS - silent) * slowly)
        if now / HOUR % 24 < NIGHT:
            now += (NIGHT - now / HOUR % 24) * HOUR
        attempts.append(_attempt(rng, now, silent))
        done += attempts[-1].fate == "completed"
    return attempts


def _attempt(rng: np.random.Generator, started: float, silent: float) -> Attempt:
    prepared = started + 30 + rng.lognormal(np.log(90), 0.5)
    pages = np.maximum(20, rng.lognormal(np.log(50), 0.8, 8))
    ends = [prepared, *(prepared + pages.cumsum()).tolist()]
    fate, page = rng.random(), int(rng.integers(1, 9))
    if fate < FAILS:
        return Attempt(started, [], prepared, "failed")
    if fate < FAILS + LEAVES:
        return Attempt(started, ends[:page], ends[page - 1] + 30, "gone")
    if fate < FAILS + LEAVES + silent:
        return Attempt(started, ends[:page], None, "gone")
    return Attempt(started, ends, ends[-1], "completed")


def watched(attempts: list[Attempt], until: float = np.inf) -> Iterator[Moment]:
    """What the light says whenever no form has come for as long as it allows.

    until: no form comes after this moment, and nobody leaves: the crowd has been stopped.
    """
    forms = sorted((at, n) for n, one in enumerate(attempts) for at in _forms(one) if at <= until)
    after = [at for at, _ in forms[1:]]
    after.append(forms[-1][0] + (QUIET if until < np.inf else 0))
    latest: dict[int, float] = {}
    for (at, n), following in zip(forms, after, strict=True):
        latest.pop(n, None)
        latest[n] = at  # the newest comes last
        if following - at > 60:
            yield from _views(attempts, latest, at, following)


def _forms(attempt: Attempt) -> set[float]:
    over = [] if attempt.over is None else [attempt.over]
    return {attempt.started, *attempt.at_documents, *over}


def _views(
    attempts: list[Attempt], latest: dict[int, float], last: float, following: float
) -> Iterator[Moment]:
    newest = list(latest)[-N_FORMS:]
    known = [
        accepted.times(
            attempts[n].started,
            [at for at in attempts[n].at_documents if at <= last],
            latest[n],
        )
        for n in newest
    ]
    now = last + without_breaks(accepted.combine(known, [])).max_silence + 1
    if now >= following:
        return
    in_progress = [at for n, at in latest.items() if not _is_over(attempts[n], at, now)]
    ended = [attempts[n].fate for n, at in latest.items() if _is_over(attempts[n], at, now)]
    completed = ended.count("completed")
    activity = Activity(completed, min(completed, 2), None, ended.count("gone"))
    yield Moment(now, at_work(activity, accepted.combine(known, in_progress), now, QUIET))


def _is_over(attempt: Attempt, latest: float, now: float) -> bool:
    return latest + HELD < now if attempt.over is None else attempt.over <= latest


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
            assert last.flow.is_stopped or last.flow.in_progress < 2, (kind, seed, last)
            assert last.at - stop < minutes * 60, (kind, seed, (last.at - stop) / 60)
