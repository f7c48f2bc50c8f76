"""The machine that the study runs on: lights for the parts that work unseen."""

from collections.abc import Iterator
from datetime import datetime

from django.conf import settings

from judging.models import Tick
from judging.monitoring.glance.light import Colour, Light
from judging.monitoring.words import duration
from trec.words import count
from web.queues import UNAVAILABLE, redis

LATE = 30 + 5 * settings.TICK_SECONDS  # seconds: a part that took so long has something to do
GONE = 600.0  # seconds: by now it has been looked for in vain
MANY = 100  # tasks that wait: each tick adds a few, and they are done at once


def lights(now: datetime) -> Iterator[Light]:
    """Web, background worker, clock, and how old rankings are."""
    ages = {
        name: max(0.0, (now - ran_at).total_seconds())
        for name, ran_at in Tick.objects.values_list("name", "ran_at")
    }
    yield Light("Web", Colour.GREEN, "Answers: you read this page.", "machine")
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


def background(age: float | None, tasks: int | None) -> Light:
    """The worker that evaluates and analyses; age: seconds since it did all there was to do."""
    name = "Background worker"
    if tasks is None:
        return Light(name, Colour.RED, "The queue of tasks does not answer.", "machine")
    wait = f"{count(tasks, 'task')} wait{'s' * (tasks == 1)}"
    if age is None:
        return Light(name, Colour.GREY, f"It has not run yet; {wait}.", "machine")
    if age > GONE and tasks > MANY:
        says = f"Does nothing: its last task ended {duration(age)} ago, and {wait}."
        return Light(name, Colour.RED, says, "machine")
    colour = Colour.AMBER if age > LATE or tasks > MANY else Colour.GREEN
    return Light(name, colour, f"Its last task ended {duration(age)} ago; {wait}.", "machine")


def clock(age: float | None) -> Light:
    """The tick, by which units expire and everything else begins."""
    if age is None:
        return Light("Clock", Colour.GREY, "It has not ticked yet.", "machine")
    if age > LATE:
        says = f"No tick for {duration(age)}: nothing expires, and nothing is evaluated."
        return Light("Clock", Colour.RED, says, "machine")
    return Light("Clock", Colour.GREEN, f"Ticked {duration(age)} ago.", "machine")


def rankings(age: float | None) -> Light:
    """How old the rankings may be."""
    if age is None:
        return Light("Rankings", Colour.GREY, "None was made yet.", "machine")
    colour = Colour.AMBER if age > LATE else Colour.GREEN
    says = f"Brought up to date {duration(age)} ago."
    return Light("Rankings", colour, says, "machine")
