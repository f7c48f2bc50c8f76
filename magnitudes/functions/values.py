"""Values of runs compared: `compare`."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from magnitudes.comparison.compared import with_ends_where_known
from magnitudes.comparison.correlation import tau_interval
from magnitudes.comparison.discrimination import discriminative_power
from magnitudes.comparison.interval import t_interval
from magnitudes.comparison.pairs import ordered_pairs
from magnitudes.comparison.top_set import LEAST_TOPICS, top_set
from magnitudes.comparison.tukey import N_RESAMPLES, Tukey, tukey_hsd
from magnitudes.files.containers.archives import open_members
from magnitudes.files.ids import codes, decoded, encoded
from magnitudes.files.parsing.tables import Column
from magnitudes.files.values import read_values
from magnitudes.frames import is_path, like
from magnitudes.inputs import Table, TableError

Floats = NDArray[np.float64]


class Comparison(NamedTuple):
    """What `compare` finds; frames of the kind that was given.

    systems: `measure`, `run`, `mean`, the ends `low` and `high` of its 95% t interval over queries,
        `top` (whether the run is in the top set), best first.
    pairs: `measure`, `better`, `worse`, `difference`, `p`, `effect`, smallest p first.
    power: `measure`, `significant` pairs with p < .05 of all `pairs`, `share`, `queries`, `reason`.
    tau: `measure`, `other`, Kendall's `tau` of the two orders of runs, `low`, `high`, `reason`.
    """

    systems: Any
    pairs: Any
    power: Any
    tau: Any


def compare(
    values: Any, against: Any = None, *, n_resamples: int = N_RESAMPLES, seed: int = 0
) -> Comparison:
    """Which runs differ: every pair tested, who is in the top set, and how far orders agree.

    All pairs are tested at once by the randomised Tukey HSD test, so that p needs no correction:
    Carterette, ACM TOIS 30(1), 2012 (`magnitudes.comparison.tukey`). The top set is the best run
    and all that a Wilcoxon signed-rank test does not tell from it (`comparison.top_set`).

    Parameters:
        values: as `evaluate(..., per_query=True)` gives them: a frame or columns with `run`,
            `query_id`, `value` and, of several measures, `measure`; {run: {query: value}}; or the
            path of a table. Every run has a value on every query.
        against: the same for other gains; tau is then of the order by each measure with that by
            the same here, otherwise of the orders by each two measures.
        n_resamples, seed: of the Tukey test. Runs and queries are taken in the order of their ids.

    Returns:
        See `Comparison`. `top` is False everywhere, and tau has no interval, below six queries;
        `reason` says what is NaN for another reason.

    Raises:
        TableError, BadFile: values that are not finite, twice, or missing; other runs in `against`.
        ComparisonError: `n_resamples` below 1.

    >>> values = {"a": {1: 0.9, 2: 0.8, 3: 0.9, 4: 0.7}, "b": {1: 0.5, 2: 0.3, 3: 0.4, 4: 0.5},
    ...           "c": {1: 0.4, 2: 0.4, 3: 0.5, 4: 0.3}}
    >>> compare(values).pairs
    measure  better  worse  difference        p  effect
    value    a       c           0.425  0.04019   4.907
    value    a       b             0.4  0.05479   4.619
    value    b       c           0.025        1  0.2887
    """
    tables = _tables(values, "values")
    others = _tables(against, "against") if against is not None else None
    systems, pairs, power = [], [], []
    for measure, runs, queries, table in tables:
        tested = tukey_hsd(table, n_resamples, seed)
        systems += _systems(measure, runs, table)
        found = _pairs(runs, tested, table.mean(axis=0))
        pairs += [(measure, *row) for row in found]
        share = discriminative_power(tested.p)
        of = share.significant, share.pairs, share.share, len(queries), tested.reason
        power.append((measure, *of))
    return Comparison(
        *(
            like([values], _by_column(heads, rows))
            for heads, rows in (
                ("measure run mean low high top", systems),
                ("measure better worse difference p effect", pairs),
                ("measure significant pairs share queries reason", power),
                ("measure other tau low high reason", list(_taus(tables, others))),
            )
        )
    )


class _Values(NamedTuple):
    measure: str
    runs: list[str]
    queries: list[str]
    table: Floats  # (queries, runs)


_VALUES = [
    Column("run", ("system", "tag")),
    Column("query_id", ("topic", "qid")),
    Column("measure", required=False),
    Column("value", ("score",)),
]


def _tables(source: Any, name: str) -> list[_Values]:
    """The values of each measure, runs and queries in the order of their ids."""
    if is_path(source):
        found = [
            _Values(each.measure, each.runs, each.query_ids, np.array(each.rows))
            for each in read_values(open_members([source]))
        ]
    else:
        found = list(_of_table(source, name))
    return [_sorted(each) for each in found]


def _sorted(values: _Values) -> _Values:
    runs, queries = (np.argsort(ids) for ids in (values.runs, values.queries))
    return _Values(
        values.measure,
        [values.runs[n] for n in runs],
        [values.queries[n] for n in queries],
        values.table[np.ix_(queries, runs)],
    )


def _of_table(source: Any, name: str) -> Iterator[_Values]:
    keys = "run", "query_id"
    table = Table(source, name, _VALUES, keys, "value")
    values, has_measures = table.numbers("value"), "measure" in table
    table.refuse_repeated(*(("measure",) if has_measures else ()), *keys)
    (run, runs), (query, queries) = (codes(table.ids(key)) for key in keys)
    measures, names = (
        codes(table.ids("measure")) if has_measures else (np.zeros_like(run), encoded(["value"]))
    )
    for code, measure in enumerate(decoded(names)):
        of = measures == code
        here = np.unique(run[of]), np.unique(query[of])
        grid = np.full((len(queries), len(runs)), np.nan)
        grid[query[of], run[of]] = values[of]
        grid = grid[np.ix_(here[1], here[0])]
        ids = decoded(runs[here[0]]), decoded(queries[here[1]])
        for where in np.argwhere(np.isnan(grid)):
            problem = f"run {ids[0][where[1]]} has no value on query {ids[1][where[0]]}"
            raise TableError(f"{name}, {measure}", problem, "every run on every query")
        yield _Values(measure, *ids, grid)


def _systems(measure: str, runs: list[str], table: Floats) -> list[tuple[Any, ...]]:
    found = t_interval(table, axis=0)
    enough = len(table) >= LEAST_TOPICS
    top = top_set(table).members if enough else np.zeros(len(runs), np.bool_)
    rows = zip(runs, *(part.tolist() for part in (*found, top)), strict=True)
    return [(measure, *row) for row in sorted(rows, key=lambda row: -row[1])]


def _pairs(runs: list[str], tested: Tukey, means: Floats) -> Iterator[tuple[Any, ...]]:
    for a, b in ordered_pairs(means, tested.p):
        of = tested.difference[a, b], tested.p[a, b], tested.effect[a, b]
        yield runs[a], runs[b], *map(float, of)


def _taus(tables: list[_Values], others: list[_Values] | None) -> Iterator[tuple[Any, ...]]:
    if others is None:
        twos = list(combinations(tables, 2))
    else:
        there = {each.measure: each for each in others}
        twos = [(each, there[each.measure]) for each in tables if each.measure in there]
        if not twos:
            measures = ", ".join(each.measure for each in tables)
            raise TableError("against", f"no measure of {measures}", "one of the same")
    for one, other in twos:
        if one.runs != other.runs:
            alone = sorted(set(one.runs) ^ set(other.runs))[0]
            raise TableError(other.measure, f"run {alone} is in one order alone", "the same runs")
        tau = tau_interval(one.table.mean(axis=0), other.table.mean(axis=0))
        tau = with_ends_where_known(tau, min(len(one.queries), len(other.queries)))
        yield one.measure, other.measure, *tau


def _by_column(heads: str, rows: list[tuple[Any, ...]]) -> dict[str, list[Any]]:
    names = heads.split()
    return {name: [row[n] for row in rows] for n, name in enumerate(names)}
