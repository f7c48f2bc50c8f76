"""The judgments and runs of a study as files in the layout of NTCIREVAL.

    topics.txt, runs.txt      the names of all topics and runs
    TOPIC/TOPIC.rel           the judged documents of a topic: `document L2` a line
    TOPIC/TOPIC.RUN.res       what a run lists on it: a document a line, the best first

NTCIREVAL (Sakai, NTCIR) and pyNTCIREVAL (Kato) read them. Levels are whole numbers from 0. A run
that leaves a topic out has no file there.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from django.core.exceptions import SuspiciousFileOperation
from django.core.files.utils import validate_file_name

from evaluation import results
from evaluation.publishing import exports
from evaluation.publishing.exports import CannotExport
from judging import completed
from judging.collections import vocabulary
from judging.models import Study, Topic
from magnitudes.gains.whole_numbers import MOST_LEVELS

LONGEST_NAME = 255  # bytes, of a file on the usual file systems
Levels = Mapping[str, Mapping[str, int]]  # by topic and document


class Written(NamedTuple):
    """What a folder holds, and what a reader of it has to know."""

    topics: int
    runs: int
    highest: int  # level
    remarks: tuple[str, ...]
    gain_of_level: Mapping[int, float]


def write(
    study: Study, folder: Path, gains: str | None = None, levels: int | None = None
) -> Written:
    """Write all topics that have gains, and all runs, into a new folder.

    Levels are the gains if these are whole, or made of them: see `exports.qrels` for `gains` and
    `levels`.

    Raises:
        CannotExport: no gain is above 0, gains have decimals or are too large for levels, there are
            no such gains, or the name of a topic or run cannot be that of a file.
        OSError: the folder is there already, or cannot be written to.
    """
    with results.snapshot():
        qrels = exports.qrels(study, gains=gains, levels=levels)
        by_topic = _levels(study, qrels)
        keys, tags = completed.runs(study)
        _refuse_names(by_topic, tags)
        folder.mkdir(parents=True)
        _write_lines(folder / "topics.txt", by_topic)
        _write_lines(folder / "runs.txt", tags)
        missing = 0
        for topic in study.collection.topics.filter(query_id__in=by_topic):
            lists = _lists(topic, keys, tags)
            _write_topic(folder / topic.query_id, by_topic[topic.query_id], lists)
            missing += len(tags) - len(lists)
    remarks = (*qrels.remarks, *_remarks(study, by_topic, missing))
    return Written(len(by_topic), len(tags), _highest(by_topic), remarks, qrels.gain_of_level)


def _levels(study: Study, qrels: exports.Rows) -> Levels:
    by_topic: dict[str, dict[str, int]] = {}
    for row in qrels:
        if not isinstance(row["relevance"], int):
            raise CannotExport("gains have decimals; expected how many levels to make", "levels")
        by_topic.setdefault(row["query_id"], {})[row["doc_id"]] = row["relevance"]
    highest = _highest(by_topic)
    if not highest:
        raise CannotExport(f"{study} has no gain above 0: there is nothing to measure by")
    if highest > MOST_LEVELS:
        why = f"the highest gain is {highest:,}, and there can be {MOST_LEVELS} levels"
        raise CannotExport(f"{why}; expected how many to make", "levels")
    return by_topic


def _highest(by_topic: Levels) -> int:
    return max((max(of_topic.values()) for of_topic in by_topic.values()), default=0)


def _refuse_names(query_ids: Iterable[str], tags: Sequence[str]) -> None:
    longest = max(tags, key=len, default="")
    for query_id in query_ids:
        _refuse_name(query_id, f"{query_id}.{longest}.res", "topic")
    for tag in tags:
        _refuse_name(tag, tag, "run")


def _refuse_name(name: str, file: str, what: str) -> None:
    try:
        validate_file_name(name)
    except SuspiciousFileOperation as fault:
        raise CannotExport(f"no file can be named by the {what} {name}: it is a path") from fault
    if len(file.encode()) > LONGEST_NAME:
        raise CannotExport(f"the name {file} is longer than a file's may be, {LONGEST_NAME} bytes")


def _lists(topic: Topic, keys: list[int], tags: Sequence[str]) -> dict[str, list[str]]:
    """The documents of every run that lists any on a topic, in the order of evaluation."""
    doc_ids = np.array(vocabulary.read(topic), dtype=object)
    ranked = zip(tags, completed.rankings(topic.pk, keys, None), strict=True)
    return {tag: doc_ids[codes[codes >= 0]].tolist() for tag, codes in ranked if (codes >= 0).any()}


def _write_topic(
    folder: Path, levels: Mapping[str, int], lists: Mapping[str, Sequence[str]]
) -> None:
    folder.mkdir()
    rel = (f"{doc_id} L{level}" for doc_id, level in levels.items())
    _write_lines(folder / f"{folder.name}.rel", rel)
    for tag, doc_ids in lists.items():
        _write_lines(folder / f"{folder.name}.{tag}.res", doc_ids)


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    path.write_text(text, encoding="utf-8", newline="\n")


def _remarks(study: Study, by_topic: Levels, missing: int) -> list[str]:
    remarks = [f"crowd: {study.mark}"] if study.mark else []
    nothing = sum(not any(of_topic.values()) for of_topic in by_topic.values())
    if nothing:
        remarks.append(f"topics without a gain above 0, where every run has the value 0: {nothing}")
    if missing:
        remarks.append(f"files that are not there, as a run leaves out the topic: {missing}")
    return remarks
