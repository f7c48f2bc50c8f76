"""How many people the product carries at once, and what it takes of a machine.

    python -m bench.load [--levels 16,64] [--seconds 20] [--no-history]

gunicorn, the Celery worker and its clock run as in production, on a study of 7,059 units and 129
runs. 16 to 1,024 artificial workers at a time come over HTTP from two processes of their own. Each
keeps a connection of their own, waits on every page as long as people do, divided by SPEEDUP, and
begins in the middle of a unit. What a level shows is taken after a warm-up: requests and judgments
a second, and how long each kind of request takes; the processor time of each part of the site,
of the clients, and of whatever else is at work on the machine (in percent of one core); by how
much the clients were late for their own appointments, which their figures include. As they stand
for machines of their own, they go first on the processor where that is allowed.

The knee is the number of workers at which the 99th percentile of all requests passes 5 times the
median that one worker meets who is alone. Then ten other studies are added, completed in all
their units, and one level is measured before and after. Printed too: the SQL statements of every
kind of page, before and after; the memory of every process, before the load and after.

Ends with 1 when a request failed, or a rule of tests/judging/invariants.py was broken, at any
level.
"""

import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from multiprocessing import get_context
from typing import Any

import numpy as np
import psutil
from django.utils import timezone

from bench.site.command import options
from bench.site.crowding import Met, Visitors, visit
from bench.site.placing import place
from bench.site.processes import cpu_seconds, family, go_first, heads, memory
from bench.site.running import HOST, scratch_database, settle, web_server, workers
from crowd import world
from crowd.model import MIN_SECONDS
from evaluation.models import Evaluation
from judging.models import Collection, Study
from judging.studies.conduct import opening
from tests.factory.crowds import add_crowd
from tests.factory.runs import add_long_runs
from tests.factory.studies import add_documents, make_collection, plan_study
from tests.judging.invariants import broken
from tests.run_files import DOC_IDS

LEVELS = (16, 32, 64, 128, 256, 512, 1024)
OPTIONS = options(__doc__)
OPTIONS.add_argument("--levels", default=",".join(map(str, LEVELS)), help="some of them")
OPTIONS.add_argument("--seconds", type=float, default=20.0, help="that a level is measured")
OPTIONS.add_argument("--no-history", action="store_true", help="leave out ten times the data")
SPEEDUP = 20
KNEE = 5
CLIENTS = 2  # processes
SETTLES, ALONE = 3.0, 12.0  # seconds
ARRIVE = 100  # a second, in the warm-up
PAUSE = 0.1  # seconds that the one who is alone stays on a page
POOLS = [237] * 12 + [236] * 3 + [239] * 3  # documents by topic: 7,059 units
WORDS = 504
OTHERS, TENFOLD = 10, 64  # other studies, and the level at which they are felt
PATIENCE = 120.0
QUANTILES = "{:14} {:6} {:8.1f} {:8.1f} {:8.1f}"
SERVERS = ("web", "postgres", "compute", "io", "valkey")


@dataclass
class Level:
    """What so many workers met, and the seconds of processor that each part used meanwhile."""

    workers: int
    seconds: float
    met: Met
    used: dict[str, float]
    drained: float  # seconds until the last of them was answered
    broken: list[str]

    def a_judgment(self, *parts: str) -> float:
        """Milliseconds of processor for a judgment, in some parts of the site."""
        return 1000 * sum(self.used[part] for part in parts) / self.met.judgments


