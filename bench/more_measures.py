"""How long P+, nERR, both bprefs, rpref and GAP take, beside pyNTCIREVAL and beside nDCG.

    python -m bench.more_measures

Gains and lists are made up with a fixed seed: 129 runs on 50 topics, 1,000 documents each, more
than half of them judged, of 1,700 judged documents of a topic. All values come from arrays in
memory, without a cutoff. pyNTCIREVAL has nERR and P+. It takes one list after the other: it is
timed on some of them, labelled before, and its time scaled to all; their values must be the same.

Each measure is timed turn by turn with nDCG, and the best of each counts; none may take more than
20 times as long, and pyNTCIREVAL must take at least 100 times as long where it has the measure.
With gains that are all different, as magnitudes are, rpref and GAP have more to do; the limit is
the same. Ends with 1 when a limit is missed.
"""

import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pyNTCIREVAL.metrics import PPlusMeasure, nERR

from bench.site.verdict import verdict
from magnitudes.measures.names import parse

RUNS, TOPICS, DEPTH, POOL, JUDGED, TOP = 129, 50, 1000, 3000, 1700, 3
SAMPLE = 20  # lists of pyNTCIREVAL
TURNS = 5
AS_LONG_AS_NDCG, QUICKER = 20, 100
PEERS: dict[str, Callable[[list[int]], PPlusMeasure | nERR]] = {
    "P+": lambda per_level: PPlusMeasure(per_level, [1, 2, 3], 1),
    "nERR": lambda per_level: nERR(per_level, [1, 2, 3], None),
}
OURS = (*("P+", "nERR", "Bpref", "bpref_de_beer_moens", "rpref", "rpref(norm='relative')", "GAP"),)
OF_REAL_GAINS = ("rpref", "GAP")


class Lists(NamedTuple):
    """What measures take: (runs, topics, depth), and gains of judged documents, (topics, n)."""

    ranked: NDArray[np.float64]
    judged: NDArray[np.float64]
    places: NDArray[np.int32]


def make_up() -> Lists:
    """Levels from 0 to 3, more than half of them 0; runs draw from a pool of each topic."""
    rng = np.random.default_rng(8)
    judged = rng.choice([0.0, 0, 0, 0, 1, 2, TOP], (TOPICS, JUDGED))
    places = np.empty((RUNS, TOPICS, DEPTH), np.int32)
    for topics in places:
        for row in topics:
            row[:] = rng.permutation(POOL)[:DEPTH]
    places[places >= JUDGED] = -1
    return Lists(_ranked(judged, places), judged, places)


def all_different(lists: Lists) -> Lists:
    """The same with gains like magnitudes: all judged documents have some, and none the same."""
    judged = np.random.default_rng(9).lognormal(0, 1.5, lists.judged.shape)
    return lists._replace(ranked=_ranked(judged, lists.places), judged=judged)


def _ranked(judged: NDArray[np.float64], places: NDArray[np.int32]) -> NDArray[np.float64]:
    found = judged[np.arange(TOPICS)[:, np.newaxis], np.maximum(places, 0)]
    return np.where(places >= 0, found, 0.0)


def values(name: str, lists: Lists) -> NDArray[np.float64]:
    return parse(name).evaluate(
        lists.ranked, lists.judged, places=lists.places, n_judged=np.full(TOPICS, JUDGED)
    )


def seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def beside_ndcg(name: str, lists: Lists) -> tuple[float, float]:
    """The seconds of a measure and of nDCG."""
    turns = [
        (seconds(lambda: values(name, lists)), seconds(lambda: values("nDCG", lists)))
        for _ in range(TURNS)
    ]
    ours, ndcg = (min(turn[place] for turn in turns) for place in (0, 1))
    return ours, ndcg


def peer(name: str, lists: Lists) -> float:
    """The seconds of pyNTCIREVAL for all lists, by those of some, whose values are compared."""
    found = values(name, lists)
    spent = 0.0
    for run, topic in np.random.default_rng(7).integers((RUNS, TOPICS), size=(SAMPLE, 2)):
        levels = lists.ranked[run, topic].astype(int).tolist()
        labelled = [(str(rank), level) for rank, level in enumerate(levels)]
        per_level = np.bincount(lists.judged[topic].astype(int)).tolist()
        begin = time.perf_counter()
        theirs = PEERS[name](per_level).compute(labelled)
        spent += time.perf_counter() - begin
        np.testing.assert_allclose(found[run, topic], theirs, rtol=1e-12)
    return spent / SAMPLE * RUNS * TOPICS


def main() -> int:
    lists = make_up()
    missed = 0
    for name in OURS:
        ours, ndcg = beside_ndcg(name, lists)
        print(f"{name}: {ours:.3f} s, nDCG {ndcg:.3f} s: ", end="")
        missed += verdict(ours / ndcg, AS_LONG_AS_NDCG)
        if name in PEERS:
            theirs = peer(name, lists)
            print(
                f"{name}: pyNTCIREVAL {theirs:.0f} s, {theirs / ours:.0f} times as long: ", end=""
            )
            missed += verdict(ours / theirs, 1 / QUICKER)
    different = all_different(lists)
    for name in OF_REAL_GAINS:
        ours, ndcg = beside_ndcg(name, different)
        print(f"{name} of gains all different: {ours:.3f} s, nDCG {ndcg:.3f} s: ", end="")
        missed += verdict(ours / ndcg, AS_LONG_AS_NDCG)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
