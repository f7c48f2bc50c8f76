"""What a study gave: its judgments, gains, rankings and analyses as data frames, or as files."""

from __future__ import annotations

import io
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from magnitudes.client.part import Moment, Part, between, framed
from magnitudes.client.uploads import File, Progress, silent, upload

LOOK_SECONDS = 0.5


@dataclass(frozen=True)
class Analysis:
    """What an analysis says, and the data of its figures and tables, by their names."""

    asks: str
    says: list[str]
    tables: dict[str, pd.DataFrame]


@dataclass(frozen=True)
class Figure:
    """A picture, as SVG."""

    svg: str = field(repr=False)

    def _repr_svg_(self) -> str:
        return self.svg


class Results(Part):
    """What a study gave."""

    def progress(self) -> pd.Series[Any]:
        """How far it has come: units by state, judgments, workers."""
        return pd.Series(self._get("progress/"))

    def qrels(
        self,
        *,
        gains: str | None = None,
        normalisation: str | None = None,
        aggregation: str | None = None,
        integers: float | None = None,
        levels: int | None = None,
    ) -> pd.DataFrame:
        """The gains of all judged documents: query_id, iteration, doc_id, relevance.

        Args:
            gains, normalisation, aggregation: how gains are computed, as REST has them.
            integers: a factor; relevance is then the gain times this, rounded, as an integer.
            levels: so many levels in place of gains, as integers.
        """
        how = {"gains": gains, "normalisation": normalisation, "aggregation": aggregation}
        written = {"file_format": "csv", "integers": integers, "levels": levels}
        text = self.site.text(f"{self._path}qrels/", **how, **written)
        kind = "float64" if integers is None and levels is None else "int64"
        types = dict.fromkeys(("query_id", "iteration", "doc_id"), "str") | {"relevance": kind}
        return pd.read_csv(io.StringIO(text), dtype=types, keep_default_na=False)

    def judgments(
        self,
        *,
        query_id: str | None = None,
        worker: str | None = None,
        doc_id: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
    ) -> pd.DataFrame:
        """Every judgment of completed units, or those that fit all that is asked for.

        Args:
            since, until: when their unit was completed, from one moment to before another.
        """
        asked = {"query_id": query_id, "worker": worker, "doc_id": doc_id}
        return framed(self._rows("judgments/", **asked, **between(since, until)))

    def units(
        self,
        *,
        query_id: str | None = None,
        worker: str | None = None,
        state: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
    ) -> pd.DataFrame:
        """Every attempt at a unit: who, when, how far, what became of it.

        Args:
            since, until: when something was last done, from one moment to before another.
        """
        asked = {"query_id": query_id, "worker": worker, "state": state}
        return framed(self._rows("units/", **asked, **between(since, until)))

    def failures(
        self,
        *,
        query_id: str | None = None,
        worker: str | None = None,
        check: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
    ) -> pd.DataFrame:
        """Every failed check: of one `check`, lines, question, anchors or time, or of all."""
        asked = {"query_id": query_id, "worker": worker, "check": check}
        return framed(self._rows("failures/", **asked, **between(since, until)))

    def rankings(self, measure: str | None = None, gains: str | None = None) -> pd.DataFrame:
        """The systems, best first: rank, mean, its 95% interval, share judged, missing topics.

        `attrs` of the frame has what it is from: measure, gains, crowd, source.
        """
        answer = self._ranking(measure, gains)
        return _framed(answer).drop(columns="topics")

    def wait_for_ranking(self, seconds: float = 120) -> None:
        """Wait until there is a first ranking, which comes seconds after judgments do.

        Raises:
            TimeoutError: there is none; nothing is judged yet, or the collection has no runs.
        """
        end = time.monotonic() + seconds
        while not self._ranking(None, None)["results"]:
            if time.monotonic() > end:
                raise TimeoutError(f"{self!r} has no ranking after {seconds:g} seconds")
            time.sleep(LOOK_SECONDS)

    def rank_run(
        self,
        file: File,
        measure: str | None = None,
        gains: str | None = None,
        *,
        keep: bool = False,
        progress: Progress = silent,
    ) -> pd.DataFrame:
        """The ranking with a run of one's own among the systems; as `rankings`.

        `attrs["name"]` is what the run is called there.

        Args:
            keep: import it into the collection too, which its owner may.
        """
        key = upload(self.site, file, "run", progress=progress)
        asked = {"measure": measure, "gains": gains, "keep": keep or None}
        answer = self._do("dropped-run", upload=key, **asked)
        frame = _framed(answer.pop("ranking")).drop(columns="topics")
        frame.attrs.update(answer)
        return frame

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
        answer: dict[str, Any] = self._get("rankings/", measure=measure, gains=gains)
        return answer

    def analyses(self) -> pd.DataFrame:
        """The analyses that there are, and the question that each answers."""
        return framed(self._get("analyses/"), "name").drop(columns="url", errors="ignore")

    def analysis(
        self,
        name: str,
        *,
        labels: str | None = None,
        measure: str | None = None,
        gains: str | None = None,
        reader: str | None = None,
        first: int | str | None = None,
        tries: int | str | None = None,
    ) -> Analysis:
        """What an analysis says; computed first if it has to be, which may take minutes.

        Args:
            labels: the label set that it compares with.
            measure, gains, reader, first, tries: what it takes of these, as REST has them.

        Raises:
            Refused: there is no such analysis, or it takes no such thing.
            RuntimeError: it ended with a fault.
        """
        path = f"analyses/{name}/"
        asked = {"labels": labels, "measure": measure, "gains": gains, "reader": reader}
        asked |= {"first": _text(first), "tries": _text(tries)}
        while (answer := self._get(path, **asked))["waits"]:
            time.sleep(LOOK_SECONDS)
        if answer["fault"]:
            raise RuntimeError(f"{name}: {answer['fault']}")
        parts = {part["name"]: _rows_of(part) for part in answer["parts"]}
        return Analysis(answer["asks"], answer["says"], parts)

    def figure(
        self,
        analysis: str,
        name: str,
        *,
        labels: str | None = None,
        measure: str | None = None,
        gains: str | None = None,
        reader: str | None = None,
        first: int | str | None = None,
        tries: int | str | None = None,
    ) -> Figure:
        """A figure of an analysis, which a notebook draws; see `analysis`."""
        path = f"{self._path}analyses/{analysis}/{name}/"
        asked = {"labels": labels, "measure": measure, "gains": gains, "reader": reader}
        asked |= {"first": _text(first), "tries": _text(tries)}
        return Figure(self.site.text(path, file_format="svg", **asked))

    def files(self) -> list[str]:
        """The files that `save_file` takes, as judgments.csv."""
        return [f"{file['table']}.{file['file_format']}" for file in self._get("files/")]

    def save_file(
        self,
        name: str,
        to: str | Path,
        *,
        measure: str | None = None,
        gains: str | None = None,
        normalisation: str | None = None,
        aggregation: str | None = None,
        integers: float | None = None,
        levels: int | None = None,
        for_spreadsheet: bool = False,
    ) -> Path:
        """Save one of `files`; the options are those of REST, each for some files."""
        asked = {"measure": measure, "gains": gains, "normalisation": normalisation}
        asked |= {"aggregation": aggregation, "for": "spreadsheet" if for_spreadsheet else None}
        whole = {"integers": integers, "levels": levels}
        return self.site.save(f"{self._path}files/{name}", to, **asked, **whole)

    def save_release(
        self,
        to: str | Path,
        *,
        gains: Sequence[str] = (),
        authors: Sequence[str] = (),
        licence: str = "",
        justifications: bool = False,
    ) -> Path:
        """Save a zip to publish, in which nothing tells who judged.

        Args:
            licence: its SPDX identifier, as CC-BY-4.0; REST's description lists those known.
        """
        asked = {"gains": [*gains], "authors": [*authors], "justifications": justifications}
        asked |= {"licence": licence} if licence else {}
        return self.site.save_done(f"{self._path}release/", to, **asked)

    def save_archive(self, to: str | Path, passphrase: str = "") -> Path:
        """Save a zip of the whole study, which another site imports.

        Args:
            passphrase: encrypts platforms' ids of workers, which are left out without one.
        """
        return self.site.save_done(f"{self._path}archive-file/", to, passphrase=passphrase)


def _text(value: int | str | None) -> str | None:
    return None if value is None else str(value)


def _rows_of(part: dict[str, Any]) -> pd.DataFrame:
    return pd.DataFrame(part["rows"], columns=part["columns"])


def _framed(answer: dict[str, Any]) -> pd.DataFrame:
    frame = pd.DataFrame(answer["results"]).set_index("run")
    frame.attrs.update(_source(answer))
    return frame


def _source(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if name != "results"}