class Crowds:
    """Lets crowds come to the site, nobody twice."""

    def __init__(self, site: str, clients: Executor, seconds: float) -> None:
        self.site, self.clients, self.seconds = site, clients, seconds
        self.seed = 0

    def alone(self, study: Study) -> Met:
        """One worker after the other, who hardly waits."""
        begins = time.monotonic() + SETTLES
        visitors = self._visitors(study, 1, begins - SETTLES, begins, begins + ALONE)
        return self.clients.submit(visit, replace(visitors, waits=PAUSE)).result()

    def level(self, study: Study, count: int) -> Level:
        """So many at once."""
        shares = [n for n in (count // CLIENTS, count - count // CLIENTS) if n]
        arrived = time.monotonic() + SETTLES + count / ARRIVE
        begins = arrived + SETTLES
        ends = begins + self.seconds
        crowds = [self._visitors(study, share, arrived, begins, ends) for share in shares]
        truth = world.read(study, 0)
        for crowd in crowds:
            place(replace(truth, seed=crowd.seed), crowd.count, timezone.now())
        running = [self.clients.submit(visit, crowd) for crowd in crowds]
        time.sleep(begins - time.monotonic())
        before = _used()
        time.sleep(ends - time.monotonic())
        after = _used()
        met = Met()
        for one in running:
            met.add(one.result())
        used = {part: after[part] - before[part] for part in before}
        return Level(count, self.seconds, met, used, time.monotonic() - ends, broken())

    def _visitors(
        self, study: Study, count: int, arrived: float, begins: float, ends: float
    ) -> Visitors:
        self.seed += 1
        return Visitors(study.slug, self.site, self.seed, count, SPEEDUP, arrived, begins, ends)


def _used() -> dict[str, float]:
    """Seconds of processor by part, and of the rest of the machine."""
    machine = psutil.cpu_times()
    busy = sum(machine) - machine.idle - machine.iowait - machine.guest - machine.guest_nice
    used = {part: cpu_seconds(*some) for part, some in heads().items()}
    return used | {"others": busy - sum(used.values())}


def used_memory() -> dict[str, float]:
    """MiB by part of the site, with what several processes share counted once."""
    return {part: memory(family(*some)) for part, some in heads().items()}


def make_studies() -> tuple[Study, Study]:
    """The one that crowds come to, and one for whoever is alone."""
    collection = make_collection(len(POOLS))
    add_long_runs(collection)
    add_documents(collection, DOC_IDS[: max(POOLS)], WORDS)
    many = plan(collection, POOLS, slug="many", minimum_seconds=MIN_SECONDS / SPEEDUP)
    one = plan(collection, [50] * 4, slug="one", minimum_seconds=0)
    return opening.open_study(many.slug), opening.open_study(one.slug)


def plan(collection: Collection, pools: Sequence[int], **settings: Any) -> Study:
    names = collection.topics.order_by("id").values_list("query_id", flat=True)
    topics = {name: DOC_IDS[:size] for name, size in zip(names, pools, strict=False)}
    return plan_study(collection, topics, redundancy=10, **settings)


def add_history(study: Study) -> None:
    """Ten times the data, evaluated by the site itself."""
    begin = time.monotonic()
    others = [plan(study.collection, POOLS, slug=f"other-{number}") for number in range(OTHERS)]
    for other in others:
        opening.open_study(other.slug)
        add_crowd(other, timezone.now(), completed=other.units.count())
    while Evaluation.objects.filter(study__in=others).count() < OTHERS:
        if time.monotonic() > begin + PATIENCE:
            raise RuntimeError(f"no evaluations of {OTHERS} studies after {PATIENCE:.0f} s")
        time.sleep(0.5)
    settle()
    print(f"\n{OTHERS} other studies, all completed, in {time.monotonic() - begin:.0f} s")


def show(level: Level) -> None:
    met, seconds = level.met, level.seconds
    print(
        f"\n{level.workers} workers, as {level.workers * SPEEDUP:,} people at their own pace: "
        f"{met.requests / seconds:.1f} requests/s, {met.judgments / seconds:.1f} judgments/s, "
        f"{sum(met.errors.values())} errors, {len(level.broken)} broken rules"
    )
    print(f"{'milliseconds':14} {'n':>6} {'median':>8} {'95%':>8} {'99%':>8}")
    for kind in sorted(met.taken):
        print(QUANTILES.format(kind, len(met.taken[kind]), *met.quantiles(kind)))
    print(QUANTILES.format("all", met.requests, *met.quantiles()))
    shares = ", ".join(f"{part} {100 * used / seconds:.0f}" for part, used in level.used.items())
    late = np.quantile(met.late, [0.5, 0.99])
    print(f"% of a core: {shares}; clients late by {late[0]:.1f} ms, 99% {late[1]:.0f} ms")
    for text in [*(f"{n} x {said}" for said, n in met.errors.items()), *level.broken]:
        print(f"  {text[:200]}")
    sys.stdout.flush()


def show_all(levels: Sequence[Level], idle: float) -> None:
    print("\nworkers  people requests/s judgments/s   median      99%  ms of processor a judgment")
    for level in levels:
        median, _, high = level.met.quantiles()
        print(
            f"{level.workers:7} {level.workers * SPEEDUP:7,}"
            f" {level.met.requests / level.seconds:10.1f}"
            f" {level.met.judgments / level.seconds:11.1f} {median:8.1f} {high:8.1f}"
            f"  web {level.a_judgment('web'):.1f}, PostgreSQL {level.a_judgment('postgres'):.1f}"
        )
    print(f"the knee, where 99% takes {KNEE} x {idle:.1f} ms: {knee(levels, KNEE * idle)}")


def knee(levels: Sequence[Level], limit: float) -> str:
    """The workers at which the 99th percentile passes a limit, between two levels by ratio."""
    high = [level.met.quantiles()[2] for level in levels]
    if high[0] > limit:
        return f"below {levels[0].workers} workers"
    for (low, p), (up, q) in pairwise(zip(levels, high, strict=True)):
        if q > limit:
            share = np.log(limit / p) / np.log(q / p)
            at = low.workers * (up.workers / low.workers) ** share
            return f"{at:.0f} workers, {at * SPEEDUP:,.0f} people (first passed at {up.workers})"
    return f"above {levels[-1].workers} workers"


def show_ratio(before: Level, after: Level) -> None:
    names, quantiles = ("median", "95%", "99%"), (after.met.quantiles(), before.met.quantiles())
    found = [f"{name} {a / b:.2f}" for name, a, b in zip(names, *quantiles, strict=True)]
    found += [
        f"{name} {after.a_judgment(*parts) / before.a_judgment(*parts):.2f}"
        for name, parts in (
            ("processor time of a judgment", SERVERS),
            *((part, (part,)) for part in SERVERS[:3]),
        )
    ]
    print(f"\nten times the data, {before.workers} workers, as ratios: {', '.join(found)}")


@contextmanager
def site() -> Iterator[str]:
    """The whole product at work, on a database of its own."""
    with scratch_database(), web_server() as port, workers():
        yield f"http://{HOST}:{port}/"


def client_processes() -> Executor:
    return ProcessPoolExecutor(CLIENTS, get_context("spawn"), go_first)


def main() -> int:
    begin = time.monotonic()
    given = OPTIONS.parse_args()
    levels: list[Level] = []
    with site() as address, client_processes() as clients:
        many, one = make_studies()
        settle()
        crowds = Crowds(address, clients, given.seconds)
        met = crowds.alone(one)
        idle = met.quantiles()[0]
        print(f"one worker alone: median {idle:.1f} ms, n = {met.requests}", flush=True)
        at_rest = used_memory()
        for count in map(int, given.levels.split(",")):
            levels.append(crowds.level(many, count))
            show(levels[-1])
        show_all(levels, idle)
        for part, after in used_memory().items():
            print(f"{part:8} {at_rest.get(part, 0):4.0f} MiB before the load, {after:4.0f} after")
        if not given.no_history:
            levels.append(crowds.level(many, TENFOLD))
            add_history(many)
            levels.append(crowds.level(many, TENFOLD))
            show(levels[-1])
            show_ratio(*levels[-2:])
    failed = sum(sum(level.met.errors.values()) + len(level.broken) for level in levels)
    print(f"\n{time.monotonic() - begin:.0f} s in all; {failed} errors and broken rules")
    return 1 if failed or met.errors else 0


if __name__ == "__main__":
    sys.exit(main())
