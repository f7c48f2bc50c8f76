"""The public functions: tables in, tables out.

    judgments -> scale -> aggregate -> evaluate -> compare
                 judgments -> agree

Each takes a path, a dict, NumPy columns, or a frame of pandas, polars or Arrow, and gives a frame
of the same kind; of what is none, a `Frame`. Columns go by the names that files have, with their
aliases (`query_id`, `qid`, `topic`; `doc_id`, `docno`; `relevance`, `label`; `score`); others are
left alone. The order of rows makes no difference, to the last bit, unless a function says so.

Errors: a `TableError` names table, row, column and what was expected, a `BadFile` file and line.
Both are ValueErrors, as are a MeasureNameError and a GainError.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import fsum
from typing import Any, NamedTuple, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes import evaluation
from magnitudes.agreement.alpha import bootstrap_alpha, krippendorff_alpha
from magnitudes.comparison.compared import with_ends_where_known
from magnitudes.comparison.correlation import tau_interval
from magnitudes.comparison.discrimination import discriminative_power
from magnitudes.comparison.interval import t_interval
from magnitudes.comparison.pairs import ordered_pairs
from magnitudes.comparison.top_set import LEAST_TOPICS, top_set
from magnitudes.comparison.tukey import N_RESAMPLES, Tukey, tukey_hsd
from magnitudes.files.containers.archives import open_members
from magnitudes.files.ids import codes, decoded, encoded
from magnitudes.files.labels.opinions import FIELDS
from magnitudes.files.parsing.tables import Column
from magnitudes.files.values import read_values
from magnitudes.frames import Frame, is_column, is_path, like, with_column
from magnitudes.inputs import FINITE, MAGNITUDE, Table, TableError
from magnitudes.measures.names import Measure, parse
from magnitudes.scaling.aggregation import aggregate as aggregated
from magnitudes.scaling.normalisation import normalise_groups
from magnitudes.sources import qrels_of, runs_of

Path: TypeAlias = "str | os.PathLike[str]"
Plain: TypeAlias = "Path | Mapping[Any, Any] | Frame | Sequence[Path] | NDArray[Any]"
Names: TypeAlias = "str | Measure | Sequence[Any]"
Floats = NDArray[np.float64]

QUERY, DOCUMENT = (
    Column(name, FIELDS[name], required=name == "doc_id") for name in ("query_id", "doc_id")
)
WORKER = Column("worker", (*FIELDS["worker"], "judge"), required=False)
UNIT = Column("unit", ("group", "worker", *FIELDS["worker"]))
SCORE = Column("score", ("magnitude",))
SCALED = Column("normalised", (), required=False)


# --- evaluate ---------------------------------------------------------------------------------


@overload
def evaluate(
    qrels: Plain, runs: Plain, measures: Names, *, gains: str = ..., per_query: bool = ...
) -> Frame: ...
@overload
def evaluate(
    qrels: Any, runs: Any, measures: Names, *, gains: str = ..., per_query: bool = ...
) -> Any: ...
def evaluate(
    qrels: Any, runs: Any, measures: Names, *, gains: str = "linear", per_query: bool = False
) -> Any:
    """What measures give runs, by labels that are real numbers.

    Parameters:
        qrels: a path or several (TREC, BEIR, CSV, TSV, JSONL); {query: {document: gain}}; columns
            or a frame with `query_id`, `doc_id`, `relevance`. In files a label below 0 counts as 0.
        runs: paths of files or folders, each file a run; {query: {document: score}}, or that by the
            name of the run; columns or a frame with `query_id`, `doc_id`, `score` and, of several
            runs, `run`; a dict of names, or a list, of any of these. Documents are ordered as
            trec_eval does, by score, descending, equal ones by id, descending; without a `score`
            by `rank`.
        measures: a name as ir_measures writes it ("nDCG@10"; docs/measures.md has all), an object
            of ir_measures or a `Measure`, or a list of these.
        gains: what a label is worth, by name (`magnitudes.gains.named`): `linear`, itself;
            `exponential`, 2^label - 1.
        per_query: every value, rather than means over the queries of the qrels.

    Returns:
        A row for each run and measure: `run`, `measure`, `value`, `judged` (the share of documents
        above the cutoff that are judged), `missing_topics` (0 each), `unlabelled_topics` (left
        out). With `per_query` one for each query, too: `run`, `query_id`, `measure`, `value`,
        `judged`, which is NaN where a run has no list. A frame of the kind of runs or qrels.

    Raises:
        MeasureNameError: no such measure, or one that needs what is not known here, as lengths.
        GainError: no such gain, or a label that has none.
        TableError, BadFile: what cannot be read, as a NaN or a document twice in a query.

    >>> qrels = {"q1": {"a": 0.25, "b": 3.7, "c": 1.1}}
    >>> evaluate(qrels, {"bm25": {"q1": {"a": 3, "b": 2, "c": 1}}}, ["nDCG@2", "ERR@2"])
    run   measure   value  judged  missing_topics  unlabelled_topics
    bm25  nDCG@2   0.5882       1               0                  0
    bm25  ERR@2    0.4694       1               0                  0
    """
    wanted = measures_of(measures)
    known = evaluation.judged(qrels_of(qrels), gains)
    ranked = any(measure.by_rank for measure in wanted)
    found = list(evaluation.evaluate(known, runs_of(runs, ranked), wanted))
    names, shape = [each.run for each in found], (len(found), len(wanted), len(known.query_ids))
    values = np.array([each.values for each in found]).reshape(shape)
    judged = np.array([each.judged for each in found]).reshape(shape)
    n = shape[2] if per_query else 1
    columns: dict[str, ArrayLike] = {"run": np.repeat(np.array(names, object), shape[1] * n)}
    if per_query:
        columns["query_id"] = np.tile(np.array(known.query_ids, object), shape[0] * shape[1])
    measured = np.repeat(np.array(list(map(str, wanted)), object), n)
    columns["measure"] = np.tile(measured, shape[0])
    if per_query:
        columns |= {"value": values.ravel(), "judged": judged.ravel()}
    else:
        columns |= {"value": _means(values), "judged": _means(judged)}
        for name in ("missing", "unlabelled"):
            each = [getattr(run, name) for run in found]
            columns[f"{name}_topics"] = np.repeat(np.array(each, np.int64), shape[1])
    return like(_frames_in(runs, qrels), columns)


def measures_of(measures: Names) -> list[Measure]:
    """Measures by name or as objects, each once."""
    given = measures if isinstance(measures, list | tuple | set | dict) else [measures]
    each = (one if isinstance(one, Measure) else parse(str(one)) for one in given)
    if not (wanted := list(dict.fromkeys(each))):
        raise ValueError("measures: none; expected at least one, as nDCG@10")
    return wanted


def _means(values: Floats) -> list[float]:
    """Over the last axis, NaN left out, exactly rounded: in whatever order the queries come."""
    known = (row[~np.isnan(row)] for row in values.reshape(-1, values.shape[-1]))
    return [fsum(row) / len(row) if len(row) else np.nan for row in known]


def _frames_in(*sources: Any) -> Iterator[Any]:
    """Whatever may be a frame, that of runs first."""
    for source in sources:
        if isinstance(source, Mapping):
            yield from (each for each in source.values() if not is_column(each))
        elif isinstance(source, list | tuple):
            yield from source
        else:
            yield source


# --- scale, aggregate, agree ------------------------------------------------------------------

JUDGED = "query_id", "unit", "doc_id"  # the keys of a nested dict of scores


@overload
def scale(
    scores: Plain, units: str | ArrayLike = ..., topics: str | ArrayLike = ..., *, how: str = ...
) -> Frame: ...
@overload
def scale(
    scores: Any, units: str | ArrayLike = ..., topics: str | ArrayLike = ..., *, how: str = ...
) -> Any: ...
def scale(
    scores: Any,
    units: str | ArrayLike = "unit",
    topics: str | ArrayLike = "query_id",
    *,
    how: str = "geometric",
) -> Any:
    """Magnitudes on one scale: the number habits of people removed, the ratios of scores kept.

    Every score of a unit (what one person judged for one query in one go) is multiplied by the
    factor that brings the centre of the unit to that of its query: s' = s γ / γ_u. Maddalena,
    Mizzaro, Scholer and Turpin (ACM TOIS 35(3), 2017), equation (2).

    Parameters:
        scores: a path (CSV, TSV, JSONL, as the exported judgments of a study), columns, or a frame
            with `score`, `unit` (or else `worker`) and, of several queries, `query_id`;
            {query: {unit: {document: score}}}; or an array, shape (n,), with `units` and `topics`.
            Scores lie from 1e-9 to 1e12.
        units, topics: the names of these columns, or arrays of shape (n,).
        how: `geometric`, `median`, `midrange` or `none`; see `magnitudes.scaling.normalisation`.

    Returns:
        What was given with a column `normalised` more, in the unit of the scores, row by row.

    Raises:
        TableError, BadFile: a score that is no magnitude, a missing column.
        ScalingError: no such scheme.

    >>> scale([1, 2, 3, 10, 20, 30], units=["ann", "ann", "ann", "bob", "bob", "bob"])
    unit  score  normalised
    ann       1       3.162
    ann       2       6.325
    ann       3       9.487
    bob      10       3.162
    bob      20       6.325
    bob      30       9.487
    """
    table_of = scores
    if not (isinstance(units, str) and isinstance(topics, str)):
        given = {"query_id": topics, "unit": units, "score": scores}
        table_of = {name: each for name, each in given.items() if not isinstance(each, str)}
    query, unit = (
        replace(usual, aliases=(*usual.aliases, usual.name), name=name)
        if isinstance(name, str) and name != usual.name
        else usual
        for usual, name in ((QUERY, topics), (UNIT, units))
    )
    columns = [query, unit, *_BESIDE, SCORE]
    table = Table(table_of, "scores", columns, JUDGED, "score")
    raw = table.numbers("score", MAGNITUDE)
    of_unit = codes(table.ids(unit.name))[0]
    of_query = codes(table.ids(query.name))[0] if query.name in table else np.zeros_like(of_unit)
    values = np.empty(len(table))
    for code in range(of_query.max() + 1):
        rows = np.flatnonzero(of_query == code)
        values[rows] = normalise_groups(raw[rows], of_unit[rows], how).values
    return with_column(table_of, table.given, "normalised", values)


@overload
def aggregate(scores: Plain, how: str = ...) -> Frame: ...
@overload
def aggregate(scores: Any, how: str = ...) -> Any: ...
def aggregate(scores: Any, how: str = "median") -> Any:
    """One gain for each query and document, from the scores that several people gave.

    Parameters:
        scores: as `scale` gives them, or takes them, with `doc_id`; the column `normalised` counts
            where there is one, else `score`.
        how: `median`, `geometric` or `arithmetic` mean; see `magnitudes.scaling.aggregation`.

    Returns:
        `query_id` (if there is one), `doc_id`, `relevance` (in the unit of the scores) and `scores`
        (how many there were), a row for each document in the order of first appearance: the qrels
        that `evaluate` takes.

    Raises:
        TableError, BadFile: a score that is not finite, a missing column.
        ScalingError: no such aggregator; values not above 0 for `geometric`.

    >>> aggregate({"query_id": [7, 7, 7], "doc_id": ["a", "a", "b"], "score": [2, 8, 3]})
    query_id  doc_id  relevance  scores
    7         a               5       2
    7         b               3       1
    """
    table, values = _scores(scores)
    documents, names = codes(table.ids("doc_id"))
    queries, query_ids = _queries(table)
    pairs, first, items = np.unique(
        queries * np.int64(len(names)) + documents, return_index=True, return_inverse=True
    )
    result = aggregated(values, items, len(pairs), how)
    order = np.argsort(first)
    columns: dict[str, ArrayLike] = {}
    if query_ids is not None:
        columns["query_id"] = np.array(decoded(query_ids[queries[first[order]]]), object)
    columns["doc_id"] = np.array(decoded(names[documents[first[order]]]), object)
    columns |= {"relevance": result.values[order], "scores": result.counts[order]}
    return like([scores], columns)


@overload
def agree(
    scores: Plain,
    level: str = ...,
    *,
    first: int | None = ...,
    n_resamples: int = ...,
    seed: int = ...,
) -> Frame: ...
@overload
def agree(
    scores: Any,
    level: str = ...,
    *,
    first: int | None = ...,
    n_resamples: int = ...,
    seed: int = ...,
) -> Any: ...
def agree(
    scores: Any,
    level: str = "ratio",
    *,
    first: int | None = None,
    n_resamples: int = 1000,
    seed: int = 1,
) -> Any:
    """Krippendorff's alpha of the scores of documents, and its 95% interval.

    Parameters:
        scores: as `aggregate` takes them, and who gave each: `worker` or else `unit`; without
            either each score is of another person.
        level: `ratio`, `interval`, `ordinal` or `nominal`: which differences count.
        first: only so many scores of a document count, the first, so that the order of rows
            matters; None: all.
        n_resamples, seed: of the bootstrap over documents; see `magnitudes.agreement.alpha`.

    Returns:
        A row for alpha of all documents and, of several queries, one for alpha within queries,
        which differences between queries do not raise: `within` (`all`, `query`), `alpha`, `low`,
        `high` (NaN where there are too few documents), `documents` with scores of two people,
        `scores` of these, and `reason` for a NaN.

    Raises:
        TableError, BadFile: a score that the level cannot work with, a missing column.
        AgreementError: no such level; `first` or `n_resamples` below 1.

    >>> agree({"doc_id": ["a", "a", "b", "b"], "score": [1, 2, 10, 20]})["alpha"].round(3)
    array([0.764])
    """
    table, values = _scores(scores, positive=level == "ratio")
    queries, query_ids = _queries(table)
    documents = np.unique(table.ids("doc_id"), return_inverse=True)[1]
    who = next((column for column in ("worker", "unit") if column in table), None)
    judges = np.unique(table.ids(who), return_inverse=True)[1] if who else None
    if query_ids is not None:
        queries = np.argsort(np.argsort(query_ids))[queries]
    # In an order of their own, unless the order of rows is to count.
    further = () if first else (values, np.zeros(len(table)) if judges is None else judges)
    order = np.lexsort((*further, documents, queries))
    pairs = queries * np.int64(documents.max() + 1) + documents
    items = np.unique(pairs, return_inverse=True)[1][order]
    by = None if judges is None else judges[order]
    rows = []
    for within, strata in (("all", None), ("query", queries[order])):
        if strata is None or queries.max() > 0:
            of = {"judges": by, "strata": strata}
            alpha = krippendorff_alpha(values[order], items, level, first, **of)
            sure = bootstrap_alpha(values[order], items, level, first, n_resamples, seed=seed, **of)
            ends = alpha.alpha, sure.low, sure.high
            rows.append((within, *ends, alpha.items, alpha.values, sure.reason))
    heads = ("within", "alpha", "low", "high", "documents", "scores", "reason")
    return like([scores], dict(zip(heads, map(list, zip(*rows, strict=True)), strict=True)))


_BESIDE = [replace(DOCUMENT, required=False), WORKER]


def _scores(source: Any, positive: bool = False) -> tuple[Table, Floats]:
    """Judgments, and the column that counts."""
    columns = [QUERY, DOCUMENT, WORKER, replace(UNIT, required=False), SCALED]
    columns.append(replace(SCORE, required=False))
    table = Table(source, "scores", columns, JUDGED, "score", ["normalised"])
    value = "normalised" if "normalised" in table else "score"
    if value not in table:
        raise table.missing(SCORE)
    return table, table.numbers(value, MAGNITUDE if positive else FINITE)


def _queries(table: Table) -> tuple[NDArray[np.int64], NDArray[np.bytes_] | None]:
    if "query_id" not in table:
        return np.zeros(len(table), np.int64), None
    queries, query_ids = codes(table.ids("query_id"))
    return queries.astype(np.int64), query_ids


# --- compare ----------------------------------------------------------------------------------


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
