"""Figures and tables of a kept analysis as files."""

import math
from typing import Any

from tabulate import tabulate

from web import charts
from web.formats import csv_lines

Part = dict[str, Any]
CONTENT_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "tex": "application/x-tex; charset=utf-8",
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
}
DIGITS = 4
MOST = 200  # rows of a table on a page, or in LaTeX; its CSV has all


def part(result: dict[str, Any] | None, name: str) -> Part | None:
    """The part of a kept result that has this name."""
    parts = result["parts"] if result else []
    return next((one for one in parts if one["name"] == name), None)


def formats(found: Part) -> tuple[str, ...]:
    """The kinds of files that a part can be written as."""
    return ("csv", "svg", "pdf") if found["kind"] == "figure" else ("csv", "tex")


def written(found: Part, file_format: str, crowd: str, *, for_spreadsheet: bool = False) -> bytes:
    """A part as the content of a file, which says who judged: people, simulated or demo.

    `for_spreadsheet`: no text of a CSV file can be run by a spreadsheet.
    """
    if file_format == "svg":
        return str(found["svg"]).encode()
    if file_format == "pdf":
        return charts.pdf_of(found["declaration"])
    if file_format == "tex":
        return _tex(found, crowd).encode()
    return _csv(found, crowd, for_spreadsheet).encode()


def _csv(found: Part, crowd: str, for_spreadsheet: bool) -> str:
    """The data with full double precision; what is not defined is empty."""
    columns = [*found["columns"], "crowd"]
    rows = ([*row, crowd] for row in found["rows"])
    return "".join(csv_lines(columns, rows, for_spreadsheet=for_spreadsheet))


def _tex(found: Part, crowd: str) -> str:
    """A table for a paper, in the style of booktabs, its title and notes as comments."""
    rows = [[cell(value).replace("–", "--") for value in row] for row in found["rows"][:MOST]]
    table = tabulate(
        rows,
        [heading(name) for name in found["columns"]],
        tablefmt="latex_booktabs",
        colalign=["right" if number else "left" for number in numeric(found)] if rows else None,
        disable_numparse=True,
    )
    said = [found["says"], *found["notes"], f"Judged by: {crowd}."]
    if len(found["rows"]) > MOST:
        said.append(f"The first {MOST} of {len(found['rows']):,} rows; the CSV file has all.")
    return "".join(f"% {line}\n" for line in said) + table + "\n"


def numeric(found: Part) -> list[bool]:
    """Which columns hold numbers alone."""
    return [
        all(_is_number(row[place]) for row in found["rows"])
        for place in range(len(found["columns"]))
    ]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | None) and not isinstance(value, bool)


def heading(name: str) -> str:
    """A column's name for reading."""
    return name.replace("_", " ")


def cell(value: Any) -> str:
    """A value for reading: numbers to a few significant digits, a dash where there is none."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return _real(value) if isinstance(value, float) else str(value)


def _real(value: float) -> str:
    """Few digits, and no exponent where a reader does not need one."""
    if value == 0 or not 1e-4 <= abs(value) < 1e6:
        return f"{value:.{DIGITS}g}"
    decimals = max(0, DIGITS - 1 - math.floor(math.log10(abs(value))))
    return f"{value:,.{min(decimals, DIGITS)}f}"
