"""Figures and tables of kept analyses as files."""

from collections.abc import Mapping
from typing import Any

from evaluation.analyses import ANALYSES, of_study
from evaluation.cache import tex
from evaluation.cache.stored import MOST_ROWS, NotThere, all_rows, answers
from evaluation.presentation import cells
from evaluation.presentation.cells import Part
from evaluation.presentation.column_labels import head_of
from judging.models import Study
from web.drawing.charts import titled
from web.drawing.pdf import pdf_of
from web.formats import csv_lines

CONTENT_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "tex": "application/x-tex; charset=utf-8",
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
}


def part_of(
    study: Study, name: str, label_set: str, part_name: str, query: Mapping[str, str]
) -> tuple[Part, str]:
    """One figure or table of a kept analysis, with all its rows, and who judged.

    query: that of an address, with what the analysis is asked.

    Raises:
        NotThere: there is no such analysis or part, or it is not computed yet.
        BadQuestion: the analysis cannot be asked so.
    """
    fitting = of_study(study)
    if name not in fitting:
        raise NotThere(f"There is no analysis {name}; there are {', '.join(fitting) or 'none'}.")
    row = answers(study, name, label_set, query).first()
    result = ANALYSES[name].with_live(study, label_set, all_rows(row) if row else None)
    if result is None:
        raise NotThere(f"{name} is not computed yet: get it first.")
    named = part(result, part_name)
    if named is None:
        names = ", ".join(each["name"] for each in result["parts"])
        raise NotThere(f"{name} has no part {part_name}; it has {names or 'none'}.")
    return named, result["crowd"]


def part(result: dict[str, Any] | None, name: str) -> Part | None:
    """The part of a kept result that has this name."""
    parts = result["parts"] if result else []
    return next((each for each in parts if each["name"] == name), None)


def rows_of(result: dict[str, Any] | None, name: str) -> list[dict[str, Any]]:
    """The rows of a part, a cell by its column; none where there is no such part."""
    content = part(result, name)
    return (
        [dict(zip(content["columns"], row, strict=True)) for row in content["rows"]]
        if content
        else []
    )


FORMATS = {"figure": ("csv", "svg", "pdf"), "table": ("csv", "tex")}  # by kind of part


def formats(part: Part) -> tuple[str, ...]:
    """The kinds of files that a part can be written as."""
    return FORMATS[part["kind"]]


def written(
    part: Part,
    file_format: str,
    crowd: str,
    *,
    for_spreadsheet: bool = False,
    has_caption: bool = False,
) -> bytes:
    """A part as the content of a file, which says who judged, as `Analysis.of` has it.

    for_spreadsheet: a text in a CSV file that a spreadsheet would run is made harmless.
    has_caption: a picture need not bear its title, as in the report.
    """
    if file_format in ("svg", "pdf"):
        drawn = part["svg"] if has_caption else titled(part["svg"], part["says"])
        return drawn.encode() if file_format == "svg" else pdf_of(drawn)
    if file_format == "tex":
        return _tex(part, crowd).encode()
    return _csv(part, crowd, for_spreadsheet).encode()


def _csv(part: Part, crowd: str, for_spreadsheet: bool) -> str:
    """The data with full double precision; what is not defined is empty."""
    columns = [*part["columns"], "crowd"]
    rows = ([*row, crowd] for row in part["rows"])
    return "".join(csv_lines(columns, rows, for_spreadsheet=for_spreadsheet))


def _tex(part: Part, crowd: str) -> str:
    """A table for a paper, in the style of booktabs, its title and notes as comments."""
    comments = [part["says"], *part["notes"], f"Judged by: {crowd}."]
    if len(part["rows"]) > MOST_ROWS:
        comments.append(
            f"The first {MOST_ROWS} of {len(part['rows']):,} rows; the CSV file has all."
        )
    heads = [tex.escaped(head_of(part, name)) for name in part["columns"]]
    decimals = cells.decimals(part)
    rows = [map(tex.escaped, cells.texts(row, part, decimals)) for row in part["rows"][:MOST_ROWS]]
    alignment = "".join("r" if number else "l" for number in cells.numeric(part))
    lines = [
        *(f"% {' '.join(line.split())}" for line in comments),
        rf"\begin{{tabular}}{{{alignment}}}",
        r"\toprule",
        rf"{' & '.join(heads)} \\",
        r"\midrule",
        *(rf"{' & '.join(row)} \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"
