"""What all parts of a study share: the site that has it, and its address there."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import pandas as pd

from magnitudes.connection import Connection


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


def framed(rows: Sequence[dict[str, Any]], index: str = "") -> pd.DataFrame:
    """Rows as a data frame, perhaps by one of their columns."""
    frame = pd.DataFrame(rows)
    if not index:
        return frame
    return frame.set_index(index) if rows else pd.DataFrame(index=pd.Index([], name=index))


def in_address(name: str) -> str:
    """A worker's or a topic's name as addresses have it."""
    return quote(name, safe="").replace(".", "%2E").replace("~", "%7E").replace("%", "~")
