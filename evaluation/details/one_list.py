"""The list of one system on one topic: the documents that its value there is made of."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.details import one_system
from evaluation.details.one_topic import Judged
from judging import completed
from judging.models import Run, StudyTopic
from magnitudes.measures.names import Measure


@dataclass(frozen=True)
class Ranked:
    """A document of the list; judged: what is known of it in the pool, None outside of it."""

    rank: int
    doc_id: str
    judged: Judged | None

    @property
    def gain(self) -> float | None:
        """None: unjudged, which measures count as 0."""
        return self.judged.gain if self.judged else None


def documents(
    topic: StudyTopic, run: Run, measure: Measure, pool: Sequence[Judged]
) -> list[Ranked]:
    """The list as deep as the measure reads it, or `one_system.DEPTH` if it reads it whole."""
    depth = one_system.depth_of(measure)
    lists = completed.lists_of(run.pk, [topic.topic_id], depth, by_rank=measure.by_rank)
    codes = [int(code) for code in lists.get(topic.topic_id, ())]
    ids = one_system.doc_ids([(topic.topic_id, code) for code in codes])
    known = {one.doc_id: one for one in pool}
    named = (ids[topic.topic_id, code] for code in codes)
    return [Ranked(rank, doc_id, known.get(doc_id)) for rank, doc_id in enumerate(named, 1)]
