"""Scores that several people gave: `scale`, `aggregate` and `agree`."""

from dataclasses import replace
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.agreement.alpha import bootstrap_alpha, krippendorff_alpha
from magnitudes.files.errors import shown
from magnitudes.files.ids import codes, decoded
from magnitudes.files.labels.opinions import FIELDS
from magnitudes.files.parsing.tables import Column
from magnitudes.frames import Frame, Plain, like, with_column
from magnitudes.inputs import FINITE, MAGNITUDE, Table
from magnitudes.scaling import ScalingError
from magnitudes.scaling.aggregation import aggregate as aggregated
from magnitudes.scaling.normalisation import normalise_groups

Anchors: TypeAlias = tuple[Any, Any] | list[Any] | dict[Any, Any]
Ints = NDArray[np.int64]
QUERY, DOCUMENT = (
    Column(name, FIELDS[name], required=name == "doc_id") for name in ("query_id", "doc_id")
)
WORKER = Column("worker", (*FIELDS["worker"], "judge"), required=False)
UNIT = Column("unit", ("group", "worker", *FIELDS["worker"]))
SCORE = Column("score", ("magnitude",))
SCALED = Column("normalised", (), required=False)
JUDGED = "query_id", "unit", "doc_id"  # the keys of a nested dict of scores


@overload
def scale(
    scores: Plain,
    units: str | ArrayLike = ...,
    topics: str | ArrayLike = ...,
    *,
    how: str = ...,
    anchors: Anchors | None = ...,
) -> Frame: ...
@overload
def scale(
    scores: Any,
    units: str | ArrayLike = ...,
    topics: str | ArrayLike = ...,
    *,
    how: str = ...,
    anchors: Anchors | None = ...,
) -> Any: ...
def scale(
    scores: Any,
    units: str | ArrayLike = "unit",
    topics: str | ArrayLike = "query_id",
    *,
    how: str = "geometric",
    anchors: Anchors | None = None,
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
        how: `geometric`, `median`, `midrange`, `anchors` or `none`: what the centre of a unit is
            (`magnitudes.scaling.normalisation`).
        anchors: for `anchors`, the two documents, one of high and one of no relevance, that every
            unit has a score of (which then must have `doc_id`): a pair, or pairs by query.

    Returns:
        What was given with a column `normalised` more, in the unit of the scores, row by row.

    Raises:
        TableError, BadFile: a score that is no magnitude, a missing column, a unit without one
            score of each anchor.
        ScalingError: no such scheme, or not two anchors of a query.

    >>> scale([1, 2, 3, 10, 20, 30], units=["ann", "ann", "ann", "bob", "bob", "bob"])
    unit  score  normalised
    ann       1       3.162
    ann       2       6.325
    ann       3       9.487
    bob      10       3.162
    bob      20       6.325
    bob      30       9.487
    >>> two = {"ann": {"best": 40, "none": 10, "a": 20}, "bob": {"best": 8, "none": 2, "b": 2}}
    >>> scale({"401": two}, how="anchors", anchors=("best", "none"))["normalised"].round(3)
    array([15.937,  3.984,  7.968, 15.937,  3.984,  3.984])
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
    of_query, names = np.zeros_like(of_unit), [""]
    if query.name in table:
        of_query, ids = codes(table.ids(query.name))
        names = decoded(ids)
    values = np.empty(len(table))
    for code, name in enumerate(names):
        rows = np.flatnonzero(of_query == code)
        of = _is_anchor(table, rows, of_unit[rows], anchors, name) if how == "anchors" else None
        values[rows] = normalise_groups(raw[rows], of_unit[rows], how, of).values
    return with_column(table_of, table.given, "normalised", values)


def _is_anchor(
    table: Table, rows: Ints, units: NDArray[np.int32], anchors: Anchors | None, query_id: str
) -> NDArray[np.bool_]:
    """Which of the rows of a query are of its anchors: of each one in every unit."""
    pairs = {str(key): pair for key, pair in anchors.items()} if isinstance(anchors, dict) else {}
    two = pairs.get(query_id) if isinstance(anchors, dict) else anchors
    if not isinstance(two, list | tuple) or len(set(two)) != 2:
        where = f"anchors of query {query_id}" if query_id else "anchors"
        raise ScalingError(f"{where}: {two!r}; expected two documents, as ('d1', 'd2')")
    if "doc_id" not in table:
        raise table.missing(DOCUMENT)
    documents, found = table.ids("doc_id")[rows], np.zeros(len(rows), np.bool_)
    for anchor in map(str, two):
        is_this = documents == anchor.encode()
        scores = np.bincount(units, is_this)[units]
        for place in np.flatnonzero(scores != 1).tolist():
            problem = f"the unit has {scores[place]:g} scores of the anchor {shown(anchor)}"
            raise table.bad(int(rows[place]), "doc_id", problem, "one")
        found |= is_this
    return found


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


def _scores(source: Any, positive: bool = False) -> tuple[Table, NDArray[np.float64]]:
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
