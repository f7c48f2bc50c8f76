from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from django.db.models.functions import Coalesce
from numpy.typing import NDArray

from judging.models import Opinion
from magnitudes.files.labels.scales import MISSING

Ids = NDArray[np.int64]
DTYPES: tuple[Any, ...] = (np.int64, np.int64, np.int64, np.float64, object, object, object)


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
    columns = zip(*rows, strict=True) if rows else [()] * len(DTYPES)
    return Opinions(*(np.array(*each) for each in zip(columns, DTYPES, strict=True)))
