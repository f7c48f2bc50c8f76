"""Scores from another site: which are taken, what a 0 is, and what is on one scale."""

import io
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction

from judging.models import Collection, Opinion, Study

pytestmark = pytest.mark.django_db
HEAD = "worker,unit,query_id,doc_id,score\n"
ROWS = "a,u1,1,D1,10\na,u1,1,D2,2.5\nb,u2,1,D1,1e3\nb,u2,1,D3,\n"


def bring(folder: Path, text: str, *how: str) -> tuple[str, str]:
    (folder / "scores.csv").write_text(text)
    out, err = io.StringIO(), io.StringIO()
    arguments = ("s", str(folder / "scores.csv"), "--collection", "c", *how)
    call_command("import_opinions", *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def magnitudes(folder: Path, text: str, *how: str) -> tuple[str, str]:
    return bring(folder, text, "--scale", "magnitude", *how)


def held() -> list[tuple]:
    names = ("worker__pseudonym", "document__doc_id", "score", "group", "level")
    return list(Opinion.objects.order_by("id").values_list(*names))


def test_scores_become_a_study_of_magnitudes(tmp_path):
    said, warned = magnitudes(tmp_path, HEAD + ROWS)
    assert held() == [
        ("a", "D1", 10.0, "u1", None),
        ("a", "D2", 2.5, "u1", None),
        ("b", "D1", 1000.0, "u2", None),
        ("b", "D3", None, "u2", None),
    ]
    study = Study.objects.get()
    assert (study.scale, study.levels, study.crowd) == ("magnitude", [], "imported")
    assert said == (
        "4 rows, 2 workers, 1 topic, 3 pairs of topic and document, 1 of them with scores by two "
        "workers or more\n"
        "2 groups of a worker's scores on a topic, of 1 to 2, each on a scale of its own\n"
        "1 row has no score: 1 × ''\n"
        "columns: worker is worker, query_id is query_id, doc_id is doc_id, label is score, "
        "group is unit\n"
    )
    assert warned == (
        "warning: 1 score stands alone on a scale, which makes it the middle of its topic: "
        "--group may name a wider group\n"
    )


@pytest.mark.parametrize(
    ("how", "groups"),
    [
        ((), ["u1", "u1", "u2", "u2"]),
        (("--group", "worker"), [""] * 4),
        (("--group", "hit"), "wxyz"),
    ],
)
def test_what_is_on_one_scale(tmp_path, how, groups):
    text = "worker,unit,hit,query_id,doc_id,score\na,u1,w,1,D1,1\na,u1,x,1,D2,2\n"
    magnitudes(tmp_path, text + "b,u2,y,1,D1,1\nb,u2,z,1,D2,2\n", *how)
    assert [row[3] for row in held()] == [*groups]


def test_without_a_column_of_units_each_worker_has_one_scale_a_topic(tmp_path):
    said, _ = magnitudes(tmp_path, "worker,topic,docid,score\na,1,D1,1\na,1,D2,2\na,2,D1,4\n")
    assert "2 groups of a worker's scores on a topic, of 1 to 2" in said
    assert "group is" not in said


def test_one_unit_of_two_workers_is_two_scales(tmp_path):
    said, _ = magnitudes(tmp_path, HEAD + "a,hit,1,D1,1\na,hit,1,D2,2\nb,hit,1,D1,30\n")
    assert "2 groups" in said


@pytest.mark.parametrize(
    ("score", "why"),
    [
        ("0", "the score 0, which has no ratio to others; expected a number from 1e-9 to 1e12, or"),
        ("0.00", "or --zero with what to read it as"),
        ("-3", "the label '-3'; expected a number from 1e-9 to 1e12, or nothing"),
        ("1e13", "the label '1e13'; expected"),
        ("many", "the label 'many'; expected"),
        ("nan", "the label 'nan'; expected"),
        ('"2,5"', "the label '2,5'; expected a number from 1e-9 to 1e12, with a point before its"),
    ],
)
def test_what_is_no_score_is_refused_with_its_line(tmp_path, score, why):
    with pytest.raises(CommandError) as fault:
        magnitudes(tmp_path, HEAD + ROWS + f"c,u3,1,D1,{score}\n")
    assert "scores.csv, line 6: " in str(fault.value)
    assert why in str(fault.value)
    assert not Study.objects.exists()
    assert not Collection.objects.exists()


def test_a_zero_is_read_as_it_is_said(tmp_path):
    magnitudes(tmp_path, HEAD + ROWS + "c,u3,1,D1,0\nc,u3,1,D2,0.0\n", "--zero", "0.5")
    assert [row[2] for row in held()][-2:] == [0.5, 0.5]


def test_texts_that_stand_for_no_score(tmp_path):
    magnitudes(tmp_path, HEAD + ROWS + "c,u3,1,D1,NA\nc,u3,1,D2,-1\n", "--missing", "NA", "-1")
    assert [row[2] for row in held()][-2:] == [None, None]


@pytest.mark.parametrize(
    ("how", "why"),
    [
        (["--scale", "magnitude", "--zero", "5"], "--zero: 0 would be read as 5, and so be more"),
        (["--scale", "magnitude", "--zero", "0"], "0 cannot be read as 0; expected a number from"),
        (["--scale", "magnitude", "--zero", "-1"], "0 cannot be read as -1; expected"),
        (["--scale", "magnitude", "--missing", "7"], "'7' is a score; expected other texts"),
        (["--scale", "magnitude", "--levels", "a"], "--levels is of use with --scale graded only"),
        (["--scale", "magnitude", "--gold", "g"], "--gold is of use with --scale graded only"),
        (["--scale", "magnitude", "--group", "hit"], "no column hit in 'worker, unit, query_id"),
        (["--levels", "a", "b", "--zero", "1"], "--zero is of use with --scale magnitude only"),
        (["--levels", "a", "b", "--group", "u"], "--group is of use with --scale magnitude only"),
        ([], "--levels: expected their names, lowest first, or --scale magnitude"),
    ],
)
def test_options_that_do_not_go_together(tmp_path, how, why):
    with pytest.raises(CommandError) as fault:
        bring(tmp_path, HEAD + ROWS + "c,u3,1,D1,0\n", *how)
    assert why in str(fault.value)
    assert not Study.objects.exists()


def test_nothing_but_missing_scores(tmp_path):
    with pytest.raises(CommandError, match="No row has a score: 1 × ''"):
        magnitudes(tmp_path, HEAD + "a,u,1,D,\n")


def test_the_same_again_changes_nothing_and_other_groups_are_others(tmp_path):
    magnitudes(tmp_path, HEAD + ROWS)
    keys = set(Opinion.objects.values_list("pk", flat=True))
    assert "there already" in magnitudes(tmp_path, HEAD + ROWS)[0]
    assert set(Opinion.objects.values_list("pk", flat=True)) == keys
    for text in (ROWS.replace("10\n", "11\n"), ROWS.replace("b,u2,1,D1", "b,u9,1,D1")):
        with pytest.raises(CommandError, match="has other opinions"):
            magnitudes(tmp_path, HEAD + text)
    assert "there already" not in magnitudes(tmp_path, HEAD + text, "--replace")[0]


def test_a_study_keeps_its_scale(tmp_path):
    magnitudes(tmp_path, HEAD + ROWS)
    with pytest.raises(CommandError, match="Study s has magnitudes, not levels: name another"):
        bring(tmp_path, HEAD + "a,u1,1,D1,1\n", "--levels", "0", "1", "--replace")
    assert len(held()) == 4


@pytest.mark.parametrize(
    ("wrong", "constraint"),
    [
        ({"score": 0.0}, "opinion_score_within"),
        ({"score": 1e13}, "opinion_score_within"),
        ({"score": 3.0, "level": 1}, "opinion_on_one_scale"),
    ],
)
def test_the_database_holds_a_score_or_a_level(tmp_path, wrong, constraint):
    magnitudes(tmp_path, HEAD + ROWS)
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        Opinion.objects.update(**wrong)
