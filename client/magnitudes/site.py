"""A site that has collections and studies: what one asks it for, and what one brings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from magnitudes.connection import Connection
from magnitudes.imports import chosen, outcome
from magnitudes.part import framed
from magnitudes.study import Study
from magnitudes.tables import read_config
from magnitudes.uploads import Files, Progress, silent

REFERENCE = "reference"


class Site(Connection):
    """A site with studies, as somebody with a token sees it."""

    def studies(self) -> pd.DataFrame:
        """The studies that one may see, a row each, by their slugs."""
        return framed(self.rows("studies/"), "slug")

    def collections(self) -> pd.DataFrame:
        """The collections that one may see, a row each, by their slugs."""
        return framed(self.rows("collections/"), "slug")

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
