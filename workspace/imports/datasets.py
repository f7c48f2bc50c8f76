"""Data sets of the ir_datasets library, from an operator's list, as collections.

Only the worker imports the library, which is large and may download files, and only when needed.
"""

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.conf import settings

from accounts.models import User
from judging.collections.content import pooled_ids
from judging.collections.importing import import_collection
from judging.collections.incoming import CannotImport
from judging.models import Collection
from magnitudes.files.containers.archives import StoredFile
from web import clock
from workspace.imports.importing import (
    BadImport,
    Finish,
    collection_result,
    import_progress,
    refuse_collection,
)
from workspace.models import ImportJob

LIBRARY = "ir_datasets"
PARTS = ("docs", "queries", "qrels")
TEXTS = ("text", "body", "contents", "abstract")  # what documents call theirs
MISSING = "The data set {} cannot be loaded: {}."
NOT_INSTALLED = "whoever runs the site must install the library ir_datasets"
UNREACHABLE = "its files cannot be fetched just now; try again later, or ask whoever runs the site"


@dataclass(frozen=True)
class OfferedDataset:
    """limit: the most documents, and the most topics, imported."""

    name: str
    limit: int
    documents: int | None = None  # None: the library does not say
    topics: int | None = None
    labels: int | None = None

    def __str__(self) -> str:
        counts = (("documents", self.documents), ("topics", self.topics), ("labels", self.labels))
        parts = [f"{n:,} {what}" for what, n in counts if n]
        return f"{self.name}: {', '.join([*parts, f'at most {self.limit:,} documents imported'])}"


def offered() -> list[OfferedDataset]:
    return [
        OfferedDataset(name, int(limit), *(_count(name, part) for part in PARTS))
        for name, limit in settings.IR_DATASETS.items()
    ]


@cache
def _sizes() -> dict[str, Any]:
    """The library's metadata, read without importing it."""
    spec = find_spec(LIBRARY)
    folders = spec.submodule_search_locations if spec else None
    file = Path(folders[0], "etc", "metadata.json") if folders else None
    return dict(json.loads(file.read_text())) if file and file.is_file() else {}


def _count(name: str, part: str) -> int | None:
    about = _sizes().get(name, {}).get(part, {})
    if "_ref" in about:
        return _count(about["_ref"], part)
    count = about.get("count")
    return count if isinstance(count, int) else None


def request_import(by: User, collection: str, name: str) -> ImportJob:
    refuse_collection(by, collection)
    if name not in settings.IR_DATASETS:
        raise BadImport(f"{name!r} is none of the data sets that are offered here.", "dataset")
    return ImportJob.objects.create(
        owner=by,
        what=ImportJob.What.DATASET,
        collection=collection,
        into=Collection.objects.filter(slug=collection).first(),
        options={"dataset": name},
        asked_at=clock.now(),
    )


def import_dataset(job: ImportJob, finish: Finish) -> None:
    """Import topics, labels, and those documents that labels or the collection's pools name.

    CannotImport: it is listed no longer, cannot be downloaded, or is too large.
    """
    name, slug = job.options["dataset"], job.into.slug if job.into else job.collection
    if name not in settings.IR_DATASETS:
        raise CannotImport(f"The data set {name} is no longer offered here.")
    limit = int(settings.IR_DATASETS[name])
    dataset = _loaded(name)
    Path(settings.UPLOAD_DIR).mkdir(mode=0o700, parents=True, exist_ok=True)
    with TemporaryDirectory() as folder:
        topics = _write_jsonl(Path(folder), name, "topics", _topics(dataset), limit)
        labels = _write_jsonl(Path(folder), name, "labels", _labels(dataset))
        collection = Collection.objects.filter(slug=slug).first()
        doc_ids = {row["doc_id"] for row in _labels(dataset)}
        doc_ids |= pooled_ids(collection) if collection else set()
        if len(doc_ids) > limit:
            raise CannotImport(
                f"Labels and pools name {len(doc_ids):,} documents of {name}; at most {limit:,} "
                "may be imported here."
            )
        documents = _write_jsonl(Path(folder), name, "documents", _documents(dataset, doc_ids))
        files = [*topics, *documents, *labels]
        import_collection(
            slug,
            topics=topics,
            documents=documents,
            qrels={"reference": labels} if labels else {},
            progress=import_progress(job, files),
            by=job.owner,
            staging_key=job.staging_key(job.tries),
            finish=lambda imported: finish(collection_result(imported)),
        )


def _loaded(name: str) -> Any:
    os.environ.setdefault("IR_DATASETS_HOME", str(settings.VAR_DIR / LIBRARY))
    try:
        library: Any = import_module(LIBRARY)
        return library.load(name)
    except ModuleNotFoundError as fault:
        raise CannotImport(MISSING.format(name, NOT_INSTALLED)) from fault
    except KeyError as fault:
        raise CannotImport(MISSING.format(name, "the library has none of this name")) from fault


def _write_jsonl(
    folder: Path, name: str, what: str, rows: Iterable[dict[str, str]], limit: int | None = None
) -> list[StoredFile]:
    path, written = folder / what, 0
    try:
        with path.open("w", encoding="utf-8") as file:
            for row in rows:
                written += 1
                if limit is not None and written > limit:
                    raise CannotImport(f"{name} has more than {limit:,} {what}, the most here.")
                file.write(json.dumps(row) + "\n")
    except OSError as fault:  # the library fetches files
        raise CannotImport(MISSING.format(name, fault)) from fault
    except RuntimeError as fault:  # so the library says that it could not
        raise CannotImport(MISSING.format(name, UNREACHABLE)) from fault
    return [StoredFile(path, f"{name}, {what}")] if written else []


def _topics(dataset: Any) -> Iterator[dict[str, str]]:
    for query in dataset.queries_iter() if dataset.has_queries() else ():
        title = getattr(query, "title", "") or query.default_text()
        texts = {name: getattr(query, name, "") or "" for name in ("description", "narrative")}
        texts["language"] = dataset.queries_lang() or ""
        yield {"query_id": query.query_id, "title": title, **texts}


def _labels(dataset: Any) -> Iterator[dict[str, str]]:
    for label in dataset.qrels_iter() if dataset.has_qrels() else ():
        yield {
            "query_id": label.query_id,
            "doc_id": label.doc_id,
            "relevance": str(label.relevance),
        }


def _documents(dataset: Any, doc_ids: set[str]) -> Iterator[dict[str, str]]:
    if not (doc_ids and dataset.has_docs()):
        return
    for document in dataset.docs_store().get_many_iter(sorted(doc_ids)):
        texts = (getattr(document, name, None) for name in TEXTS)
        text = next((text for text in texts if isinstance(text, str)), None)
        title = getattr(document, "title", "") or ""
        text = document.default_text() if text is None else text
        language = dataset.docs_lang() or ""
        yield {"doc_id": document.doc_id, "title": title, "text": text, "language": language}
