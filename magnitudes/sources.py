"""Qrels and runs, however they are handed in, as `evaluation` takes them."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from magnitudes.files.containers.archives import Member, open_members
from magnitudes.files.ids import codes, decoded
from magnitudes.files.labels import qrels as labels
from magnitudes.files.parsing.text import read_bytes
from magnitudes.files.runs import COLUMNS, Rows, checked_rows
from magnitudes.frames import is_column, is_path
from magnitudes.inputs import FINITE, GAIN, RANK, Table

ONE_RUN = "run"  # the name of a run that has none


def qrels_of(source: Any, negative: bool = False) -> labels.Qrels:
    """Labels from files, a dict, columns or a frame; `negative`: whether one may be below 0."""
    if is_path(source) or (isinstance(source, list | tuple) and all(map(is_path, source))):
        return labels.read_qrels(open_members([source] if is_path(source) else source))
    keys = "query_id", "doc_id"
    table = Table(source, "qrels", labels.COLUMNS, keys, "relevance")
    queries, documents = table.ids("query_id"), table.ids("doc_id")
    gains = table.numbers("relevance", FINITE if negative else GAIN)
    table.refuse_repeated(*keys)
    return labels.Qrels(queries, documents, gains)


def runs_of(source: Any, ranked: bool = False, name: str = "") -> Iterator[Member | Rows]:
    """Runs one by one, files as they are; `name`: what the only run of a source is called."""
    if is_path(source):
        members = open_members([source])
        yield from (_called(name, member) for member in members) if name else members
    elif isinstance(source, list | tuple):
        for each in source:
            yield from runs_of(each, ranked)
    elif isinstance(source, Mapping) and not name and _is_named(source):
        for key, each in source.items():
            yield from runs_of(each, ranked, str(key))
    else:
        yield from _rows(source, ranked, name)


def _called(name: str, member: Member) -> Rows:
    return replace(checked_rows(member.name, read_bytes(member)), tag=name)


def _is_named(source: Mapping[Any, Any]) -> bool:
    """Whether a dict has runs by name, rather than one run's queries, or columns."""
    for each in source.values():
        if not isinstance(each, Mapping):
            return not is_column(each)
        for inner in each.values():
            return isinstance(inner, Mapping) or is_column(inner)
    return False


def _rows(source: Any, ranked: bool, name: str) -> Iterator[Rows]:
    what = f"run {name}" if name else "runs"
    keys = "query_id", "doc_id"
    columns = [replace(column, required=column.name in keys) for column in COLUMNS]
    table = Table(source, what, columns, keys, "score")
    if "rank" not in table and (ranked or "score" not in table):
        raise table.missing(next(each for each in columns if each.name == "rank"))
    by_run = "run" in table and not name
    queries, documents = table.ids("query_id"), table.ids("doc_id")
    ranks = table.numbers("rank", RANK) if "rank" in table else np.zeros(len(table))
    scores = table.numbers("score") if "score" in table else 0.0 - ranks
    table.refuse_repeated(*(("run", *keys) if by_run else keys))
    runs, names = codes(table.ids("run")) if by_run else (np.zeros(len(table), np.int32), None)
    order = np.argsort(runs, kind="stable")
    ends = np.cumsum(np.bincount(runs))
    tags = [name or ONE_RUN] if names is None else decoded(names)
    for tag, part in zip(tags, np.split(order, ends[:-1]), strict=True):
        topics, query_ids = codes(queries[part])
        of = ranks[part].astype(np.int32), scores[part] + 0.0
        yield Rows(tag, decoded(query_ids), topics, documents[part], *of)
