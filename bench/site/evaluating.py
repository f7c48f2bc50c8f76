"""What an evaluation takes, measured in a fresh process."""

import math
import os
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any, TypeVar
from unittest.mock import patch

from django.db.models import F

from bench.site import environment  # noqa: F401 - before any model
from bench.site.usage import backend, cpu_seconds, held, peak
from evaluation import pipeline
from evaluation.models import TopicEvaluation
from evaluation.publishing import exports
from judging import completed
from judging.models import Study

Result = TypeVar("Result")
PARTS = {
    "reading judgments": ((completed, "judgments"), (completed, "pool")),
    "reading runs": ((completed, "runs"), (completed, "rankings")),
    "mathematics": ((pipeline, "scale"), (pipeline, "measure_runs"), (pipeline, "summary")),
    "writing scores": ((TopicEvaluation.objects, "create"),),
}


@dataclass(frozen=True)
class Taken:
    """What an evaluation takes: seconds on the clock, at best; of the processor, in this process
    and in PostgreSQL's, in the mean; and MiB of memory on top of the baseline."""

    elapsed: float
    here: float
    postgres: float
    memory: float

    @property
    def seconds(self) -> float:
        """Of the processor, which other users of the machine do not stretch; or on the clock."""
        used = self.here + self.postgres
        return self.elapsed if math.isnan(used) else used


@dataclass(frozen=True)
class Measured:
    """Evaluations of one study: all anew, and after one topic has changed."""

    judgments: int
    topics: int
    baseline: float  # MiB, after the imports
    one: Taken
    all: Taken


def apart(function: Callable[..., Result], *given: Any) -> Result:
    """What a function says in a process of its own."""
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        return process.submit(function, *given).result()


def measure(slug: str, turns: int) -> Measured:
    """Evaluate a study that is published; the one topic first, as it takes less memory."""
    baseline = peak()
    study = Study.objects.get(slug=slug)
    header = study.evaluation
    one = _taken(lambda: _after_a_change(study), turns, baseline)
    whole = _taken(lambda: pipeline.evaluate(study, everything=True), turns, baseline)
    return Measured(header.judgments, header.topics, baseline, one, whole)


def _after_a_change(study: Study) -> None:
    study.topics.filter(pk=study.topics.order_by("pk").first().pk).update(
        revision=F("revision") + 1
    )
    pipeline.evaluate(study)


def _taken(work: Callable[[], object], turns: int, baseline: float) -> Taken:
    """Work done several times: its best time, and its mean time of the processor."""
    processes = (os.getpid(), backend())
    before = [cpu_seconds(process) for process in processes]
    seconds = []
    for _ in range(turns):
        begin = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begin)
    used = [cpu_seconds(p) - b for p, b in zip(processes, before, strict=True)]
    return Taken(min(seconds), used[0] / turns, used[1] / turns, peak() - baseline)


def parts(slug: str) -> dict[str, float]:
    """The seconds that an evaluation of all spends on each of its parts."""
    study = Study.objects.get(slug=slug)
    pipeline.evaluate(study, everything=True)
    spent: Counter[str] = Counter()
    with ExitStack() as patches:
        for part, functions in PARTS.items():
            for module, name in functions:
                timed = _timed(getattr(module, name), part, spent)
                patches.enter_context(patch.object(module, name, timed))
        begin = time.perf_counter()
        pipeline.evaluate(study, everything=True)
        whole = time.perf_counter() - begin
    return dict(spent) | {"the rest": whole - spent.total()}


def _timed(function: Callable[..., Any], part: str, spent: Counter[str]) -> Callable[..., Any]:
    def timed(*args: Any, **given: Any) -> Any:
        begin = time.perf_counter()
        try:
            return function(*args, **given)
        finally:
            spent[part] += time.perf_counter() - begin

    return timed


def repeat(slug: str, turns: int) -> list[float]:
    """The MiB that this process holds after each of many evaluations of all, as a worker does."""
    study = Study.objects.get(slug=slug)
    found = []
    for _ in range(turns):
        pipeline.evaluate(study, everything=True)
        found.append(held())
    return found


@dataclass(frozen=True)
class Written:
    """A file: its lines, the seconds it took, and MiB on top."""

    lines: int
    seconds: float
    memory: float


def write(slug: str, table: str, file_format: str) -> Written:
    """Write a table of a study to nowhere."""
    study = Study.objects.get(slug=slug)
    baseline = peak()
    begin = time.perf_counter()
    lines = sum(1 for _ in exports.lines(study, table, file_format))
    return Written(lines, time.perf_counter() - begin, peak() - baseline)
