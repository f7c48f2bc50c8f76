"""Tables in and out: NumPy columns of our own, or frames of pandas, polars and Arrow by narwhals.

narwhals (the extra `frames`) is imported when somebody hands in such a frame, and not before.
"""

import csv
import io
import os
from collections import namedtuple
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Columns = dict[str, NDArray[Any]]
Path: TypeAlias = "str | os.PathLike[str]"
Plain: TypeAlias = "Path | Mapping[Any, Any] | Frame | Sequence[Path] | NDArray[Any]"
_SHOWN = 10  # rows of a frame
_MISSING = "is a frame, which needs narwhals: pip install 'magnitudes[frames]'"


class Frame:
    """Columns of one length by name, as NumPy arrays.

    >>> frame = Frame({"run": ["a", "b"], "value": [0.5, 0.25]})
    >>> frame
    run  value
    a      0.5
    b     0.25
    >>> len(frame), frame["value"].max(), [row.run for row in frame]
    (2, np.float64(0.5), ['a', 'b'])
    """

    def __init__(self, columns: Mapping[str, ArrayLike]) -> None:
        self._columns = {name: np.asarray(column) for name, column in columns.items()}
        lengths = {name: column.shape for name, column in self._columns.items()}
        if len(set(lengths.values())) > 1 or any(len(shape) != 1 for shape in lengths.values()):
            raise ValueError(f"columns must be lists of one length, not {lengths}")

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._columns)

    def __getitem__(self, name: str) -> NDArray[Any]:
        try:
            return self._columns[name]
        except KeyError:
            raise KeyError(f"no column {name!r}; there are {', '.join(self._columns)}") from None

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), ()))

    def __iter__(self) -> Iterator[Any]:
        """Rows, as named tuples of Python's own values."""
        row = namedtuple("Row", self.columns, rename=True)  # type: ignore[misc]
        return map(
            row._make, zip(*(column.tolist() for column in self._columns.values()), strict=True)
        )

    def __repr__(self) -> str:
        """The first rows as a table, numbers to the right, floats to four digits."""
        cells = [[name, *map(_shown, self[name][:_SHOWN].tolist())] for name in self.columns]
        widths = [max(map(len, column)) for column in cells]
        right = [self[name].dtype.kind in "iuf" for name in self.columns]
        lines = [
            "  ".join(
                cell.rjust(width) if number else cell.ljust(width)
                for cell, width, number in zip(row, widths, right, strict=True)
            ).rstrip()
            for row in zip(*cells, strict=True)
        ]
        more = [f"... {len(self):,} rows"] if len(self) > _SHOWN else []
        return "\n".join(lines + more)

    def to_csv(self, file: "Path | None" = None) -> str:
        """As CSV with a header, numbers in full; also written to a file if one is named."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(self)
        if file is not None:
            with open(file, "w", encoding="utf-8", newline="") as opened:  # noqa: PTH123
                opened.write(out.getvalue())
        return out.getvalue()

    def to_pandas(self) -> Any:
        """As a frame of pandas, which must be there."""
        import pandas as pd

        return pd.DataFrame({name: self[name] for name in self.columns})

    def to_polars(self) -> Any:
        """As a frame of polars, which must be there."""
        import polars as pl

        return pl.DataFrame({name: self[name] for name in self.columns})


def _shown(cell: object) -> str:
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)


def is_path(source: object) -> bool:
    return isinstance(source, str | os.PathLike)


def is_own(source: object) -> bool:
    """Whether this is nothing that narwhals would know."""
    own = Frame, Mapping, np.ndarray, list, tuple
    return is_path(source) or isinstance(source, own)


def columns_of(source: Any, name: str) -> Columns:
    """The columns of a frame, of a structured array, or of a dict of columns.

    Raises:
        TypeError: `source`, called `name`, is none of these.
        ImportError: it may be a frame, and narwhals is not there.
    """
    if isinstance(source, Frame):
        return dict(source._columns)
    if isinstance(source, np.ndarray) and source.dtype.names:
        return {column: source[column] for column in source.dtype.names}
    if isinstance(source, Mapping):
        return dict(Frame(source)._columns)
    kind = type(source).__name__
    kinds = "a path, a dict, columns, or a frame of pandas, polars or Arrow"
    if is_own(source):
        raise TypeError(f"{name}: a value of the type {kind}; expected {kinds}")
    try:
        import narwhals as nw
    except ImportError:
        raise ImportError(f"{name}: a value of the type {kind} {_MISSING}") from None
    try:
        frame = nw.from_native(source, eager_only=True)
    except TypeError:
        lazy = "; collect() a lazy one first" if hasattr(source, "collect") else ""
        raise TypeError(f"{name}: a value of the type {kind}; expected {kinds}{lazy}") from None
    return {column: frame[column].to_numpy() for column in frame.columns}


def is_column(source: object) -> bool:
    """Whether this is one column, of a dict of columns."""
    return isinstance(source, list | tuple) or len(getattr(source, "shape", ())) == 1


def with_column(source: Any, given: Columns, name: str, values: ArrayLike) -> Any:
    """A table with one more column: the frame itself if it is one, else as a `Frame`."""
    if is_own(source):
        return Frame({**given, name: values})
    import narwhals as nw

    frame = nw.from_native(source, eager_only=True)
    column = nw.new_series(name, values, backend=frame.implementation)
    return frame.with_columns(column).to_native()


def like(sources: Iterable[Any], columns: Mapping[str, ArrayLike]) -> Any:
    """Columns as a frame of the kind of the first source that is one, else as a `Frame`."""
    for source in sources:
        if not is_own(source):
            import narwhals as nw

            backend = nw.from_native(source, eager_only=True).implementation
            lists = {name: np.asarray(column).tolist() for name, column in columns.items()}
            return nw.from_dict(lists, backend=backend).to_native()
    return Frame(columns)
