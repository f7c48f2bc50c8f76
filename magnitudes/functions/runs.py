"""Runs measured by labels: `evaluate`."""

from collections.abc import Iterator, Mapping, Sequence
from math import fsum
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes import evaluation
from magnitudes.frames import Frame, Plain, is_column, like
from magnitudes.measures.names import Measure, parse
from magnitudes.sources import qrels_of, runs_of

Names: TypeAlias = "str | Measure | Sequence[Any]"


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


def _means(values: NDArray[np.float64]) -> list[float]:
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
