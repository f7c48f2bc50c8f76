"""What is true in a study for its artificial workers: every pair, every question."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from django.db import connection
from django.utils.html import strip_tags

from crowd.behaviour import Unit
from crowd.model import LEVELS, Pair, Person, anchor_gain, log_gain
from crowd.reasons import named_things
from judging.models import Study

# Every pooled pair with its label, and what its document's length is to the mean of all.
PAIRS = """
    SELECT p.id, t.query_id, p.doc_id, p.role, l.level,
           coalesce(d.words / nullif(avg(d.words) OVER (), 0), 1)::float8,
           coalesce(d.title || ' ' || left(d.text, 2000), '')
    FROM judging_pooleddocument p
    JOIN judging_studytopic st ON st.id = p.study_topic_id
    JOIN judging_study s ON s.id = st.study_id
    JOIN judging_topic t ON t.id = st.topic_id
    LEFT JOIN judging_document d ON d.id = p.document_id
    LEFT JOIN judging_labelset ls ON ls.collection_id = s.collection_id AND ls.name = %s
    LEFT JOIN judging_label l
        ON l.label_set_id = ls.id AND l.topic_id = t.id AND l.doc_id = p.doc_id
    WHERE s.id = %s ORDER BY t.query_id, p.doc_id
"""
ANCHORS = {"h_k": LEVELS[-1], "n_k": LEVELS[0]}
# By what artificial workers judge anchors: their roles, or their labels, if they have one.
AnchorSource = Literal["role", "labels"]


@dataclass(frozen=True)
class World:
    """pairs: by the key of the pooled document; questions: query_id and answer, by study topic."""

    study: Study
    seed: int
    pairs: dict[int, Pair]
    questions: dict[int, tuple[str, str]]

    def unit(self, study_topic: int, order: Iterable[int]) -> Unit:
        query_id, answer = self.questions[study_topic]
        return Unit(query_id, answer, [self.pairs[key] for key in order])

    @property
    def max_units(self) -> int:
        return min(len(self.questions), self.study.max_units or len(self.questions))


def read(study: Study, seed: int, anchors: AnchorSource = "role", labels: str = "") -> World:
    """The world of a study that was planned.

    labels: the name of those that are true; empty: those of the study.
    anchors: `role`: H_k is relevant and N_k is not, whatever their labels are; `labels`: by their
    labels, so that wrong anchors can be detected; those without a label as in `role`.
    """
    with connection.cursor() as cursor:
        cursor.execute(PAIRS, [labels or study.labels, study.pk])
        rows = cursor.fetchall()
    highest = max((row[4] for row in rows if row[4] is not None), default=1)
    pairs = {}
    for key, query_id, doc_id, role, label, length, text in rows:
        gain = ANCHORS.get(role)
        if gain is None:
            gain = log_gain(seed, query_id, doc_id, label, highest)
        elif anchors == "labels" and label is not None:
            gain = anchor_gain(label, highest)
        pairs[key] = Pair(
            query_id, doc_id, gain, role in ANCHORS, length, named_things(strip_tags(text))
        )
    topics = study.topics.values_list("pk", "topic__query_id", "answer")
    questions = {key: (query_id, answer) for key, query_id, answer in topics}
    return World(study, seed, pairs, questions)


def write(world: World, people: Iterable[Person], path: Path) -> None:
    """As JSON lines: every pair, then every worker who came."""
    with path.open("w", encoding="utf-8") as file:
        for pair in world.pairs.values():
            truth = {name: value for name, value in asdict(pair).items() if name != "words"}
            file.write(json.dumps({"kind": "pair", **truth}) + "\n")
        for person in people:
            row = {"kind": "worker", "pseudonym": person.pseudonym, **asdict(person)}
            file.write(json.dumps(row) + "\n")
