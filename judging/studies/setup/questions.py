"""Questions and anchors from a table of their own, beside the study.toml."""

from pathlib import Path
from typing import Any

from judging.studies.faults import BadStudy
from trec.containers.archives import Source, open_members
from trec.questions import Settings, read_questions


def with_questions(config: dict[str, Any], path: str | Path, encoding: str = "") -> dict[str, Any]:
    """The content of a study.toml, its tables of topics filled from the table at `path`.

    The study covers the topics that either of them lists. `create_study` then checks all by the
    same rules, whatever its source.

    Raises:
        BadFile: the table cannot be read; it says where.
        UnknownEncoding: there is no such encoding.
        BadStudy: both say something of a topic, as of its question.
    """
    tables = config.get("topics", {})
    if not isinstance(tables, dict):
        return config  # create_study refuses it
    merged = dict(tables)
    twice = []
    for query_id, settings in read_tables(path, encoding).items():
        in_config = merged.get(query_id, {})
        if not isinstance(in_config, dict):
            continue
        twice += [f"Topic {query_id}: {name}" for name in settings if name in in_config]
        merged[query_id] = {**in_config, **settings}
    if twice:
        raise BadStudy(*(f"{what} stands in the study.toml and in {path}." for what in twice))
    return {**config, "topics": merged}


def read_tables(path: Source, encoding: str = "") -> dict[str, Settings]:
    """The settings of each topic in the table at `path`, as a study.toml would have them.

    Raises:
        BadFile: the table cannot be read; it says where.
        UnknownEncoding: there is no such encoding.
    """
    tables: dict[str, Settings] = {}
    for member in open_members([path], encoding=encoding):
        tables |= read_questions(member)
    return tables
