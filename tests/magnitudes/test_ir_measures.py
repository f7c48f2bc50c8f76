"""The provider for ir_measures: the values of evaluate(), wherever ir_measures is asked."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import AP, ERR, RBP, RR, Bpref, Judged, P, Qrel, ScoredDoc, nDCG

from magnitudes import evaluate
from magnitudes.integrations.ir_measures import PROVIDER, register
from tests.magnitudes.test_functions import Made, nested

QRELS = {"q": {"a": 0.25, "b": 3.7, "c": 1.1}}
RUN = {"q": {"a": 3, "b": 2, "c": 1}}
MEASURES = [nDCG @ 5, nDCG, ERR @ 5, RBP(p=0.8), AP, P @ 3, RR, Bpref, Judged @ 3]


@pytest.fixture
def registered() -> Iterator[None]:
    before = list(ir_measures.DefaultPipeline.providers)
    register()
    yield
    ir_measures.DefaultPipeline.providers[:] = before


@pytest.fixture(scope="module")
def made() -> Made:
    made = Made(7)
    made.runs = [row for row in made.runs if row[0] == "s0" and row[1] != "3"]
    return made


def forms(made: Made) -> dict[str, tuple[Any, Any]]:
    """What ir_measures takes."""
    run = [row[1:] for row in made.runs]
    return {
        "dicts": (nested(made.qrels), nested(run)),
        "tuples": ([Qrel(*row) for row in made.qrels], [ScoredDoc(*row) for row in run]),
        "frames": (
            pd.DataFrame(made.qrels, columns=Qrel._fields[:3]),
            pd.DataFrame(run, columns=ScoredDoc._fields),
        ),
    }


def test_ir_measures_alone_refuses_real_gains(made: Made) -> None:
    with pytest.raises(TypeError, match="integer"):
        ir_measures.calc_aggregate([nDCG @ 2], QRELS, RUN)


@pytest.mark.usefixtures("registered")
def test_ndcg_of_three_documents() -> None:
    found = ir_measures.calc_aggregate([nDCG @ 2], QRELS, RUN)
    discount = 1 / np.log2(3)
    expected = (0.25 + 3.7 * discount) / (3.7 + 1.1 * discount)
    assert found == {nDCG @ 2: pytest.approx(expected, abs=1e-15)}
    assert round(found[nDCG @ 2], 3) == 0.588


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize("form", ["dicts", "tuples", "frames"])
def test_values_are_those_of_evaluate(made: Made, form: str) -> None:
    qrels, run = forms(made)[form]
    lists = nested([row[1:] for row in made.runs])
    means = {row.measure: row.value for row in evaluate(nested(made.qrels), lists, MEASURES)}
    found = ir_measures.calc_aggregate(MEASURES, qrels, run)
    for measure in MEASURES:
        assert found[measure] == pytest.approx(means[str(measure).replace("(p=0.8)", "")], abs=1e-9)
    every = evaluate(nested(made.qrels), lists, MEASURES, per_query=True)
    expected = {(row.query_id, row.measure): row.value for row in every}
    evaluator = ir_measures.evaluator([nDCG @ 5, ERR @ 5], qrels)
    metrics = list(evaluator.iter_calc(run))
    assert len(metrics) == 2 * 8
    for metric in metrics:
        assert metric.value == expected[metric.query_id, str(metric.measure)]


@pytest.mark.usefixtures("registered")
def test_what_is_not_here_is_left_to_others() -> None:
    qrels, run = {"q": {"a": 1, "b": 0, "c": -2}}, {"q": {"a": 1, "b": 2}}
    others = [ir_measures.NumRet, nDCG(judged_only=True) @ 2, ir_measures.IPrec @ 0.1]
    assert not any(map(PROVIDER.supports, others))
    found = ir_measures.calc_aggregate([*others, nDCG @ 2], qrels, run)
    assert set(found) == {*others, nDCG @ 2}
    register()
    assert ir_measures.DefaultPipeline.providers.count(PROVIDER) == 1


@pytest.mark.usefixtures("registered")
def test_whole_numbers_and_labels_below_0_give_what_they_gave(made: Made) -> None:
    qrels = nested([(q, d, round(g) - (g < 0.1)) for q, d, g in made.qrels])
    run = nested([(q, d, s + n / 1000) for n, (_, q, d, s) in enumerate(made.runs)])  # no ties
    measures = [nDCG @ 5, AP, P(rel=2) @ 3, RR, Bpref, RBP(p=0.9, rel=1)]
    ours = ir_measures.calc_aggregate(measures, qrels, run)
    ir_measures.DefaultPipeline.providers.remove(PROVIDER)
    theirs = ir_measures.calc_aggregate(measures, qrels, run)
    assert ours == {measure: pytest.approx(theirs[measure], abs=1e-9) for measure in measures}


@pytest.mark.usefixtures("registered")
def test_a_run_without_documents_has_the_default() -> None:
    for empty in ({}, [], pd.DataFrame([], columns=ScoredDoc._fields)):
        assert ir_measures.calc_aggregate([nDCG @ 2], QRELS, empty) == {nDCG @ 2: 0}


def test_the_command_line_of_ir_measures_names_it(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q 0 a 1\nq 0 b 3\n")
    (tmp_path / "run").write_text("q Q0 a 1 2 x\nq Q0 b 2 1 x\n")
    code = (
        "import magnitudes.integrations.ir_measures, ir_measures.__main__ as main, sys\n"
        "sys.argv[1:] = 'qrels run nDCG@2 ERR@2 --provider magnitudes -p -1'.split()\n"
        "main.main_cli()"
    )
    root = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": root, "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    run = {"q": {"a": 2, "b": 1}}
    values = evaluate({"q": {"a": 1, "b": 3}}, run, ["nDCG@2", "ERR@2"])["value"]
    assert done.stdout.split() == ["nDCG@2", str(values[0]), "ERR@2", str(values[1])]
