"""A run, slice by slice: conversations in threads, until all units are through or it is paused."""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial

from django.db import connections, transaction
from django.db.models import F, QuerySet
from django.utils.text import slugify

from accounts.models import User
from crowd.language_model.asking import Asker, CannotAsk, Interrupted
from crowd.language_model.conversations import judge, units_of
from crowd.models import ModelRun
from judging.flow.model_units import record_model_unit
from judging.models import Study
from judging.studies import trail
from judging.studies.conduct.closing import close_study
from web import clock
from web.background import leases
from web.background.work import attempt, for_each

LEASE = "language models"
SLICE = 50.0  # seconds of a task
MAX_PSEUDONYM = 60  # characters of a model's name in it
State = ModelRun.State


def running() -> QuerySet[ModelRun]:
    return ModelRun.objects.filter(state=State.RUNNING)


def judge_running(seconds: float = SLICE) -> int:
    """Let each running run ask for its share of the time; returns how many units were judged."""
    with leases.lease(LEASE) as acquired:
        runs = list(running().order_by("pk").values_list("pk", flat=True)) if acquired else []
        return for_each(runs, lambda key: _slice(key, seconds / len(runs)), "a model's run")


def _slice(key: int, seconds: float) -> int:
    rows = ModelRun.objects.filter(pk=key)
    # A process was killed while it waited for answers: they may have been paid for.
    rows.update(cost=F("cost") + F("reserved"), reserved=0)
    run = rows.select_related("study").get()
    if run.study.stage != Study.Stage.OPEN:
        end(run, State.STOPPED)
        return 0
    until = time.monotonic() + seconds
    done, fault = attempt(0, lambda: _judge_units(run, until), (CannotAsk,), f"{run}")
    if fault:  # unless somebody has paused or ended it meanwhile
        rows.filter(state=State.RUNNING).update(state=State.PAUSED, why=fault)
    elif not run.study.units.filter(assignments=None).exists():
        end(run, State.DONE)
    return done or 0


def _judge_units(run: ModelRun, until: float) -> int:
    """Topics in turn, so that a run that ends early has some of each."""
    units = run.study.units.filter(assignments=None).order_by("number", "study_topic", "pk")
    keys, asker = list(units.values_list("pk", flat=True)), Asker(run, until)
    with asker.client, ThreadPoolExecutor(run.parallel) as pool:
        shares = (keys[n :: run.parallel] for n in range(run.parallel))
        # Each thread with the lease and the time limit of the task.
        jobs = [pool.submit(copy_context().run, _judge_share, asker, share) for share in shares]
        return sum(job.result() for job in jobs)


def _judge_share(asker: Asker, keys: Sequence[int]) -> int:
    run, done = asker.run, 0
    try:
        for key in keys:
            began_at, unit = clock.now(), units_of(run).get(pk=key)
            seed = run.settings_sent(unit)["seed"]
            judged = judge(unit, seed, partial(asker.ask, unit))
            # One for the n-th units of all topics, so that nobody has two of the same.
            name = f"{slugify(run.model)[:MAX_PSEUDONYM] or 'model'}-{unit.number}"
            done += record_model_unit(unit, name, judged, began_at, clock.now()) is not None
    except Interrupted:
        pass
    except BaseException:
        asker.stopped.set()
        raise
    finally:
        connections.close_all()
    return done


@transaction.atomic
def end(run: ModelRun, state: State, by: User | None = None) -> None:
    run = ModelRun.objects.select_for_update().select_related("study").get(pk=run.pk)
    if run.state not in (State.RUNNING, State.PAUSED):
        return
    run.state, run.why, run.ended_at = state, "", clock.now()
    run.save(update_fields=["state", "why", "ended_at"])
    if run.study.stage in (Study.Stage.OPEN, Study.Stage.PAUSED):
        close_study(run.study.slug, by)
    trail.record(run.study, by, f"{'stopped' if state == State.STOPPED else 'ended'} the model")
