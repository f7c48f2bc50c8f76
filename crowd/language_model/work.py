"""A run, slice by slice: conversations in threads, until all units are through or it is paused."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from contextvars import copy_context

from django.db import connections, transaction
from django.db.models import QuerySet
from django.utils.text import slugify

from accounts.models import User
from crowd.language_model.asking import Asker, CannotAsk, Interrupted
from crowd.language_model.conversation import judge
from crowd.models import ModelRun
from judging.flow.model_units import record_model_unit
from judging.models import Study, Unit
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


def units_to_judge(run: ModelRun) -> list[int]:
    """Topics in turn, so that a run that ends early has some of each."""
    units = Unit.objects.filter(study=run.study_id, assignments=None)
    return list(units.order_by("number", "study_topic", "pk").values_list("pk", flat=True))


def pseudonym_of(run: ModelRun, unit: Unit) -> str:
    """One for the n-th units of all topics, so that nobody has two of the same."""
    return f"{slugify(run.model)[:MAX_PSEUDONYM] or 'model'}-{unit.number}"


def _slice(key: int, seconds: float) -> int:
    run = ModelRun.objects.select_related("study").get(pk=key)
    # A process was killed while it waited for answers: they may have been paid for.
    run.cost += run.reserved
    ModelRun.objects.filter(pk=key, reserved=run.reserved).update(cost=run.cost, reserved=0)
    if run.study.stage != Study.Stage.OPEN:
        if run.study.stage == Study.Stage.PAUSED:
            pause_because(run, "The study is paused.")
        else:
            end(run, State.STOPPED)
        return 0
    units = units_to_judge(run)
    if not units:
        end(run, State.DONE)
        return 0
    done, fault = attempt(
        0, lambda: _Slice(run, time.monotonic() + seconds, units).run(), (CannotAsk,), f"{run}"
    )
    if fault:
        pause_because(run, fault)
    return done or 0


class _Slice:
    def __init__(self, run: ModelRun, until: float, units: list[int]) -> None:
        self.asker, self.units, self.done = Asker(run, until), iter(units), 0
        self.lock = threading.Lock()

    def run(self) -> int:
        with closing(self.asker), ThreadPoolExecutor(self.asker.run.parallel) as pool:
            # Each with the lease and the time limit of the task.
            contexts = [copy_context() for _ in range(self.asker.run.parallel)]
            for each in [pool.submit(context.run, self._judge_units) for context in contexts]:
                each.result()
        if not units_to_judge(self.asker.run):
            end(self.asker.run, State.DONE)
        return self.done

    def _next(self) -> Iterator[Unit]:
        related = ("study", "study_topic__topic")
        while True:
            with self.lock:
                key = next(self.units, None)
            if key is None:
                return
            yield Unit.objects.select_related(*related).get(pk=key)

    def _judge_units(self) -> None:
        try:
            for unit in self._next():
                judged = judge(self.asker.run, unit, self.asker.ask)
                name = pseudonym_of(self.asker.run, unit)
                if record_model_unit(unit, name, judged, clock.now()):
                    with self.lock:
                        self.done += 1
        except Interrupted:
            pass
        except BaseException:
            self.asker.stopped.set()
            raise
        finally:
            connections.close_all()


# --- how a run ends -------------------------------------------------------------------------------
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


def pause_because(run: ModelRun, why: str) -> None:
    """Unless somebody else has paused or ended it meanwhile."""
    ModelRun.objects.filter(pk=run.pk, state=State.RUNNING).update(state=State.PAUSED, why=why)
