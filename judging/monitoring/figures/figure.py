"""A figure: a sentence, its data, and its drawing."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.html import format_html_join
from django.utils.safestring import SafeString

Row = tuple[Any, ...]


@dataclass(frozen=True)
class Figure:
    """One figure: `columns` and `rows` are its data, `draw` makes its picture."""

    name: str  # in addresses
    sentence: str
    columns: tuple[str, ...]
    rows: list[Row]
    draw: Callable[[], str]
    until: datetime | None = None  # what happened later is not in it; None: all is

    @property
    def svg(self) -> str:
        return self.draw()

    @property
    def headings(self) -> list[str]:
        """The columns for reading."""
        return [name.replace("_", " ") for name in self.columns]

    @property
    def shown(self) -> list[list[str]]:
        """The data for reading."""
        return [[_shown(value) for value in row] for row in self.rows]

    @property
    def body(self) -> SafeString:
        """The data for reading as rows of HTML: a template takes far longer for so many cells."""
        cells = "<td>{}</td>" * len(self.columns)
        return format_html_join("", f"<tr>{cells}</tr>", self.shown)


def _shown(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    return f"{value:,.4g}" if isinstance(value, float) else str(value)
