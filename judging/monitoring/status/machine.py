"""The machine that the study runs on: lights for the parts that work unseen."""

from collections.abc import Iterator
from datetime import datetime

from django.conf import settings

from judging.models import Tick
from judging.monitoring.status.light import Colour, StatusLight
from judging.monitoring.words import duration
from trec.words import count
from web.queues import UNAVAILABLE, redis

LATE_SECONDS = 30 + 5 * settings.TICK_SECONDS  # a part that has been busy for so long is behind
DEAD_SECONDS = 600.0  # a part that has been silent for so long is dead
MANY_TASKS = 100  # tasks that wait: each tick adds a few, and they are done at once


def lights(now: datetime) -> Iterator[StatusLight]:
    """Web, background worker, clock, and how old rankings are."""
    ages = {
        name: max(0.0, (now - ran_at).total_seconds())
        for name, ran_at in Tick.objects.values_list("name", "ran_at")
    }
    yield StatusLight("Web", Colour.GREEN, "Answers: you read this page.", "machine")
    yield background(ages.get(Tick.RANKINGS), waiting())
    yield clock(ages.get(Tick.EXPIRY))
    yield rankings(ages.get(Tick.RANKINGS))


def waiting() -> int | None:
    """Tasks that no worker has begun; None: the queues do not answer."""
    try:
        with redis() as client:
            return sum(client.llen(queue) for queue in settings.TASKS_OF_QUEUES)
    except UNAVAILABLE:
        return None


def background(age: float | None, tasks: int | None) -> StatusLight:
    """The worker that evaluates and analyses; age: seconds since it did all there was to do."""
    name = "Background worker"
    if tasks is None:
        return StatusLight(name, Colour.RED, "The queue of tasks does not answer.", "machine")
    wait = f"{count(tasks, 'task')} wait{'s' * (tasks == 1)}"
    if age is None:
        return StatusLight(name, Colour.GREY, f"It has not run yet; {wait}.", "machine")
    if age > DEAD_SECONDS and tasks > MANY_TASKS:
        sentence = f"Does nothing: its last task ended {duration(age)} ago, and {wait}."
        return StatusLight(name, Colour.RED, sentence, "machine")
    colour = Colour.AMBER if age > LATE_SECONDS or tasks > MANY_TASKS else Colour.GREEN
    return StatusLight(name, colour, f"Its last task ended {duration(age)} ago; {wait}.", "machine")


def clock(age: float | None) -> StatusLight:
    """The tick, by which units expire and everything else begins."""
    if age is None:
        return StatusLight("Clock", Colour.GREY, "It has not ticked yet.", "machine")
    if age > LATE_SECONDS:
        sentence = f"No tick for {duration(age)}: nothing expires, and nothing is evaluated."
        return StatusLight("Clock", Colour.RED, sentence, "machine")
    return StatusLight("Clock", Colour.GREEN, f"Ticked {duration(age)} ago.", "machine")


def rankings(age: float | None) -> StatusLight:
    if age is None:
        return StatusLight("Rankings", Colour.GREY, "None was made yet.", "machine")
    colour = Colour.AMBER if age > LATE_SECONDS else Colour.GREEN
    sentence = f"Brought up to date {duration(age)} ago."
    return StatusLight("Rankings", colour, sentence, "machine")
