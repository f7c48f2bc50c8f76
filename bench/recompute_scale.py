"""How the time of computing a study anew grows with its judgments, and the memory it takes.

    python -m bench.recompute_scale

129 runs, made up; units of 8 documents, planned by the product and all completed, every document
judged 10 times. First a study like the paper's: 7,059 units on 18 topics. Then studies of 10
thousand to 1 million judgments, in steps of √10, in two shapes: more and more documents on each of
18 topics, and more and more topics. Each is computed anew, all of it, and again after a change on
one topic, in a process of its own: the best of a few turns on the clock (s), the processor's time
in that process (CPU) and in PostgreSQL (PG), and memory from after the imports (MiB). Printed as
well: what planning takes, what a process holds after many evaluations, and how fast files of the
paper's and of the largest study are written. Ends with 1 when the processor's time of computing
all, in either shape, grows faster than judgments to the power of 1.1: the slope of a line through
the logarithms of both, by least squares.
"""

import sys
import time
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from bench.site import making
from bench.site.evaluating import Measured, apart, measure, parts, repeat, write
from bench.site.judged import add_visits, complete_units
from bench.site.lists import DOC_IDS, TOPICS, make_runs
from bench.site.running import scratch_database
from bench.site.verdict import verdict
from evaluation import pipeline
from judging.models import Collection, Study, StudyTopic

LIMIT = 1.1
SIZES = [10**power for power in (4, 4.5, 5, 5.5, 6)]  # judgments
LAST_DECADE = 2  # and on
REDUNDANCY, UNIT, ANCHORS = 10, 8, 2
PAPER = [237] * 12 + [236] * 3 + [239] * 3  # documents by topic, 4,269 and 7,059 units in all
TOPIC = 392 * UNIT  # judgments of a topic of 237 documents
SHORT = 200  # documents in a list on one of the many topics
TURNS, LONG_TURNS, LONG = 5, 2, 300_000  # judgments
REPEATED = 30  # evaluations in one process
FILES = [("judgments", "csv"), ("units", "csv"), ("qrels", "trec"), ("table1", "csv")]
HEADING = """\
                          |     all                     |     one topic
judgments topics  plan, s |       s    CPU     PG   MiB |       s    CPU     PG   MiB"""


def judged_study(collection: Collection, slug: str, pools: Sequence[int]) -> tuple[Study, float]:
    """A study whose units are all completed, and the seconds that planning it took."""
    names = collection.topics.order_by("id").values_list("query_id", flat=True)
    topics = {name: DOC_IDS[:size] for name, size in zip(names, pools, strict=False)}
    begin = time.perf_counter()
    study = making.make_study(collection, topics, slug, redundancy=REDUNDANCY, unit_size=UNIT)
    planned = time.perf_counter() - begin
    complete_units(study)
    return study, planned


def more_documents(collection: Collection) -> Iterator[tuple[Study, float]]:
    """Studies of 18 topics."""
    for number, size in enumerate(SIZES):
        others = round(size / TOPICS / UNIT * (UNIT - ANCHORS) / REDUNDANCY)
        yield judged_study(collection, f"documents-{number}", [others + ANCHORS] * TOPICS)


def more_topics(collection: Collection) -> Iterator[tuple[Study, float]]:
    """One study that gets more and more topics: those to come wait in another study."""
    counts = [round(size / TOPIC) for size in SIZES]
    study, planned = judged_study(collection, "topics", PAPER[:1] * counts[-1])
    waiting = Study.objects.create(slug="waiting", collection=collection)
    keys = list(study.topics.order_by("id").values_list("id", flat=True))
    for count in counts:
        StudyTopic.objects.filter(pk__in=keys[count:]).update(study=waiting)
        StudyTopic.objects.filter(pk__in=keys[:count]).update(study=study)
        yield study, planned if count == counts[-1] else np.nan


def grow(title: str, studies: Iterable[tuple[Study, float]]) -> float:
    """Measure studies of one shape, one after the other; the slope of computing all."""
    print(f"\n{title}\n{HEADING}", flush=True)
    found, plans = [], []
    for study, planned in studies:
        found.append(measured(study))
        plans.append(planned)
        print(line(found[-1], planned), flush=True)
    judgments = [of.judgments for of in found]
    if not np.isnan(plans).any():
        slope("planning", judgments, plans)
    for name in ("one", "all"):
        slope(f"{name}, elapsed", judgments, [getattr(of, name).elapsed for of in found])
    return slope("all, processor", judgments, [of.all.seconds for of in found])


def measured(study: Study) -> Measured:
    header = pipeline.evaluate(study)
    return apart(measure, study.slug, LONG_TURNS if header.judgments > LONG else TURNS)


def line(found: Measured, planned: float) -> str:
    whole, one = found.all, found.one
    return (
        f"{found.judgments:9} {found.topics:6} {planned:8.1f} |"
        f"{whole.elapsed:8.3f} {whole.here:6.2f} {whole.postgres:6.2f} {whole.memory:5.0f} |"
        f"{one.elapsed:8.3f} {one.here:6.2f} {one.postgres:6.2f} {one.memory:5.0f}"
    )


def slope(title: str, judgments: Sequence[int], seconds: Sequence[float]) -> float:
    """The power of judgments that seconds grow by, over all sizes and over the last decade."""
    whole, last = (
        float(np.polyfit(np.log(judgments[since:]), np.log(seconds[since:]), 1)[0])
        for since in (0, LAST_DECADE)
    )
    print(f"slope {whole:.2f}, over the last decade {last:.2f}: {title}")
    return whole


def like_the_paper(study: Study, planned: float) -> None:
    """What a study of the paper's size takes."""
    found = measured(study)
    print(f"{study.units.count()} units; {found.baseline:.0f} MiB after the imports\n{HEADING}")
    print(line(found, planned))
    spent = [f"{part} {seconds:.3f} s" for part, seconds in apart(parts, study.slug).items()]
    print(f"all: {', '.join(spent)}")
    held = apart(repeat, study.slug, REPEATED)
    told = [f"{held[n - 1]:.1f} after {n}" for n in (1, REPEATED // 3, REPEATED)]
    print(f"MiB held by a process, evaluations of all: {', '.join(told)}", flush=True)


def files(*studies: Study) -> None:
    """How fast the files of studies are written, and in how much memory."""
    print("\nfile           judgments    lines        s  lines/s   MiB")
    for study in studies:
        add_visits(study)
        for table, kind in FILES:
            found = apart(write, study.slug, table, kind)
            print(
                f"{table:9} {kind:4} {study.evaluation.judgments:9} {found.lines:8}"
                f" {found.seconds:8.2f} {found.lines / found.seconds:8.0f} {found.memory:5.0f}",
                flush=True,
            )


def main() -> int:
    begin = time.perf_counter()
    with scratch_database():
        few = making.make_collection(map(str, range(401, 401 + TOPICS)), "few")
        make_runs(few)
        paper, planned = judged_study(few, "paper", PAPER)
        like_the_paper(paper, planned)
        slopes = [grow("more documents, 18 topics", more_documents(few))]
        files(paper, Study.objects.get(slug=f"documents-{len(SIZES) - 1}"))
        many = making.make_collection(
            map(str, range(1000, 1000 + round(SIZES[-1] / TOPIC))), "many"
        )
        make_runs(many, SHORT)
        slopes.append(grow("more topics, 237 documents each", more_topics(many)))
    print(f"{time.perf_counter() - begin:.0f} s in all")
    return verdict(max(slopes), LIMIT)


if __name__ == "__main__":
    sys.exit(main())
