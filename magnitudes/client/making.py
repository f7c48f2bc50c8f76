"""Making a study: its settings and topics, its plan, and what keeps it from being opened."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from magnitudes.client.part import Part, framed, in_address
from magnitudes.client.problems import Refused
from magnitudes.client.tables import read_config, topic_tables

PLAN_SECONDS = 1.0  # between two looks at a plan that is being made


class Making(Part):
    """What is set up for a study."""

    def settings(self) -> dict[str, Any]:
        """Its settings, as they are now."""
        settings: dict[str, Any] = self._get("")
        return settings

    def change(self, **settings: Any) -> None:
        """Change settings, by their names in a study.toml; of an open study a few."""
        self.site.send("PATCH", self._path, json=settings)

    def config(self) -> dict[str, Any]:
        """All that its study.toml says, topics included."""
        config: dict[str, Any] = self._get("config/")
        return config

    def configure(self, config: str | Path | Mapping[str, Any]) -> None:
        """Give a draft all that a study.toml says, in the place of what was set."""
        self.site.send("PUT", f"{self._path}config/", json={"config": read_config(config)})

    def topics(self) -> pd.DataFrame:
        """Its topics, by query_id: title, anchors, question, options, answer, pool if listed."""
        return framed(self._get("topics/"), "query_id")

    def choose_topics(self, query_ids: Sequence[str]) -> None:
        """Let a draft cover these topics of its collection and no others."""
        self.site.send("PUT", f"{self._path}topics/", json={"query_ids": list(query_ids)})

    def change_topics(self, table: pd.DataFrame) -> None:
        """Set questions, anchors and pools of a draft's topics; all or nothing.

        Args:
            table: a row for each topic that is to change. query_id is a column or the index;
                others are question, options or option_1 to option_4, answer, answer_sentence,
                h_k, n_k, documents. What is missing in a cell stays as it is.

        Raises:
            ValueError: the table has other columns, or a topic twice.
            Refused: with everything that is wrong.
        """
        self.site.send("PATCH", f"{self._path}topics/", json={"topics": topic_tables(table)})

    def pools(self, *depths: int, pool_by: str | None = None) -> pd.DataFrame:
        """What pools of several depths take, by depth: documents, units, and what they leave.

        The columns from `unjudged@5` on are the shares of each run's first documents that nobody
        would judge, a mean over runs.
        """
        asked = ",".join(map(str, depths)) or None
        pools = self._get("pool-depths/", depths=asked, pool_by=pool_by)
        return framed([_flat(pool) for pool in pools], "depth")

    def proposals(self, query_id: str) -> pd.DataFrame:
        """Documents that labels propose as anchors of a topic, the fittest of each first."""
        answer = self._get(f"topics/{in_address(query_id)}/proposals/")
        rows = [{"anchor": name, **row} for name in ("h_k", "n_k") for row in answer[name]]
        return pd.DataFrame(rows, columns=["anchor", "doc_id", "level", "runs", "title", "words"])

    def take_anchors(self) -> list[str]:
        """Give topics without anchors the first proposals; the topics for which there are none."""
        without: list[str] = self._do("take-anchors")["without"]
        return without

    def accept_anchors(self, query_id: str, reason: str) -> None:
        """Accept a topic's anchors that labels contradict; reason: who has read them, and why."""
        self._do(f"topics/{in_address(query_id)}/accept-anchors", anchors_reason=reason)

    def plan(
        self, *, depth: int | None = None, pool_by: str | None = None, seed: int | None = None
    ) -> pd.Series[Any]:
        """Pool documents, draw anchors where none are named, and draw the units; wait for it.

        Args:
            depth, pool_by: in the place of the settings.
            seed: gives the same plan again.

        Returns:
            seed, documents, units, largest_topic, workers, warnings.

        Raises:
            Refused: it cannot be planned, as topics have no anchors or too few documents.
        """
        job = self._do("plan", depth=depth, pool_by=pool_by, seed=seed)
        while job["state"] in ("waiting", "computing"):
            time.sleep(PLAN_SECONDS)
            job = self._get("plan/")
        if job["fault"]:
            raise Refused(409, {"title": "Conflict", "detail": job["fault"]})
        return pd.Series(job["result"], dtype=object)

    def discard_plan(self) -> None:
        """Delete the units, so that what they were made of can change."""
        self.site.send("DELETE", f"{self._path}plan/")

    def costs(self) -> pd.Series[Any]:
        """Documents, units, workers, hours and money; before there is a plan too."""
        return pd.Series(self._get("costs/"), dtype=object)

    def missing(self) -> pd.DataFrame:
        """What keeps it from being opened, a row each; none if nothing does."""
        return pd.DataFrame(self._get("missing/"), columns=["what", "step", "query_id"])

    def warnings(self) -> pd.DataFrame:
        """What may be wrong, though it keeps the study from nothing."""
        return pd.DataFrame(self._get("warnings/"), columns=["what", "step", "query_id"])

    def rename(self, slug: str | None = None, title: str | None = None) -> None:
        """Give it another name in addresses, another title, or both."""
        self._do("rename", slug=slug, title=title)
        self.slug = slug or self.slug

    def delete(self, typed: str = "") -> None:
        """Delete it with all that hangs on it; where people have judged, type its name again."""
        self.site.send("DELETE", self._path, params={"typed": typed} if typed else {})


def _flat(pool: Mapping[str, Any]) -> dict[str, Any]:
    shares = zip(pool["cutoffs"], pool["unjudged"], strict=False)  # no shares without runs
    counts = {name: pool[name] for name in ("depth", "documents", "units")}
    return counts | {f"unjudged@{cutoff}": share for cutoff, share in shares}
