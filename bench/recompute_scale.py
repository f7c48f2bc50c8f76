"""How the time of computing a study anew grows with its judgments, and the memory it takes.

    python -m bench.recompute_scale [--sizes 10000,100000,1000000]

129 runs, made up; units of 8 documents, planned by the product and all completed, every document
judged 10 times. First a study like the paper's: 7,059 units on 18 topics. Then studies of 10
thousand to 1 million judgments, in steps of √10, in two shapes: more and more documents on each of
18 topics, and more and more topics. Each is computed anew, all of it, and again after a change on
one topic, in a process of its own: the best of a few turns on the clock (s), the processor's time
in that process (CPU) and in PostgreSQL (PG), and memory from after the imports (MiB). Ends with 1
when the processor's time of computing all, in either shape, grows faster than judgments to the
power of 1.1: the slope of a line through the logarithms of both, by least squares.
"""

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from django.db.models import F
from django.utils import timezone
from tqdm import tqdm

from bench.site.command import in_turns, options, verdict
from bench.site.processes import backend
from bench.site.running import scratch_database
from evaluation import pipeline
from judging.models import Collection, Study, StudyTopic
from tests.factory.crowds import add_crowd
from tests.factory.runs import add_long_runs
from tests.factory.studies import add_documents, make_collection, plan_study
from tests.run_files import DOC_IDS

OPTIONS = options(__doc__)
OPTIONS.add_argument(
    "--sizes", default="10000,31623,100000,316228,1000000", help="judgments, of two studies or more"
)
LIMIT = 1.1
LAST_DECADE = 3  # sizes
REDUNDANCY, UNIT, ANCHORS, TOPICS = 10, 8, 2, 18
PAPER = [237] * 12 + [236] * 3 + [239] * 3  # documents by topic, 4,269 and 7,059 units in all
TOPIC = 392 * UNIT  # judgments of a topic of 237 documents
SHORT = 200  # documents in a list on one of the many topics
TURNS, LONG_TURNS, LONG = 5, 2, 300_000  # judgments
HEADING = """\
                 |     all                     |     one topic
judgments topics |       s    CPU     PG   MiB |       s    CPU     PG   MiB"""
Result = TypeVar("Result")


@dataclass(frozen=True)
class Taken:
    """What an evaluation takes: seconds on the clock, at best; of the processor, in this process
    and in PostgreSQL's, on average; and MiB of memory on top of the baseline."""

    elapsed: float
    here: float
    postgres: float
    memory: float

    def __str__(self) -> str:
        return f"{self.elapsed:8.3f} {self.here:6.2f} {self.postgres:6.2f} {self.memory:5.0f}"

    @property
    def seconds(self) -> float:
        """Of the processor, which other users of the machine do not stretch; or on the clock."""
        used = self.here + self.postgres
        return self.elapsed if math.isnan(used) else used


def apart(function: Callable[..., Result], *given: Any) -> Result:
    """What a function returns in a process of its own."""
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        return process.submit(function, *given).result()


def peak() -> float:
    """The most memory that this process has held, in MiB, as Linux tells it; elsewhere NaN."""
    lines = proc("self/status").splitlines()
    return next((int(line.split()[1]) / 1024 for line in lines if "VmHWM" in line), math.nan)


def cpu_seconds(process: int | str = "self") -> float:
    """Seconds of processor that the first thread of a process has used; NaN but on Linux."""
    return int((proc(f"{process}/schedstat").split() or [math.nan])[0]) / 1e9


def proc(name: str) -> str:
    path = Path("/proc") / name
    return path.read_text() if path.exists() else ""


def judged_study(collection: Collection, slug: str, pools: Sequence[int]) -> Study:
    """A study whose units are all completed, with so many documents on each topic."""
    names = collection.topics.order_by("id").values_list("query_id", flat=True)
    topics = {name: DOC_IDS[:size] for name, size in zip(names, pools, strict=False)}
    study = plan_study(collection, topics, slug=slug, redundancy=REDUNDANCY, unit_size=UNIT)
    add_crowd(study, timezone.now(), completed=study.units.count())
    return study


