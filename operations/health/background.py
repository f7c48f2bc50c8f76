from celery import current_app
from django.conf import settings
from redis.exceptions import ResponseError

from judging.models import Tick
from judging.monitoring.status import machine
from magnitudes.files.words import count
from web import clock
from web.findings import Finding, degraded, down, ok
from web.queues import UNAVAILABLE, broker, queue_lengths
from web.queues import redis as client_of_redis

ANSWER_SECONDS = 1.0  # that workers get to answer


def redis() -> Finding:
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
        return down("Redis does not answer.", "Look whether Redis runs, and REDIS_URL is right.")
    return ok(f"Answers, and uses {used / 2**20:,.0f} MiB.")


def queues() -> Finding:
    waiting = queue_lengths()
    long = [f"{n:,} in {queue}" for queue, n in waiting.items() if n > machine.MANY_TASKS]
    if long:
        return degraded(
            f"Tasks wait: {', '.join(long)}.", "Look whether the workers of these queues run."
        )
    return ok(f"{count(sum(waiting.values()), 'task')} waiting in {count(len(waiting), 'queue')}.")


def listeners() -> dict[str, list[str]]:
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
    by_queue = listeners()
    unserved = [queue for queue, workers in by_queue.items() if not workers]
    if unserved:
        return down(
            f"No worker answers for {', '.join(unserved)}.",
            f"Start `python -m config.worker {unserved[0]}`; one that is busy may answer late.",
        )
    answering = {worker for workers in by_queue.values() for worker in workers}
    return ok(f"{count(len(answering), 'worker')} answer{'s' * (len(answering) == 1)}.")


def expiry() -> Finding:
    """Whether the clock ticks, on which all background work depends."""
    return machine.clock(machine.ages(clock.now()).get(Tick.EXPIRY))


def rankings() -> Finding:
    return machine.rankings(machine.ages(clock.now()).get(Tick.RANKINGS))
