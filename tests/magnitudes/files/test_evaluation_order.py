import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.files.ids import encoded
from magnitudes.files.runs import order_by_topic


def evaluation_order(scores, doc_ids):
    order = order_by_topic(np.zeros(len(scores), np.int32), scores, doc_ids)
    return np.arange(len(scores)) if order is None else order


def test_scores_descend_and_ties_go_by_id_descending():
    order = evaluation_order(np.array([1.0, 3, 2, 2, 3]), encoded(["e", "a", "b", "c", "d"]))
    assert order.tolist() == [4, 1, 3, 2, 0]


def test_ids_compare_by_their_bytes():
    ids = ["Z", "a", "B", "é", "z", "10", "9", "aa", "\U0001f600", "\uffff"]
    order = evaluation_order(np.zeros(len(ids)), encoded(ids))
    expected = sorted(ids, key=str.encode, reverse=True)
    assert [ids[n] for n in order] == expected
    assert expected[:2] == ["\U0001f600", "\uffff"]  # other than by UTF-16 units


def test_no_documents():
    assert evaluation_order(np.array([]), encoded([])).tolist() == []


def test_order_already_there_is_none():
    topics = np.array([0, 0, 1], np.int32)
    assert order_by_topic(topics, np.array([2.0, 1, 5]), encoded(["a", "b", "a"])) is None


ids = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=3)
rows = st.lists(
    st.tuples(st.sampled_from([0.0, -0.0, 1, 2.5, -1e-300, 1e300]), ids),
    unique_by=lambda row: row[1],
)


@given(rows)
def test_as_a_naive_sort_has_it(rows):
    scores = np.array([score for score, _ in rows], np.float64)
    doc_ids = encoded(doc_id for _, doc_id in rows)
    naive = sorted(rows, key=lambda row: row[1].encode(), reverse=True)
    naive.sort(key=lambda row: -row[0])
    assert [rows[n][1] for n in evaluation_order(scores, doc_ids)] == [row[1] for row in naive]
