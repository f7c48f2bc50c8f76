"""Tables for TeX that are no wider than a page: what is too wide is set smaller, or split."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.cache import tex
from evaluation.presentation.heads import is_p_value
from evaluation.report.cells import Cells, broken, cells_of
from evaluation.report.columns import Column, columns_of
from evaluation.report.numbering import Numbered
from evaluation.report.widths import ems, widest

TEXT_WIDTH = 396.0  # points: a page of 140 mm
ROOM = 0.97  # of it, as TeX's own spaces are not all counted
SIZES = (("small", 9.0, 4.0), ("footnotesize", 8.0, 3.0), ("scriptsize", 7.0, 2.5))
MOST_NAMES = 2  # columns of texts that are repeated where a table is split
MOST_LINES = 40  # of a table in the text; a longer one stands in the appendix
MOST_ROWS = 150  # of systems or topics
MOST_OTHERS = 20  # rows of anything else, where there are more than `MOST_LINES`
WHOLE = ("system", "topic", "query_id")  # columns of tables that are not cut
SENTENCE = 9  # em beyond its longest word that a column of texts should have
HEAD = 3.2  # em that the lines of a head may be long in any case


@dataclass(frozen=True)
class Laid:
    """A column with its head in lines."""

    column: Column
    cells: Cells

    @property
    def lines(self) -> list[str]:
        return broken(self.column.head, max(self.cells.ems, HEAD))

    @property
    def ems(self) -> float:
        return max(self.cells.ems, widest(self.lines))


@dataclass(frozen=True)
class Block:
    """Columns that stand side by side, in one size. wide: points of those that wrap."""

    columns: list[Laid]
    size: str
    points: float
    gap: float
    wide: float
    feet: int  # last rows that sum up the others

    def width(self, laid: Laid) -> float:
        """Points of a column that wraps."""
        own = laid.ems * self.points + self.wide
        return min(own, laid.cells.all_ems * self.points + 2)

    @property
    def lines(self) -> int:
        """How many lines its rows take."""
        columns = [
            [self._lines(text, self.width(laid)) for text in laid.cells.texts]
            for laid in self.columns
            if laid.cells.wraps
        ]
        rows = len(self.columns[0].cells.texts)
        return sum(map(max, zip(*columns, strict=True))) if columns else rows

    def _lines(self, text: str, room: float) -> int:
        """Of a text that is broken, with some room lost at the ends of lines."""
        return max(math.ceil(1.1 * ems(text) * self.points / room), 1)


@dataclass(frozen=True)
class Shown:
    """A table as it is printed: blocks under each other, and how many rows it has been cut to."""

    blocks: list[Block]
    rows: int
    all_rows: int

    @property
    def is_long(self) -> bool:
        """Whether it takes pages of its own."""
        return sum(block.lines for block in self.blocks) > MOST_LINES


def shown(part: dict[str, Any]) -> Shown:
    """How a kept table is laid out."""
    rows = part["rows"]
    names = part["columns"]
    is_whole = any(name in WHOLE for name in names[:2]) and "doc_id" not in names
    most = MOST_ROWS if is_whole else MOST_OTHERS
    kept = rows[:most] if len(rows) > MOST_LINES else rows
    filled = [
        place for place in range(len(names)) if not kept or any(row[place] != "" for row in kept)
    ]
    cells = [
        cells_of(
            [row[place] for row in kept],
            part.get("limits", {}).get(names[place]),
            is_p=is_p_value(part, names[place]),
        )
        for place in filled
    ]
    columns = columns_of([names[place] for place in filled], part["name"])
    laid = [Laid(column, each) for column, each in zip(columns, cells, strict=True)]
    return Shown(_blocks(laid, part.get("feet", 0)), len(kept), len(rows))


def _blocks(columns: list[Laid], feet: int) -> list[Block]:
    wrapping = sum(laid.cells.wraps for laid in columns)
    wishes = [(size, SENTENCE) for size in SIZES] + [(SIZES[-1], SENTENCE / 2)]
    for (size, points, gap), wish in wishes:
        wanted = wrapping * wish * points
        if _width(columns, points, gap) + wanted <= TEXT_WIDTH * ROOM:
            return [_block(columns, size, points, gap, feet)]
    size, points, gap = SIZES[1]
    return [_block(some, size, points, gap, feet) for some in _split(columns, points, gap)]


def _split(columns: list[Laid], points: float, gap: float) -> Iterator[list[Laid]]:
    """As many columns each as fit, the names repeated; a group of columns stays together."""
    names = [column for column in columns[:MOST_NAMES] if not column.cells.is_number] or columns[:1]
    now = list(names)
    for bundle in bundles(columns[len(names) :]):
        if len(now) > len(names) and _width([*now, *bundle], points, gap) > TEXT_WIDTH * ROOM:
            yield now
            now = list(names)
        for column in bundle:  # a group that is too wide by itself is split after all
            if len(now) > len(names) and _width([*now, column], points, gap) > TEXT_WIDTH * ROOM:
                yield now
                now = list(names)
            now.append(column)
    yield now


def bundles(columns: Sequence[Laid]) -> list[list[Laid]]:
    bundles: list[list[Laid]] = []
    for laid in columns:
        if bundles and laid.column.group and bundles[-1][-1].column.group == laid.column.group:
            bundles[-1].append(laid)
        else:
            bundles.append([laid])
    return bundles


def _width(columns: list[Laid], points: float, gap: float) -> float:
    """Points that columns take at least."""
    total = 0.0
    for bundle in bundles(columns):
        below = sum(laid.ems for laid in bundle) * points + 2 * gap * (len(bundle) - 1)
        over = ems(bundle[0].column.group) * points if len(bundle) > 1 else 0
        total += max(below, over) + 2 * gap
    return total - 2 * gap


def _block(columns: list[Laid], size: str, points: float, gap: float, feet: int) -> Block:
    """What room is left goes to the columns that wrap."""
    wrapping = [laid for laid in columns if laid.cells.wraps]
    left = TEXT_WIDTH * ROOM - _width(columns, points, gap)
    return Block(columns, size, points, gap, left / len(wrapping) if wrapping else 0, feet)


def table(
    numbered: Numbered, laid: Shown, caption: str, cite: Callable[[str], str], file: str
) -> str:
    """The whole float, with caption, label and notes; a long one breaks over pages."""
    part = numbered.part
    notes = [*filter(None, [part.get("caption", "")]), *part["notes"]]
    if laid.rows < laid.all_rows:
        notes.append(f"The first {laid.rows} of {laid.all_rows:,} rows; {file} has all.")
    said = " ".join(cite(note) for note in notes)
    number = [rf"\def\thetable{{{numbered.number}}}\def\theHtable{{{numbered.name}}}%"]
    title = rf"\caption{{{caption}}}\label{{{numbered.label}}}"
    if laid.is_long:
        body = [
            _long(block, title if place == 0 else "") for place, block in enumerate(laid.blocks)
        ]
        below = [rf"{{\scriptsize {said}\par}}"] if said else []
        return "\n".join([r"\begingroup", *number, *body, *below, r"\endgroup", ""])
    body = [_tabular(block) for block in laid.blocks]
    below = [rf"\par\smallskip{{\raggedright\scriptsize {said}\par}}"] if said else []
    return "\n".join(
        [
            *(r"\begin{table}[htbp]", *number, r"\centering", title),
            *("\\par\\medskip\n".join(body), *below, r"\end{table}", ""),
        ]
    )


def _tabular(block: Block) -> str:
    rows = _rows(block)
    return "\n".join(
        [
            rf"{{\{block.size}\setlength{{\tabcolsep}}{{{block.gap}pt}}%",
            rf"\begin{{tabular}}{{@{{}}{_specification(block)}@{{}}}}",
            *(r"\toprule", *_head(block), r"\midrule", *rows, r"\bottomrule"),
            r"\end{tabular}}",
        ]
    )


def _long(block: Block, title: str) -> str:
    head = "\n".join([r"\toprule", *_head(block), r"\midrule"])
    return "\n".join(
        [
            rf"{{\{block.size}\setlength{{\tabcolsep}}{{{block.gap}pt}}%",
            rf"\begin{{longtable}}{{@{{}}{_specification(block)}@{{}}}}",
            *([rf"{title}\\"] if title else []),
            *(head, r"\endfirsthead", head, r"\endhead", r"\bottomrule", r"\endfoot"),
            *_rows(block),
            r"\end{longtable}}",
        ]
    )


def _specification(block: Block) -> str:
    return "".join(_kind(laid, block) for laid in block.columns)


def _kind(laid: Laid, block: Block) -> str:
    if laid.cells.places is not None:
        whole, decimals = laid.cells.places
        sign = "-" if laid.cells.is_negative else ""
        return rf"S[table-format={sign}{whole}.{decimals}]"
    if laid.cells.wraps:
        return rf">{{\raggedright\arraybackslash}}p{{{block.width(laid):.1f}pt}}"
    return "l"


def _head(block: Block) -> Iterator[str]:
    """Groups, with a rule under each, and the heads of columns."""
    together = bundles(block.columns)
    if any(len(bundle) > 1 for bundle in together):
        over, rules, place = [], [], 1
        for bundle in together:
            if len(bundle) > 1:
                group = tex.escaped(bundle[0].column.group)
                over.append(rf"\multicolumn{{{len(bundle)}}}{{c}}{{{group}}}")
                rules.append(rf"\cmidrule(lr){{{place}-{place + len(bundle) - 1}}}")
            else:
                over.append("")
            place += len(bundle)
        yield rf"{' & '.join(over)} \\ {''.join(rules)}"
    yield rf"{' & '.join(map(_headed, block.columns))} \\"


def _headed(laid: Laid) -> str:
    side = "" if laid.cells.is_number else "[l]"
    lines = [tex.escaped(line) for line in laid.lines]
    stacked = r"\\".join(lines)
    return rf"{{\shortstack{side}{{{stacked}}}}}" if len(lines) > 1 else f"{{{stacked}}}"


def _rows(block: Block) -> Iterator[str]:
    rows = list(zip(*(laid.cells.set for laid in block.columns), strict=True))
    for place, row in enumerate(rows):
        if block.feet and place == len(rows) - block.feet:
            yield r"\midrule"
        yield rf"{' & '.join(row)} \\"
