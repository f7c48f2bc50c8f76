"""Topics whose anchors may be bad: labels contradict them, or far more workers fail check (c).

Far more than on the other topics, and at least twice as many: so anchors that somebody has accepted
against their labels are quiet until then. One observation is the first Finish of a worker on a
topic: nobody counts twice, however often they press.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judging.models import Study, StudyTopic
from judging.monitoring.attempts import Attempts
from judging.monitoring.status.sequential import Alarm, alarms
from judging.monitoring.words import percent
from judging.studies.configuration.anchors import all_contradictions
from magnitudes.files.words import count
from web.findings import Finding, State
from web.text import natural

INTERIM = (10, 20, 40, 80)  # workers of a topic
ALPHA = 0.01  # the chance of any alarm in a study, were all anchors alike


@dataclass(frozen=True)
class Suspect:
    """alarm: of workers; None: a label contradicts an anchor, and nobody has accepted that."""

    topic: StudyTopic
    sentence: str
    alarm: Alarm | None = None


@dataclass(frozen=True)
class Anchors:
    """In natural order; tested: topics with workers enough for a first test."""

    in_doubt: list[Suspect]
    contradicted: list[Suspect]
    tested: int
    topics: int

    @property
    def suspect(self) -> list[Suspect]:
        return [*self.in_doubt, *self.contradicted]

    @property
    def by_topic(self) -> dict[int, Suspect]:
        return {item.topic.pk: item for item in self.in_doubt}

    @property
    def finding(self) -> Finding:
        return Finding(self._state, self._sentence, link="#by-topic", name="Anchors")

    @property
    def _state(self) -> State:
        if self.in_doubt:
            return State.DOWN
        if self.contradicted:
            return State.DEGRADED
        return State.OK if self.topics and self.tested == self.topics else State.UNKNOWN

    @property
    def _sentence(self) -> str:
        if self.suspect:
            return " ".join(item.sentence for item in self.suspect[:2]) + self._further
        if not self.tested:
            return f"No topic has the {INTERIM[0]} workers yet that a test of its anchors needs."
        tested = f"{self.tested:,} of {count(self.topics, 'topic')}"
        if self.tested == self.topics:
            return f"No topic’s anchors stand out; all {count(self.topics, 'topic')} tested."
        return f"No topic’s anchors stand out so far; {tested} tested."

    @property
    def _further(self) -> str:
        more = len({item.topic.pk for item in self.suspect[2:]})
        return f" {count(more, 'further topic')} too." if more > 0 else ""


def anchors(study: Study, made: Attempts) -> Anchors:
    """made: by nobody excluded."""
    failed = first_finishes(made)
    topics = {topic.pk: topic for topic in study.topics.select_related("topic")}
    by_topic = alarms(failed, n_groups=len(topics), sizes=INTERIM, alpha=ALPHA)
    contradictions = all_contradictions(study, topics.values())
    in_doubt = [Suspect(topics[key], _sentence(topics[key], a), a) for key, a in by_topic.items()]
    contradicted = [
        Suspect(topics[key], " ".join(lines)) for key, lines in contradictions.items() if lines
    ]
    for suspects in (in_doubt, contradicted):
        suspects.sort(key=lambda suspect: natural(suspect.topic.topic.query_id))
    n_tested = sum(len(seen) >= INTERIM[0] for seen in failed.values())
    return Anchors(in_doubt, contradicted, n_tested, len(topics))


def _sentence(topic: StudyTopic, alarm: Alarm) -> str:
    others = percent(alarm.others_x / alarm.others_n)
    return (
        f"Topic {topic.topic.query_id}: {alarm.x} of its first {alarm.n} workers had the "
        f"anchors out of order at their first Finish; on the other topics {others} had."
    )


def first_finishes(made: Attempts) -> dict[int, NDArray[np.bool_]]:
    """Of each topic that somebody finished or tried to: whose first Finish failed (c), in order."""
    order = np.lexsort((made.keys, made.pressed_at))
    order = order[made.presses[order] > 0]
    topics, failed = made.topics[order], made.failed_anchors[order] > 0
    return {key: failed[topics == key] for key in np.unique(topics).tolist()}
