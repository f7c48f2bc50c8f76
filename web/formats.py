import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

Row = Sequence[Any]  # cells in the order of the columns

# A spreadsheet evaluates cells that begin so, as a formula or a command.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
# Columns of free text, which must not be evaluated in any file.
FREE_TEXT = frozenset({"justification", "note"})

# Line breaks for some readers of lines, but not for JSON.
LINE_BREAKS = {ord(char): f"\\u{ord(char):04x}" for char in "\x85\u2028\u2029"}


def trec(rows: Iterable[Row]) -> Iterator[str]:
    """Lines with cells separated by a space, as in qrels files."""
    for row in rows:
        yield " ".join(str(_as_text(cell)) for cell in row) + "\n"


def csv_lines(
    columns: Sequence[str],
    rows: Iterable[Row],
    *,
    for_spreadsheet: bool = False,
    has_header: bool = True,
) -> Iterator[str]:
    """Lines of CSV. Cells are exact, except for free text, which is made `harmless`.

    `for_spreadsheet`: every text is made harmless, including ids and names of runs.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if has_header:
        writer.writerow(columns)
    escaped = [for_spreadsheet or name in FREE_TEXT for name in columns]
    for row in rows:
        writer.writerow(
            harmless(cell) if escape else _as_text(cell)
            for escape, cell in zip(escaped, row, strict=True)
        )
        yield out.getvalue()
        out.seek(0)
        out.truncate()
    yield out.getvalue()


def jsonl(columns: Sequence[str], rows: Iterable[Row]) -> Iterator[str]:
    for row in rows:
        values = {name: _as_text(cell) for name, cell in zip(columns, row, strict=True)}
        yield json.dumps(values, ensure_ascii=False, allow_nan=False).translate(LINE_BREAKS) + "\n"


def harmless(value: Any) -> Any:
    """Put an apostrophe before a text that a spreadsheet would evaluate.

    >>> harmless("=1+1"), harmless(-1.5), harmless("a-b")
    ("'=1+1", -1.5, 'a-b')
    """
    text = _as_text(value)
    return f"'{text}" if isinstance(text, str) and text.startswith(FORMULA_STARTS) else text


def _as_text(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else value
