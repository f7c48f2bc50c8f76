"""How much faster pairs of systems are tested than one pair, or one trial, at a time.

    python -m bench.significance

Values are made up. All times are of this run, and the best of several turns:

- random signs: all 8,256 pairs of 129 systems on 50 topics, 1,000 turns, against ranx's
  `fisher_randomization_test`, which takes one pair; it is compiled first, timed on some pairs, and
  its time scaled to all;
- bootstrap: the same pairs, against the published algorithm in a loop over pairs and turns, and
  against a loop over pairs alone, which has all turns of a pair in one array; scaled too;
- Tukey HSD: 16 systems on 100 topics, 5,000 trials, against `scipy.stats.permutation_test` with the
  range of means as vectorised statistic, as it comes and in batches of the size that is best here;
  and against a loop over trials and topics with NumPy, some trials of it scaled;
- Tukey HSD of 129 systems on 50 topics, against drawing as many random numbers as there are values
  to be put in order.

Products of matrices run on one thread, so that what else a machine does matters less; ranx has all
processors. Ends with 1 when a limit is missed.
"""

import os
import sys
from itertools import combinations

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when NumPy is imported

import numpy as np
from ranx.statistical_tests.fisher_randomization_test import fisher_randomization_test
from scipy.stats import permutation_test

from bench.site.command import best, options
from magnitudes.comparison.bootstrap import bootstrap
from magnitudes.comparison.random_signs import random_signs
from magnitudes.comparison.tukey import tukey_hsd

OPTIONS = options(__doc__)
SYSTEMS, TOPICS, TURNS = 129, 50, 1000
FEW_SYSTEMS, MORE_TOPICS, N_RESAMPLES = 16, 100, 5000
SAMPLE, SOME_PAIRS, SOME_TRIALS = 60, 3, 100
AGAIN = 7
OFF = 0.1  # p of 1,000 turns against p of others: six standard errors
PAIRS = list(combinations(range(SYSTEMS), 2))


def make_up(topics: int, systems: int, seed: int) -> np.ndarray:
    """Values from 0 to 1; topics differ more than systems do."""
    rng = np.random.default_rng(seed)
    hard = rng.normal(0.4, 0.2, (topics, 1))
    values = hard + np.linspace(0, 0.2, systems) + rng.normal(0, 0.15, (topics, systems))
    return values.clip(0, 1)


def bootstrap_of_pair(one: np.ndarray, other: np.ndarray, rng: np.random.Generator) -> float:
    """The test of one pair, all turns at once."""
    z = one - other
    w = (z - z.mean())[rng.integers(len(z), size=(TURNS, len(z)))]
    return float(np.mean(size_of_t(w) >= size_of_t(z)))


def bootstrap_by_turns(one: np.ndarray, other: np.ndarray, rng: np.random.Generator) -> float:
    """The test of one pair, as published."""
    z = one - other
    w, observed, count = z - z.mean(), size_of_t(z), 0
    for _ in range(TURNS):
        count += size_of_t(rng.choice(w, len(w))) >= observed
    return count / TURNS


def size_of_t(samples: np.ndarray) -> np.ndarray:
    error = samples.std(axis=-1, ddof=1) / np.sqrt(samples.shape[-1])
    return np.abs(samples.mean(axis=-1) / error)


def by_scipy(values: np.ndarray, batch: int | None = None) -> float:
    found = permutation_test(
        tuple(values.T),
        lambda *columns, axis: np.ptp([column.mean(axis=axis) for column in columns], axis=0),
        permutation_type="samples",
        vectorized=True,
        n_resamples=N_RESAMPLES,
        batch=batch,
        alternative="greater",
        rng=1,
    )
    return float(found.pvalue)


def by_loop(values: np.ndarray, trials: int) -> np.ndarray:
    """Ranges of means, each trial and topic on its own."""
    rng = np.random.default_rng(1)
    found = np.empty(trials)
    for trial in range(trials):
        means = np.array([rng.permutation(row) for row in values]).mean(axis=0)
        found[trial] = means.max() - means.min()
    return found


