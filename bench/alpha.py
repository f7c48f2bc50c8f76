"""Krippendorff's alpha for ratio data, against the sum over all pairs of values.

    python -m bench.alpha

4,269 items of 10 values, all distinct: as many as the crowd of the paper gave. The sum
goes over all 1.8 billion pairs in blocks that stay in the processor's cache. Both are timed in turn
and the best of several turns counts. Ends with 1 when alpha takes more than 2% of the sum's time,
is off by more than 1e-12, or needs more than 200 MB.
"""

import sys
import time
import tracemalloc
from collections.abc import Callable

import numpy as np
from tqdm import tqdm

from bench.site.verdict import verdict
from magnitudes.agreement.alpha import krippendorff_alpha

ITEMS, PER_ITEM = 4269, 10
TURNS = 3
ROWS = 64
LIMIT, OFF, MEGABYTES = 0.02, 1e-12, 200


def summed(values: np.ndarray) -> float:
    """Alpha by the sum over all pairs."""
    n = values.size
    within = sum(_differences(item, item) for item in values) / (PER_ITEM - 1)
    pooled = values.ravel()
    across = sum(_differences(pooled[at : at + ROWS], pooled) for at in range(0, n, ROWS))
    return 1 - (within / n) / (across / (n * (n - 1)))


def _differences(some: np.ndarray, others: np.ndarray) -> float:
    a = some[:, np.newaxis]
    shares = a - others
    shares /= a + others
    return float(np.einsum("ij,ij->", shares, shares))


def timed(function: Callable[[], float]) -> tuple[float, float]:
    begin = time.perf_counter()
    result = function()
    return time.perf_counter() - begin, result


def main() -> int:
    random = np.random.default_rng(8)
    values = random.lognormal(random.normal(size=(ITEMS, 1)), size=(ITEMS, PER_ITEM))
    items = np.repeat(np.arange(ITEMS), PER_ITEM)

    def ours() -> float:
        return krippendorff_alpha(values.ravel(), items).alpha

    tracemalloc.start()
    ours()
    megabytes = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    alphas, sums = [], []
    for _ in tqdm(range(TURNS), desc="turns"):
        sums.append(timed(lambda: summed(values)))
        alphas.extend(timed(ours) for _ in range(TURNS))
    off = abs(alphas[0][1] - sums[0][1])
    print(f"values   {values.size}, {len(np.unique(values))} of them distinct")
    print(f"pairs    {min(sums)[0]:.3f} s, alpha {sums[0][1]:.12f}")
    print(f"nodes    {min(alphas)[0]:.3f} s, off by {off:.1e} (at most {OFF:g})")
    print(f"memory   {megabytes:.0f} MB (at most {MEGABYTES})")
    slow = verdict(min(alphas)[0] / min(sums)[0], LIMIT)
    return int(slow or off > OFF or megabytes > MEGABYTES)


if __name__ == "__main__":
    sys.exit(main())
