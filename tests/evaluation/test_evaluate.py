"""evaluate: from files of labels and runs to values."""

import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from evaluation.publishing import exports
from magnitudes import evaluation as files
from magnitudes.files.containers.archives import open_members
from magnitudes.files.labels.qrels import read_qrels
from magnitudes.measures.by_rank.err import err
from magnitudes.measures.by_rank.ndcg import ndcg
from magnitudes.measures.names import parse
from tests.config.helpers import ROOT

QRELS = """\
2 0 a 0.5
2 0 b 2.25
2 0 c -2
10 0 a 1
10 0 x 0
"""
RUNS = {
    "one": "2 Q0 b 2 9 one\n2 Q0 new 1 8 one\n2 Q0 a 3 7 one\n10 Q0 x 1 1 one\n99 Q0 a 1 1 one\n",
    "two": "2 Q0 c 1 9 two\n",
}
Written = tuple[str, str]


class Given:
    """Files in a folder, and the command on them."""

    def __init__(self, folder: Path, qrels: str = QRELS, runs: dict[str, str] = RUNS) -> None:
        folder.mkdir(exist_ok=True)
        self.qrels = folder / "qrels"
        self.qrels.write_text(qrels)
        self.runs = folder / "runs"
        self.runs.mkdir()
        for name, text in runs.items():
            (self.runs / name).write_text(text)

    def arguments(self, *more: str) -> list[str]:
        return ["--qrels", str(self.qrels), "--runs", str(self.runs), "--measures", *more]

    def evaluate(self, *more: str) -> Written:
        out, errors = StringIO(), StringIO()
        call_command("evaluate", *self.arguments(*more), stdout=out, stderr=errors)
        return out.getvalue(), errors.getvalue()

    def rows(self, *more: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self.evaluate(*more, "--format", "json")[0])
        return found


@pytest.fixture
def given(tmp_path: Path) -> Given:
    return Given(tmp_path)


def test_one_line_for_each_run_and_measure_and_topic(given: Given) -> None:
    out, errors = given.evaluate("nDCG@2", "ERR@2", "--per-topic")
    assert [line.split("\t") for line in out.splitlines()] == [
        [run, topic, str(parse(measure)), repr(float(value))]
        for run, lists in {
            "one": {"2": [2.25, 0], "10": [0]},
            "two": {"2": [0], "10": []},
        }.items()
        for measure, function in {"nDCG@2": ndcg, "ERR@2": err}.items()
        for values in [
            {
                "2": function(lists["2"], [0.5, 2.25, 0], 2),
                "10": function(lists["10"], [1, 0], 2),
            }
        ]
        for topic, value in {**values, "all": sum(values.values()) / 2}.items()
    ]
    assert errors.splitlines() == [
        "1 negative label: counted as gain 0",
        "one: 1 topic without labels (left out), 75.0% judged (nDCG@2, ERR@2)",
        "two: 1 topic missing (value 0)",
    ]


def test_bpref_takes_a_label_below_0_for_unjudged(given: Given) -> None:
    """Run one has it in front of b, where a judged document of gain 0 would cost something."""
    path = given.runs / "one"
    path.write_text("2 Q0 c 1 9 one\n" + path.read_text())
    out, errors = given.evaluate("Bpref", "Judged@1", "bpref_de_beer_moens", "--per-topic")
    values = {tuple(line.split("\t")[:3]): line.split("\t")[3] for line in out.splitlines()}
    assert values["one", "2", "Bpref"] == "1.0"
    assert float(values["one", "2", "bpref_de_beer_moens"]) < 1
    assert values["two", "2", "Judged@1"] == "1.0"
    assert errors.splitlines()[0] == ("1 negative label: counted as gain 0, as unjudged by Bpref")


def test_the_mean_alone_unless_topics_are_asked_for(given: Given) -> None:
    out, _ = given.evaluate("P@1")
    assert out == "one\tall\tP@1\t0.5\ntwo\tall\tP@1\t0.0\n"


def test_json_says_more_of_each_value(given: Given) -> None:
    rows = given.rows("P@2", "--per-topic")
    assert rows[:3] == [
        {"run": "one", "topic": "2", "measure": "P@2", "value": 0.5, "judged": 0.5},
        {"run": "one", "topic": "10", "measure": "P@2", "value": 0, "judged": 1},
        {
            "run": "one",
            "topic": "all",
            "measure": "P@2",
            "value": 0.25,
            "judged": 0.75,
            "missing_topics": 0,
            "unlabelled_topics": 1,
        },
    ]
    assert rows[4]["judged"] is None
    assert (rows[5]["judged"], rows[5]["missing_topics"]) == (1, 1)


