"""How much faster systems are ranked a thousand times anew than by a loop over pytrec_eval.

    python -m bench.resampling

129 runs on 18 topics of 237 documents, made up; every document with ten scores, both anchors of a
topic with as many as there are units. One score of each is drawn, all runs are measured by nDCG@10,
and their order is correlated with that of the medians: 1,000 times by the product, and a few times
by the fastest way there is with pytrec_eval and SciPy. As pytrec_eval knows whole gains alone, it
gets thousandths; and it gets the first ten documents alone. The time of one of its turns is the
median of several. Printed as well, without a peer: the same with ERR@10, a measure without a way of
its own, and top sets. Ends with 1 when nDCG is less than 100 times as fast.
"""

import sys
from statistics import median

import numpy as np
import pytrec_eval
from scipy.stats import kendalltau

from bench.site.command import in_turns, options, seconds
from magnitudes.comparison.drawing import Topic
from magnitudes.comparison.ranks import rounded
from magnitudes.comparison.resampling import all_judges, resample
from magnitudes.measures.names import parse

OPTIONS = options(__doc__)
LIMIT = 100  # times as fast
DRAWS, TURNS = 1000, 5
RUNS, TOPICS, DOCUMENTS, DEPTH = 129, 18, 237, 10
SCORES, UNITS, ANCHORS = 10, 392, 2
NDCG = parse("nDCG@10")


def make_up(rng: np.random.Generator) -> Topic:
    """A topic: runs of different quality, and lists that mostly begin with good documents."""
    gain = rng.normal(0, 1, DOCUMENTS)
    noise = np.linspace(0.5, 3, RUNS)[:, np.newaxis]
    order = np.argsort(-(gain + rng.normal(0, 1, (RUNS, DOCUMENTS)) * noise), axis=1)
    documents = np.repeat(np.arange(DOCUMENTS), SCORES)
    documents = np.append(documents, np.repeat(np.arange(ANCHORS), UNITS - SCORES))
    scores = np.exp(gain[documents] + rng.normal(0, 0.7, len(documents)))
    return Topic(order[:, :DEPTH], scores, documents, DOCUMENTS)


def as_dictionaries(topics: list[Topic]) -> list[dict[str, dict[str, float]]]:
    return [
        {
            str(number): {
                f"d{code}": float(DEPTH - rank) for rank, code in enumerate(topic.codes[run])
            }
            for number, topic in enumerate(topics)
        }
        for run in range(RUNS)
    ]


def by_pytrec_eval(
    topics: list[Topic], runs: list[dict[str, dict[str, float]]], reference: np.ndarray, seed: int
) -> float:
    """The tau of one turn of the loop, with the scores that one draw of the product has."""
    streams = np.random.default_rng([seed, 1]).spawn(len(topics))
    gains = [
        np.rint(topic.draw(rng, 1)[:, 0] * 1000).astype(int)
        for topic, rng in zip(topics, streams, strict=True)
    ]
    qrels = {
        str(number): {f"d{code}": gain for code, gain in enumerate(of_topic.tolist())}
        for number, of_topic in enumerate(gains)
    }
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10"})
    means = [
        sum(topic["ndcg_cut_10"] for topic in evaluator.evaluate(run).values()) / TOPICS
        for run in runs
    ]
    return kendalltau(reference, rounded(means)).statistic


def main() -> int:
    OPTIONS.parse_args()
    rng = np.random.default_rng(18)
    topics = [make_up(rng) for _ in range(TOPICS)]
    runs = as_dictionaries(topics)
    usual = all_judges(topics, NDCG)
    means = rounded(usual.mean(axis=0))
    found, same = by_pytrec_eval(topics, runs, means, 0), resample(topics, NDCG, usual, 1).taus[0]
    if abs(found - same) > 0.001:  # thousandths are not quite the same gains
        raise RuntimeError(f"the two do not agree: tau {found} and {same}")
    theirs, ours = in_turns(
        TURNS,
        lambda: by_pytrec_eval(topics, runs, means, 1),
        lambda: resample(topics, NDCG, usual, DRAWS, 1),
    )
    peer = median(theirs) * DRAWS
    speed = peer / median(ours)
    print(f"{RUNS} runs, {TOPICS} topics, {DRAWS} draws, nDCG@10 and tau")
    print(f"pytrec_eval and SciPy {peer:.1f} s, by {median(theirs) * 1000:.1f} ms a draw")
    print(f"product               {median(ours):.3f} s")
    for name in ("ERR@10", "RBP@10"):
        other = parse(name)
        reference = all_judges(topics, other)
        print(f"{name:21} {seconds(lambda: resample(topics, other, reference, DRAWS)):.3f} s")  # noqa: B023
    spent = seconds(lambda: resample(topics, NDCG, usual, DRAWS, with_overlaps=True))
    print(f"nDCG@10 and top sets  {spent:.3f} s")
    print(f"ratio {speed:.0f} (at least {LIMIT}): {'pass' if speed >= LIMIT else 'fail'}")
    return 0 if speed >= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
