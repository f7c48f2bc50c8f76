"""A site that has collections and studies: what one asks it for, and what one brings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from magnitudes.client.connection import Connection
from magnitudes.client.imports import chosen, outcome
from magnitudes.client.part import framed
from magnitudes.client.study import Study
from magnitudes.client.tables import read_config
from magnitudes.client.uploads import File, Files, Progress, silent, upload

REFERENCE = "reference"


class Site(Connection):
    """A site with studies, as somebody with a token sees it."""

    def studies(
        self,
        *,
        stage: str | None = None,
        collection: str | None = None,
        title: str | None = None,
        ordering: str | None = None,
    ) -> pd.DataFrame:
        """The studies that one may see, a row each, by their slugs, with their progress.

        Args:
            title: part of it. ordering: created_at, slug or title; -title turns it round.
        """
        asked = {"stage": stage, "collection": collection, "title": title, "ordering": ordering}
        return framed([_with_progress(row) for row in self.rows("studies/", **asked)], "slug")

    def collections(self, *, slug: str | None = None, ordering: str | None = None) -> pd.DataFrame:
        """The collections that one may see, a row each, by their slugs.

        Args:
            slug: part of it. ordering: created_at or slug; -slug turns it round.
        """
        return framed(self.rows("collections/", slug=slug, ordering=ordering), "slug")

    def imports(
        self,
        *,
        state: str | None = None,
        what: str | None = None,
        collection: str | None = None,
        ordering: str | None = None,
    ) -> pd.DataFrame:
        """One's own imports, a row each, by their ids, and what became of each."""
        asked = {"state": state, "what": what, "collection": collection, "ordering": ordering}
        return framed(self.rows("imports/", **asked), "id")

    def study(self, slug: str) -> Study:
        """One study; Refused where there is none that one may see."""
        self.get(f"studies/{slug}/")
        return Study(self, slug)

    def import_collection(
        self,
        slug: str,
        *,
        topics: Files = (),
        documents: Files = (),
        qrels: Files | Mapping[str, Files] = (),
        runs: Files = (),
        make_topics: bool = False,
        encoding: str = "",
        progress: Progress = silent,
    ) -> pd.Series[Any]:
        """Send files, have them imported into a collection, and wait for it; all or nothing.

        Args:
            slug: of the collection, which is made if there is none.
            topics, documents, qrels, runs: paths of files or folders, or data frames.
            qrels: labels; of several sets, by their names.
            make_topics: of the numbers in labels and runs, where topics are missing.
            encoding: of the files, if not UTF-8.
            progress: is told sentences on the way, as `print` is.

        Returns:
            What was imported: counts, and what was left out.

        Raises:
            Refused: a file is not taken, or the collection is not yours to change.
            ImportFailed: a file holds what it should not.
        """
        how: dict[str, Any] = {"encoding": encoding, "progress": progress}
        files = [
            row
            for kind, given in (("topics", topics), ("documents", documents), ("runs", runs))
            for row in chosen(self, kind, given, **how)
        ]
        sets = qrels if isinstance(qrels, Mapping) else {REFERENCE: qrels}
        for name, labels in sets.items():
            files += chosen(self, "labels", labels, labels=name, **how)
        job = self.do("imports/", collection=slug, files=files, make_topics=make_topics)
        return outcome(self, job, progress)

    def import_opinions(
        self,
        slug: str,
        file: File,
        collection: str,
        *,
        levels: Sequence[str] = (),
        values: Sequence[str] = (),
        missing: Sequence[str] = (),
        columns: Mapping[str, str] | None = None,
        gold: str | None = None,
        group: str | None = None,
        zero: float | None = None,
        title: str | None = None,
        main_aspect: str | None = None,
        replace: bool | None = None,
        encoding: str = "",
        progress: Progress = silent,
    ) -> pd.Series[Any]:
        """Create a study of magnitudes, or levels, that several people gave elsewhere.

        Args:
            slug: of the study.
            file: a table, or a data frame: worker, query_id, doc_id, label, an opinion a row.
            collection: its topics and runs; made if there is none.
            levels: their names, lowest first; none for magnitudes.
            columns: what the table calls a field, where that is not one of its usual names.
            values, missing, gold, group, zero, title, main_aspect, replace: as the command has
                them.

        Returns:
            What was imported: counts, and which column was taken for what.

        Raises:
            Refused: the options do not go together, or what they name is not there.
            ImportFailed: the table holds what it should not.
        """
        key = upload(self, file, "opinions", encoding=encoding, progress=progress)
        named = {"upload": key, "study": slug, "collection": collection}
        lists = {"levels": levels, "values": values, "missing": missing}
        how: dict[str, Any] = {name: list(given) or None for name, given in lists.items()}
        how |= {"columns": columns, "gold": gold, "group": group, "zero": zero, "title": title}
        how |= {"main_aspect": main_aspect, "replace": replace}
        return outcome(self, self.do("imports/opinions/", **named, **how), progress)

    def import_archive(
        self,
        file: str | Path,
        study: str | None = None,
        collection: str | None = None,
        progress: Progress = silent,
    ) -> pd.Series[Any]:
        """Import an archive of a study and its collection, perhaps under other names."""
        key = upload(self, file, "archive", progress=progress)
        job = self.do("imports/archive/", upload=key, study=study, collection=collection)
        return outcome(self, job, progress)

    def datasets(self) -> pd.DataFrame:
        """The data sets of ir_datasets that the site offers, by their names, with their sizes."""
        return framed(self.get("datasets/"), "name")

    def import_dataset(
        self, name: str, collection: str, progress: Progress = silent
    ) -> pd.Series[Any]:
        """Import topics, labels, and the documents that are named, of one of `datasets`."""
        job = self.do("imports/dataset/", dataset=name, collection=collection)
        return outcome(self, job, progress)

    def make_study(
        self,
        slug: str,
        collection: str,
        config: str | Path | Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> Study:
        """Make a draft of a study, on all topics of a collection unless its config names some.

        Args:
            slug: its name in addresses.
            config: a study.toml, or what one says.
            settings: by their names in a study.toml; they win over the config.

        Raises:
            Refused: with everything that is wrong.
        """
        self.do("studies/", slug=slug, collection=collection, config=read_config(config) | settings)
        return Study(self, slug)


def _with_progress(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of studies, how far it has come in columns of its own: progress_completed and so on."""
    progress = {
        f"progress_{name}": value for name, value in row["progress"].items() if name != "stage"
    }
    return {name: value for name, value in row.items() if name != "progress"} | progress
