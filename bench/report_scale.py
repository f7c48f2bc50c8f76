"""How the time of a whole report grows with a study's judgments.

    python -m bench.report_scale [--sizes 10000,100000,1000000]

129 runs, made up; labels from 0 to 3 of every document; units of 8 documents, planned by the
product and all completed, on 18 topics of more and more documents, each judged 10 times. A report
is what `manage.py report` writes: every analysis, every table and every figure. Printed: the
seconds of processor time in a process of its own, reading and each analysis apart, what writing
alone takes of them, and its memory on top of the imports. Ends with 1 when the whole grows faster
than judgments to the power of 1.1: the slope of a line through the logarithms of both, by least
squares; or when writing adds more than a tenth to the analyses.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from bench.recompute_scale import TOPICS, apart, of_size, peak
from bench.site.command import options, verdict
from bench.site.running import scratch_database
from evaluation import pipeline
from evaluation.report import folder as report
from evaluation.study.data import load
from judging.models import Collection, Label, LabelSet, Study
from tests.factory.runs import add_long_runs
from tests.factory.studies import make_collection
from tests.run_files import DOC_IDS

OPTIONS = options(__doc__)
OPTIONS.add_argument(
    "--sizes", default="10000,31623,100000,316228,1000000", help="judgments, of two studies or more"
)
LIMIT = 1.1
MOST_WRITING = 0.1  # of the time of the analyses
LEVELS = 4


def label(collection: Collection) -> None:
    """A level for every document of every topic."""
    labels = LabelSet.objects.create(collection=collection, name="reference")
    Label.objects.bulk_create(
        Label(label_set=labels, topic=topic, doc_id=doc_id, level=(n * topic.pk) % LEVELS)
        for topic in collection.topics.all()
        for n, doc_id in enumerate(DOC_IDS)
    )


def measure(slug: str, folder: str) -> tuple[int, dict[str, float], float]:
    """Judgments, processor seconds by part, and MiB."""
    study = Study.objects.get(slug=slug)
    baseline, begin = peak(), time.process_time()
    data = load(study)
    spent = {"reading": time.process_time() - begin}
    last = time.process_time()

    def done(name: str) -> None:
        nonlocal last
        now = time.process_time()
        spent[name] = now - last
        last = now

    written = report.write(data, Path(folder), done)
    spent["whole"] = time.process_time() - begin
    begin = time.process_time()
    report.write(data, Path(folder) / "again", lambda name: None, written.results)
    spent["writing"] = time.process_time() - begin
    return len(data.judgments), spent, peak() - baseline


def main() -> int:
    sizes = [int(size) for size in OPTIONS.parse_args().sizes.split(",")]
    found = []
    with scratch_database(), tempfile.TemporaryDirectory() as folder:
        collection = make_collection(TOPICS)
        add_long_runs(collection)
        label(collection)
        for number, size in enumerate(sizes):
            study = of_size(collection, size)
            pipeline.evaluate(study)
            found.append(apart(measure, study.slug, f"{folder}/{number}"))
            judgments, spent, memory = found[-1]
            print(
                f"{judgments:9,} judgments: {spent['whole']:7.1f} s, {memory:6.0f} MiB", flush=True
            )
    judgments = [count for count, _, _ in found]
    print("\nseconds" + "".join(f"{count:12,}" for count in judgments) + "   slope")
    slopes = {}
    for part in found[-1][1]:
        seconds = [max(spent[part], 1e-3) for _, spent, _ in found]
        slopes[part] = float(np.polyfit(np.log(judgments), np.log(seconds), 1)[0])
        print(f"{part:16}" + "".join(f"{s:12.2f}" for s in seconds) + f"{slopes[part]:8.2f}")
    whole, writing = (sum(spent[part] for _, spent, _ in found) for part in ("whole", "writing"))
    added = writing / (whole - writing)
    print(f"\nwriting adds {added:.1%} to the analyses; expected at most {MOST_WRITING:.0%}")
    return verdict(slopes["whole"], LIMIT) or int(added > MOST_WRITING)


if __name__ == "__main__":
    sys.exit(main())
