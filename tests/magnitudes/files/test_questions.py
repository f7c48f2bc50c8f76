"""Questions and anchors of topics, from one table."""

import json

import pytest

from magnitudes.files.errors import BadFile
from magnitudes.files.questions import read_questions
from tests.magnitudes.files.making import member

HEADER = "query_id,question,option_1,option_2,option_3,option_4,answer,h_k,n_k\n"
FULL = {
    "question": "What is it about, mainly?",
    "options": ["a", "b", "c", "d"],
    "answer": "b",
    "h_k": "D-1",
    "n_k": "D-2",
}


def read(text: str) -> dict:
    return read_questions(member(text, "questions.csv"))


def refusal(text: str) -> str:
    with pytest.raises(BadFile) as fault:
        read(text)
    return str(fault.value)


def test_a_row_is_what_a_table_of_study_toml_is():
    text = HEADER + '051,"What is it about, mainly?",a, b ,c,d,b,D-1,D-2\n'
    assert read(text) == {"051": FULL}
    assert read("\ufeff" + text.replace("\n", "\r\n")) == {"051": FULL}


def test_the_sentence_that_answers_has_a_column_where_somebody_wants_it():
    text = HEADER.replace("\n", ",answer_sentence\n") + "51,Q?,a,b,c,d,b,,,It is b.\n52,,,,,,,,,\n"
    assert read(text)["51"]["answer_sentence"] == "It is b."
    assert read(text)["52"] == {}


def test_json_lines_and_other_orders_of_columns():
    row = {"n_k": "D-2", "h_k": "D-1", "answer": "b", "question": FULL["question"], "query_id": 51}
    row |= {f"option_{n}": text for n, text in enumerate("abcd", 1)}
    assert read(json.dumps(row)) == {"51": FULL}


def test_what_is_empty_is_left_out():
    assert read(HEADER + "1,,,,,,,,\n2,Q?,a,b,,d,a,,\n3,,,,,,,D-1,D-2\n") == {
        "1": {},
        "2": {"question": "Q?", "options": ["a", "b", "", "d"], "answer": "a"},
        "3": {"h_k": "D-1", "n_k": "D-2"},
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEADER, "questions.csv: no topics in it; expected at least one topic"),
        (
            HEADER.replace("h_k", "hk"),
            "questions.csv, line 1: a column 'hk'; expected the columns query_id (and perhaps "
            "option_1, option_2, option_3, option_4, question, answer, answer_sentence, h_k, n_k, "
            "title)",
        ),
        (
            HEADER + "1,,,,,,,,\n\n1,,,,,,,,\n",
            "questions.csv, line 4: topic 1 again (first in line 2); expected each topic once",
        ),
        (
            HEADER + " ,,,,,,,,\n",
            "questions.csv, line 2: the query_id is empty; expected an id",
        ),
        (
            HEADER + "1,a\n",
            "questions.csv, line 2: 2 cells; expected 9, as in the header: "
            "'query_id,question,option_1,option_2,option_3,option_4,answer…'",
        ),
    ],
)
def test_what_is_refused(text, message):
    assert refusal(text) == message
