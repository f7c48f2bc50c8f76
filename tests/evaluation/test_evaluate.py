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

from evaluation import exports
from evaluation import offline as files
from evaluation.measures.err import err
from evaluation.measures.names import parse
from evaluation.measures.ndcg import ndcg
from tests.config.helpers import ROOT
from trec.archives import open_members
from trec.qrels import read_qrels

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


OPINIONS = """\
worker,query_id,doc_id,label,aspect
anna,2,b,2,page
ben,2,b,1,page
anna,2,a,0,page
anna,2,c,,page
ben,10,x,1,page
anna,10,x,1,page
"""


def by_several(folder: Path, opinions: str, *more: str) -> Written:
    folder.mkdir(exist_ok=True)
    runs = Given(folder).runs
    file = folder / "opinions.csv"
    file.write_text(opinions)
    out, errors = StringIO(), StringIO()
    given = ["--opinions", str(file), "--runs", str(runs), "--measures", "nG@1", *more]
    call_command("evaluate", *given, "--per-topic", stdout=out, stderr=errors)
    return out.getvalue(), errors.getvalue()


@pytest.mark.parametrize(
    ("gains", "values"),
    [
        # Of levels 2 and 1, 0, and 1 and 1: everything over the best gain of the topic.
        ("linear", (1, 1)),
        ("udm:1/3", (1, 1)),
    ],
)
def test_labels_of_several_judges(tmp_path: Path, gains: str, values: tuple[float, float]) -> None:
    out, errors = by_several(tmp_path, OPINIONS, "--gains", gains)
    first = [float(line.split("\t")[3]) for line in out.splitlines()[:2]]
    assert first == list(values)
    assert "1 label: no level, and left out" in errors


def test_how_many_levels_there_are_is_said_or_seen(tmp_path: Path) -> None:
    rows = [
        f"{who},1,{doc},{label}"
        for who, doc, label in (("a", "d", 1), ("b", "d", 0), ("a", "e", 1))
    ]
    said = "worker,query_id,doc_id,label\n" + "\n".join(rows)
    runs = tmp_path / "runs"
    runs.write_text("1 Q0 d 1 1 r\n1 Q0 e 2 0 r\n")
    file = tmp_path / "opinions.csv"
    file.write_text(said)
    found = {}
    for levels in ([], ["0", "1"], ["0", "1", "2"]):
        out = StringIO()
        arguments = ["--opinions", str(file), "--runs", str(runs), "--measures", "nDCG@1"]
        more = ["--levels", *levels] if levels else []
        call_command("evaluate", *arguments, *more, "--gains", "unanimity:1", stdout=out)
        found[len(levels)] = float(out.getvalue().split("\t")[3])
    # N = 1, the larger of two that are as frequent, 2: RawG 1 and 2, D 1 and 0 of Dmax 1 or 2.
    assert found[0] == found[2] == pytest.approx(1 / (2 + 2 * 1))
    assert found[3] == pytest.approx((1 + 2 * 1) / (2 + 2 * 2))


def test_a_level_that_nobody_gave_is_told(tmp_path: Path) -> None:
    """Where it is the highest, most gains are not what they seem to be; those of udm are none."""
    _, errors = by_several(tmp_path, OPINIONS, "--levels", "0", "1", "2", "3")
    told = [line for line in errors.splitlines() if line.startswith("warning")]
    assert told == ["warning: nobody gave the level 3"]


def test_what_gains_are_computed_from_is_told(tmp_path: Path) -> None:
    _, errors = by_several(tmp_path, OPINIONS, "--gains", "unanimity:0.2")
    told = "unanimity:0.2: 1 of 3 documents has fewer than 2 ratings: RawG is scaled up to 2, and D"
    assert told in errors
    assert "ratings" not in by_several(tmp_path / "more", OPINIONS, "--gains", "udm:1/3")[1]


SCORES = """\
worker,query_id,doc_id,score,normalised
anna,2,b,500,9.5
ben,2,b,1,4
anna,2,a,1,1.49
anna,2,c,30,
ben,10,x,9,2
anna,10,x,9,1.4999999999999998
"""
AS_LEVELS = """\
worker,query_id,doc_id,label
anna,2,b,3
ben,2,b,2
anna,2,a,0
anna,2,c,
ben,10,x,1
anna,10,x,1
"""


@pytest.mark.parametrize("gains", ["udm:1/3", "linear", "unanimity:0.2"])
def test_numbers_are_cut_into_levels(tmp_path: Path, gains: str) -> None:
    more = ["--gains", gains, "--measures", "nG@1", "nDCG@2"]
    cut = by_several(tmp_path, SCORES, *more, "--cuts", "1.5", "4", "9")
    assert cut == by_several(tmp_path / "levels", AS_LEVELS, *more, "--levels", *"0123")
    assert cut[0] == by_several(tmp_path / "seen", AS_LEVELS, *more)[0]


