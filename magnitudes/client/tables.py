"""Data frames and files as the site takes them."""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

OPTIONS = [f"option_{number}" for number in range(1, 5)]
OF_TOPIC = ("question", "options", *OPTIONS, "answer", "answer_sentence", "h_k", "n_k")
OF_TOPIC += ("anchors_reason", "documents")
# Columns of a study's topics that are not for change.
TOLD = ("title", "anchors_drawn", "anchors_unread")


def read_config(config: str | Path | Mapping[str, Any] | None) -> dict[str, Any]:
    """What a study.toml says, given as its path or as what was read of it."""
    if isinstance(config, str | Path):
        return tomllib.loads(Path(config).read_text(encoding="utf-8"))
    return dict(config or {})


def topic_tables(frame: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """The settings of topics, by their query_id, of a frame with a row for each.

    Raises:
        ValueError: there is no query_id, one twice, or a column that is no setting of a topic.
    """
    table = frame if frame.index.name == "query_id" else _by_topic(frame)
    table = table.drop(columns=list(TOLD), errors="ignore")
    if unknown := [str(name) for name in table.columns if name not in OF_TOPIC]:
        raise ValueError(f"no columns of topics: {unknown}; expected some of {list(OF_TOPIC)}")
    if table.index.has_duplicates:
        raise ValueError(f"topics stand twice: {sorted(table.index[table.index.duplicated()])}")
    return {
        str(query_id): dict(_settings(row))
        for query_id, row in zip(table.index, table.to_dict("records"), strict=True)
    }


def _by_topic(frame: pd.DataFrame) -> pd.DataFrame:
    if "query_id" not in frame.columns:
        raise ValueError("expected query_id as a column, or as the index")
    return frame.set_index("query_id")


def _settings(row: Mapping[Any, Any]) -> Iterator[tuple[str, Any]]:
    """The cells that are not empty; options in columns of their own become one list."""
    there = {name: cell for name, cell in row.items() if isinstance(cell, list) or pd.notna(cell)}
    options = [there.pop(name) for name in OPTIONS if name in there]
    yield from there.items()
    if options:
        yield "options", options


def documents_by_topic(frame: pd.DataFrame) -> dict[str, list[str]]:
    """Documents, of rows with a query_id and a doc_id, by topic."""
    grouped = frame.groupby("query_id", sort=False)["doc_id"]
    return {str(query_id): list(map(str, doc_ids)) for query_id, doc_ids in grouped}
