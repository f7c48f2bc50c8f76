"""evaluate: from opinions of several judges to values."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.evaluation.test_evaluate import Given, Written

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
