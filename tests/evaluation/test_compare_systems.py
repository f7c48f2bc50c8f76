"""Which systems differ, from tables of values: the command line."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from numpy.typing import NDArray

from evaluation.pipeline import MEASURES, evaluate
from evaluation.publishing.exports import lines
from magnitudes.comparison.paired_t import paired_t
from magnitudes.comparison.tukey import discrepancies, tukey_hsd
from tests.factory.completed import judged_study

RUNS, TOPICS = ["a", "b", "c", "d"], [f"q{n}" for n in range(12)]


def values(seed: int = 1) -> NDArray[np.float64]:
    noise = np.random.default_rng(seed).normal(size=(len(TOPICS), len(RUNS)))
    return noise * 0.1 + [0.2, 0.5, 0.25, 0.8]


def table(path: Path, of: NDArray[np.float64], measure: str = "nDCG@10") -> str:
    rows = [
        f"{run}\t{topic}\t{measure}\t{float(value)!r}\n"
        for topic, row in zip(TOPICS, of, strict=True)
        for run, value in zip(RUNS, row, strict=True)
    ]
    rows += [f"{run}\tall\t{measure}\t{mean}\n" for run, mean in zip(RUNS, of.mean(0), strict=True)]
    path.write_text("".join(rows))
    return str(path)


def compared(*given: Any, **options: Any) -> tuple[list[dict[str, Any]], str]:
    out, said = io.StringIO(), io.StringIO()
    call_command("compare_systems", *given, format="json", stdout=out, stderr=said, **options)
    return json.loads(out.getvalue()), said.getvalue()


@pytest.mark.parametrize("test", ["tukey", "t", "randomisation", "bootstrap"])
def test_pairs_with_the_smallest_p_first(tmp_path: Path, test: str) -> None:
    found, said = compared(table(tmp_path / "one", values()), test=test)
    assert (found[0]["better"], found[0]["worse"]) == ("d", "a")
    assert len(found) == 6
    p = [row["p"] for row in found]
    assert p == sorted(p)
    assert all(row["difference"] > 0 for row in found)
    assert ("effect" in found[0]) == (test == "tukey")
    known = {"tukey": tukey_hsd(values(), seed=1).p, "t": paired_t(values()).p}
    if test in known:
        for row in found:
            place = RUNS.index(row["better"]), RUNS.index(row["worse"])
            assert row["p"] == known[test][place]
    different = sum(one < 0.05 for one in p)
    assert f"nDCG@10: {different} of 6 pairs differ" in said


def test_pairs_that_differ_by_one_alone(tmp_path: Path) -> None:
    one, other = values(), values() + np.random.default_rng(5).normal(size=(12, 4)) * 0.6
    shuffled = np.random.default_rng(2).permutation(12)
    first, second = table(tmp_path / "one", one), tmp_path / "other"
    lines_of = Path(table(second, other)).read_text().splitlines(keepends=True)
    second.write_text("".join(lines_of[:48][4 * n + run] for n in shuffled for run in (2, 0, 1, 3)))
    found, said = compared(first, against=[str(second)], turns=2000)
    tests = tukey_hsd(one, 2000, 1), tukey_hsd(other, 2000, 1)
    expected = discrepancies(*tests)
    assert len(expected.pairs) > 0
    pairs = [(RUNS[a], RUNS[b]) for a, b in expected.pairs.tolist()]
    assert [(row["better"], row["worse"]) for row in found] == pairs
    assert [[row["p"], row["p_against"]] for row in found] == expected.p.tolist()
    assert f"{len(pairs)} pairs differ by one alone" in said


def test_as_a_table_with_a_header(tmp_path: Path) -> None:
    out = io.StringIO()
    call_command("compare_systems", table(tmp_path / "one", values()), stdout=out)
    header, first = out.getvalue().splitlines()[:2]
    assert header.split("\t") == ["measure", "better", "worse", "difference", "p", "effect"]
    assert first.split("\t")[:3] == ["nDCG@10", "d", "a"]


def test_one_topic_has_a_reason_and_no_p(tmp_path: Path) -> None:
    path = tmp_path / "one"
    path.write_text("a\tq1\tP@5\t0.4\nb\tq1\tP@5\t0.2\n")
    found, said = compared(str(path))
    assert [row["p"] for row in found] == [None]
    assert "one topic cannot show a difference" in said


def test_the_seed_is_told_where_something_is_drawn(tmp_path: Path) -> None:
    one = table(tmp_path / "one", values())
    told = {test: compared(one, test=test, turns=9)[1] for test in ("tukey", "t", "bootstrap")}
    assert {test: "seed 1" in said for test, said in told.items()} == {
        "tukey": True,
        "t": False,
        "bootstrap": True,
    }
    assert "seed 1" in compared(one, against=[one], turns=9)[1]


def test_systems_that_are_all_alike_have_a_reason_and_no_tau(tmp_path: Path) -> None:
    same = table(tmp_path / "same", np.full((12, 4), 0.5))
    _, said = compared(same, against=[table(tmp_path / "one", values())], turns=9)
    assert "nDCG@10: no tau, as all values of the first list are equal; " in said
    assert "nan" not in said
    assert "all systems have the same value on 12 of 12 topics" in said
    (tmp_path / "two").write_text("a\tq1\tP@5\t1\nb\tq1\tP@5\t0\na\tq2\tP@5\t1\nb\tq2\tP@5\t0\n")
    _, said = compared(str(tmp_path / "two"), against=[str(tmp_path / "two")], turns=9)
    assert "P@5: tau 1.0000 (an interval needs at least 3 systems, not 2); 0 pairs differ" in said


@pytest.mark.parametrize("test", ["tukey", "t"])
def test_topics_on_which_all_systems_are_alike_are_told(tmp_path: Path, test: str) -> None:
    some = values()
    assert "the same value" not in compared(table(tmp_path / "all", some), test=test)[1]
    some[2:5] = [[0] * 4, [0.3] * 4, [0.1 + 0.2, 0.3, 0.3, 0.3]]
    one, other = table(tmp_path / "some", some), table(tmp_path / "other", values())
    told = "all systems have the same value on 3 of 12 topics, which distinguish none"
    assert f"nDCG@10: {told}" in compared(one, test=test)[1]
    assert f"nDCG@10 of --against: {told}" in compared(other, against=[one], turns=9)[1]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "one: an empty file"),
        ("a\tall\tP@5\t1\n", "no value of a run on a topic; expected what `evaluate"),
        ("a\tq1\tP@5\tmuch\n", "one, line 1: the value 'much' is not a number"),
        ("a\tq1\tP@5\t1\na\tq1\tP@5\t1\n", "line 2: run 'a' has a second value on topic 'q1'"),
        ("a\tq1\tP@5\t1\nb\tq2\tP@5\t1\n", "P@5: run 'b' has no value on topic 'q1'"),
        ("run,topic,value\na,q1,1\n", "no column measure"),
    ],
)
def test_a_bad_table_is_refused(tmp_path: Path, text: str, fault: str) -> None:
    (tmp_path / "one").write_text(text)
    with pytest.raises(CommandError) as refused:
        compared(str(tmp_path / "one"))
    assert fault in str(refused.value)


def test_bad_options_are_refused(tmp_path: Path) -> None:
    one = table(tmp_path / "one", values())
    other = table(tmp_path / "other", values(), "ERR@10")
    (tmp_path / "less").write_text("a\tq1\tnDCG@10\t1\nz\tq1\tnDCG@10\t1\n")
    for given, fault in (
        ({"against": [other]}, "--against: no nDCG@10; there are ERR@10"),
        ({"against": [str(tmp_path / "less")]}, "run b is in one table alone"),
        ({"against": [one], "test": "t"}, "--against goes with --test tukey alone"),
        ({"turns": 0}, "--turns 0: expected a whole number from 1"),
        ({"turns": -1, "test": "t"}, "--turns -1: expected a whole number from 1"),
        ({"turns": 0, "test": "bootstrap"}, "--turns 0: expected a whole number from 1"),
        ({"turns": 0, "against": [one]}, "--turns 0: expected a whole number from 1"),
        ({"seed": -1}, "--seed -1: expected a whole number"),
    ):
        with pytest.raises(CommandError) as refused:
            compared(one, **given)
        assert fault in str(refused.value)


@pytest.mark.django_db
def test_it_reads_the_rankings_of_a_study(tmp_path: Path) -> None:
    study, _ = judged_study(2, topics=3, units=9)
    evaluate(study)
    path = tmp_path / "rankings.csv"
    path.write_text("".join(lines(study, "rankings", "csv")))
    found, _ = compared(str(path))
    assert {row["measure"] for row in found} == set(MEASURES)
