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
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pyNTCIREVAL.metrics import PPlusMeasure, nERR

from bench.site.command import best, options, verdict
from magnitudes.measures.names import parse

OPTIONS = options(__doc__)
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


def beside_ndcg(name: str, lists: Lists) -> int:
    """Print the seconds of a measure and of nDCG; 1 where it takes too long."""
    ours, ndcg = best(TURNS, lambda: values(name, lists), lambda: values("nDCG", lists))
    print(f"{name}: {ours:.3f} s, nDCG {ndcg:.3f} s: ", end="")
    return verdict(ours / ndcg, AS_LONG_AS_NDCG)


def beside_peer(name: str, lists: Lists) -> int:
    """Print how much longer pyNTCIREVAL takes; 1 where that is not enough.

    Its seconds for all lists are estimated by those of some, whose values are compared.
    """
    found, lists_of_peer = values(name, lists), []
    for run, topic in np.random.default_rng(7).integers((RUNS, TOPICS), size=(SAMPLE, 2)):
        levels = lists.ranked[run, topic].astype(int).tolist()
        labelled = [(str(rank), level) for rank, level in enumerate(levels)]
        per_level = np.bincount(lists.judged[topic].astype(int)).tolist()
        lists_of_peer.append((per_level, labelled))
        theirs = PEERS[name](per_level).compute(labelled)
        np.testing.assert_allclose(found[run, topic], theirs, rtol=1e-12)
    ours, some = best(
        TURNS,
        lambda: values(name, lists),
        lambda: [PEERS[name](levels).compute(labelled) for levels, labelled in lists_of_peer],
    )
    theirs = some / SAMPLE * RUNS * TOPICS
    print(f"{name}: pyNTCIREVAL {theirs:.0f} s, {theirs / ours:.0f} times as long: ", end="")
    return verdict(ours / theirs, 1 / QUICKER)


def main() -> int:
    OPTIONS.parse_args()
    lists = make_up()
    missed = sum(beside_ndcg(name, lists) for name in OURS)
    missed += sum(beside_peer(name, lists) for name in PEERS)
    print("gains all different")
    different = all_different(lists)
    missed += sum(beside_ndcg(name, different) for name in OF_REAL_GAINS)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
