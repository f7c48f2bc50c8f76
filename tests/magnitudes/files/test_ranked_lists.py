"""Runs as in MS MARCO, without scores and tags; and comments in runs."""

from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.files.containers.archives import open_members
from magnitudes.files.errors import BadFile
from magnitudes.files.ids import decoded
from magnitudes.files.judged_runs import Cut, JudgedDocuments, read_judged_runs
from magnitudes.files.runs import Run, read_run
from tests.magnitudes.files.making import member
from tests.magnitudes.files.test_runs import listed

RUN = "7\td3\t1\n7\td1\t2\n9\td1\t1\n"
LISTS = {"7": [("d3", 1, -1.0), ("d1", 2, -2.0)], "9": [("d1", 1, -1.0)]}


def read(text: str, name: str = "folder/bm25.tsv") -> Run:
    return read_run(member(text, name))


def refusal(text: str, name: str = "bm25.tsv") -> str:
    with pytest.raises(BadFile) as fault:
        read(text, name)
    return str(fault.value)


@pytest.mark.parametrize(
    "text", [RUN, RUN.replace("\t", " "), RUN.replace("\t", " \t"), "\n # x\n" + RUN, "#\n" + RUN]
)
def test_ranks_are_the_order_and_the_file_names_the_run(text):
    run = read(text)
    assert run.tag == "bm25"
    assert listed(run) == LISTS


def test_lines_in_any_order_and_ranks_from_zero():
    assert listed(read("7 b 2\n7 a 0\n7 c 1\n")) == {
        "7": [("a", 0, 0.0), ("c", 1, -1), ("b", 2, -2)]
    }


@given(st.lists(st.integers(0, 10**8 - 1), min_size=1, max_size=8))
def test_quick_and_slow_reading_agree_to_the_bit(ranks):
    text = "".join(f"1 d{place} {rank}\n" for place, rank in enumerate(ranks))
    with patch("magnitudes.files.runs.read_plain", return_value=None):
        slow = read(text).topics["1"]
    with patch("magnitudes.files.runs._line_rows", side_effect=AssertionError):
        quick = read(text).topics["1"]
    assert quick.scores.tobytes() == slow.scores.tobytes()
    assert quick.ranks.tolist() == slow.ranks.tolist() == sorted(ranks)
    assert decoded(quick.doc_ids) == decoded(slow.doc_ids)


@pytest.mark.parametrize(
    ("name", "tag"),
    [
        ("bm25-k0.9-b0.4.run", "bm25-k0.9-b0.4"),
        ("/x/run.dev.small.tsv.gz", "run.dev.small"),
        ("runs.tar.xz:runs/é.TXT", "é"),
        ("runs.zip:a.run", "a"),
        (".tsv", ".tsv"),
    ],
)
def test_names_of_runs(name, tag):
    assert read(RUN, name).tag == tag


def test_two_files_of_one_name(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "bm25.tsv").write_text(RUN)
    judged = JudgedDocuments({})
    with pytest.raises(BadFile, match=r"b/bm25.tsv: the tag bm25 is that of .*a/bm25.tsv too"):
        list(read_judged_runs(open_members([tmp_path]), judged, [Cut(10)]))


RANK = "expected a whole number from 0 to 2147483647"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (RUN + "9\td2\n", "bm25.tsv, line 4: 2 columns; expected 3: topic, document, rank"),
        (RUN + "9 Q0 d2 2 1 t\n", "bm25.tsv, line 4: 6 columns; expected 3: topic, document, rank"),
        (RUN + "9\td2\t0.5\n", f"bm25.tsv, line 4: the rank '0.5'; {RANK}"),
        (RUN + "9\td2\t-1\n", f"bm25.tsv, line 4: the rank '-1'; {RANK}"),
        (
            "7\td3\t0.5\n",
            "bm25.tsv, line 1: 3 columns; expected 6: topic, Q0, document, rank, score, tag",
        ),
        (
            RUN + "7\td3\t3\n",
            "bm25.tsv, line 4: topic 7, document d3 again (first in line 1); "
            "expected each document once in a topic",
        ),
    ],
)
def test_what_is_refused(text, message):
    assert refusal(text) == message


def test_a_file_whose_name_cannot_be_a_tag():
    assert refusal(RUN, "my run.tsv") == (
        "my run.tsv: a run without a tag in a file called 'my run'; "
        "expected a tag in each line, or a file name without blanks"
    )


@pytest.mark.parametrize("blank", [" ", "\t", "  "])
def test_comments_are_those_of_trec_eval(blank):
    text = "# 1 2 3 4 t\n1 Q0 a 1 2 t\n  # x\n#1 Q0 c 1 2 t\n1 Q0 #b 2 1 t\n#".replace(" ", blank)
    assert listed(read(text)) == {"1": [("a", 1, 2.0), ("#b", 2, 1.0)]}


def test_comments_count_as_lines_and_are_no_run():
    assert refusal("# x\n\n1 Q0 a 1 1\n").startswith("bm25.tsv, line 3: 5 columns; expected 6")
    assert refusal("# x\n#") == "bm25.tsv: no lines in it; expected a run"
