import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from magnitudes.files.errors import BadFile
from magnitudes.files.ids import decoded
from magnitudes.files.labels.qrels import Qrels, read_qrels
from tests.magnitudes.files.making import member

ROWS = [("402", "b", 1.0), ("401", "é", -2.0), ("402", "a", 0.1), ("401", "a", 1e-9)]
SPELLINGS = {
    "blanks": "402 0 b 1\n401 0 é -2\n402 0 a 0.1\n401 0 a 1e-9\n",
    "tabs": "402\t0\tb\t1.0\n401\t0\té\t-2\n402\t0\ta\t.1\n401\t0\ta\t1E-9",
    "uneven": "402  0 b\t+1\r\n\r\n 401 0 é -2 \r\n402 0 a 0.1\r\n401 0 a 1e-9\r\n",
    "csv": "query_id,doc_id,relevance\n402,b,1\n401,é,-2\n402,a,0.1\n401,a,1e-9\n",
    "tsv": "topic\titeration\tdocno\tlabel\n402\t0\tb\t1\n401\t0\té\t-2\n402\t0\ta\t0.1\n"
    "401\t0\ta\t1e-9\n",
    "jsonl": '{"query_id": 402, "doc_id": "b", "rel": 1}\n'
    '{"query_id": "401", "doc_id": "\\u00e9", "rel": "-2"}\n'
    '{"query_id": 402, "doc_id": "a", "rel": 0.1}\n{"query_id": 401, "doc_id": "a", "rel": 1e-9}',
}


def read(*texts: str | bytes) -> Qrels:
    return read_qrels(member(text, f"qrels{n or ''}") for n, text in enumerate(texts))


def refusal(*texts: str | bytes) -> str:
    with pytest.raises(BadFile) as fault:
        read(*texts)
    return str(fault.value)


@pytest.mark.parametrize("text", SPELLINGS.values(), ids=SPELLINGS)
def test_every_spelling_reads_alike(text):
    for content in (text, "\ufeff" + text):
        qrels = read(content)
        assert list(qrels.rows()) == ROWS
        assert len(qrels) == 4
        assert qrels.query_ids.dtype.kind == qrels.doc_ids.dtype.kind == "S"
        assert qrels.labels.dtype == np.float64


def test_ids_of_255_characters_are_read_however_many_bytes_they_have():
    for doc_id in ("b" * 255, "é" * 255):
        assert list(read(f"1 0 {doc_id} 1\n").rows()) == [("1", doc_id, 1.0)]


def test_by_topic():
    topics = read(SPELLINGS["blanks"]).by_topic()
    assert list(topics) == ["402", "401"]
    assert decoded(topics["402"].doc_ids) == ["b", "a"]
    assert topics["402"].labels.tolist() == [1, 0.1]
    assert decoded(topics["401"].doc_ids) == ["é", "a"]


def test_parts_of_a_set_are_one():
    assert list(read("402 0 b 1\n401 0 é -2\n", "402\t0\ta\t.1\n401\t0\ta\t1e-9\n").rows()) == ROWS


def test_the_same_label_twice_is_one():
    assert list(read("1 0 a 1\n1 0 b 0\n1 0 a 1.0\n").rows()) == [("1", "a", 1), ("1", "b", 0)]
    assert list(read("1 0 a 1\n", "1 0 a 1\n").rows()) == [("1", "a", 1)]


ids = st.text(
    st.characters(exclude_categories=["C"], exclude_characters=" "), min_size=1, max_size=5
)
topic_ids = ids.filter(lambda text: not text.startswith("#"))
magnitudes = st.floats(1e-9, 1e12)
labels = st.just(0.0) | magnitudes | magnitudes.map(lambda value: -value)


@given(st.dictionaries(st.tuples(topic_ids, ids), labels, min_size=1))
@example({("{", "0"): 0.0})
def test_labels_are_read_to_their_last_digit(pairs):
    text = "".join(f"{topic} 0 {doc_id} {label!r}\n" for (topic, doc_id), label in pairs.items())
    for content in (text, text.replace(" ", "\t"), text.replace(" ", "  ")):
        assert list(read(content).rows()) == [(*pair, label) for pair, label in pairs.items()]


odd = st.one_of(
    st.sampled_from(["1", "2", "a", "0", "0.5", "+1", "1.", "1e5"]),
    st.sampled_from(["1e999", "nan", "inf", "-inf", "0x1", "1_0", "", "é", "\xa0", "x\x1cy", "١"]),
)
odd_lines = st.lists(odd, min_size=4, max_size=5).map("\t".join)


@given(st.lists(odd_lines, min_size=1, max_size=5).map("\n".join))
def test_the_quick_way_and_the_slow_one_agree(text):
    slow = text + "\n\t \n"

    def outcome(content):
        try:
            return list(read(content).rows())
        except BadFile as fault:
            return str(fault)

    assert outcome(text) == outcome(slow)


def test_beir():
    text = "query-id\tcorpus-id\tscore\nPLAIN-2\tMED-2427\t2\nPLAIN-2\tMED-10\t0\n"
    expected = [("PLAIN-2", "MED-2427", 2.0), ("PLAIN-2", "MED-10", 0.0)]
    assert list(read(text).rows()) == expected
    assert list(read("\ufeff" + text.replace("\n", "\r\n")).rows()) == expected


