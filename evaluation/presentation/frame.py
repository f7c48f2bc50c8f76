"""Named columns of one length: a frame is a table, the marks of a figure, and the rows of a file.

An analysis declares each column once, with what people read above it and what it means; from there
it comes into the table, its notes, the picture, what a mark says, CSV, JSON and TeX.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from string import Formatter
from types import SimpleNamespace
from typing import Any

import numpy as np

from evaluation.presentation.parts import Figure, Row, Table, correlation, number, percent
from magnitudes.measures.names import short
from web.drawing.charts import Chart

Label = str | Callable[[SimpleNamespace], str]
ROWS = "rows"  # what a chart is drawn on, unless it says otherwise


@dataclass(frozen=True)
class Column:
    """A quantity of each row.

    head: what people read above it; made of the name if empty. note: what it means, and how it is
    computed: a note of the table. panel: its heading in a figure of panels; empty: in none.
    limits: between which numbers an end of an interval can lie.
    """

    values: Sequence[Any] | np.ndarray[Any, Any] = ()
    head: str = ""
    note: str = ""
    panel: str = ""
    limits: tuple[float, float] | None = None

    def __getitem__(self, places: Any) -> "Column":
        return replace(self, values=as_array(self.values)[places])


def as_array(values: Any) -> np.ndarray[Any, Any]:
    """Values as an array; of anything but numbers and truths an array of objects."""
    array = np.asarray(values)
    return array if array.dtype.kind in "fiub" else np.asarray(values, dtype=object)


class _Words(Formatter):
    """Numbers and measures in a label are written as in sentences, unless a format is given.

    The formats `tau` and `percent` are those of sentences, too.
    """

    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec == "tau":
            return correlation(value, 3)
        if format_spec == "percent":
            return percent(value)
        if isinstance(value, float) and not format_spec:
            return number(value)
        return short(str(super().format_field(value, format_spec)))


WORDS = _Words()


@dataclass(frozen=True)
class Frame:
    """Columns by name, all of one length: arrays of numbers or of objects."""

    columns: Mapping[str, Column] = field(default_factory=dict)

    @classmethod
    def of(cls, **columns: Any) -> "Frame":
        """A frame of columns, or of their values alone.

        >>> Frame.of(topic=["1", "2"], alpha=np.array([0.5, 0.25])).where([1]).rows
        [('2', 0.25)]
        """
        return cls({name: _column(given) for name, given in columns.items()})

    @classmethod
    def of_rows(cls, names: str | Iterable[str], rows: Iterable[Sequence[Any]]) -> "Frame":
        """A frame of rows; names: of its columns, divided by blanks if they are one text."""
        listed = names.split() if isinstance(names, str) else list(names)
        every = list(zip(*rows, strict=True)) or [() for _ in listed]
        return cls.of(**dict(zip(listed, every, strict=True)))

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())).values) if self.columns else 0

    def __getitem__(self, name: str) -> np.ndarray[Any, Any]:
        return as_array(self.columns[name].values)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.columns)

    @property
    def heads(self) -> dict[str, str]:
        """What people read above the columns that say so."""
        return {name: column.head for name, column in self.columns.items() if column.head}

    @property
    def rows(self) -> list[Row]:
        lists = (as_array(column.values).tolist() for column in self.columns.values())
        return list(zip(*lists, strict=True))

    def __iter__(self) -> Iterator[SimpleNamespace]:
        """Rows whose values go by the names of the columns."""
        return (SimpleNamespace(**dict(zip(self.names, row, strict=True))) for row in self.rows)

    def where(self, places: Any) -> "Frame":
        """The rows at these places, or where a mask is true, in this order."""
        chosen = np.asarray(places)
        chosen = chosen if chosen.size else chosen.astype(np.int64)
        return Frame({name: column[chosen] for name, column in self.columns.items()})

    def first(self, n: int) -> "Frame":
        return self.where(np.arange(min(n, len(self))))

    def sorted_by(self, key: Any, *, descending: bool = False) -> "Frame":
        """Sorted by a column, or by values; equal ones stay as they are, and NaN comes last."""
        values = self[key] if isinstance(key, str) else np.asarray(key)
        return self.where(np.argsort(-values if descending else values, kind="stable"))

    def of_columns(self, *names: str) -> "Frame":
        return Frame({name: self.columns[name] for name in names})

    def with_columns(self, **columns: Any) -> "Frame":
        added = {name: _column(given) for name, given in columns.items()}
        return Frame({**self.columns, **added})

    def followed_by(self, *others: "Frame") -> "Frame":
        """The rows of all, with the heads and notes of these.

        >>> Frame.of(level=[0, 1]).followed_by(Frame.of(level=["U"])).rows
        [(0,), (1,), ('U',)]
        """
        every = {
            name: [v for f in (self, *others) for v in f[name].tolist()] for name in self.names
        }
        return Frame({name: replace(self.columns[name], values=every[name]) for name in every})

    def with_heads(self, **heads: str) -> "Frame":
        """What people read above some of its columns."""
        named = {name: replace(self.columns[name], head=head) for name, head in heads.items()}
        return Frame({**self.columns, **named})

    def marks(self, label: Label = "", **fixed: Any) -> list[dict[str, Any]]:
        """Rows as a chart is drawn on them.

        label: what a mark says under the mouse, with columns in braces, or a function of a row.
        fixed: what all rows say besides.

        >>> Frame.of(topic=["7"], alpha=[0.5]).marks("topic {topic}: {alpha}")
        [{'topic': '7', 'alpha': 0.5, 'name': 'topic 7: 0.500'}]
        """
        marks = [{**vars(row), **fixed} for row in self]
        if label:
            for mark in marks:
                row = SimpleNamespace(**mark)
                text = WORDS.format(label, **mark) if isinstance(label, str) else label(row)
                mark["name"] = text
        return marks

    def table(self, name: str, title: str, *notes: str, **about: Any) -> Table:
        """notes: what is to be read besides the notes of columns; about: further fields."""
        of_columns = dict.fromkeys(each.note for each in self.columns.values() if each.note)
        limits = {key: each.limits for key, each in self.columns.items() if each.limits}
        return Table(
            name,
            title,
            self.names,
            self.rows,
            (*of_columns, *filter(None, notes)),
            heads=self.heads,
            **{"limits": limits, **about},
        )

    def figure(
        self,
        name: str,
        title: str,
        caption: str,
        chart: Chart,
        *,
        label: Label = "",
        data: Mapping[str, list[dict[str, Any]]] | None = None,
        **about: Any,
    ) -> Figure:
        """The rows of the frame are its data, and ROWS its marks unless `data` has others."""
        marks = data if data and ROWS in data else {ROWS: self.marks(label), **(data or {})}
        drawn = caption, chart, marks
        return Figure(name, title, self.names, self.rows, *drawn, heads=self.heads, **about)


def _column(given: Any) -> Column:
    return given if isinstance(given, Column) else Column(given)
