"""What was judged elsewhere: the opinions on a topic."""

from dataclasses import dataclass

import numpy as np
from django.db.models.functions import Coalesce
from numpy.typing import NDArray

from judging.models import Opinion
from trec.scales import MISSING

Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Opinions:
    """The opinions on one topic, in the order in which they were read.

    documents, workers: keys; levels: from 0, -1 where the label is no level; aspects, occasions:
    texts, empty where there is none; all (n,).
    """

    documents: Ids
    workers: Ids
    levels: Ids
    aspects: NDArray[np.object_]
    occasions: NDArray[np.object_]

    def on(self, aspect: str) -> "Opinions":
        """Those on one aspect."""
        is_on_it = self.aspects == aspect
        columns = (self.documents, self.workers, self.levels, self.aspects, self.occasions)
        return Opinions(*(column[is_on_it] for column in columns))


def opinions(study_topic: int) -> Opinions:
    """All opinions on a topic; read at the same moment as `judgments`."""
    rows = (
        Opinion.objects.filter(study_topic=study_topic)
        .order_by("id")
        .values_list("document_id", "worker_id", Coalesce("level", MISSING), "aspect", "occasion")
    )
    documents, workers, levels, aspects, occasions = zip(*rows, strict=True) if rows else [()] * 5
    return Opinions(
        documents=np.array(documents, dtype=np.int64),
        workers=np.array(workers, dtype=np.int64),
        levels=np.array(levels, dtype=np.int64),
        aspects=np.array(aspects, dtype=object),
        occasions=np.array(occasions, dtype=object),
    )