def test_the_score_of_a_run_is_no_label():
    text = "query_id,doc_id,rank,score,run\n1,a,1,2,t\n"
    assert refusal(text).startswith("qrels, line 1: no column relevance in")


def test_ms_marco():
    assert list(read("300674\t0\t7067032\t1\n").rows()) == [("300674", "7067032", 1.0)]


@pytest.mark.parametrize("blank", [" ", "\t", "  "])
def test_comments_are_those_of_trec_eval(blank):
    text = "# by\tme\n1 0 a 1\n#1 0 a 5\n \t# indented\n1 0 #b 2\n#".replace(" ", blank)
    assert list(read(text).rows()) == [("1", "a", 1.0), ("1", "#b", 2.0)]


def test_comments_count_as_lines_and_are_no_labels():
    assert refusal("#\n\n# x\n1 0 a\n") == f"qrels, line 4: 3 columns; {COLUMNS}"
    assert refusal("# x\n#") == "qrels: no labels; expected labels"
    assert refusal("# x\nquery_id,doc_id,relevance\n") == f"qrels, line 2: 1 column; {COLUMNS}"


BOUNDS = "expected 0, or a number from 1e-9 to 1e12, perhaps negative"
COLUMNS = "expected 4: topic, iteration, document, label"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "qrels: an empty file; expected at least one line"),
        (" \n", "qrels: no labels; expected labels"),
        ("1 0 a 1\n1 0 b\n", f"qrels, line 2: 3 columns; {COLUMNS}"),
        ("1\t0\ta\t1\n\n1\t0\tb\t1\t1\n", f"qrels, line 3: 5 columns; {COLUMNS}"),
        ("1,0,a,1\n", f"qrels, line 1: 1 column; {COLUMNS}"),
        ("1 0 a nan\n", "qrels, line 1: the label 'nan' is not a number; expected a finite number"),
        (
            "1 0 a -inf\n",
            "qrels, line 1: the label '-inf' is not a number; expected a finite number",
        ),
        (
            "1 0 a 1e999",
            "qrels, line 1: the label '1e999' is not a number; expected a finite number",
        ),
        ("1 0 a 2e12\n", f"qrels, line 1: the label '2e12'; {BOUNDS}"),
        ("1 0 a 1\n1 0 b -1e-10\n", f"qrels, line 2: the label '-1e-10'; {BOUNDS}"),
        (
            f"1 0 a 1\n1 0 {'b' * 5000} 1\n",
            f"qrels, line 2: the document id '{'b' * 60}…' has 5,000 characters; "
            "expected at most 255",
        ),
        (
            f"query_id,doc_id,relevance\n{'1' * 256},a,1\n",
            f"qrels, line 2: the query_id '{'1' * 60}…' has 256 characters; expected at most 255",
        ),
        ("1 0 a A\n", "qrels, line 1: the label 'A' is not a number; expected a finite number"),
        (
            "1 0 a 0,5\n",
            "qrels, line 1: the label '0,5' is not a number; expected a finite number, "
            "with a point before its decimals",
        ),
        ("1 0 a 1_0\n", "qrels, line 1: the label '1_0' is not a number; expected a finite number"),
        (
            "1 0 a 1\n1 0 b 1\n1 0 a 0\n",
            "qrels, line 3: topic 1, document a has another label in line 1; "
            "expected one label for each pair",
        ),
        (
            b"1 0 a 1\n1 0 \xe9 1\n",
            "qrels, line 2: the byte 0xe9 is not UTF-8; expected UTF-8 text",
        ),
        ("1 0 a 1\n".encode("utf-16-le"), "qrels, line 1: a zero byte; expected UTF-8 text"),
        ("1 0 a 1\n".encode("utf-16"), "qrels: UTF-16 text; expected UTF-8 text"),
        (
            "query_id,doc_id,grade\n1,a,1\n",
            "qrels, line 1: no column relevance in 'query_id, doc_id, grade'; expected the columns "
            "query_id, doc_id, relevance",
        ),
        (
            '{"query_id": 1, "doc_id": "a", "relevance": NaN}',
            "qrels, line 1: the label 'NaN' is not a number; expected a finite number",
        ),
        (
            '{"query_id": 1, "doc_id": "a b", "relevance": 1}',
            "qrels, line 1: a blank in the doc_id 'a b'; expected an id without blanks",
        ),
        (
            '{"query_id": 1, "doc_id": null, "relevance": 1}',
            "qrels, line 1: the doc_id is empty; expected an id",
        ),
        (
            b"query_id,doc_id,relevance\n1,\xe9,1\n",
            "qrels, line 2: the byte 0xe9 is not UTF-8; expected UTF-8 text",
        ),
    ],
)
def test_what_is_refused(text, message):
    assert refusal(text) == message


def test_a_contradiction_between_files_names_both():
    assert refusal("1 0 b 1\n1 0 a 1\n", "1 0 a 0\n") == (
        "qrels1, line 1: topic 1, document a has another label in qrels, line 2; "
        "expected one label for each pair"
    )


def test_no_files_at_all():
    assert refusal() == "qrels: no labels; expected labels"
