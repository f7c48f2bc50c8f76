import gzip
from unittest.mock import patch

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.files.containers.archives import open_members
from magnitudes.files.errors import BadFile
from magnitudes.files.ids import decoded
from magnitudes.files.parsing.plain import read_plain
from magnitudes.files.runs import _TREC, Run, read_run, read_runs
from tests.magnitudes.files.making import member

# Ties, lines out of order, ranks from zero, a topic of one document, topics interleaved.
LINES = [
    ("402", "FT-2", "1", "2.5", "sys"),
    ("401", "FT-1", "0", "-1e-05", "sys"),
    ("402", "FT-9", "0", "2.5", "sys"),
    ("402", "LA-é", "2", "30", "sys"),
]
EXPECTED = {
    "402": [("LA-é", 2, 30.0), ("FT-9", 0, 2.5), ("FT-2", 1, 2.5)],
    "401": [("FT-1", 0, -1e-5)],
}


def spelled(separator: str, lines=LINES, end: str = "\n") -> str:
    return "".join(separator.join((topic, "Q0", *rest)) + end for topic, *rest in lines)


def table(delimiter: str) -> str:
    header = ["run", "rank", "score", "query_id", "doc_id", "Q0"]
    rows = [[tag, rank, score, topic, doc, "Q0"] for topic, doc, rank, score, tag in LINES]
    return "\n".join(delimiter.join(row) for row in [header, *rows])


SPELLINGS = {
    "blanks": spelled(" "),
    "tabs": spelled("\t"),
    "CRLF": spelled("\t", end="\r\n"),
    "no last line end": spelled("\t").rstrip("\n"),
    "two blanks": spelled("  "),
    "tabs and blanks": spelled("\t "),
    "blanks around": spelled(" ", end=" \n").replace("\n", "\n \n "),
    "csv": table(","),
    "tsv": table("\t"),
    "jsonl": "\n".join(
        f'{{"topic": {topic}, "docno": "{doc}", "rank": {rank}, "score": {score}, "tag": "{tag}"}}'
        for topic, doc, rank, score, tag in LINES
    ),
}


def read(text: str | bytes) -> Run:
    return read_run(member(text, "a.run"))


def listed(run: Run) -> dict[str, list[tuple[str, int, float]]]:
    return {
        query_id: list(
            zip(decoded(topic.doc_ids), topic.ranks.tolist(), topic.scores.tolist(), strict=True)
        )
        for query_id, topic in run.topics.items()
    }


def outcome(text: str | bytes) -> object:
    try:
        run = read(text)
    except BadFile as fault:
        return str(fault)
    return run.tag, list(listed(run).items())


def slow_outcome(text: str | bytes) -> object:
    with patch("magnitudes.files.runs.read_plain", return_value=None):
        return outcome(text)


def is_plain(text: str) -> bool:
    return read_plain(text.encode(), _TREC) is not None


@pytest.mark.parametrize("text", SPELLINGS.values(), ids=SPELLINGS)
def test_every_spelling_reads_alike(text):
    for content in (text, "\ufeff" + text):
        run = read(content)
        assert run.tag == "sys"
        assert listed(run) == EXPECTED
        assert list(run.topics) == ["402", "401"]
        for topic in run.topics.values():
            assert topic.doc_ids.dtype.kind == "S"
            assert topic.ranks.dtype == np.int32
            assert topic.scores.dtype == np.float64


def test_which_spellings_go_the_quick_way():
    plain = {name for name, text in SPELLINGS.items() if is_plain(text)}
    assert plain == {"blanks", "tabs", "no last line end"}
    # And this one, once its line ends are made one.
    with patch("magnitudes.files.runs._line_rows", side_effect=AssertionError):
        assert listed(read(SPELLINGS["CRLF"])) == EXPECTED


def test_ids_and_tags_that_look_like_numbers_stay_text():
    assert listed(read("051 0 007 1 612 1\n")) == {"051": [("007", 1, 612.0)]}
    assert read("051 0 007 1 612 1\n").tag == "1"
    assert listed(read("nan Q0 NULL 1 1 NA\n")) == {"nan": [("NULL", 1, 1.0)]}


def test_a_quote_is_a_character():
    assert listed(read('1 Q0 "a 1 1 "t\n')) == {"1": [('"a', 1, 1.0)]}
    assert listed(read('1\tQ0\t"a\t1\t1\tt\n')) == {"1": [('"a', 1, 1.0)]}


