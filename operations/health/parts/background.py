"""What works unseen: Redis, Celery's workers, the clock, and how old rankings are."""

from celery import current_app
from django.conf import settings
from redis.exceptions import ResponseError

from judging.models import Tick
from judging.monitoring.glance import machine
from judging.monitoring.glance.light import Colour, Light
from operations.health.finding import Check, Finding, State, degraded, down, well
from trec.words import count
from web import clock
from web.queues import UNAVAILABLE, broker
from web.queues import redis as client_of_redis

STATES = {Colour.RED: State.DOWN, Colour.AMBER: State.DEGRADED}  # of the lights of a monitor
NO_ANSWER = "Redis does not answer.", "Look whether Redis runs, and REDIS_URL is right."
ANSWER_SECONDS = 1.0  # that workers get to answer


def redis() -> Finding:
    """Whether Redis answers, and takes what is written."""
    try:
        with client_of_redis() as client:
            client.set("health", 1, ex=60)
            used = client.info("memory")["used_memory"]
    except ResponseError:
        return down(
            "Takes nothing: its memory or its disk is full, or it is a replica.",
            "Give Redis more memory (maxmemory) or disk. Nothing is lost: ticks find all work.",
        )
    except UNAVAILABLE:
        return down(*NO_ANSWER)
    return well(f"Answers, and uses {used / 2**20:,.0f} MiB.")


def lengths() -> dict[str, int]:
    """Tasks that wait in each queue; one of UNAVAILABLE where Redis does not answer."""
    with client_of_redis() as client:
        return {queue: client.llen(queue) for queue in settings.TASKS_OF_QUEUES}


def queues() -> Finding:
    """Whether tasks are done as they come."""
    try:
        waiting = lengths()
    except UNAVAILABLE:
        return down(*NO_ANSWER)
    long = [f"{tasks:,} in {queue}" for queue, tasks in waiting.items() if tasks > machine.MANY]
    if long:
        return degraded(
            f"Tasks wait: {', '.join(long)}.", "Look whether the workers of these queues run."
        )
    return well(
        f"{count(sum(waiting.values()), 'task')} waiting in {count(len(waiting), 'queue')}."
    )


def listeners() -> dict[str, list[str]]:
    """For each queue of ours the workers that listen to it, by what they answer."""
    with broker() as connection:
        inspect = current_app.control.inspect(timeout=ANSWER_SECONDS, connection=connection)
        answers = inspect.active_queues() or {}
    return {
        queue: sorted(
            worker
            for worker, listens_to in answers.items()
            if any(each["name"] == queue for each in listens_to)
        )
        for queue in settings.TASKS_OF_QUEUES
    }


def workers() -> Finding:
    """Whether somebody listens to each queue."""
    try:
        found = listeners()
    except UNAVAILABLE:
        return down(*NO_ANSWER)
    alone = [queue for queue, workers in found.items() if not workers]
    if alone:
        return down(
            f"No worker answers for {', '.join(alone)}.",
            f"Start a Celery worker with --queues {alone[0]}; one that is busy may answer late.",
        )
    answering = {worker for workers in found.values() for worker in workers}
    return well(f"{count(len(answering), 'worker')} answer{'s' * (len(answering) == 1)}.")


def ages() -> dict[str, float]:
    """Seconds since each kind of tick last ran; one that never did is not there."""
    now = clock.now()
    return {
        name: max(0.0, (now - ran_at).total_seconds())
        for name, ran_at in Tick.objects.values_list("name", "ran_at")
    }


def _as_on_the_monitor(light: Light, mend: str) -> Finding:
    """What the light of a study's monitor says; grey is a part that has had nothing to do yet."""
    state = STATES.get(light.colour, State.OK)
    return Finding(state, light.sentence, "" if state == State.OK else mend)


def expiry() -> Finding:
    """Whether the clock ticks, by which units expire and everything else begins."""
    return _as_on_the_monitor(
        machine.clock(ages().get(Tick.EXPIRY)),
        "Start the clock (celery beat) and the worker of the queue expiry, and look at their logs.",
    )


def rankings() -> Finding:
    """How old the rankings are."""
    return _as_on_the_monitor(
        machine.rankings(ages().get(Tick.RANKINGS)),
        "Look at the log of the worker of the queue celery; a large evaluation may take minutes.",
    )


CHECKS = (
    Check("redis", "Redis", redis),
    Check("queues", "Queues", queues, needs="redis"),
    Check("workers", "Workers", workers, needs="redis"),
    Check("expiry", "Clock's tick", expiry, needs="database"),
    Check("rankings", "Rankings", rankings, needs="database"),
)
