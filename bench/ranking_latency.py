"""How long after a completed unit its ranking can be read, beside the round trip of an empty task.

    python -m bench.ranking_latency

129 runs on 18 topics, 1,000 documents each, made up; 237 documents a topic, judged 10 times in 392
units, all but a few of which are completed. The product's web server and
Celery worker run as they always do. A worker finishes a unit; the tick's task is sent by hand, so
that the wait for the clock is left out; and the API is asked again and again until it gives a
ranking that counts the unit. In between, tasks that do nothing are sent, and waited for. Ends
with 1 when the median of the one is more than 30 times that of the other.
"""

import http.client
import io
import json
import sys
import time

import numpy as np
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.utils import timezone
from tqdm import tqdm

from bench.site.command import options, verdict
from bench.site.running import HOST, compute, scratch_database, web_server
from bench.site.tasks import nothing
from evaluation import pipeline
from evaluation.tasks import bring_up_to_date
from judging.models import Study
from judging.studies.conduct import opening
from tests.cast import Person
from tests.factory.crowds import add_crowd
from tests.factory.runs import add_long_runs
from tests.factory.studies import add_documents, make_collection, plan_study
from tests.run_files import DOC_IDS

OPTIONS = options(__doc__)
TOPICS, DOCUMENTS = 18, 237
LIVE = 40  # units that are finished while the benchmark measures
WARM = 4  # of which the first do not count
LIMIT = 30
POLL_SECONDS = 0.002
PATIENCE_SECONDS = 30


def judged_study() -> Study:
    """An open study, all but the last few of whose units are completed."""
    collection = make_collection(TOPICS)
    add_long_runs(collection)
    pooled = DOC_IDS[:DOCUMENTS]
    add_documents(collection, pooled, words=48)
    pools = {topic.query_id: pooled for topic in collection.topics.all()}
    study = opening.open_study(plan_study(collection, pools, redundancy=10).slug)
    add_crowd(study, timezone.now(), completed=study.units.count() - LIVE)
    return study


class Reader:
    """Asks the API for the ranking, as a researcher's notebook does."""

    def __init__(self, port: int, study: Study) -> None:
        get_user_model().objects.create(username="reader", is_superuser=True)
        token = io.StringIO()
        call_command("create_token", "reader", stdout=token)
        self.headers = {"Authorization": f"Token {token.getvalue().strip()}", "Host": "localhost"}
        self.path = f"/api/v1/studies/{study.slug}/rankings/"
        self.client = http.client.HTTPConnection(HOST, port)

    def units(self) -> int | None:
        """How many units the ranking counts, if it is another one than at the last call."""
        self.client.request("GET", self.path, headers=self.headers)
        response = self.client.getresponse()
        body = response.read()
        if response.status == http.client.NOT_MODIFIED:
            return None
        self.headers["If-None-Match"] = response.headers["ETag"]
        return json.loads(body)["source"]["units"]

    def wait_for(self, units: int) -> None:
        """Until the ranking counts so many units."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self.units() != units:
            if time.monotonic() > deadline:
                raise RuntimeError(f"no ranking of {units} units after {PATIENCE_SECONDS} s")
            time.sleep(POLL_SECONDS)


def seconds_of_nothing() -> float:
    begin = time.perf_counter()
    sent = nothing.delay()
    sent.get(timeout=PATIENCE_SECONDS)
    taken = time.perf_counter() - begin
    sent.forget()
    return taken


def main() -> int:
    OPTIONS.parse_args()
    with scratch_database(), web_server() as port, compute():
        study = judged_study()
        begin = time.perf_counter()
        evaluation = pipeline.evaluate(study)
        print(f"all {TOPICS} topics at once: {time.perf_counter() - begin:.2f} s")
        units = evaluation.units
        reader = Reader(port, study)
        waiting = [
            Person(study, f"at-the-end-{n}", now=timezone.now()).come_to_the_end()
            for n in tqdm(range(LIVE), desc="workers")
        ]
        empty, ranking = [], []
        for person in tqdm(waiting, desc="units"):
            empty += [seconds_of_nothing() for _ in range(3)]
            if not person.finish().finished:
                raise RuntimeError("a unit was not completed")
            units += 1
            reader.units()  # as it was, with the ETag that goes with the unit
            begin = time.perf_counter()
            bring_up_to_date.apply_async()
            reader.wait_for(units)
            ranking.append(time.perf_counter() - begin)
        empty, ranking = empty[3 * WARM :], ranking[WARM:]
    for name, taken in (("empty task", empty), ("ranking", ranking)):
        low, median, high = np.quantile(taken, [0, 0.5, 0.9]) * 1000
        print(
            f"{name:10}: median {median:6.1f} ms, least {low:6.1f}, 90% {high:6.1f}, "
            f"n = {len(taken)}"
        )
    print(f"{units} completed units on {TOPICS} topics")
    return verdict(float(np.median(ranking) / np.median(empty)), LIMIT)


if __name__ == "__main__":
    sys.exit(main())