def test_long_numbers_keep_full_precision():
    score = "125.31057396537486000000000000000000"
    for text in (f"1 Q0 a 1 {score} t\n", f"1 Q0 a 1 {score} t \n"):
        assert read(text).topics["1"].scores[0] == float(score)


def test_files_larger_than_a_block_of_the_reader():
    lines = [(str(n // 1000), f"doc{n}", str(n % 1000), str(-n // 7), "t") for n in range(30_000)]
    text = spelled("\t", lines)
    assert is_plain(text)
    assert len(text) > 500_000
    assert outcome(text) == slow_outcome(text)


def test_runs_from_folders_and_archives(tmp_path):
    (tmp_path / "a").write_bytes(gzip.compress(spelled(" ").encode()))
    (tmp_path / "b").write_text(spelled("\t").replace("sys", "other"))
    runs = list(read_runs(open_members([tmp_path])))
    assert [run.tag for run in runs] == ["sys", "other"]
    assert all(listed(run) == EXPECTED for run in runs)


def test_two_files_with_one_tag():
    members = [member("1 Q0 a 1 1 t\n", "a"), member("2 Q0 a 1 1 t\n", "b")]
    with pytest.raises(BadFile) as fault:
        list(read_runs(members))
    assert str(fault.value) == "b: the tag t is that of a too; expected one file for each run"


topics = st.sampled_from(["401", "402", "403"])
documents = st.sampled_from(["a", "A", "b", "aa", "é", "FT-1", "FT-10", "\U0001f600", "\uffee"])
numbers = st.one_of(
    st.sampled_from(["0", "-0.0", "1", "1.0", "2", "1e-5", "-3"]),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
)
rows = st.lists(
    st.tuples(topics, documents, st.integers(0, 10**8 - 1).map(str), numbers, st.just("t")),
    min_size=1,
    unique_by=lambda row: row[:2],
)


@given(rows)
def test_the_order_of_evaluation(lines):
    run = read(spelled("\t", lines))
    assert list(run.topics) == list(dict.fromkeys(line[0] for line in lines))
    for query_id, found in listed(run).items():
        expected = [(d, int(r), float(s)) for q, d, r, s, _ in lines if q == query_id]
        expected.sort(key=lambda row: row[0].encode(), reverse=True)
        expected.sort(key=lambda row: -row[2])
        assert found == expected


@given(rows)
def test_quick_way_slow_way_and_irregular_spelling_agree(lines):
    plain = spelled("\t", lines)
    assert is_plain(plain)
    assert outcome(plain) == slow_outcome(plain) == outcome(spelled("  ", lines, end=" \n"))


odd = st.one_of(
    st.sampled_from(["1", "401", "a", "0", "-1", "-0", "+1", "007", "1.", ".5", "1e5", "1E-3"]),
    st.sampled_from(["1e999", "nan", "inf", "0x1f", "0X1", "1_0", "2147483648", "١"]),
    st.sampled_from(["", " ", "é", "\xa0", "\x1c", "\v", "\r", "\0", '"']),
)
cells = st.one_of(st.sampled_from(["1", "2"]), odd)


@given(
    st.lists(st.lists(cells, min_size=5, max_size=7), min_size=1, max_size=4),
    st.sampled_from([" ", "\t"]),
)
def test_quick_way_and_slow_way_agree_on_odd_lines_too(lines, separator):
    text = "\n".join(map(separator.join, lines))
    assert outcome(text) == slow_outcome(text)


@given(st.lists(st.tuples(*[cells] * 2), min_size=1, max_size=4))
def test_they_agree_on_odd_ranks_and_scores(pairs):
    text = "".join(f"1\tQ0\td{n}\t{r}\t{s}\tt\n" for n, (r, s) in enumerate(pairs))
    assert outcome(text) == slow_outcome(text)


@given(st.binary(max_size=30))
def test_they_agree_on_bytes(noise):
    data = b"1\tQ0\ta\t1\t1\tt\n1\tQ0\t" + noise + b"\t2\t1\tt\n"
    assert outcome(data) == slow_outcome(data)


@given(st.lists(st.integers(-3, 3).map(lambda n: n / 2), min_size=1, max_size=8), st.data())
def test_the_order_is_that_of_trec_eval(scores, data):
    names = st.text("abAB019-", min_size=1, max_size=4)
    size = len(scores)
    ids = data.draw(st.lists(names, min_size=size, max_size=size, unique=True))
    lines = [("1", doc_id, "0", str(s), "t") for doc_id, s in zip(ids, scores, strict=True)]
    found = decoded(read(spelled(" ", lines)).topics["1"].doc_ids)
    # One topic for each document, in which it alone is relevant: 1/RR is its position.
    evaluator = pytrec_eval.RelevanceEvaluator({d: {d: 1} for d in ids}, {"recip_rank"})
    results = evaluator.evaluate({d: dict(zip(ids, scores, strict=True)) for d in ids})
    assert found == sorted(ids, key=lambda d: -results[d]["recip_rank"])


SIX = "expected 6: topic, Q0, document, rank, score, tag"
RANK = "expected a whole number from 0 to 2147483647"
SCORE = "is not a number; expected a finite number"
GOOD = "1 Q0 a 1 1 t\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a.run: an empty file; expected at least one line"),
        ("\n \n", "a.run: no lines in it; expected a run"),
        (GOOD + "1 Q0 b 1 t\n", f"a.run, line 2: 5 columns; {SIX}"),
        (GOOD + "\n1 Q0 b 1 1 t t\n", f"a.run, line 3: 7 columns; {SIX}"),
        ("1\tQ0\ta b\t1\t1\tt\n", f"a.run, line 1: 7 columns; {SIX}"),
        ("1\tQ0\t\t1\t1\tt\n", f"a.run, line 1: 5 columns; {SIX}"),
        ("1\t\ta\t1\t1\tt\n", f"a.run, line 1: 5 columns; {SIX}"),
        ("\tQ0\ta\t1\t1\tt\n", f"a.run, line 1: 5 columns; {SIX}"),
        ("1\tQ0\ta\t1\t1\t\n", f"a.run, line 1: 5 columns; {SIX}"),
        ("1 Q0 a -1 1 t\n", f"a.run, line 1: the rank '-1'; {RANK}"),
        ("1 Q0 a 1.0 1 t\n", f"a.run, line 1: the rank '1.0'; {RANK}"),
        ("1 Q0 a 0x1 1 t\n", f"a.run, line 1: the rank '0x1'; {RANK}"),
        ("1 Q0 a 2147483648 1 t\n", f"a.run, line 1: the rank '2147483648'; {RANK}"),
        (GOOD + "1 Q0 b 2 nan t\n", f"a.run, line 2: the score 'nan' {SCORE}"),
        ("1 Q0 a 1 -inf t\n", f"a.run, line 1: the score '-inf' {SCORE}"),
        ("1 Q0 a 1 1e999 t\n", f"a.run, line 1: the score '1e999' {SCORE}"),
        ("1 Q0 a 1 one t\n", f"a.run, line 1: the score 'one' {SCORE}"),
        ("1 Q0 a 1 1_0 t\n", f"a.run, line 1: the score '1_0' {SCORE}"),
        (
            GOOD + "2 Q0 a 1 1 t\n1 Q0 a 2 0 t\n",
            "a.run, line 3: topic 1, document a again (first in line 1); "
            "expected each document once in a topic",
        ),
        (
            GOOD + f"1 Q0 {'b' * 256} 2 1 t\n",
            f"a.run, line 2: the document id '{'b' * 60}…' has 256 characters; "
            "expected at most 255",
        ),
        (
            f"1 Q0 a 1 1 {'t' * 256}\n",
            f"a.run, line 1: the tag '{'t' * 60}…' has 256 characters; expected at most 255",
        ),
        (
            GOOD + "1 Q0 b 2 1 u\n",
            "a.run, line 2: the tag u after t; expected one tag in a file",
        ),
        (GOOD.encode() + b"1 Q0 \xff 1 1 t\n", "a.run, line 2: the byte 0xff is not UTF-8; "
         "expected UTF-8 text"),
        (GOOD + "1 Q0 \0 1 1 t\n", "a.run, line 2: a zero byte; expected UTF-8 text"),
        (GOOD.encode("utf-16"), "a.run: UTF-16 text; expected UTF-8 text"),
        ("query_id,doc_id,score,run\n1,a,1,t\n", "a.run, line 1: no column rank in "
         "'query_id, doc_id, score, run'; expected the columns query_id, doc_id, rank, score, run"),
        ("query_id,doc_id,rank,score,run\n1,a,1,,t\n", f"a.run, line 2: the score '' {SCORE}"),
        ("query_id,doc_id,rank,score,run\n1,a,1,1,\n", "a.run, line 2: the run is empty; "
         "expected an id"),
        ('{"query_id":1,"doc_id":"a","rank":0,"score":Infinity,"run":"t"}',
         f"a.run, line 1: the score 'Infinity' {SCORE}"),
    ],
)  # fmt: skip
def test_what_is_refused(text, message):
    assert outcome(text) == message
