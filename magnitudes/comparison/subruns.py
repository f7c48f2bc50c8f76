"""Simulated systems, made of those ranked lists whose first documents are all labelled.

Maddalena, Mizzaro, Scholer and Turpin (ACM TOIS 35(3), 2017), section 7.2. Where few documents have
labels, runs cannot be measured with them: most of what they retrieved is unjudged. But single lists
are fully labelled; the paper calls them complete sub-runs, and merges them at random.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.comparison import ComparisonError

Ids = NDArray[np.int64]


class SubRuns(NamedTuple):
    """Simulated systems; `reason` says why there is none, or is empty."""

    topics: Ids  # (topics,), those with enough lists, by index
    lists: Ids  # (topics,), how many complete lists each of them has
    choices: Ids  # (systems, topics), the run whose list each system takes
    seed: int
    reason: str


def complete_sub_runs(
    codes: Sequence[ArrayLike],
    labelled: Sequence[ArrayLike],
    systems: int = 100,
    k: int = 10,
    least: int = 2,
    seed: int = 0,
) -> SubRuns:
    """Systems that take, on each topic, one of the fully labelled lists at random.

    Parameters:
        codes: of each topic (runs, depth), the document at each rank, -1 below the end of a list;
            the same runs in all topics.
        labelled: of each topic (documents,), whether a document has a label.
        systems: how many to make. Two of them may come out the same.
        k: how many documents of a list must be labelled. A shorter list is not complete.
        least: topics with fewer complete lists are left out. Lists of different runs count as
            different, whatever they hold.
        seed: what `numpy.random.default_rng` starts with.

    Returns:
        `topics`, `lists` and `choices`: list t of system s is
        `codes[topics[t]][choices[s, t]]`.

    Raises:
        ComparisonError: lists without masks, or the other way round; a code outside its mask.

    >>> result = complete_sub_runs([[[0, 1], [1, 2], [1, 0]]], [[True, True, False]], 4, k=2)
    >>> result.lists, np.unique(result.choices)
    (array([2]), array([0, 2]))
    """
    if len(codes) != len(labelled):
        raise ComparisonError(f"{len(codes)} topics have lists, and {len(labelled)} have labels")
    by_topic = enumerate(zip(codes, labelled, strict=True))
    complete = [_complete(lists, known, topic, k) for topic, (lists, known) in by_topic]
    enough = [topic for topic, runs in enumerate(complete) if len(runs) >= max(least, 1)]
    streams = np.random.default_rng(seed).spawn(len(codes))
    choices = np.empty((systems, len(enough)), dtype=np.int64)
    for column, topic in enumerate(enough):
        choices[:, column] = streams[topic].choice(complete[topic], systems)
    counts = np.array([len(complete[topic]) for topic in enough], dtype=np.int64)
    reason = f"no topic has {least} lists whose first {k} documents are all labelled"
    indices = np.array(enough, dtype=np.int64)
    return SubRuns(indices, counts, choices, seed, "" if enough else reason)


def _complete(codes: ArrayLike, labelled: ArrayLike, topic: int, k: int) -> Ids:
    """The runs whose lists are complete."""
    lists, known = np.asarray(codes), np.asarray(labelled, dtype=np.bool_)
    if lists.size and not (lists.min() >= -1 and lists.max() < len(known)):
        raise ComparisonError(f"codes of topic {topic} must lie from -1 to {len(known) - 1}")
    if lists.ndim != 2 or lists.shape[1] < k:
        return np.empty(0, dtype=np.int64)
    first = lists[:, :k]
    return np.flatnonzero((np.append(known, False)[first]).all(axis=1))  # -1 reads the last
