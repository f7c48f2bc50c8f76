"""A ranking of systems as arrays, and as it is stored: values by topic, means, intervals, ranks."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.models import Ranking
from magnitudes.comparison.interval import t_interval
from magnitudes.comparison.ranks import competition_ranks
from magnitudes.measures.lists import Values
from magnitudes.scaling.groups import ratio

Floats = NDArray[np.float64]


class Ranked(NamedTuple):
    """One measure of all systems. NaN stands for no list, and for no interval.

    values and judged shares: (topics, runs); all others: (runs,).
    """

    query_ids: list[str]
    values: Floats
    judged: Floats
    means: Floats
    lows: Floats
    highs: Floats
    ranks: NDArray[np.int64]  # ties share the smallest
    shares: Floats  # mean share judged at the cutoff, over topics with a list
    missing: NDArray[np.int64]  # topics without a list, which count as 0


def rank(query_ids: list[str], topics: Sequence[Values]) -> Ranked:
    """Rank systems by their mean over topics, of which there is at least one."""
    values = np.array([topic.values for topic in topics], dtype=np.float64)
    judged = np.array([topic.judged for topic in topics], dtype=np.float64)
    means, lows, highs = t_interval(values, axis=0)
    ranks, missing = competition_ranks(means), np.isnan(judged).sum(axis=0)
    shares = share_judged(judged)
    return Ranked(query_ids, values, judged, means, lows, highs, ranks, shares, missing)


def share_judged(judged: Floats) -> Floats:
    """The mean over topics with a list, (runs,), of (topics, runs); NaN where there is none."""
    return ratio(np.nansum(judged, axis=0), (~np.isnan(judged)).sum(axis=0))


def columns(ranked: Ranked) -> dict[str, Any]:
    """A ranking as the columns of its row."""
    arrays = ranked._asdict()
    return {"query_ids": arrays.pop("query_ids")} | {
        name: postgres_array(array) for name, array in arrays.items()
    }


def stored(row: Ranking) -> Ranked:
    """A ranking as it was computed, from its row."""
    shape = len(row.query_ids), len(row.means)
    return Ranked(
        query_ids=row.query_ids,
        values=_floats(row.values).reshape(shape),
        judged=_floats(row.judged).reshape(shape),
        means=_floats(row.means),
        lows=_floats(row.lows),
        highs=_floats(row.highs),
        ranks=np.array(row.ranks, dtype=np.int64),
        shares=_floats(row.shares),
        missing=np.array(row.missing, dtype=np.int64),
    )


def of_topics(row: Ranking) -> dict[str, Values]:
    """The values of a stored ranking, by topic."""
    ranked = stored(row)
    rows = zip(ranked.query_ids, ranked.values, ranked.judged, strict=True)
    return {query_id: Values(values, judged) for query_id, values, judged in rows}


def postgres_array(values: NDArray[Any]) -> Any:
    """An array in PostgreSQL's own words; NaN is NULL.

    One of thousands of expressions, as the driver makes of a list, takes far longer.
    """
    if not values.size:
        return "{}"
    if values.ndim > 1:
        return f"{{{','.join(map(postgres_array, values))}}}"
    return f"{{{','.join(map(repr, values.tolist())).replace('nan', 'NULL')}}}"


def _floats(values: list[Any]) -> Floats:
    """Numbers as they were computed; None is NaN."""
    return np.array(values, dtype=np.float64)