def test_a_level_above_all_cuts_that_no_number_reaches_is_told(tmp_path: Path) -> None:
    _, errors = by_several(tmp_path, SCORES, "--cuts", "1.5", "4", "10")
    assert "warning: nobody gave the level 3" in errors
    assert "1 label: no level, and left out" in errors


def test_a_column_named_as_the_label_comes_before_normalised_scores(tmp_path: Path) -> None:
    named = SCORES.replace("score", "label")
    _, errors = by_several(tmp_path, named, "--cuts", "600")
    assert "warning: nobody gave the level 1" in errors


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["4", "1.5"], "--cuts 4 1.5: expected numbers that ascend"),
        (["4", "4"], "--cuts 4 4: expected numbers that ascend"),
        (["0", "4"], "--cuts 0 4: expected positive numbers"),
        (["nan"], "--cuts nan: expected positive numbers"),
        (["1", "inf"], "--cuts 1 inf: expected positive numbers"),
        (["x"], "--cuts: invalid float value: 'x'"),
        (["1", "--levels", "a", "b"], "--levels: not allowed with argument --cuts"),
    ],
)
def test_cuts_that_are_none(tmp_path: Path, more: list[str], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        by_several(tmp_path, SCORES, "--cuts", *more)


@pytest.mark.parametrize("label", ["0", "-1", "much", "nan", "1e-10", "2e12"])
def test_a_label_to_cut_that_is_no_positive_number(tmp_path: Path, label: str) -> None:
    said = f"line 3: the label '{label}'; expected a number from 1e-9 to 1e12, or nothing"
    with pytest.raises(CommandError, match=said):
        by_several(
            tmp_path, SCORES.replace("500,9.5", "1,2").replace(",4", f",{label}"), "--cuts", "2"
        )


def test_opinions_on_several_aspects_need_a_choice(tmp_path: Path) -> None:
    both = OPINIONS + "anna,2,b,0,snippet\n"
    with pytest.raises(CommandError, match="on several aspects: choose one by --aspect, 'page', "):
        by_several(tmp_path, both)


def test_one_aspect_counts(tmp_path: Path) -> None:
    both = OPINIONS + "anna,2,b,0,snippet\nben,2,b,0,snippet\n"
    assert by_several(tmp_path, both, "--aspect", "page")[0].splitlines()[0].endswith("1.0")


@pytest.mark.parametrize(
    ("opinions", "more", "said"),
    [
        (OPINIONS.replace("ben,2,b,1", "ben,2,b,1.5"), [], "expected a whole number from 0 to 100"),
        (OPINIONS, ["--aspect", "none"], "--aspect none: the opinions have 'page'"),
        (OPINIONS, ["--levels", "a", "A"], "--levels: 'A' stands for two levels"),
        (
            OPINIONS,
            ["--levels", "2", "1", "0"],
            "--levels: level 2 stands before level 1; expected",
        ),
        (OPINIONS, ["--levels", "a"], "--levels: a single name; expected two or more"),
        (OPINIONS, ["--levels", "a", " "], "--levels: an empty name; expected a text"),
        (OPINIONS, ["--gains", "magnitude"], "magnitude needs aggregated scores"),
        ("worker,query_id,doc_id,label\na,1,d,\n", [], "no opinion has a level"),
        (
            "worker,query_id,doc_id,label\nzoe,1,d,1\nben,1,d,\nben,1,e,\nzoe,1,e,1\n",
            ["--gains", "udm:1/3"],
            "disagreement needs two judges, and all labels are of judge zoe",
        ),
        (
            "worker,query_id,doc_id,label\na,1,d,No\nb,1,d,Key\nb,1,e,Rel\n",
            ["--gains", "udm:1/3", "--levels", "No", "Rel", "Key"],
            "level Rel: no document with two judges has it, so that it has no weight",
        ),
        (
            OPINIONS,
            ["--gains", "udm:1/3", "--levels", "0", "1", "2", "3"],
            "no opinion has the level 3, so that the gain of every document is 0",
        ),
        (
            "worker,query_id,doc_id,label\na,1,d,1\nb,1,e,1\n",
            ["--gains", "udm:1/3"],
            "no document has labels of two judges",
        ),
    ],
)
def test_opinions_that_are_of_no_use(
    tmp_path: Path, opinions: str, more: list[str], said: str
) -> None:
    with pytest.raises(CommandError, match=said):
        by_several(tmp_path, opinions, *more)


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
    monkeypatch.setattr(files, "_AT_ONCE", 1)
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
    rows = list(exports.rankings(study, asked))
    assert len(found) == len(rows) > 5 * len(asked)
    for row in rows:
        value = found[row["run"], row["measure"], row["query_id"]]
        near = 1e-12 if row["query_id"] == "all" else 0
        assert value == pytest.approx(row["value"], rel=near, abs=near)
