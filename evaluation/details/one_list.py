"""The list of one system on one topic: the documents that its value there is made of."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.details import one_system
from evaluation.details.one_topic import Judged
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
    ranks = one_system.ranked(run, [topic.topic_id], measure)
    ids, known = one_system.doc_ids([*ranks]), {one.doc_id: one for one in pool}
    return [Ranked(rank, ids[key], known.get(ids[key])) for key, rank in ranks.items()]
