from collections.abc import Iterator
from datetime import datetime

from django.conf import settings

from judging.models import Tick
from judging.monitoring.words import duration
from magnitudes.files.words import count
from web.findings import Finding, State
from web.queues import UNAVAILABLE, queue_lengths

# A part that has been busy for so long is behind.
LATE_SECONDS = 30 + 5 * settings.TICK_SECONDS
RANKINGS = settings.CELERY_BEAT_SCHEDULE["evaluation.tasks.bring_up_to_date"]
LATE_RANKINGS = RANKINGS["schedule"] + LATE_SECONDS
DEAD_SECONDS = 600.0  # a part that has been silent for so long is dead
MANY_TASKS = 50  # tasks that wait: a minute adds a few, and they are done at once


def findings(now: datetime) -> Iterator[Finding]:
    age = ages(now)
    try:
        waiting: int | None = sum(queue_lengths().values())
    except UNAVAILABLE:
        waiting = None
    yield _finding("Web", State.OK, "Answers: you read this page.")
    yield background(age.get(Tick.RANKINGS), waiting)
    yield clock(age.get(Tick.EXPIRY))
    yield rankings(age.get(Tick.RANKINGS))


def ages(now: datetime) -> dict[str, float]:
    """Seconds by kind of tick, of those that ever ran."""
    return {
        name: max(0.0, (now - ran_at).total_seconds())
        for name, ran_at in Tick.objects.values_list("name", "ran_at")
    }


def background(age: float | None, tasks: int | None) -> Finding:
    """age: seconds since all there was to do was done; tasks: None if the queues do not answer."""
    name = "Background worker"
    if tasks is None:
        return _finding(name, State.DOWN, "The queue of tasks does not answer.")
    wait = f"{count(tasks, 'task')} wait{'s' * (tasks == 1)}"
    if age is None:
        return _finding(name, State.UNKNOWN, f"It has not run yet; {wait}.")
    if age > DEAD_SECONDS and tasks > MANY_TASKS:
        sentence = f"Does nothing: its last task ended {duration(age)} ago, and {wait}."
        return _finding(name, State.DOWN, sentence)
    state = State.DEGRADED if age > LATE_RANKINGS or tasks > MANY_TASKS else State.OK
    return _finding(name, state, f"Its last task ended {duration(age)} ago; {wait}.")


def clock(age: float | None) -> Finding:
    if age is None:
        return _finding("Clock", State.UNKNOWN, "It has not ticked yet.")
    if age > LATE_SECONDS:
        return _finding(
            "Clock",
            State.DOWN,
            f"No tick for {duration(age)}: nothing expires, and nothing is evaluated.",
            "Start the worker of the queue io, which has the clock, and look at its log.",
        )
    return _finding("Clock", State.OK, f"Ticked {duration(age)} ago.")


def rankings(age: float | None) -> Finding:
    if age is None:
        return _finding("Rankings", State.UNKNOWN, "None was made yet.")
    sentence = f"Brought up to date {duration(age)} ago."
    if age <= LATE_RANKINGS:
        return _finding("Rankings", State.OK, sentence)
    return _finding(
        "Rankings",
        State.DEGRADED,
        sentence,
        "Look at the log of the worker of the queue compute; a large evaluation may take minutes.",
    )


def _finding(name: str, state: State, sentence: str, mend: str = "") -> Finding:
    return Finding(state, sentence, mend, "#machine", name)