def agree(name: str, ours: float, theirs: float) -> None:
    if abs(ours - theirs) > OFF:
        raise RuntimeError(f"{name}: p is {ours} here and {theirs} there")


def passed(name: str, ours: float, theirs: float, least: float) -> bool:
    """Print how many times as fast it is; whether that is enough."""
    ratio = theirs / ours
    result = "pass" if ratio >= least else "fail"
    print(
        f"{name:28} {ours:7.3f} s  {theirs:8.3f} s  ratio {ratio:,.1f} (at least {least}): {result}"
    )
    return ratio >= least


def single_pairs() -> list[bool]:
    values = make_up(TOPICS, SYSTEMS, 1)
    chosen = [PAIRS[n] for n in np.linspace(0, len(PAIRS) - 1, SAMPLE).astype(int)]
    columns = [(values[:, i].copy(), values[:, j].copy()) for i, j in chosen]
    rng = np.random.default_rng(2)
    signs, drawn = random_signs(values).p, bootstrap(values).p
    for (i, j), pair in zip(chosen, columns, strict=True):
        agree("random signs", signs[i, j], fisher_randomization_test(*pair, TURNS)[0])
        agree("bootstrap", drawn[i, j], bootstrap_of_pair(*pair, rng))
    scale = len(PAIRS) / SAMPLE
    ours, ranx = best(
        AGAIN,
        lambda: random_signs(values),
        lambda: [fisher_randomization_test(*pair, TURNS) for pair in columns],
    )
    fast, loop, turns = best(
        AGAIN,
        lambda: bootstrap(values),
        lambda: [bootstrap_of_pair(*pair, rng) for pair in columns],
        lambda: [bootstrap_by_turns(*pair, rng) for pair in columns[:SOME_PAIRS]],
    )
    return [
        passed("random signs, ranx", ours, ranx * scale, 200),
        passed("bootstrap, pairs and turns", fast, turns * len(PAIRS) / SOME_PAIRS, 300),
        passed("bootstrap, pairs", fast, loop * scale, 20),
    ]


def all_systems() -> list[bool]:
    values = make_up(MORE_TOPICS, FEW_SYSTEMS, 3)
    found = tukey_hsd(values, N_RESAMPLES)
    widest = np.abs(found.difference).argmax()
    agree("Tukey", found.p.flat[widest], by_scipy(values))
    middle = np.median(np.abs(found.difference))
    near = np.abs(np.abs(found.difference) - middle).argmin()
    by_hand = by_loop(values, SOME_TRIALS * 10) >= np.abs(found.difference).flat[near]
    agree("Tukey", found.p.flat[near], float(by_hand.mean()))
    ours, scipy, batches, loop = best(
        AGAIN,
        lambda: tukey_hsd(values, N_RESAMPLES),
        lambda: by_scipy(values),
        lambda: by_scipy(values, batch=100),
        lambda: by_loop(values, SOME_TRIALS),
    )
    many, rng = make_up(TOPICS, SYSTEMS, 4), np.random.default_rng(5)
    large, numbers = best(
        AGAIN,
        lambda: tukey_hsd(many, N_RESAMPLES),
        lambda: rng.random((N_RESAMPLES, TOPICS, SYSTEMS)),
    )
    return [
        passed("Tukey HSD, SciPy", ours, scipy, 2),
        passed("Tukey HSD, SciPy in batches", ours, batches, 1.3),
        passed("Tukey HSD, loop", ours, loop * N_RESAMPLES / SOME_TRIALS, 10),
        passed("129 systems, random numbers", large, numbers, 0.1),
    ]


def main() -> int:
    OPTIONS.parse_args()
    print(f"{'':28} {'product':>9}  {'other':>10}")
    return 0 if all(single_pairs() + all_systems()) else 1


if __name__ == "__main__":
    sys.exit(main())
