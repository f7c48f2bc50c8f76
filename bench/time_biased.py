"""How long time-biased gain takes, beside cwl-eval and beside nDCG.

    python -m bench.time_biased

Gains and lists are those of bench.more_measures: 129 runs on 50 topics, 1,000 documents each. Their
lengths are made up with a fixed seed, and so are near duplicates: each document is one of some
other with a chance of a tenth. All values come from arrays in memory, without a cutoff; which
documents are repeated is found once for all measures, and its time is printed.

cwl-eval takes one list after the other; from its gains, and the seconds of each document worked out
before, it makes a ranking and measures it. It is timed on some lists, and its time scaled to all.
It divides its weights by their sum: times that sum its values must be ours.

Turn by turn, and the best counts. Ours may take at most 20 times as long as nDCG, and cwl-eval must
take at least 100 times as long as ours. Ends with 1 when a limit is missed.
"""

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
from cwl.ruler.measures.cwl_tbg import TBGCWLMetric
from cwl.ruler.ranking import Ranking
from numpy.typing import NDArray

from bench.more_measures import (
    AS_LONG_AS_NDCG,
    DEPTH,
    POOL,
    QUICKER,
    RUNS,
    SAMPLE,
    TOPICS,
    Lists,
    make_up,
    seconds,
    values,
)
from bench.site.verdict import verdict
from magnitudes.measures.in_time.reader import Reader, path
from magnitudes.measures.names import parse
from magnitudes.reading_time.lengths import repeats

TURNS = 15
OURS = ("TBG", "TBG(norm='ideal',duplicates='nothing')")
Known = Mapping[str, NDArray[Any]]


def lengths(lists: Lists) -> tuple[dict[str, NDArray[Any]], NDArray[np.int64]]:
    """What TBG asks for beside gains, but for repeats, and the classes that tell these."""
    rng = np.random.default_rng(3)
    judged = lists.judged.shape[1]
    words = rng.lognormal(6, 0.8, (TOPICS, POOL)).round()
    other = rng.integers(0, POOL, (TOPICS, POOL))
    classes = np.where(rng.random((TOPICS, POOL)) < 0.1, other, np.arange(POOL))
    # Documents that are not judged have no place in `lists`: any will do.
    place = np.where(
        lists.places >= 0, lists.places, rng.integers(judged, POOL, lists.places.shape)
    )
    topics = np.arange(TOPICS)[:, np.newaxis]
    known = {
        "words": words[topics, place],
        "judged_words": words[:, :judged],
        "judged_classes": classes[:, :judged],
    }
    return known, classes[topics, place]


def beside_ndcg(name: str, lists: Lists, known: Known) -> tuple[float, float]:
    """The seconds of a measure and of nDCG."""
    measure = parse(name)
    turns = [
        (
            seconds(lambda: measure.evaluate(lists.ranked, lists.judged, **known)),
            seconds(lambda: values("nDCG", lists)),
        )
        for _ in range(TURNS)
    ]
    ours, ndcg = (min(turn[place] for turn in turns) for place in (0, 1))
    return ours, ndcg


def beside_cwl(lists: Lists, known: Known) -> tuple[float, float]:
    """The seconds of TBG and of cwl-eval for all lists; this by some, whose values are compared."""
    measure, metric, by = parse("TBG"), TBGCWLMetric(224), Reader().checked()
    chosen = np.random.default_rng(7).integers((RUNS, TOPICS), size=(SAMPLE, 2)).tolist()
    found = measure.evaluate(lists.ranked, lists.judged, **known)
    given = []
    for run, topic in chosen:
        ranked, words, again = (
            array[run, topic] for array in (lists.ranked, known["words"], known["repeats"])
        )
        way = path(ranked, lists.judged[topic], words, again, by)
        given.append((way.hits * 0.4928, way.seconds))
        value = metric.measure(Ranking("topic", *given[-1], max_n=DEPTH))
        weights = (2 ** (-way.begins / 224)).sum()
        np.testing.assert_allclose(found[run, topic], value * weights, rtol=1e-9)

    def theirs() -> None:
        for gains, costs in given:
            metric.measure(Ranking("topic", gains, costs, max_n=DEPTH))

    turns = [
        (seconds(lambda: measure.evaluate(lists.ranked, lists.judged, **known)), seconds(theirs))
        for _ in range(TURNS)
    ]
    ours, some = (min(turn[place] for turn in turns) for place in (0, 1))
    return ours, some / SAMPLE * RUNS * TOPICS


def main() -> int:
    lists = make_up()
    known, classes = lengths(lists)
    print(f"repeats: {seconds(lambda: known.update(repeats=repeats(classes))):.3f} s")
    missed = 0
    for name in OURS:
        ours, ndcg = beside_ndcg(name, lists, known)
        print(f"{name}: {ours:.3f} s, nDCG {ndcg:.3f} s: ", end="")
        missed += verdict(ours / ndcg, AS_LONG_AS_NDCG)
    ours, theirs = beside_cwl(lists, known)
    print(
        f"TBG: {ours:.3f} s, cwl-eval {theirs:.1f} s, {theirs / ours:.0f} times as long: ", end=""
    )
    missed += verdict(ours / theirs, 1 / QUICKER)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
