"""What is wrong with a table is said by its name, row and column, with what was expected."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from magnitudes import Frame, TableError, aggregate, agree, compare, evaluate, scale
from magnitudes.files.errors import BadFile
from magnitudes.measures.names import MeasureNameError
from magnitudes.scaling import ScalingError

GOOD = {"query_id": ["1", "1"], "doc_id": ["a", "b"], "relevance": [0.5, 2]}
RUN = {"1": {"a": 2, "b": 1}}
GAIN = "expected 0, or a number from 1e-9 to 1e12"


def qrels(**changed: Any) -> dict[str, Any]:
    return {**GOOD, **changed}


FAULTS: dict[str, tuple[Callable[[Any], Any], str]] = {
    **{
        name: (
            lambda frame, bad=bad: evaluate(frame(qrels(relevance=[0.5, bad])), RUN, "AP"),
            rf"qrels, row 1 \(query_id 1, doc_id b\), column relevance: {said}; {GAIN}",
        )
        for name, bad, said in (
            ("NaN", np.nan, "nan"),
            ("infinite", np.inf, "inf"),
            ("negative", -2.0, "-2.0"),
            ("tiny", 1e-300, "1e-300"),
        )
    },
    "text for a gain": (
        lambda frame: evaluate(frame(qrels(relevance=["x", "y"])), RUN, "AP"),
        r"row 0 .*column relevance: 'x'; " + GAIN,
    ),
    "no query": (
        lambda frame: evaluate(frame(qrels(query_id=["1", None])), RUN, "AP"),
        "qrels, row 1, column query_id: '(None|nan)'; expected a text or a whole number",
    ),
    "a query that is a fraction": (
        lambda frame: evaluate(frame(qrels(query_id=[1.5, 2])), RUN, "AP"),
        "qrels, row 0, column query_id: 1.5, float64; expected a text or a whole number",
    ),
    "an empty id": (
        lambda frame: evaluate(frame(qrels(doc_id=["a", ""])), RUN, "AP"),
        r"qrels, row 1 \(query_id 1\), column doc_id: nothing; expected",
    ),
    "a long id": (
        lambda frame: evaluate(frame(qrels(doc_id=["a", "b" * 300])), RUN, "AP"),
        r"row 1 .*column doc_id: 'bbb.*has 300 characters; expected at most 255",
    ),
    "a label twice": (
        lambda frame: evaluate(frame(qrels(doc_id=["a", "a"])), RUN, "AP"),
        r"row 1 \(query_id 1\), column doc_id: 'a' again, as in row 0; expected each query_id and",
    ),
    "no column": (
        lambda frame: evaluate(
            frame({"query_id": ["1"], "gain": [1]}),
            RUN,
            "AP",
        ),
        "qrels: no column doc_id; there are query_id, gain; expected one called doc_id or docno",
    ),
    "a document twice in a run": (
        lambda frame: evaluate(
            GOOD,
            frame({"run": ["x", "x"], "qid": [1, 1], "docno": ["a", "a"], "score": [1, 2]}),
            "AP",
        ),
        r"runs, row 1 .*column doc_id: 'a' again, as in row 0; expected each run and query_id and",
    ),
    "a score that is none": (
        lambda frame: evaluate(
            GOOD, {"x": frame({"qid": [1], "docno": ["a"], "score": [np.nan]})}, "AP"
        ),
        r"run x, row 0 \(query_id 1, doc_id a\), column score: nan; expected a finite number",
    ),
    "no ranks": (
        lambda frame: evaluate(
            GOOD, frame({"qid": [1], "docno": ["a"], "score": [1]}), "AP(order='rank')"
        ),
        "runs: no column rank; there are qid, docno, score",
    ),
    "a rank that is none": (
        lambda frame: evaluate(GOOD, frame({"qid": [1], "docno": ["a"], "rank": [0.5]}), "AP"),
        "column rank: 0.5; expected a whole number from 0 to 2147483647",
    ),
    "a score of 0 people": (
        lambda frame: scale(frame({"unit": ["u"], "score": [0]})),
        "scores, row 0, column score: 0.0; expected a number from 1e-9 to 1e12",
    ),
    "a unit without an anchor": (
        lambda frame: scale(
            frame({"unit": ["u", "u", "v"], "doc_id": ["a", "b", "a"], "score": [1, 2, 3]}),
            how="anchors",
            anchors=("a", "b"),
        ),
        r"scores, row 2 \(unit v\), column doc_id: the unit has 0 scores of the anchor 'b';"
        " expected one",
    ),
    "no documents": (
        lambda frame: scale(
            frame({"unit": ["u"], "score": [1]}), how="anchors", anchors=("a", "b")
        ),
        "scores: no column doc_id",
    ),
    "no units": (lambda frame: scale(frame({"score": [1]})), "scores: no column unit"),
    "no scores": (lambda frame: aggregate(frame({"doc_id": ["a"]})), "scores: no column score"),
    "no ratio": (
        lambda frame: agree(frame({"doc_id": ["a", "a"], "score": [1, -1]})),
        r"scores, row 1 \(doc_id a\)?, column score: -1.0; expected|column score: -1.0; expected",
    ),
    "a value that is missing": (
        lambda frame: compare(
            frame({"run": ["a", "a", "b"], "query_id": [1, 2, 1], "value": [0.1, 0.2, 0.3]})
        ),
        "values, value: run b has no value on query 2; expected every run on every query",
    ),
    "a value twice": (
        lambda frame: compare(frame({"run": ["a", "a"], "query_id": [1, 1], "value": [0.1, 0.2]})),
        r"values, row 1 \(run a\), column query_id: '1' again, as in row 0",
    ),
    "no queries": (
        lambda frame: compare(evaluate(frame(GOOD), RUN, "AP")),
        "values: no column query_id; there are run, measure, value",
    ),
    "no rows": (
        lambda frame: evaluate(frame({"query_id": [], "doc_id": [], "relevance": []}), RUN, "AP"),
        "qrels: no rows; expected at least one",
    ),
}


@pytest.mark.parametrize(
    "kind", [pd.DataFrame, dict, pl.DataFrame], ids=["pandas", "dict", "polars"]
)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_has_its_place(fault: str, kind: Callable[[Any], Any]) -> None:
    act, said = FAULTS[fault]

    def frame(columns: dict[str, Any]) -> Any:
        return kind(columns, strict=False) if kind is pl.DataFrame else kind(columns)

    with pytest.raises(TableError, match=said) as raised:
        act(frame)
    if ", row " in said:
        assert raised.value.row is not None


@pytest.mark.parametrize(
    ("act", "error", "said"),
    [
        (
            lambda: evaluate(3, RUN, "AP"),
            TypeError,
            "qrels: a value of the type int; expected a path",
        ),
        (
            lambda: evaluate(GOOD, 3, "AP"),
            TypeError,
            "runs: a value of the type int; expected a path",
        ),
        (lambda: evaluate([1], RUN, "AP"), TypeError, "qrels: a value of the type list"),
        (
            lambda: evaluate(pl.LazyFrame(GOOD), RUN, "AP"),
            TypeError,
            r"collect\(\) a lazy one first",
        ),
        (lambda: evaluate(GOOD, RUN, "NDCG"), MeasureNameError, "there is no NDCG"),
        (lambda: evaluate(GOOD, RUN, "TBG"), MeasureNameError, "needs the lengths"),
        (lambda: evaluate(GOOD, RUN, []), ValueError, "measures: none; expected at least one"),
        (lambda: evaluate("/nowhere", RUN, "AP"), BadFile, "/nowhere: No such file"),
        (lambda: evaluate(GOOD, [RUN, RUN], "AP"), BadFile, "the tag run is that of"),
        (
            lambda: evaluate({"1": {"a": 1}, "2": 3}, RUN, "AP"),
            TableError,
            "query_id 2: '3'; expected {doc",
        ),
        (
            lambda: scale({"1": {"u": {"a": 2, "b": 1}}}, how="anchors", anchors={2: ("a", "b")}),
            ScalingError,
            "anchors of query 1: None; expected two documents, as",
        ),
        (lambda: scale([1], ["a"], how="anchors"), ScalingError, "anchors: None; expected two"),
        (lambda: scale([1, 2], ["a"]), ValueError, "columns must be lists of one length"),
        (lambda: Frame({"a": [[1]]}), ValueError, "columns must be lists of one length"),
        (lambda: Frame({"a": [1]})["b"], KeyError, "no column 'b'; there are a"),
        (
            lambda: compare({"a": {1: 1.0}}, {"b": {1: 1.0}}),
            TableError,
            "run a is in one order alone",
        ),
    ],
)
def test_what_is_no_table(act: Callable[[], Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        act()


def test_without_narwhals_a_frame_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "narwhals", None)
    with pytest.raises(ImportError, match=r"pip install 'magnitudes\[frames\]'"):
        evaluate(pd.DataFrame(GOOD), RUN, "AP")


def test_a_frame_of_ours_reads_well() -> None:
    frame = Frame({"run": ["a", "bb"] * 6, "value": np.arange(12) / 3, "n": range(12)})
    lines = repr(frame).splitlines()
    assert lines[:2] == ["run   value  n", "a         0  0"]
    assert lines[-1] == "... 12 rows"
    assert frame.to_csv().splitlines()[:2] == ["run,value,n", "a,0.0,0"]
    assert list(frame)[1] == ("bb", 1 / 3, 1)
    assert frame.to_pandas()["n"].sum() == frame.to_polars()["n"].sum() == 66
