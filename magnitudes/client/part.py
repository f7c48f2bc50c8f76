"""What all parts of a study share: the site that has it, and its address there."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote

import pandas as pd

from magnitudes.client.connection import Connection

# Numbers that may be missing in all rows of an answer.
WHOLE = frozenset(("batch", "pasted_characters"))
REAL = frozenset(("hidden_seconds", "visible_seconds"))

Moment = str | datetime


class Part:
    """A study of a site, by its slug."""

    def __init__(self, site: Connection, slug: str) -> None:
        self.site = site
        self.slug = slug

    @property
    def _path(self) -> str:
        return f"studies/{self.slug}/"

    def _get(self, below: str, **parameters: Any) -> Any:
        return self.site.get(self._path + below, **parameters)

    def _rows(self, below: str, **parameters: Any) -> list[dict[str, Any]]:
        return self.site.rows(self._path + below, **parameters)

    def _do(self, verb: str, **body: Any) -> Any:
        return self.site.do(f"{self._path}{verb}/", **body)


def between(since: Moment | None, until: Moment | None) -> dict[str, str | None]:
    """Two moments as parameters of a list.

    Raises:
        ValueError: one has no time zone.
    """
    return {"since": _as_text(since), "until": _as_text(until)}


def _as_text(moment: Moment | None) -> str | None:
    if isinstance(moment, datetime) and moment.tzinfo is None:
        raise ValueError(f"{moment} has no time zone: expected one, such as tzinfo=timezone.utc")
    return moment.isoformat() if isinstance(moment, datetime) else moment


def framed(rows: Sequence[dict[str, Any]], index: str = "") -> pd.DataFrame:
    """Rows as a data frame, perhaps by one of their columns.

    Moments are datetime64 in UTC. Whole numbers are integers, and Int64 where some are missing.
    """
    frame = pd.DataFrame(rows)
    for name in frame.columns:
        frame[name] = _typed(str(name), frame[name], [row.get(str(name)) for row in rows])
    if not index:
        return frame
    return frame.set_index(index) if rows else pd.DataFrame(index=pd.Index([], name=index))


def _typed(name: str, column: pd.Series[Any], values: list[Any]) -> pd.Series[Any]:
    """A column with the type of its values, as JSON has them; None is a missing value."""
    there = [value for value in values if value is not None]
    if name == "at" or name.endswith("_at"):
        return pd.to_datetime(column, utc=True, format="ISO8601")
    if name in WHOLE or (there and all(type(value) is int for value in there)):
        whole = pd.Series(values, index=column.index, dtype="Int64")
        return whole if whole.hasnans else whole.astype("int64")
    return column.astype(float) if name in REAL else column


def in_address(name: str) -> str:
    """A worker's or a topic's name as addresses have it."""
    return quote(name, safe="").replace(".", "%2E").replace("~", "%7E").replace("%", "~")
