from dataclasses import dataclass, fields

import numpy as np
from django.db.models.functions import Coalesce
from numpy.typing import NDArray

from judging.models import Opinion
from trec.labels.scales import MISSING

Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Opinions:
    """The opinions on one topic in the order in which they were read: arrays of shape (n,).

    documents, workers: keys; levels: from 0, or -1 for none; scores: magnitudes, or NaN; aspects,
    occasions, groups: texts, or empty.
    """

    documents: Ids
    workers: Ids
    levels: Ids
    scores: NDArray[np.float64]
    aspects: NDArray[np.object_]
    occasions: NDArray[np.object_]
    groups: NDArray[np.object_]

    def counted(self, aspect: str) -> "Opinions":
        """Those with a level or a magnitude on one aspect, as in `judgments`."""
        is_given = (self.levels != MISSING) | ~np.isnan(self.scores)
        mask = is_given & (self.aspects == aspect)
        return Opinions(*(getattr(self, column.name)[mask] for column in fields(self)))


def opinions(study_topic: int) -> Opinions:
    """Call within the same snapshot as `judgments`."""
    rows = (
        Opinion.objects.filter(study_topic=study_topic)
        .order_by("id")
        .values_list(
            *("document_id", "worker_id", Coalesce("level", MISSING), "score"),
            *("aspect", "occasion", "group"),
        )
    )
    columns = zip(*rows, strict=True) if rows else [()] * 7
    documents, workers, levels, scores, *texts = columns
    aspects, occasions, groups = (np.array(column, dtype=object) for column in texts)
    return Opinions(
        documents=np.array(documents, dtype=np.int64),
        workers=np.array(workers, dtype=np.int64),
        levels=np.array(levels, dtype=np.int64),
        scores=np.array(scores, dtype=np.float64),
        aspects=aspects,
        occasions=occasions,
        groups=groups,
    )
