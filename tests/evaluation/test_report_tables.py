"""Tables as a report prints them."""

from typing import Any

from evaluation.report.tables import shown


def heads(rows: list[tuple[Any, ...]]) -> list[str]:
    part = {"name": "documents", "columns": ["doc_id", "ratings", "mark"], "rows": rows}
    return [column.head for column in shown(part).columns]


def test_a_column_with_nothing_in_it_is_left_out() -> None:
    assert heads([("D1", "1 2", ""), ("D2", "1", "fewer than N")]) == [
        "document",
        "ratings",
        "mark",
    ]
    assert heads([("D1", "1 2", ""), ("D2", "1 3", "")]) == ["document", "ratings"]
    assert heads([]) == ["document", "ratings", "mark"]
