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
    values,
)
from bench.site.command import best, options, seconds, verdict
from magnitudes.measures.in_time.reader import Reader, path
from magnitudes.measures.names import parse
from magnitudes.reading_time.lengths import repeats

OPTIONS = options(__doc__)
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


def beside_ndcg(name: str, lists: Lists, known: Known) -> int:
    """Print the seconds of a measure and of nDCG; 1 where it takes too long."""
    measure = parse(name)
    ours, ndcg = best(
        TURNS,
        lambda: measure.evaluate(lists.ranked, lists.judged, **known),
        lambda: values("nDCG", lists),
    )
    print(f"{name}: {ours:.3f} s, nDCG {ndcg:.3f} s: ", end="")
    return verdict(ours / ndcg, AS_LONG_AS_NDCG)


def beside_cwl(lists: Lists, known: Known) -> int:
    """Print the seconds of TBG and of cwl-eval; 1 where cwl-eval is not slower by enough.

    Those of cwl-eval for all lists are estimated by those of some, whose values are compared.
    """
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

    ours, some = best(TURNS, lambda: measure.evaluate(lists.ranked, lists.judged, **known), theirs)
    all_lists = some / SAMPLE * RUNS * TOPICS
    print(f"TBG: {ours:.3f} s, cwl-eval {all_lists:.1f} s: ", end="")
    return verdict(ours / all_lists, 1 / QUICKER)


def main() -> int:
    OPTIONS.parse_args()
    lists = make_up()
    known, classes = lengths(lists)
    print(f"repeats: {seconds(lambda: known.update(repeats=repeats(classes))):.3f} s")
    missed = sum(beside_ndcg(name, lists, known) for name in OURS)
    return int(missed + beside_cwl(lists, known) > 0)


if __name__ == "__main__":
    sys.exit(main())
