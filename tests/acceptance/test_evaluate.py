"""Values of the 129 runs of TREC-8 beside those of trec_eval and gdeval, topic by topic.

Scores are first replaced by descending whole numbers, in our order: pytrec_eval keeps them as
float32, which changes the order of one run. DATA names the folder that holds `trec8/`; it may be a
relative path.
"""

import io
import json
import shutil
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import ir_measures
import numpy as np
import pytest
import pytrec_eval

from magnitudes.evaluation import Judged, evaluate, judged
from magnitudes.files.containers.archives import Member, open_members
from magnitudes.files.ids import decoded
from magnitudes.files.labels.qrels import read_qrels
from magnitudes.files.runs import Run, read_runs
from magnitudes.measures.names import parse
from tests.acceptance import test_trec8
from tests.acceptance.test_trec8 import DATA, command

pytestmark = [*test_trec8.pytestmark, pytest.mark.nightly]
QRELS = DATA / "qrels.trec8.adhoc.txt"
RUNS = DATA / "runs_129_18topics_depth1000.tar.xz"
THEIRS = {
    "nDCG@10": "ndcg_cut_10",
    "nDCG": "ndcg",
    "AP": "map",
    "AP@100": "map_cut_100",
    "P@10": "P_10",
    "P@1000": "P_1000",
    "R@10": "recall_10",
    "R@1000": "recall_1000",
    "Rprec": "Rprec",
    "Success@1": "success_1",
    "Success@10": "success_10",
    "RR": "recip_rank",
    "Bpref": "bpref",
}
Values = dict[str, list[float]]


@pytest.fixture(scope="module")
def known() -> Judged:
    return judged(read_qrels(open_members([QRELS])))


@pytest.fixture(scope="module")
def runs() -> list[Run]:
    return list(read_runs(open_members([RUNS])))


def lists(run: Run) -> dict[str, dict[str, int]]:
    """The run with whole numbers for scores, in our order."""
    return {
        query_id: dict(zip(decoded(topic.doc_ids), range(len(topic.ranks), 0, -1), strict=True))
        for query_id, topic in run.topics.items()
    }


def files(runs: list[Run]) -> Iterator[Member]:
    for run in runs:
        lines = (
            f"{query_id} Q0 {doc_id} 0 {score} {run.tag}\n"
            for query_id, scores in lists(run).items()
            for doc_id, score in scores.items()
        )
        data = "".join(lines).encode()
        yield Member(run.tag, io.BufferedReader(io.BytesIO(data), 1 << 16))


@pytest.mark.parametrize("every", [8, pytest.param(1, marks=pytest.mark.whole)])
def test_values_are_those_of_trec_eval(known: Judged, runs: list[Run], every: int) -> None:
    """Of all runs, or of one in so many."""
    with QRELS.open() as file:
        evaluator = pytrec_eval.RelevanceEvaluator(
            pytrec_eval.parse_qrel(file),
            {
                *("ndcg", "ndcg_cut", "map", "map_cut", "P", "recall.10,1000", "Rprec"),
                *("success", "recip_rank", "bpref"),
            },
        )
    assert len(runs) == 129
    some, measures = runs[::every], [parse(name) for name in THEIRS]
    as_submitted = list(evaluate(known, islice(open_members([RUNS]), 0, None, every), measures))
    renumbered = list(evaluate(known, files(some), measures))
    for run, ours, same in zip(some, renumbered, as_submitted, strict=True):
        found = evaluator.evaluate(lists(run))
        theirs = [
            [found.get(query_id, {}).get(name, 0.0) for query_id in known.query_ids]
            for name in THEIRS.values()
        ]
        np.testing.assert_allclose(ours.values, theirs, rtol=0, atol=1e-12)
        assert (ours.values == same.values).all()
        assert ours.missing == len(known.query_ids) - len(found)


def test_the_share_judged_is_that_of_ir_measures(known: Judged, runs: list[Run]) -> None:
    labels = list(ir_measures.read_trec_qrels(str(QRELS)))
    evaluator = ir_measures.evaluator([ir_measures.Judged @ 100], labels)
    some = runs[::32]
    for run, ours in zip(some, evaluate(known, files(some), [parse("Judged@100")]), strict=True):
        theirs = {m.query_id: m.value for m in evaluator.iter_calc(lists(run))}
        for query_id, value in zip(known.query_ids, ours.values[0].tolist(), strict=True):
            assert value == pytest.approx(theirs.get(query_id, 0), rel=1e-12)


@pytest.mark.skipif(not shutil.which("perl"), reason="gdeval is a Perl script")
def test_err_is_that_of_gdeval(known: Judged, runs: list[Run]) -> None:
    labels = list(ir_measures.read_trec_qrels(str(QRELS)))
    evaluator = ir_measures.gdeval.evaluator([ir_measures.ERR @ 20], labels)
    some = runs[::32]
    found = evaluate(known, files(some), [parse("ERR(largest=4)@20")])
    for run, ours in zip(some, found, strict=True):
        theirs = {m.query_id: m.value for m in evaluator.iter_calc(lists(run))}
        for query_id, value in zip(known.query_ids, ours.values[0].tolist(), strict=True):
            assert value == pytest.approx(theirs.get(query_id, 0), abs=5.1e-6)


@pytest.mark.parametrize("every", [16, pytest.param(1, marks=pytest.mark.whole)])
def test_the_command_gives_the_mean_over_all_topics_with_labels(
    known: Judged, tmp_path: Path, every: int
) -> None:
    """Of all runs, or of one in so many."""
    runs = -(-129 // every)
    for member in islice(open_members([RUNS]), 0, None, every):
        (tmp_path / Path(member.name).name).write_bytes(member.stream.read())
    arguments = ("--qrels", QRELS, "--runs", tmp_path, "--measures", "nDCG(dcg='jk')@10", "ERR@10")
    out, said = command("evaluate", *arguments)
    rows = [line.split("\t") for line in out.splitlines()]
    assert len(rows) == runs * 2
    assert all("32 topics missing (value 0)" in line for line in said.splitlines())
    means = {
        (run.run, place): run.values[place].mean()
        for run in evaluate(
            known, open_members([tmp_path]), [parse("nDCG(dcg='jk')@10"), parse("ERR@10")]
        )
        for place in range(2)
    }
    assert [float(row[3]) for row in rows] == list(means.values())
    as_json, _ = command("evaluate", *arguments, "--format", "json", "--per-topic")
    assert len(json.loads(as_json)) == runs * 2 * 51
