"""What is read quickly is what reading line by line gives, to the last bit."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from magnitudes.files.labels.qrels import _file, _read_lines, _read_plain
from magnitudes.files.parsing.fields import are_labels
from magnitudes.files.parsing.plain import decimals, read_plain, texts, whole_numbers
from magnitudes.files.runs import Rows, _line_rows, _plain_rows

# Cells as files have them, numbers in every notation, and what looks like them.
names = st.sampled_from(["1", "401", "FT911-1", "é", "\U0001f600", "a" * 8, "b" * 17, "é" * 90])
documents = st.integers(0, 10**6).map("D{}".format) | names
numbers = st.one_of(
    st.from_regex(r"[+-]?[0-9]{1,20}\.?[0-9]{0,20}([eE][+-]?[0-9]{1,2})?", fullmatch=True),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-1e9, 1e9).map("{:.6f}".format),
    st.sampled_from(["-0", "-0.0", ".5", "-.5", "5.", "9007199254740993", "99999999.99999999"]),
)
like_numbers = st.one_of(
    st.from_regex(r"[+-]?[0-9]{0,9}\.?[0-9]{0,9}([eE][+-]?[0-9]{0,3})?", fullmatch=True),
    st.sampled_from(
        [".", "-", "1.2.3", "--1", "1_0", "0x1F", "1e999", "1,5", "nan", "inf", "١", ""]
    ),
)
ranks = st.integers(0, 10**9).map(str)
ends = st.sampled_from(["\n"] * 5 + ["\r\n", "\n\n", "\r", " \n", "\v", "\f", "\0\n", "\x1f\n"])


@st.composite
def files(draw: st.DrawFn, *cells: st.SearchStrategy[str], odd: bool = False) -> bytes:
    """Lines of such cells; `odd`: apart by other ends, and with some bytes anywhere."""
    separator = draw(st.sampled_from("\t "))
    lines = draw(st.lists(st.tuples(*cells), min_size=1, max_size=8))
    text = "".join(separator.join(line) + (draw(ends) if odd else "\n") for line in lines)
    data = text.encode().removesuffix(b"\n" if draw(st.booleans()) else b"")
    at = draw(st.integers(0, len(data)))
    return data[:at] + (draw(st.binary(max_size=3)) if odd else b"") + data[at:]


def is_label(text: str) -> bool:
    return are_labels(np.array([float(text)]))


def outcome(rows: Rows) -> tuple[object, ...]:
    return (
        rows.tag,
        rows.query_ids,
        rows.topics.tolist(),
        rows.doc_ids.tolist(),
        rows.ranks.tolist(),
        rows.scores.tobytes(),
    )


run_files = st.one_of(
    files(names, names, documents, st.integers(0, 999).map(str), numbers, st.just("sys")),
    files(names, names, documents, ranks, numbers | like_numbers, st.just("sys") | names),
    files(names, names, documents, ranks | like_numbers, numbers, st.just("sys"), odd=True),
    st.binary(max_size=60),
)


@given(run_files)
@example(b"")
@example(b"\n\n")
@example(b"1 Q0 a 1 1 t")
@example(b"1 Q0 " + b"a" * 255 + b" 1 1 t\n2 Q0 b 2 -.5e1 t")
@example(b"1 Q0 " + b"a" * 256 + b" 1 1 t\n")
@example(b"1 Q0 a\0 1 1 t\n")
@example(b"1 Q0 \xff 1 1 t\n")
def test_a_run_is_read_as_line_by_line_or_not_at_all(data):
    for size in (1, 40, 1 << 18):
        with patch("magnitudes.files.parsing.plain._BLOCK", size):
            quick = _plain_rows(data, "")
        if quick is not None:
            assert outcome(quick) == outcome(_line_rows("a.run", data, ""))


@given(files(names, documents, ranks) | files(names, documents, ranks | like_numbers, odd=True))
def test_a_run_without_scores_is_too(data):
    if (quick := _plain_rows(data, "tag")) is not None:
        assert outcome(quick) == outcome(_line_rows("a.run", data, "tag"))


label_files = files(names, names, documents, numbers.filter(is_label))
odd_label_files = files(names, names, documents, numbers | like_numbers, odd=True)


@given(st.lists(label_files, min_size=1, max_size=3) | st.lists(odd_label_files, min_size=1))
def test_labels_are_too(parts):
    opened = [_file(str(n), data) for n, data in enumerate(parts)]
    if (quick := _read_plain(opened)) is not None:
        slow = _read_lines(opened)
        assert quick.query_ids.tolist() == slow.query_ids.tolist()
        assert quick.doc_ids.tolist() == slow.doc_ids.tolist()
        assert quick.labels.tobytes() == slow.labels.tobytes()


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_every_double_is_read_to_its_last_bit(numbers):
    for spelling in ("{!r}", "{:.3f}", "{:.8f}", "{:.17g}", "{:e}", "{:.0f}"):
        cells = [spelling.format(number) for number in numbers]
        columns = read_plain("\n".join(f"{cell} x" for cell in cells).encode(), NUMBERED)
        if columns is not None:  # as a number of more than 255 digits is not plain
            assert columns["number"].tobytes() == np.array([*map(float, cells)]).tobytes()


NUMBERED = {"number": decimals, "name": texts}


def test_which_files_are_plain():
    assert read_plain(b"1.5 a\n-2 bb", NUMBERED) is not None
    assert read_plain(b"\n1.5 a\n-2 bb\n\n", NUMBERED) is not None
    odd = [b"", b"\n", b"1 a\n\n2 b\n", b"1 a\n2\tb\n", b"1  a\n", b"1 a \n", b"1 a\r\n", b"1 a b"]
    odd += [b"1\n", b"1 a\0\n", b"1 a\x01\n", b"1 \xff\n", b"1\x1fa\n", b"1\va\n", b"a 1", b"nan a"]
    odd += [b"1 " + b"a" * 256, b"1_0 a", b"0x1 a", b"1 a 2\nb", b"1\na b 2"]
    assert [data for data in odd if read_plain(data, NUMBERED) is not None] == []


@pytest.mark.parametrize("digits", range(1, 12))
def test_whole_numbers_have_up_to_eight_digits(digits):
    columns = read_plain(f"{'7' * digits} a\n0 b".encode(), {"n": whole_numbers, "name": None})
    if digits > 8:
        assert columns is None
    else:
        assert columns is not None
        assert columns["n"].tolist() == [int("7" * digits), 0]
        assert columns["n"].dtype == np.int32


def test_blocks_meet_at_the_ends_of_lines():
    lines = [f"{n / 7!r} document-{n}" for n in range(3000)]
    with patch("magnitudes.files.parsing.plain._BLOCK", 1000):
        columns = read_plain("\n".join(lines).encode(), NUMBERED)
    assert columns is not None
    assert columns["number"].tolist() == [n / 7 for n in range(3000)]
    assert columns["name"].tolist() == [f"document-{n}".encode() for n in range(3000)]
