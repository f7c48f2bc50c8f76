"""Runs, a row of packed columns a list: 6,450 rows for 129 runs x 50 topics x 1,000 documents."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from judging.collections import vocabulary
from judging.collections.bulk import copy_rows, to_hex
from judging.models import Collection, RankedList, Run, Topic, Vocabulary
from magnitudes.files.ids import Ids, codes, decoded, encoded
from magnitudes.files.runs import Run as ReadRun
from magnitudes.files.runs import RunTopic

Packed = tuple[bytes, bytes, bytes]


@dataclass
class Stored:
    runs: int = 0  # that are new, or have a new list
    lists: int = 0
    unknown_topics: set[str] = field(default_factory=set)
    doc_ids: Ids = field(default_factory=lambda: encoded([]))
    conflict: str = ""  # a run that may not be replaced


def store(
    collection: Collection, runs: Iterable[ReadRun], topic_ids: dict[str, int], frozen: bool
) -> Stored:
    """topic_ids: query id -> key; the caller has locked the collection.

    Lists that are there already, byte for byte, are left alone; others of the same run and topic
    are replaced, or reported as a conflict where `frozen`.
    """
    stored = Stored()
    by_topic: dict[str, list[tuple[str, RunTopic]]] = {}
    tags = []
    for run in runs:
        if run.topics.keys() & topic_ids.keys():
            tags.append(run.tag)
        for query_id, ranked in run.topics.items():
            by_topic.setdefault(query_id, []).append((run.tag, ranked))
    stored.unknown_topics = by_topic.keys() - topic_ids.keys()
    Run.objects.bulk_create(
        (Run(collection=collection, tag=tag) for tag in tags), ignore_conflicts=True
    )
    keys = dict(Run.objects.filter(collection=collection).values_list("tag", "id"))
    changed: list[tuple[str, int, Packed]] = []
    named = []
    for query_id in sorted(by_topic.keys() & topic_ids.keys()):
        topic, lists = topic_ids[query_id], by_topic[query_id]
        packed, ids = _pack(topic, [ranked for _, ranked in lists])
        named.append(ids)
        new = dict(zip((tag for tag, _ in lists), packed, strict=True))
        differing = _replace_differing(topic, keys, new, frozen, stored)
        changed += [(tag, topic, new[tag]) for tag in differing]
    copy_rows(
        RankedList._meta.db_table,
        ("run_id", "topic_id", "codes", "ranks", "scores"),
        ((keys[tag], topic, *map(to_hex, columns)) for tag, topic, columns in changed),
    )
    stored.runs, stored.lists = len({tag for tag, _, _ in changed}), len(changed)
    stored.doc_ids = np.concatenate(named) if named else stored.doc_ids
    return stored


def _pack(topic: int, lists: list[RunTopic]) -> tuple[list[Packed], Ids]:
    old = Vocabulary.objects.filter(topic=topic).values_list("doc_ids", flat=True).first()
    before = encoded(vocabulary.unpack(old) if old else [])
    places, ids = codes(np.concatenate([before, *(ranked.doc_ids for ranked in lists)]))
    if len(ids) > len(before):
        vocabulary.write(Topic(pk=topic), decoded(ids))
    places = places.astype(vocabulary.CODES, copy=False)[len(before) :]
    ends = np.cumsum([len(ranked.ranks) for ranked in lists])
    return [
        (
            part.tobytes(),
            ranked.ranks.astype(vocabulary.RANKS, copy=False).tobytes(),
            ranked.scores.astype(vocabulary.SCORES, copy=False).tobytes(),
        )
        for part, ranked in zip(np.split(places, ends[:-1]), lists, strict=True)
    ], ids


def _replace_differing(
    topic: int, keys: dict[str, int], new: dict[str, Packed], frozen: bool, stored: Stored
) -> list[str]:
    """Returns the tags whose list on the topic is new."""
    stored_lists = RankedList.objects.filter(topic=topic, run__in=[keys[tag] for tag in new])
    old = {
        tag: tuple(map(bytes, columns))
        for tag, *columns in stored_lists.values_list("run__tag", "codes", "ranks", "scores")
    }
    replaced = [tag for tag in old if old[tag] != new[tag]]
    if replaced and frozen:
        stored.conflict = replaced[0]
    stored_lists.filter(run__tag__in=replaced).delete()
    return [tag for tag in new if tag not in old or tag in replaced]
