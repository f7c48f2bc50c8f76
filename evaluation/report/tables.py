"""Tables as a report prints them: columns of texts under heads, on its page and for TeX.

TeX itself measures how wide and how high a table is, and sets smaller what is too large for a page.
"""

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import Any

from evaluation.cache import tex
from evaluation.presentation import cells
from evaluation.presentation.column_labels import printed

MAX_ROWS_IN_TEXT = 40  # of a table in the text; a longer one stands in the appendix
MAX_ROWS = 150  # of systems or topics
MAX_OTHER_ROWS = 20  # of anything else, where there are more than `MAX_ROWS_IN_TEXT`
UNCUT = ("system", "topic", "query_id")  # first columns of tables that are not cut
LONGEST = 28  # letters of a text that is not broken into lines
HEAD = 8  # letters that a line of a head may have in any case


@dataclass(frozen=True)
class Column:
    """One column: its head, what stands over it and its neighbours, and its cells as texts."""

    head: str
    group: str
    texts: list[str]
    is_number: bool

    @property
    def kind(self) -> str:
        """How its cells are set: numbers, and texts that may be broken into lines."""
        if self.is_number:
            return "number"
        return "long" if max(map(len, self.texts), default=0) > LONGEST else ""

    @property
    def tex_head(self) -> str:
        width = max(HEAD, *map(len, self.texts), 0)
        lines = textwrap.wrap(self.head, width, break_long_words=False, break_on_hyphens=False)
        side = "r" if self.is_number else "l"
        stacked = r"\\".join(map(tex.escaped, lines))
        return rf"\shortstack[{side}]{{{stacked}}}" if len(lines) > 1 else stacked

    @property
    def tex_cells(self) -> list[str]:
        if self.is_number:
            return [tex.escaped(text.replace("-", "−")) for text in self.texts]
        return list(map(tex.escaped, self.texts))


@dataclass(frozen=True)
class ShownTable:
    """A table of so many rows, out of all that it has. feet: last rows that sum up the others."""

    columns: list[Column]
    n_rows: int
    all_rows: int
    feet: int

    @property
    def is_long(self) -> bool:
        """Whether it takes pages of its own."""
        return self.n_rows > MAX_ROWS_IN_TEXT

    @property
    def groups(self) -> list[tuple[str, int]]:
        """What stands over how many columns; nothing where no columns belong together."""
        bundles: list[tuple[str, int]] = []
        for group, members in groupby(column.group for column in self.columns):
            size = len(list(members))
            bundles += [(group, size)] if group else [("", 1)] * size
        return bundles if any(group for group, _ in bundles) else []

    @property
    def rows(self) -> list[tuple[tuple[str, str], ...]]:
        """Cells as texts, each with the kind of its column."""
        columns = ([(text, column.kind) for text in column.texts] for column in self.columns)
        return list(zip(*columns, strict=True))

    @property
    def rules(self) -> list[str]:
        """From which to which column each group reaches."""
        ends = list(accumulate((size for _, size in self.groups)))
        groups = zip(self.groups, ends, strict=True)
        return [f"{end - size + 1}-{end}" for (group, size), end in groups if group]

    @property
    def tex_rows(self) -> Iterator[str]:
        yield from map(" & ".join, zip(*(column.tex_cells for column in self.columns), strict=True))


def shown(part: dict[str, Any]) -> ShownTable:
    """How a kept table is printed: without columns that have nothing in them."""
    rows, names = part["rows"], part["columns"]
    is_uncut = any(name in UNCUT for name in names[:2]) and "doc_id" not in names
    most = MAX_ROWS if is_uncut else MAX_OTHER_ROWS
    kept = rows[:most] if len(rows) > MAX_ROWS_IN_TEXT else rows
    filled = [place for place in range(len(names)) if not kept or any(r[place] != "" for r in kept)]
    decimals, numeric = cells.decimals(part), cells.numeric(part)
    texts = [cells.texts(row, part, decimals) for row in kept]
    columns = [
        Column(*head, [row[place] for row in texts], numeric[place])
        for place, head in zip(filled, printed(part, [names[n] for n in filled]), strict=True)
    ]
    return ShownTable(columns, len(kept), len(rows), part.get("feet", 0))
