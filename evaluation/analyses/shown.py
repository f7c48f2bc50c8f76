"""Kept analyses as pages show them."""

from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString, mark_safe

from evaluation.analyses import files

MOST = 200  # rows of a table on a page; its file has all


@dataclass(frozen=True)
class Cell:
    text: str
    number: bool


@dataclass(frozen=True)
class Part:
    """A figure or table, ready to be shown."""

    of: dict[str, Any]
    head: list[Cell]
    rows: list[list[Cell]]
    svg: SafeString
    formats: tuple[str, ...]

    @property
    def cut(self) -> bool:
        return len(self.rows) < len(self.of["rows"])


def of(result: dict[str, Any] | None) -> dict[str, Any] | None:
    """A kept result, its parts ready to be shown."""
    return result and result | {"parts": [_part(part) for part in result["parts"]]}


def _part(part: dict[str, Any]) -> Part:
    rows = part["rows"]
    number = files.numeric(part)
    return Part(
        part,
        [Cell(files.heading(name), of) for name, of in zip(part["columns"], number, strict=True)],
        [
            [Cell(files.cell(value), of) for value, of in zip(row, number, strict=True)]
            for row in rows[:MOST]
        ],
        mark_safe(part.get("svg", "")),  # noqa: S308 - drawn here
        files.formats(part),
    )
