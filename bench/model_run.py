"""A language model that judges 1,000 units at 50 requests a second, and what the site feels of it.

    python -m bench.model_run [--units 1000]

The model is a double on this machine that takes a tenth of a second for each answer, a process that
gives way to all others, as a model has a machine of its own. The worker is a process, as the
product's task runs it, slice by slice. Meanwhile the web server is asked for the study's first
page, as it was before.

Printed are requests a second, the memory of the worker when a tenth of the units is through and at
the end, its processor time for a request, and the median time of a page before and meanwhile. Ends
with 1 when the worker has grown by more than a fifth, or makes fewer than 40 requests a second.
"""

import http.client
import os
import sys
import time
from decimal import Decimal
from multiprocessing import get_context
from multiprocessing.connection import Connection
from statistics import median

import psutil
from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import connection

from bench.site.command import options, seconds, verdict
from bench.site.running import HOST, fetch, scratch_database, session, settle, web_server
from config.worker import NICENESS
from crowd.language_model import acts, work
from crowd.language_model.acts import make_run
from crowd.models import ModelRun
from judging.models import Assignment
from tests.doubles.language_model import KEY, language_model
from tests.factory import make_study

OPTIONS = options(__doc__)
OPTIONS.add_argument("--units", type=int, default=1000)
TOPICS, OTHERS, WORDS = 10, 6, 300
PER_MINUTE, LATENCY = 3000, 0.1
GIVES_WAY = 19
LIMIT, MIN_PER_SECOND = 1.2, 40
PAGES = 20
MIB = 2**20


def answer(there: Connection) -> None:
    """The double, until it is told to end."""
    os.nice(GIVES_WAY)
    with language_model(latency=LATENCY, keeps_bodies=False) as double:
        there.send(double.address)
        there.recv()


def judge(name: str, endpoints: dict[str, str], done: Connection) -> None:
    """The task, again and again until the run is done."""
    os.nice(NICENESS)
    settings.MODEL_ENDPOINTS = endpoints
    connection.settings_dict["NAME"] = name
    while work.running().exists():
        work.judge_running()
    done.send(True)


def main() -> int:
    units = OPTIONS.parse_args().units
    spawn = get_context("spawn")
    double, there = spawn.Pipe()
    spawn.Process(target=answer, args=(there,), daemon=True).start()
    endpoints = settings.MODEL_ENDPOINTS = {"double": double.recv()}
    with scratch_database():
        per_topic = 2 + OTHERS * units // TOPICS
        about = make_study(topics=TOPICS, documents=per_topic, words=WORDS, redundancy=1)
        run = make_run(
            about,
            None,
            endpoint="double",
            model="bm25",
            key=KEY,
            seed=1,
            price_in=Decimal(1),
            price_out=Decimal(1),
            max_cost=Decimal(1_000_000),
            requests_per_minute=PER_MINUTE,
            parallel=16,
        )
        acts.start(run.study, None, may_send=True)
        settle()
        user = get_user_model().objects.create(username="viewer", is_superuser=True)
        headers = {"Cookie": session(user)}
        with web_server() as port:
            client = http.client.HTTPConnection(HOST, port, timeout=60)

            def page() -> object:
                return fetch(client, f"/studies/{about.slug}/", headers)

            page()
            before = [seconds(page) for _ in range(PAGES)]
            here, there = spawn.Pipe()
            given = connection.settings_dict["NAME"], endpoints, there
            process = spawn.Process(target=judge, args=given)
            process.start()
            worker, meanwhile, sizes, used = psutil.Process(process.pid), [], [], 0.0
            while not ModelRun.objects.get(pk=run.pk).requests:
                time.sleep(0.1)
            begin = time.monotonic()
            while not here.poll(1):
                meanwhile.append(seconds(page))
                through = Assignment.objects.filter(study=run.study).count()
                sizes.append((through, worker.memory_info().rss / MIB))
                used = sum(worker.cpu_times()[:2])
            taken = time.monotonic() - begin
            process.join()
        double.send("end")
        run = ModelRun.objects.get(pk=run.pk)
        through = Assignment.objects.filter(study=run.study).count()
        first = next(size for done, size in sizes if done >= units / 10)
        rate = run.requests / taken
        print(f"{through:,} units, {run.requests:,} requests, {rate:.1f} a second: {run.state}")
        print(f"worker: {first:.0f} MiB at a tenth, {sizes[-1][1]:.0f} MiB at the end")
        print(f"worker: {1000 * used / run.requests:.1f} ms of processor a request")
        print(f"a page: {1000 * median(before):.0f} ms before, {1000 * median(meanwhile):.0f} ms")
    return verdict(sizes[-1][1] / first, LIMIT) or int(rate < MIN_PER_SECOND)


if __name__ == "__main__":
    sys.exit(main())
