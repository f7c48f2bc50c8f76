"""The quick way from run files to codes gives what reading them whole does."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.files.codes import END, UNJUDGED
from magnitudes.files.errors import BadFile
from magnitudes.files.ids import decoded, encoded
from magnitudes.files.judged_runs import Cut, JudgedDocuments, read_judged_runs
from magnitudes.files.runs import read_run, read_runs
from tests.magnitudes.files.making import member

VOCABULARY = {"t1": ["d3", "d1", "é", "d7"], "t0": ["d5"], "never": ["d1", "d2"]}
JUDGED_IDS = {query_id: encoded(ids) for query_id, ids in VOCABULARY.items()}
JUDGED = JudgedDocuments(JUDGED_IDS)
CUTS = [Cut(1), Cut(3), Cut(None), Cut(3, by_rank=True), Cut(None, by_rank=True), Cut(10**30)]

documents = st.sampled_from([*(f"d{n}" for n in range(12)), "é", "a-much-longer-document-id-1"])
rows = st.lists(
    st.tuples(
        st.sampled_from(["t0", "t1", "other"]),
        documents,
        st.integers(0, 4),
        st.sampled_from(["1", "2", "2.5", "-1", "1e3"]),
    ),
    min_size=1,
    max_size=40,
    unique_by=lambda row: row[:2],
)


def spelled(lines, separator=" ", tag="sys"):
    return "".join(
        separator.join((topic, "Q0", doc, str(rank), score, tag)) + "\n"
        for topic, doc, rank, score in lines
    )


def codes_by_hand(text, cut):
    """From the whole run, one document after the other."""
    topics = read_run(member(text)).topics
    found = []
    for query_id, vocabulary in VOCABULARY.items():
        listed = []
        if query_id in topics:
            listed = decoded(topics[query_id].doc_ids)
            if cut.by_rank:
                ranks = dict(zip(listed, topics[query_id].ranks.tolist(), strict=True))
                listed.sort(key=ranks.__getitem__)
        listed = listed[: cut.depth]
        found.append([vocabulary.index(d) if d in vocabulary else UNJUDGED for d in listed])
    depth = max(map(len, found))
    return [[*listed, *[END] * (depth - len(listed))] for listed in found]


def codes(text, cuts=CUTS, judged=JUDGED):
    (run,) = read_judged_runs([member(text)], judged, cuts)
    return run


@given(rows, st.sampled_from([" ", "\t", "  "]))
def test_codes_are_those_of_the_whole_run(lines, separator):
    text = spelled(lines, separator)
    run = codes(text)
    assert [found.tolist() for found in run.codes] == [codes_by_hand(text, cut) for cut in CUTS]
    assert run.tag == "sys"
    assert run.unlabelled == any(topic == "other" for topic, *_ in lines)


@given(rows)
def test_documents_with_one_hash_are_told_apart(lines):
    text = spelled(lines)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("magnitudes.files.ids._MIXER", np.uint64(0))
        judged = JudgedDocuments(JUDGED_IDS)
        found = codes(text, judged=judged).codes
    assert [of_cut.tolist() for of_cut in found] == [codes_by_hand(text, cut) for cut in CUTS]


@given(
    st.lists(
        st.tuples(st.sampled_from("12"), st.sampled_from(["a", "b", "c" * 20, "d" + "c" * 20]))
    ),
    st.sampled_from([" ", "  "]),
)
def test_a_document_that_comes_twice_is_refused_wherever_it_stands(pairs, separator):
    first = [("1", "top", 1, "9"), *((topic, doc, 5, "1") for topic, doc in pairs)]
    text = spelled(first, separator)
    if len(set(pairs)) == len(pairs):
        codes(text, [Cut(1)])
        return
    with pytest.raises(BadFile) as ours:
        codes(text, [Cut(1)])
    with pytest.raises(BadFile, match="again") as theirs:
        read_run(member(text))
    assert str(ours.value) == str(theirs.value)


def test_a_document_that_comes_twice_far_below():
    lines = [("1", f"document-{n:06}", n, str(-n)) for n in range(5000)]
    codes(spelled(lines), [Cut(10)])
    lines[4999] = ("1", "document-004000", 4999, "-4999")
    with pytest.raises(BadFile, match=r"line 5000: .* again \(first in line 4001\)"):
        codes(spelled(lines), [Cut(10)])


@pytest.mark.parametrize(
    "text",
    [
        "1 Q0 a 1 nan t\n",
        "1 Q0 a 1 inf t\n",
        "1 Q0 a 1 1e999 t\n",
        "1 Q0 a -1 1 t\n",
        "1 Q0 a 1 0x10 t\n",
        "1 Q0 a 1 1 t\n1 Q0 b 2 1 u\n",
        "1 Q0 a 1 1\n",
        "1  a 1 1 t\n",
        "1 Q0 a 1 1 t x\n",
        "1 Q0 a 1 1 t\n\xff",
        "",
        "\n",
    ],
)
def test_faults_are_those_of_reading_the_whole_run(text):
    text = text.encode("latin-1")
    with pytest.raises(BadFile) as ours:
        codes(text)
    with pytest.raises(BadFile) as theirs:
        read_run(member(text))
    assert str(ours.value) == str(theirs.value)


def test_runs_come_in_the_order_of_their_files_and_the_first_fault_is_told():
    files = [spelled([("t1", "d1", 1, "1")], tag=f"run{n}") for n in range(30)]
    runs = read_judged_runs(map(member, files), JUDGED, [Cut(1)])
    assert [run.tag for run in runs] == [f"run{n}" for n in range(30)]
    broken = [*files[:5], "x\n", files[0], "y z\n"]
    members = [member(text, f"file-{n}") for n, text in enumerate(broken)]
    with pytest.raises(BadFile, match="file-5, line 1: 1 column"):
        list(read_judged_runs(members, JUDGED, [Cut(1)]))


def test_two_files_with_one_tag():
    def files():
        return [member(spelled([("t1", "d1", 1, "1")]), name) for name in ("one", "two")]

    with pytest.raises(BadFile) as ours:
        list(read_judged_runs(files(), JUDGED, [Cut(1)]))
    with pytest.raises(BadFile, match="two: the tag sys is that of one too") as theirs:
        list(read_runs(files()))
    assert str(ours.value) == str(theirs.value)


def test_nothing_in_common():
    run = codes(spelled([("other", "d1", 1, "1")]))
    assert [found.shape for found in run.codes] == [(3, 0)] * len(CUTS)
    assert run.unlabelled == 1
