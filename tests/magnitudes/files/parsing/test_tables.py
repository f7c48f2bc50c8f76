"""Rows of tables that do not end, or have no end of cells."""

import pytest

from magnitudes.files.errors import BadFile
from magnitudes.files.parsing.tables import Column, is_table, read_rows
from magnitudes.files.values import read_values
from tests.magnitudes.files.making import member

COLUMNS = (Column("a"), Column("b"))


@pytest.mark.parametrize("row", ['1,"x\n' + "y\n" * 9, '"1\n",' * 9 + "2\n", "1," + "x" * 20])
def test_a_row_has_a_longest_length_over_all_its_lines(monkeypatch, row):
    monkeypatch.setattr("magnitudes.files.parsing.tables.LONGEST_RECORD", 20)
    lines = ["\n", "a,b\n", "1,2\n", *row.splitlines(keepends=True)]
    with pytest.raises(BadFile) as fault:
        list(read_rows("file", lines, COLUMNS))
    assert str(fault.value) == (
        "file, line 4: a row of more than 20 characters; expected shorter rows, and quotes closed"
    )


def test_many_rows_of_any_length_together(monkeypatch):
    monkeypatch.setattr("magnitudes.files.parsing.tables.LONGEST_RECORD", 20)
    rows = list(read_rows("file", ["a,b\n", *['1,"x\n', 'y"\n'] * 100], COLUMNS))
    assert rows == [(2 + 2 * n, {"a": "1", "b": "x\ny"}) for n in range(100)]


@pytest.mark.parametrize("delimiter", ",;\t")
def test_cells_are_parted_as_in_the_header(delimiter):
    lines = [delimiter.join(cells) + "\n" for cells in ("ab", ("1", '"x,y;z"'))]
    assert list(read_rows("file", lines, COLUMNS)) == [(2, {"a": "1", "b": "x,y;z"})]
    assert is_table(lines[0].encode(), COLUMNS)


def test_an_opening_brace_and_many_blanks_are_no_table():
    assert not is_table(b"{" + b" " * 4000 + b"x", COLUMNS)


@pytest.mark.parametrize("end", ["x", "e", ".", ".x"])
def test_a_number_of_many_digits(end):
    digits = "1" * 50_000
    table = member(f"run\ttopic\tmeasure\tvalue\nr\t1\tAP\t{digits}{end}\n")
    with pytest.raises(BadFile, match=r"line 2: the value '1111.*' is not a number"):
        read_values([table])