def of_size(collection: Collection, size: int) -> Study:
    """A study of about so many judgments on 18 topics."""
    others = round(size / TOPICS / UNIT * (UNIT - ANCHORS) / REDUNDANCY)
    return judged_study(collection, f"documents-{size}", [others + ANCHORS] * TOPICS)


def more_topics(collection: Collection, sizes: Sequence[int]) -> Iterator[Study]:
    """One study that gets more and more topics: those to come wait in another study."""
    counts = [round(size / TOPIC) for size in sizes]
    study = judged_study(collection, "topics", PAPER[:1] * counts[-1])
    waiting = Study.objects.create(slug="waiting", collection=collection)
    keys = list(study.topics.order_by("id").values_list("id", flat=True))
    for count in counts:
        StudyTopic.objects.filter(pk__in=keys[count:]).update(study=waiting)
        StudyTopic.objects.filter(pk__in=keys[:count]).update(study=study)
        yield study


def measure(slug: str, turns: int) -> tuple[Taken, Taken]:
    """Evaluate a study that is published: all anew, and after one topic has changed.

    The one topic comes first, as it takes less memory.
    """
    baseline = peak()
    study = Study.objects.get(slug=slug)
    topic = study.topics.order_by("pk")[0].pk

    def after_a_change() -> None:
        StudyTopic.objects.filter(pk=topic).update(revision=F("revision") + 1)
        pipeline.evaluate(study)

    one = _taken(after_a_change, turns, baseline)
    return _taken(lambda: pipeline.evaluate(study, everything=True), turns, baseline), one


def _taken(work: Callable[[], object], turns: int, baseline: float) -> Taken:
    processes = ("self", backend().pid)
    before = [cpu_seconds(process) for process in processes]
    (elapsed,) = in_turns(turns, work)
    used = [cpu_seconds(p) - b for p, b in zip(processes, before, strict=True)]
    return Taken(min(elapsed), used[0] / turns, used[1] / turns, peak() - baseline)


def measured(study: Study) -> tuple[int, Taken, Taken]:
    """Judgments, and what all and one topic take; printed as well."""
    header = pipeline.evaluate(study)
    turns = LONG_TURNS if header.judgments > LONG else TURNS
    whole, one = apart(measure, study.slug, turns)
    print(f"{header.judgments:9} {header.topics:6} |{whole} |{one}", flush=True)
    return header.judgments, whole, one


def grow(title: str, studies: Iterable[Study]) -> float:
    """Measure studies of one shape, one after the other; the slope of computing all."""
    print(f"\n{title}\n{HEADING}", flush=True)
    judgments, whole, one = zip(*map(measured, studies), strict=True)
    slope("one, elapsed", judgments, [taken.elapsed for taken in one])
    slope("all, elapsed", judgments, [taken.elapsed for taken in whole])
    return slope("all, processor", judgments, [taken.seconds for taken in whole])


def slope(title: str, judgments: Sequence[int], seconds: Sequence[float]) -> float:
    """The power of judgments that seconds grow by, over all sizes and over the last decade."""
    whole, last = (
        float(np.polyfit(np.log(judgments[since:]), np.log(seconds[since:]), 1)[0])
        for since in (0, -LAST_DECADE)
    )
    print(f"slope {whole:.2f}, over the last decade {last:.2f}: {title}")
    return whole


def main() -> int:
    sizes = [int(size) for size in OPTIONS.parse_args().sizes.split(",")]
    with scratch_database():
        few = make_collection(TOPICS)
        add_documents(few, DOC_IDS)
        add_long_runs(few)
        print(f"like the paper\n{HEADING}")
        measured(judged_study(few, "paper", PAPER))
        documents = (of_size(few, size) for size in tqdm(sizes, desc="studies"))
        slopes = [grow("more documents, 18 topics", documents)]
        many = make_collection(round(sizes[-1] / TOPIC))
        add_documents(many, DOC_IDS[: PAPER[0]])
        add_long_runs(many, SHORT)
        slopes.append(grow("more topics, 237 documents each", more_topics(many, sizes)))
    return verdict(max(slopes), LIMIT)


if __name__ == "__main__":
    sys.exit(main())
