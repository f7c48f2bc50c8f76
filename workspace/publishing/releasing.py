"""A folder to publish with a paper."""

import re
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from accounts.models import User
from evaluation import pipeline
from evaluation.pages import rankings
from evaluation.publishing import exports, named_gains
from evaluation.publishing.exports import CannotExport
from evaluation.publishing.whole_qrels import whole_qrels
from judging.models import Document, Study
from judging.studies.trail import record
from magnitudes.gains import GainError
from web import formats
from web.files import File, zipped
from web.snapshots import snapshot
from workspace.publishing import describing
from workspace.publishing.anonymous import Anonymous
from workspace.publishing.describing import Described, Qrels

CHECKSUMS = "SHA256SUMS"


class CannotRelease(ValueError):
    """A study cannot be released so; the message says why."""


@dataclass(frozen=True)
class ReleaseOptions:
    """Attributes:
    gains: beside those that the study's systems are ranked by.
    authors: the names to cite.
    licence: its SPDX identifier, one of `describing.LICENCES`; or nothing.
    others: a topic's judgments are left out unless so many others judged it beside each worker.
    """

    gains: tuple[str, ...] = ()
    justifications: bool = False
    authors: tuple[str, ...] = ()
    licence: str = ""
    others: int = 0


def release(study: Study, options: ReleaseOptions, *, by: User | None) -> Iterator[File]:
    """The files of a release, SHA256SUMS last, each made while it is read.

    Workers are renumbered at random, times are days; no ids of platforms, no pseudonyms, and no
    texts of topics and documents unless the collection is marked as free to share.
    """
    if study.rehearsal_of_id:
        raise CannotRelease(f"{study} is a rehearsal: its judgments are not published.")
    for gain in options.gains:
        try:
            named_gains.named(study, gain)
            exports.file(study, "qrels", "trec", gains=gain)
        except (GainError, CannotExport) as fault:
            raise CannotRelease(str(fault)) from fault
    if next(exports.lines(study, "qrels", "trec"), None) is None:
        raise CannotRelease(f"Study {study} has no judgments that count yet.")
    gains, justifications = list(options.gains), options.justifications
    record(study, by, "made a release", gains=gains, justifications=justifications)
    return _with_checksums(study, options)


def as_zip(study: Study, files: Iterable[File]) -> Iterator[bytes]:
    return zipped(File(f"{study.slug}/{file.path}", file.pieces) for file in files)


def write(files: Iterable[File], folder: Path) -> int:
    """Write a release to a new folder; returns the number of files."""
    folder.mkdir(parents=True)
    number = 0
    for file in files:
        path = folder / file.path
        path.parent.mkdir(exist_ok=True)
        with path.open("wb") as target:
            target.writelines(file.pieces)
        number += 1
    return number


def _with_checksums(study: Study, options: ReleaseOptions) -> Generator[File, None, None]:
    hashes: dict[str, _Hashed] = {}
    with snapshot(), closing(_files(study, options)) as files:
        for file in files:
            hashes[file.path] = _Hashed(file.pieces)
            yield File(file.path, hashes[file.path])
    lines = [f"{hashed.digest.hexdigest()}  {path}\n" for path, hashed in sorted(hashes.items())]
    yield File(CHECKSUMS, [line.encode() for line in lines])


class _Hashed:
    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = pieces
        self.digest = sha256()

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            self.digest.update(piece)
            yield piece


def _files(study: Study, options: ReleaseOptions) -> Generator[File, None, None]:
    workers = Anonymous(study, justifications=options.justifications, others=options.others)
    yield _csv("judgments.csv", workers.columns, workers.judgments())
    yield _csv("crowdkit.csv", exports.EXPORTS["crowdkit"].columns, workers.crowdkit())
    usual = named_gains.usual(study)
    qrels = []
    for gain in dict.fromkeys((usual, *options.gains)):
        name = re.sub(r"[^\w.]+", "-", gain)
        for file, of_gain in _qrels(study, gain, name):
            qrels.append(of_gain)
            yield file
        rows = exports.lines(study, "rankings", "csv", gains=gain)
        yield File(f"rankings/{name}.csv", map(str.encode, rows))
        for measure in pipeline.measures(study)[:1]:
            if (ranking := rankings.ranking(study, measure, gain))["results"]:
                yield File(f"rankings/{name}.svg", [rankings.figure(study, ranking).encode()])
    yield File("runs.txt", [f"{tag}\n".encode() for tag in _tags(study)])
    if study.collection.free_to_share:
        yield from _texts(study)
    described = Described(
        *(options.authors, options.licence, workers.columns, qrels),
        left_out=workers.left_out,
        others=options.others,
    )
    yield from describing.files(study, described)


def _csv(path: str, columns: tuple[str, ...], rows: Iterable[list[object]]) -> File:
    return File(path, map(str.encode, formats.csv_lines(columns, rows)))


def _qrels(study: Study, gain: str, name: str) -> Iterator[tuple[File, Qrels]]:
    """Gains as they are, and if these are no whole numbers, also rounded for other tools."""
    table = exports.file(study, "qrels", "trec", gains=gain)
    ending, whole = whole_qrels(study, gain)
    file = File(f"qrels/{name}.txt", map(str.encode, table.lines))
    yield file, Qrels(file.path, gain, not ending, table.remarks)
    if ending:
        file = File(f"qrels/{name}-{ending}.txt", map(str.encode, whole.lines))
        stands = tuple(f"level {level}: {value}" for level, value in whole.gain_of_level.items())
        yield file, Qrels(file.path, gain, True, whole.remarks + stands)


def _tags(study: Study) -> Iterable[str]:
    return study.collection.runs.order_by("tag").values_list("tag", flat=True)


def _texts(study: Study) -> Iterator[File]:
    names = ("query_id", "title", "description", "narrative", "language")
    topics = study.topics.order_by("topic__query_id")
    rows = topics.values_list(*(f"topic__{name}" for name in names))
    yield File("topics.jsonl", map(str.encode, formats.jsonl(names, rows)))
    texts = Document.objects.filter(pooleddocument__study_topic__study=study)
    columns = ("doc_id", "title", "text", "language")
    of_document = texts.order_by("doc_id").distinct().values_list(*columns)
    lines = formats.jsonl(columns, of_document.iterator())
    yield File("documents.jsonl", map(str.encode, lines))
