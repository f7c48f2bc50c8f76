"""The public functions: the same from files, dicts, columns and frames; peers as oracles."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import magnitudes
from magnitudes import Frame, aggregate, agree, compare, evaluate, scale
from magnitudes.agreement.alpha import bootstrap_alpha
from magnitudes.comparison.tukey import tukey_hsd
from magnitudes.scaling.normalisation import normalise

Rows = list[tuple[Any, ...]]
MEASURES = ["nDCG@5", "ERR@5", "AP", "RBP(p=0.5)", "Judged@3", "Bpref"]
FRAMES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "arrow": pa.table,
}
KINDS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.Table}


class Made:
    """Labels and runs as rows, with ties, and ids beyond ASCII."""

    def __init__(self, seed: int = 1, topics: int = 8, runs: int = 3) -> None:
        rng = np.random.default_rng(seed)
        docs = [f"d{n}" for n in range(30)] + ["é1", "\U0001f600"]
        self.qrels: Rows = []
        self.runs: Rows = []
        for topic in map(str, range(1, topics + 1)):
            for doc in rng.permutation(docs)[:20].tolist():
                gain = 0.0 if rng.random() < 0.3 else float(rng.lognormal())
                self.qrels.append((topic, doc, gain))
            for run in range(runs):
                for doc in rng.permutation(docs)[:15].tolist():
                    self.runs.append((f"s{run}", topic, doc, float(rng.integers(6))))

    def write(self, folder: Path) -> tuple[Path, Path]:
        qrels, runs = folder / "qrels", folder / "runs"
        qrels.write_text("".join(f"{q} 0 {d} {g!r}\n" for q, d, g in self.qrels), encoding="utf-8")
        runs.mkdir()
        for name in dict.fromkeys(row[0] for row in self.runs):
            lines = [f"{q} Q0 {d} 1 {s!r} {r}\n" for r, q, d, s in self.runs if r == name]
            (runs / name).write_text("".join(lines), encoding="utf-8")
        return qrels, runs


def columns(names: str, rows: Rows) -> dict[str, list[Any]]:
    return dict(zip(names.split(), map(list, zip(*rows, strict=True)), strict=True))


def nested(rows: Rows) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for *keys, last, value in rows:
        inner = out
        for key in keys:
            inner = inner.setdefault(key, {})
        inner[last] = value
    return out


def as_rows(frame: Any) -> Rows:
    if isinstance(frame, pa.Table):
        frame = frame.to_pandas()
    if isinstance(frame, pd.DataFrame):
        frame = Frame({name: frame[name].to_numpy() for name in frame.columns})
    return sorted(map(tuple, frame.iter_rows() if isinstance(frame, pl.DataFrame) else frame))


QRELS, RUN = "query_id doc_id relevance", "run query_id doc_id score"


@pytest.fixture(scope="module")
def made() -> Made:
    return Made()


@pytest.mark.parametrize("per_query", [False, True])
def test_dicts_columns_frames_and_files_give_the_same_to_the_last_bit(
    made: Made, tmp_path: Path, per_query: bool
) -> None:
    qrels, runs = made.write(tmp_path)
    expected = evaluate(qrels, runs, MEASURES, per_query=per_query)
    assert isinstance(expected, Frame)
    assert len(expected) == 3 * len(MEASURES) * (8 if per_query else 1)
    wanted = as_rows(expected)
    labels, lists = columns(QRELS, made.qrels), columns(RUN, made.runs)
    arrays = {name: np.array(column) for name, column in labels.items()}
    structured = np.array(made.runs, dtype="U8,U8,U8,f8")
    structured.dtype.names = tuple(RUN.split())
    for one, other in (
        (nested(made.qrels), nested(made.runs)),
        (labels, lists),
        (arrays, structured),
        (Frame(labels), [Frame(lists)]),
        ([qrels], {name: runs / name for name in ("s0", "s1", "s2")}),
    ):
        found = evaluate(one, other, MEASURES, per_query=per_query)
        assert isinstance(found, Frame)
        assert as_rows(found) == wanted
    for kind, frame in FRAMES.items():
        for one, other in ((frame(labels), frame(lists)), (labels, frame(lists))):
            found = evaluate(one, other, MEASURES, per_query=per_query)
            assert isinstance(found, KINDS[kind])
            assert as_rows(found) == wanted
        assert isinstance(evaluate(frame(labels), runs, "AP"), KINDS[kind])


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_the_order_of_rows_makes_no_difference(seed: int) -> None:
    made, rng = Made(3, 4), np.random.default_rng(seed)
    first = evaluate(columns(QRELS, made.qrels), columns(RUN, made.runs), MEASURES)
    qrels = [made.qrels[n] for n in rng.permutation(len(made.qrels))]
    runs = [made.runs[n] for n in rng.permutation(len(made.runs))]
    again = evaluate(columns(QRELS, qrels), columns(RUN, runs), MEASURES)
    assert as_rows(again) == as_rows(first)


def test_names_that_tools_have_and_ids_that_are_numbers() -> None:
    qrels = pd.DataFrame({"qid": [1, 1], "docno": [10, 20], "label": [True, False]})
    run = pd.DataFrame({"qid": ["1", "1"], "docno": ["20", "10"], "rank": [2, 1]})
    assert evaluate(qrels, run, "P@1")["value"].tolist() == [1]
    assert evaluate(qrels, {"x": run}, "RR(order='rank')")["run"].tolist() == ["x"]


def test_measures_by_name_and_by_object() -> None:
    qrels, run = {"q": {"a": 1.5}}, {"q": {"b": 2, "a": 1}}
    given = ["nDCG@2", ir_measures.nDCG @ 2, magnitudes.Measure("RR"), ir_measures.RBP(p=0.5)]
    assert evaluate(qrels, run, given)["measure"].tolist() == ["nDCG@2", "RR", "RBP(p=0.5)"]
    assert len(evaluate(qrels, run, ir_measures.AP)) == 1


def test_a_topic_without_a_list_and_a_list_without_a_topic() -> None:
    qrels = {"q1": {"a": 1.0}, "q2": {"a": 1.0}}
    (row,) = evaluate(qrels, {"q1": {"a": 1}, "q3": {"a": 1}}, "P@1")
    assert row == ("run", "P@1", 0.5, 1.0, 1, 1)
    rows = as_rows(evaluate(qrels, {"q1": {"a": 1}}, "P@1", per_query=True))
    assert np.isnan(rows[1][-1])


def test_gains_are_named() -> None:
    qrels, run = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 2, "a": 1}}
    linear, exponential = (
        evaluate(qrels, run, "nDCG@2", gains=gains)["value"][0]
        for gains in ("linear", "exponential")
    )
    assert exponential < linear < 1


def test_whole_numbers_as_the_peers_have_them() -> None:
    made = Made(5)
    qrels = nested([(q, d, min(int(2 * g), 4)) for q, d, g in made.qrels])
    names = ["nDCG@5", "nDCG", "AP", "P(rel=2)@5", "R@10", "RR", "Rprec", "Bpref"]
    measures = [ir_measures.parse_measure(name) for name in names]
    runs = nested(made.runs)
    found = {(row.run, row.measure): row.value for row in evaluate(qrels, runs, measures)}
    for run, lists in runs.items():
        theirs = ir_measures.calc_aggregate(measures, qrels, lists)
        for measure, value in theirs.items():
            assert found[run, str(measure)] == pytest.approx(value, abs=1e-9)


# --- scale, aggregate, agree ------------------------------------------------------------------


def judgments(seed: int = 2, topics: int = 2, documents: int = 40) -> Rows:
    rng, rows = np.random.default_rng(seed), []
    for topic in range(topics):
        truth = rng.lognormal(size=documents)
        for unit in range(10):
            factor = rng.lognormal(sigma=2)
            for doc in rng.permutation(documents)[:8].tolist():
                score = truth[doc] * factor * rng.lognormal(sigma=0.3)
                rows.append((f"t{topic}", f"u{topic}.{unit}", f"d{doc}", float(score)))
    return rows


JUDGED = "query_id unit doc_id score"


def test_scale_is_the_normalisation_of_each_topic() -> None:
    rows = judgments()
    scaled = scale(columns(JUDGED, rows))
    assert scaled.columns == [*JUDGED.split(), "normalised"]
    for topic, part in (("t0", slice(0, 80)), ("t1", slice(80, 160))):
        scores = np.array([row[3] for row in rows if row[0] == topic]).reshape(10, 8)
        assert (scaled["normalised"][part] == normalise(scores).values.ravel()).all()
    scores, units, topics = (np.array([row[n] for row in rows]) for n in (3, 1, 0))
    again = scale(scores, units, topics)
    assert (again["normalised"] == scaled["normalised"]).all()
    renamed = columns("q person doc_id score", rows)
    assert (scale(renamed, "person", "q")["normalised"] == scaled["normalised"]).all()
    one = scale(scores[:80], units[:80], how="median")
    assert (
        one["normalised"] == normalise(scores[:80].reshape(10, 8), "median").values.ravel()
    ).all()


def test_scale_by_anchors_is_the_normalisation_of_each_topic() -> None:
    rng, table = np.random.default_rng(3), np.random.default_rng(2).lognormal(size=(2, 10, 8))
    rows, expected = [], {}
    for topic, scores in enumerate(table):
        places = rng.permuted(np.tile(np.arange(8), (10, 1)), axis=1)  # 0 and 1 are the anchors
        h_k, n_k = ((places == anchor).argmax(axis=1) for anchor in (0, 1))
        for unit, values in enumerate(normalise(scores, "anchors", h_k, n_k).values):
            for doc, score, value in zip(places[unit], scores[unit], values, strict=True):
                rows.append((topic, f"u{unit}", f"d{topic}.{doc}", float(score)))
                expected[rows[-1]] = value
    rng.shuffle(rows)
    anchors = {topic: (f"d{topic}.0", f"d{topic}.1") for topic in (0, 1)}
    scaled = scale(columns(JUDGED, rows), how="anchors", anchors=anchors)
    assert scaled["normalised"].tolist() == [expected[row] for row in rows]
    one = [row[1:] for row in rows if row[0] == 1]
    scaled = scale(columns("unit doc_id score", one), how="anchors", anchors=["d1.1", "d1.0"])
    assert scaled["normalised"].tolist() == [expected[1, *row] for row in one]


@pytest.mark.parametrize("kind", FRAMES)
def test_judgments_to_systems_in_frames_of_one_kind(kind: str, tmp_path: Path) -> None:
    rows = judgments()
    given = FRAMES[kind](columns(JUDGED, rows))
    scaled = scale(given)
    gains = aggregate(scaled)
    agreed = agree(scaled)
    runs = {"s1": {"t0": {"d1": 2, "d2": 1}}, "s2": {"t1": {"d3": 2, "d4": 1}}}
    values = evaluate(gains, runs, ["nDCG@2", "AP"], per_query=True)
    compared = compare(values)
    for frame in (scaled, gains, agreed, values, *compared):
        assert isinstance(frame, KINDS[kind])
    path = tmp_path / "judgments.csv"
    Frame(columns(JUDGED, rows)).to_csv(path)
    for source in (path, nested(rows), columns(JUDGED, rows)):
        assert as_rows(scale(source)) == as_rows(scaled)
        assert as_rows(aggregate(scale(source))) == as_rows(gains)
        assert str(as_rows(agree(scale(source)))) == str(as_rows(agreed))


def test_a_frame_keeps_its_other_columns() -> None:
    given = pd.DataFrame(columns(JUDGED, judgments())).assign(at=pd.Timestamp("2026-01-01"))
    given.index = given.index[::-1]
    scaled = scale(given)
    pd.testing.assert_frame_equal(scaled.drop(columns="normalised"), given)
    assert "normalised" not in given


def test_agree_is_alpha_of_all_documents_and_within_queries() -> None:
    rows = sorted(judgments(documents=40))
    scaled = scale(columns(JUDGED, rows))
    everything, within = agree(scaled, "interval", n_resamples=200)
    pairs = np.unique([f"{row[0]} {row[2]}" for row in rows], return_inverse=True)[1]
    judges = np.unique([row[1] for row in rows], return_inverse=True)[1]
    expected = bootstrap_alpha(scaled["normalised"], pairs, "interval", judges=judges, seed=1)
    assert everything.alpha == pytest.approx(expected.alpha, abs=1e-12)
    assert (everything.within, within.within) == ("all", "query")
    assert everything.low < everything.alpha < everything.high
    assert within.documents == everything.documents


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_judgments_in_any_order(seed: int) -> None:
    rows = judgments()
    order = np.random.default_rng(seed).permutation(len(rows))
    mixed = scale(columns(JUDGED, [rows[n] for n in order]))
    scaled = scale(columns(JUDGED, rows))
    assert as_rows(mixed) == as_rows(scaled)
    assert as_rows(aggregate(mixed)) == as_rows(aggregate(scaled))
    few = [agree(each, n_resamples=20) for each in (mixed, scaled)]
    assert str(few[0]) == str(few[1])
    assert few[0]["alpha"].tolist() == few[1]["alpha"].tolist()


# --- compare ----------------------------------------------------------------------------------


def test_compare_tests_all_pairs_in_the_order_of_ids(made: Made) -> None:
    values = evaluate(nested(made.qrels), nested(made.runs), ["nDCG@5", "AP"], per_query=True)
    found = compare(values, seed=3)
    ndcg = values["measure"] == "nDCG@5"
    table = values["value"][ndcg].reshape(3, 8).T
    tested = tukey_hsd(table, seed=3)
    pairs = [row for row in found.pairs if row.measure == "nDCG@5"]
    assert len(pairs) == 3
    for row in pairs:
        a, b = int(row.better[1]), int(row.worse[1])
        assert (row.p, row.difference) == (tested.p[a, b], tested.difference[a, b])
        assert row.difference >= 0
    assert [row.p for row in pairs] == sorted(row.p for row in pairs)
    means = [row.mean for row in found.systems if row.measure == "nDCG@5"]
    assert means == sorted(means, reverse=True)
    assert means[0] == pytest.approx(table.mean(axis=0).max())
    (tau,) = found.tau
    assert (tau.measure, tau.other) == ("nDCG@5", "AP")
    assert [(row.pairs, row.queries) for row in found.power] == [(3, 8), (3, 8)]
    assert any(row.top for row in found.systems)


def test_values_in_any_order_and_as_a_file(made: Made, tmp_path: Path) -> None:
    values = evaluate(nested(made.qrels), nested(made.runs), ["nDCG@5", "AP"], per_query=True)
    path = tmp_path / "values.csv"
    values.to_csv(path)
    order = np.random.default_rng(1).permutation(len(values))
    mixed = Frame({name: values[name][order] for name in values.columns})
    runs: dict[str, Any] = {}
    for row in values:
        if row.measure == "AP":
            runs.setdefault(row.run, {})[row.query_id] = row.value
    first = compare(values)
    for other in (compare(path), compare(mixed)):
        for one, same in zip(first[:3], other[:3], strict=True):
            assert str(as_rows(same)) == str(as_rows(one))
        assert other.tau["tau"].tolist() == first.tau["tau"].tolist()
    ap = [row[1:] for row in as_rows(first.pairs) if row[0] == "AP"]
    assert [row[1:] for row in as_rows(compare(runs).pairs)] == ap


def test_an_order_against_that_by_other_gains(made: Made) -> None:
    qrels, runs = nested(made.qrels), nested(made.runs)
    one, other = (
        evaluate(qrels, runs, "nDCG@5", gains=gains, per_query=True)
        for gains in ("linear", "exponential")
    )
    (tau,) = compare(one, other).tau
    assert (tau.measure, tau.other) == ("nDCG@5", "nDCG@5")
    assert tau.tau == pytest.approx(1) or tau.tau < 1
    assert len(compare(one).tau) == 0


# --- the door ---------------------------------------------------------------------------------


def test_the_names_are_lazy_and_listed() -> None:
    code = (
        "import sys, magnitudes\n"
        "assert not any(name.startswith(('numpy', 'scipy')) for name in sys.modules)\n"
        "assert set(magnitudes.__all__) <= set(dir(magnitudes))\n"
        "from magnitudes import evaluate\n"
        "evaluate({'q': {'a': 1}}, {'q': {'a': 1}}, ['nDCG@10', 'ERR@10'])\n"
        "assert not {'narwhals', 'pandas', 'polars', 'pyarrow', 'django'} & sys.modules.keys()\n"
        "assert not any(name.split('.')[0] == 'scipy' for name in sys.modules)\n"
    )
    root = str(Path(magnitudes.__file__).parents[1])
    subprocess.run([sys.executable, "-c", code], check=True, cwd=root)
    for name in magnitudes.__all__:
        assert getattr(magnitudes, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        magnitudes.nothing  # noqa: B018
    assert magnitudes.agreement.alpha.bootstrap_alpha is bootstrap_alpha