def test_labels_may_stand_for_exponential_gains(given: Given) -> None:
    linear = given.rows("nDCG(dcg='exp-log2')@3")
    exponential = given.rows("nDCG@3", "--gains", "exponential")
    assert [row["value"] for row in exponential] == pytest.approx([row["value"] for row in linear])
    assert exponential[0]["value"] != given.rows("nDCG@3")[0]["value"]


def test_the_order_of_ranks_and_what_an_unjudged_document_is_worth(given: Given) -> None:
    def on_topic_2(measure: str) -> float:
        (row,) = (r for r in given.rows(measure, "--per-topic") if (r["run"], r["topic"]) == one)
        return float(row["value"])

    one = ("one", "2")
    assert on_topic_2("RR") == 1
    assert on_topic_2("RR(order='rank')") == 0.5
    assert on_topic_2("RBP(p=0.5,order='rank')") == pytest.approx((2.25 / 4 + 0.5 / 8) / 2.25)
    assert on_topic_2("P(rel=1)@3") == pytest.approx(1 / 3)
    assert on_topic_2("P(unjudged='min')@3") == pytest.approx(2 / 3)  # c is worth 0


def test_a_measure_asked_for_twice_is_given_once(given: Given) -> None:
    assert given.evaluate("nDCG@5", "nDCG(dcg='log2')@5") == given.evaluate("nDCG@5")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["NDCG@10"], "there is no NDCG"),
        (
            ["ERR(unit='n_k')@10"],
            "needs n_k of each topic .the gain of its N_k.; not known here",
        ),
        (["P(rel='anchors')@10"], "needs the anchors of each topic"),
        (["nDCG(unjudged='n_k')@10"], "needs n_k of each topic"),
        (["ERR(largest=1)@10"], r"measure “ERR\(largest=1\)@10”: gain 2.25 is above the largest"),
        (["P@1", "--gains", "udm"], "no gain is called 'udm'; there are magnitude, linear, exp"),
        (["P@1", "--gains", "udm:1/3"], "udm:1/3 needs opinions of several judges"),
        (["P@1", "--gains", "magnitude"], "magnitude -2.0 is not a positive finite number"),
        (["P@1", "--levels", "a", "b"], "--levels is of use with --opinions only"),
        (["P@1", "--ratings", "3"], "--ratings is of use with --opinions only"),
    ],
)
def test_what_cannot_be_measured(given: Given, more: list[str], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        given.evaluate(*more)


@pytest.mark.parametrize(
    ("qrels", "runs", "said"),
    [
        ("1 0 a nan\n", RUNS, "qrels, line 1: the label 'nan' is not a number; expected a finite"),
        ("1 0 a inf\n", RUNS, "qrels, line 1: the label 'inf'"),
        ("1 0 a 1\n1 0 a 2\n", RUNS, "qrels, line 2: topic 1, document a has another label"),
        ("1 0 a\n", RUNS, "qrels, line 1: 3 columns; expected 4"),
        (QRELS, {"x": "2 Q0 a 1 1 x\n2 Q0 a 2 0 x\n"}, "x, line 2: topic 2, document a again"),
        (QRELS, {"x": RUNS["one"], "y": RUNS["one"]}, "y: the tag one is that of .*x too"),
        (QRELS, {"x": "2 Q0 a 1 nan x\n"}, "x, line 1: the score 'nan' is not a number"),
        (QRELS, {"x": "1 Q0 a 1 1 x\n", "y": "bad\n"}, "y, line 1: 1 column; expected 6"),
        (QRELS, {}, "no files in it"),
    ],
)
def test_files_that_are_none(tmp_path: Path, qrels: str, runs: dict[str, str], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        Given(tmp_path, qrels, runs).evaluate("nDCG@10")


def test_a_label_without_a_finite_gain(tmp_path: Path) -> None:
    given = Given(tmp_path, "1 0 a 2000\n", RUNS)
    with pytest.raises(CommandError, match="topic 1, document a: 2 to the power of label 2000"):
        given.evaluate("nDCG@10", "--gains", "exponential")
    zero = Given(tmp_path / "zero", "1 0 a 2\n1 0 b 0\n", RUNS)
    said = "topic 1, document b: magnitude 0.0 is not a positive finite number"
    with pytest.raises(CommandError, match=said):
        zero.evaluate("nDCG@10", "--gains", "magnitude")
    assert given.evaluate("nDCG@10")


def test_the_smallest_and_the_largest_gain(tmp_path: Path) -> None:
    runs = {"x": "1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n"}
    rows = Given(tmp_path, "1 0 a 1e12\n1 0 b 1e-9\n", runs).rows("nDCG@10", "AP", "RBP", "RR")
    assert [row["value"] for row in rows] == [1, 1, pytest.approx(0.2), 1]


def test_how_many_runs_are_measured_at_once_makes_no_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(5)
    qrels = "".join(f"{t} 0 d{d} {rng.random()}\n" for t in range(9) for d in range(30))
    runs = {
        f"run{r}": "".join(
            f"{t} Q0 d{d} 1 {rng.integers(9)} run{r}\n"
            for t in range(9)
            for d in rng.permutation(60)[: rng.integers(1, 60)]
        )
        for r in range(7)
    }
    given = Given(tmp_path, qrels, runs)
    asked = ("nDCG", "ERR@10", "AP(rel=0.5)", "RBP(order='rank')", "--per-topic")
    together, _ = given.evaluate(*asked)
    monkeypatch.setattr(files, "CHUNK_SIZE", 1)
    assert given.evaluate(*asked)[0] == together


# --- a process of its own ---------------------------------------------------------------------


def manage(given: Given, var_dir: Path, *more: str, **options: Any) -> subprocess.Popen[str]:
    variables = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE", "SECRET_KEY")
    }
    return subprocess.Popen(
        [sys.executable, "manage.py", "evaluate", *given.arguments(*more)],
        cwd=ROOT,
        env={**variables, "VAR_DIR": str(var_dir)},
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def test_no_settings_no_database_and_no_server(given: Given, tmp_path: Path) -> None:
    process = manage(given, tmp_path / "var", "P@1", stdout=subprocess.PIPE)
    out, errors = process.communicate(timeout=30)
    assert process.returncode == 0, errors
    assert out == "one\tall\tP@1\t0.5\ntwo\tall\tP@1\t0.0\n"
    assert not (tmp_path / "var").exists()  # not even a secret key


def test_a_fault_is_told_on_standard_error_alone(given: Given, tmp_path: Path) -> None:
    process = manage(given, tmp_path / "var", "MAP", stdout=subprocess.PIPE)
    out, errors = process.communicate(timeout=30)
    assert (process.returncode, out) == (1, "")
    assert errors.startswith("CommandError: measure “MAP”: there is no MAP; there are AP, ")


def test_a_reader_that_has_had_enough_is_no_fault(given: Given, tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = manage(given, tmp_path / "var", "P@1", stdout=writing)
    os.close(writing)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 0
    assert "Broken" not in errors


# --- beside a study ---------------------------------------------------------------------------


def test_a_label_file_is_seen_as_its_gains(given: Given) -> None:
    known = files.judged(read_qrels(open_members([given.qrels])))
    assert known.query_ids == ["2", "10"]
    assert known.gains.tolist() == [[0.5, 2.25, 0], [1, 0, 0]]
    assert known.per_topic["min"].tolist() == [0, 0]
    assert known.negative == 1


@pytest.mark.django_db
def test_the_exported_qrels_of_a_study_give_the_values_of_its_rankings(tmp_path: Path) -> None:
    from evaluation.pipeline import MEASURES, evaluate
    from tests.factory.completed import judged_study

    study, runs = judged_study(6, topics=4, units=9, runs=5)
    evaluate(study)
    texts = {
        tag: "".join(
            f"{query_id} Q0 {doc_id} {rank} {score!r} {tag}\n"
            for query_id, ranked in topics.items()
            for rank, (doc_id, score) in enumerate(ranked, 1)
        )
        for tag, topics in runs.items()
    }
    given = Given(tmp_path, "".join(exports.lines(study, "qrels", "trec")), texts)
    asked = (*MEASURES, "nDCG@3", "RBP", "RR(rel=2)", "AP(rel=2,order='rank')", "P(rel=2)@5")
    out, _ = given.evaluate(*asked, "--per-topic")
    found = {
        (run, measure, topic): float(value)
        for run, topic, measure, value in (line.split("\t") for line in out.splitlines())
    }
    rows = [row for measure in asked for row in exports.rankings(study, measure)]
    assert len(found) == len(rows) > 5 * len(asked)
    for row in rows:
        value = found[row["run"], row["measure"], row["query_id"]]
        near = 1e-12 if row["query_id"] == "all" else 0
        assert value == pytest.approx(row["value"], rel=near, abs=near)
