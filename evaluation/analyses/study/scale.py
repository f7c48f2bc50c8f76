"""The levels of a study's labels as a scale from 0, and all its units as one table."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.analyses.study.data import Floats, Ints, StudyData

MOST = 10  # the top level of a scale that is shown


class Units(NamedTuple):
    """Scores and labels (NaN: none) of all units, (u, s), and where each has its N_k, (u,)."""

    scores: Floats
    labels: Floats
    n_k: Ints
    is_anchor: NDArray[np.bool_]  # (u, s)


def top(data: StudyData) -> int:
    """The top level, used or not; 0 where no topic has a label."""
    levels = [topic.labelled.levels for topic in data.topics]
    return int(np.concatenate(levels).max(initial=0)) if levels else 0


def why_not(data: StudyData) -> str:
    """Why the labels are no scale that gains can be looked at on; empty where they are."""
    if not data.units:
        return "No unit is completed yet."
    if not data.levels:
        return "No judged document has a label: there is no level to look at."
    levels = np.concatenate([topic.labelled.levels for topic in data.topics])
    if (levels % 1 != 0).any():
        return "Labels are not whole numbers: they are no scale of levels from 0."
    if levels.max() > MOST:
        return f"Labels go up to {levels.max():,.0f}; scales up to {MOST} are shown."
    return ""


def units(data: StudyData) -> Units:
    """Every unit of the study; scores as given, since ratios within a unit are the same."""
    topics = data.topics
    anchors = [(t.places == t.h_k) | (t.places == t.n_k) for t in topics]
    return Units(
        np.concatenate([topic.scores for topic in topics]),
        np.concatenate([topic.shown_labels for topic in topics]),
        np.concatenate([(topic.places == topic.n_k).argmax(axis=1) for topic in topics]),
        np.concatenate(anchors),
    )
