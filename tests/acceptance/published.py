"""What is published of a crowd's 7,059 units, computed from exported judgments by plain means."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

import numpy as np

Row = Mapping[str, str]
FIRST = 10  # scores of a pair that alpha takes
BLOCK = 1000


def alpha(rows: Iterable[Row]) -> float:
    """Krippendorff's alpha for ratio data on normalised scores, by the sum over all pairs."""
    of_pair = defaultdict(list)
    for row in rows:
        of_pair[row["query_id"], row["doc_id"]].append(float(row["normalised"]))
    items = [np.array(scores[:FIRST]) for scores in of_pair.values() if len(scores) > 1]
    values = np.concatenate(items)
    observed = sum(_differences(item, item) / (len(item) - 1) for item in items) / len(values)
    expected = sum(
        _differences(values[at : at + BLOCK], values) for at in range(0, len(values), BLOCK)
    ) / (len(values) * (len(values) - 1))
    return 1 - observed / expected


def _differences(some: np.ndarray, others: np.ndarray) -> float:
    a = some[:, None]
    return float((((a - others) / (a + others)) ** 2).sum())


def follows_ratios(scores: Sequence[str], figures: int) -> bool:
    """Whether each score after the first stands to an earlier one in so few significant figures."""
    exact = [Fraction(Decimal(score)) for score in scores]
    return all(
        any(_fits(later / earlier, figures) for earlier in exact[:at])
        for at, later in enumerate(exact)
        if at
    )


def _fits(ratio: Fraction, figures: int) -> bool:
    """Whether a decimal expansion ends, and has so few significant figures."""
    while ratio.denominator % 10 == 0:
        ratio *= 10
    for prime in (2, 5):
        while ratio.denominator % prime == 0:
            ratio *= 10
    if ratio.denominator != 1:
        return False
    return len(str(ratio.numerator).rstrip("0")) <= figures


def units(rows: Iterable[Row]) -> dict[str, list[Row]]:
    found = defaultdict(list)
    for row in rows:
        found[row["unit"]].append(row)
    return {
        name: sorted(unit, key=lambda row: int(row["position"])) for name, unit in found.items()
    }
