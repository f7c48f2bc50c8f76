"""The judgments that a figure has room for, each with its document and who gave it.

What the analysis `every_judgment` draws.
"""

from collections.abc import Sequence

import numpy as np

from evaluation.presentation.frame import Frame
from evaluation.study.data import Mask, StudyData
from magnitudes.scaling.groups import places_within

MAX_DOCUMENTS = 60  # of a topic, from the lowest to the highest gain
STEP = 0.09  # of a level, from one judge to the next who gave the same
ANCHOR, OTHER = "anchor", "other"


def drawn_judgments(data: StudyData, topics: Sequence[int], counted: Mask) -> Frame:
    """The judgments of these topics that are drawn; place: of the document by gain, from 1.

    at: where a judgment is drawn; equal levels of a document stand above each other.
    """
    documents, judgments = data.documents, data.judgments
    place_of = np.zeros(len(documents), dtype=np.int64)  # 0: not drawn
    for topic in topics:
        judged = np.flatnonzero((documents.topics == topic) & ~np.isnan(documents.gains))
        by_gain = judged[np.argsort(documents.gains[judged], kind="stable")]
        places = np.linspace(0, len(by_gain) - 1, min(len(by_gain), MAX_DOCUMENTS)).round()
        place_of[by_gain[places.astype(int)]] = places + 1
    drawn = np.flatnonzero(counted & (place_of[judgments.items] > 0))
    drawn = drawn[np.argsort(judgments.items[drawn], kind="stable")]
    items, values = judgments.items[drawn], judgments.normalised[drawn]
    names = list(map(data.pair_name, items.tolist()))
    at = values.copy()
    if data.study.is_graded:
        at += STEP * places_within(items * len(data.study.levels) + values.astype(np.int64))
    return Frame.of(
        query_id=[query_id for query_id, _ in names],
        doc_id=[doc_id for _, doc_id in names],
        role=np.where(documents.is_anchor[items] & data.has_anchors, ANCHOR, OTHER),
        place=place_of[items],
        gain=documents.gains[items],
        worker=[data.workers[worker] for worker in judgments.workers[drawn]],
        given=[str(text) for text in judgments.texts[drawn]],
        value=values,
        at=at,
        panel=[f"topic {query_id}" for query_id, _ in names],
    )
