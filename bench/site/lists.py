"""Runs that are made up: as many, and as long, as those of TREC-8."""

from collections.abc import Iterator

import numpy as np
from tqdm import tqdm

from bench.site import environment  # noqa: F401 - before any model
from judging.collections import vocabulary
from judging.collections.bulk import copy_rows, to_hex
from judging.models import Collection, RankedList, Run

RUNS, TOPICS, DEPTH, DOCUMENTS = 129, 18, 1000, 20_000
DOC_IDS = [f"FT{9000 + n % 97}-{n}" for n in range(DOCUMENTS)]  # on every topic, best first


def make_runs(collection: Collection, depth: int = DEPTH) -> None:
    """Runs that agree on what is best, so that their first 10 are some 240 documents a topic.

    Topics after the first 18 have the lists of those.
    """
    runs = Run.objects.bulk_create(
        Run(collection=collection, tag=f"run{n:03}") for n in range(RUNS)
    )
    ranks = to_hex(np.arange(1, depth + 1, dtype=vocabulary.RANKS).tobytes())
    scores = to_hex(np.linspace(20, 1, depth, dtype=vocabulary.SCORES).tobytes())
    lists = list(_lists(depth))
    rows = []
    for number, topic in enumerate(collection.topics.order_by("id")):
        vocabulary.write(topic, DOC_IDS)
        for run, codes in zip(runs, lists[number % TOPICS], strict=True):
            rows.append((run.pk, topic.pk, codes, ranks, scores))
    copy_rows(RankedList._meta.db_table, ("run_id", "topic_id", "codes", "ranks", "scores"), rows)


def _lists(depth: int) -> Iterator[list[str]]:
    """Codes of the documents that every run lists, topic by topic."""
    random = np.random.default_rng(8)
    worth = -2 * np.log(np.arange(DOCUMENTS) + 15)
    for _ in tqdm(range(TOPICS), desc="runs"):
        found = worth + random.gumbel(size=(RUNS, DOCUMENTS))
        best = np.argsort(-found, axis=1)[:, :depth].astype(vocabulary.CODES)
        yield [to_hex(codes.tobytes()) for codes in best]
