"""One study: its judgments, its gains and its rankings as data frames."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pandas as pd

if TYPE_CHECKING:
    from magnitudes.site import Site

QRELS = {"query_id": str, "iteration": str, "doc_id": str, "relevance": float}


class Study:
    """A study of a site."""

    def __init__(self, site: Site, slug: str) -> None:
        self.site = site
        self.slug = slug
        self._path = f"studies/{slug}/"

    def __repr__(self) -> str:
        return f"Study({self.slug!r})"

    def settings(self) -> dict[str, Any]:
        """Its settings, as they are now."""
        settings: dict[str, Any] = self.site.get(self._path)
        return settings

    def progress(self) -> pd.Series[Any]:
        """How far it has come: units by state, judgments, workers."""
        return pd.Series(self.site.get(f"{self._path}progress/"))

    def qrels(self, **options: Any) -> pd.DataFrame:
        """The gains of all judged documents: query_id, iteration, doc_id, relevance.

        Args:
            options: gains, normalisation, aggregation, integers or levels, as REST has them.
        """
        text = self.site.text(f"{self._path}qrels/", file_format="csv", **options)
        return pd.read_csv(io.StringIO(text), dtype=QRELS, keep_default_na=False)

    def judgments(self, **which: Any) -> pd.DataFrame:
        """Every judgment of completed units.

        Args:
            which: query_id or worker, to have those alone.
        """
        return pd.DataFrame(self.site.rows(f"{self._path}judgments/", **which))

    def units(self) -> pd.DataFrame:
        """Every attempt at a unit: who, when, how far, what became of it."""
        return pd.DataFrame(self.site.rows(f"{self._path}units/"))

    def failures(self) -> pd.DataFrame:
        """Every failed check."""
        return pd.DataFrame(self.site.rows(f"{self._path}failures/"))

    def rankings(self, measure: str | None = None, gains: str | None = None) -> pd.DataFrame:
        """The systems, best first: rank, mean, its 95% interval, share judged, missing topics.

        `attrs` of the frame has what it is from: measure, gains, crowd, source.
        """
        answer = self._ranking(measure, gains)
        return _framed(answer).drop(columns="topics")

    def values(self, measure: str | None = None, gains: str | None = None) -> pd.DataFrame:
        """The value of every system on every topic: topics by systems, the best system first."""
        answer = self._ranking(measure, gains)
        columns = {
            system["run"]: {topic["query_id"]: topic["value"] for topic in system["topics"]}
            for system in answer["results"]
        }
        frame = pd.DataFrame(columns)
        frame.index.name, frame.columns.name = "query_id", "run"
        frame.attrs.update(_source(answer))
        return frame

    def _ranking(self, measure: str | None, gains: str | None) -> dict[str, Any]:
        answer: dict[str, Any] = self.site.get(
            f"{self._path}rankings/", measure=measure, gains=gains
        )
        return answer


def _framed(answer: dict[str, Any]) -> pd.DataFrame:
    frame = pd.DataFrame(answer["results"]).set_index("run")
    frame.attrs.update(_source(answer))
    return frame


def _source(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if name != "results"}
