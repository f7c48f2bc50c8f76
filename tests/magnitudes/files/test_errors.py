import pickle

from magnitudes.files.errors import BadFile, shown
from magnitudes.files.words import count


def test_a_message_says_where_what_and_what_was_expected():
    fault = BadFile("qrels.txt", "3 columns", "4: topic, iteration, document, label", 12)
    expected = "qrels.txt, line 12: 3 columns; expected 4: topic, iteration, document, label"
    assert str(fault) == expected
    assert str(BadFile("a.gz", "an empty file", "at least one line")) == (
        "a.gz: an empty file; expected at least one line"
    )


def test_it_survives_the_way_between_processes():
    fault = pickle.loads(pickle.dumps(BadFile("a", "b", "c", 7)))
    assert (fault.file, fault.problem, fault.expected, fault.line) == ("a", "b", "c", 7)
    assert str(fault) == "a, line 7: b; expected c"


def test_quoted_text_stays_short_and_on_one_line():
    assert shown("a\nb") == r"'a\nb'"
    assert len(shown("x" * 1000)) < 70


def test_plurals():
    assert [count(n, "column") for n in (0, 1, 2)] == ["0 columns", "1 column", "2 columns"]


def test_a_name_that_is_not_text_can_be_printed():
    assert str(BadFile("caf\udce9", "b", "c")) == "caf?: b; expected c"
