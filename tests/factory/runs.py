"""Retrieval runs of a study."""

import random
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from judging.collections.importing import Imported, import_collection
from judging.models import Collection, Study
from tests.run_files import write_runs

# Tag -> query id -> lines of document and score, in the order of the file.
Runs = Mapping[str, Mapping[str, Sequence[tuple[str, float]]]]


def add_runs(study: Study, runs: Runs) -> Imported:
    """Import runs into the collection of a study, one file a run."""
    with tempfile.TemporaryDirectory() as folder:
        for number, (tag, topics) in enumerate(runs.items()):
            lines = [
                f"{query_id} Q0 {doc_id} {rank} {score!r} {tag}\n"
                for query_id, ranked in topics.items()
                for rank, (doc_id, score) in enumerate(ranked, 1)
            ]
            (Path(folder) / f"{number}.run").write_text("".join(lines), encoding="utf-8")
        return import_collection(study.collection.slug, runs=[folder])


def add_long_runs(collection: Collection, depth: int = 1000) -> None:
    """Import runs like those of TREC-8 into a collection of topics from 401 on."""
    with tempfile.TemporaryDirectory() as folder:
        write_runs(Path(folder), collection.topics.count(), depth=depth)
        import_collection(collection.slug, runs=[folder])


def random_runs(study: Study, rng: random.Random, count: int = 6) -> Runs:
    """Runs as they come: short lists, equal scores, unpooled documents, missing topics."""
    pools = {
        topic.topic.query_id: [*topic.documents.order_by("doc_id").values_list("doc_id", flat=True)]
        for topic in study.topics.select_related("topic").order_by("topic__query_id")
    }
    runs = {}
    for number in range(count):
        runs[f"run-{number}-{rng.randrange(1000)}"] = {
            query_id: [
                (doc_id, float(rng.choice([1, 2, 3, rng.random()])))
                for doc_id in rng.sample(
                    [*pool, *(f"elsewhere-{n}" for n in range(8))], rng.randint(1, 16)
                )
            ]
            for query_id, pool in pools.items()
            if rng.random() < 0.9 or query_id == min(pools)
        }
    return runs


def naive_lists(runs: Runs) -> dict[str, dict[str, list[str]]]:
    """Runs in the order in which they are evaluated: score, then id, both descending."""
    return {
        tag: {
            query_id: [doc_id for _, doc_id in sorted(((s, d) for d, s in ranked), reverse=True)]
            for query_id, ranked in topics.items()
        }
        for tag, topics in runs.items()
    }
