"""Labels of the TREC 2010 Relevance Feedback track, given again as numbers in a study of people.

The texts of its documents are not public: they are made up here, and say the more of their topic
the higher the mean of a document's labels is, so that a language model has something to read.
"""

import gzip
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from judging.models import Collection, Label, LabelSet, PooledDocument, Study, Topic
from judging.studies.conduct.opening import open_study
from judging.studies.configuration.changing import draw_topics
from judging.studies.configuration.settings import create_study
from judging.studies.unit_plans import plan
from tests.cast import SCORES
from tests.factory import OPTIONS, make_document
from tests.factory.completed import complete
from tests.factory.runs import add_runs

DOCUMENTS, LABELS, SYSTEMS, DEPTH = 14, 5, 6, 10
NUMBERS = ("1", "10", "100")  # of the labels 0, 1 and 2
TOPIC_WORDS = 8  # most often in a text
FILLER = "nothing of interest stands in this part of the text ".split()
Labels = dict[str, dict[str, list[int]]]  # by topic and document, in the order of the file


def labels_of(file: Path, topics: int) -> Labels:
    """Of the topics that have most documents with at least LABELS labels, DOCUMENTS of each."""
    given: Labels = defaultdict(lambda: defaultdict(list))
    with gzip.open(file, "rt", encoding="ascii") as lines:
        next(lines)
        for topic, _, document, _, label in map(str.split, lines):
            if int(label) >= 0:
                given[topic][document].append(int(label))
    enough = {
        topic: {name: labels for name, labels in by_document.items() if len(labels) >= LABELS}
        for topic, by_document in given.items()
    }
    chosen = sorted(enough, key=lambda topic: (-len(enough[topic]), topic))[:topics]
    return {topic: _spread(enough[topic]) for topic in sorted(chosen)}


def _spread(labels: dict[str, list[int]]) -> dict[str, list[int]]:
    """From the least relevant to the most."""
    ranked = sorted(labels, key=lambda name: (np.mean(labels[name]), name))
    places = np.linspace(0, len(ranked) - 1, DOCUMENTS).round().astype(int)
    return {ranked[place]: labels[ranked[place]] for place in places}


def make_people(file: Path, topics: int, for_people: int) -> Study:
    """Open, of `for_people` of the topics, drawn at random; nobody has judged yet."""
    labels = labels_of(file, topics)
    collection = Collection.objects.create(slug="rf10-replayed")
    made = {
        name: Topic.objects.create(collection=collection, query_id=name, title=f"subject {name}")
        for name in labels
    }
    reference = LabelSet.objects.create(collection=collection, name="reference")
    for topic, by_document in labels.items():
        for number, (name, given) in enumerate(by_document.items()):
            often = round(TOPIC_WORDS * float(np.mean(given)) / 2)
            words = [*[f"subject {topic}"] * often, *FILLER * (3 + number % 3), name]
            make_document(collection, name, " ".join(words), title=f"Page {number}").save()
            level = number * 3 // DOCUMENTS  # the middle ones of a topic are relevant
            Label.objects.create(label_set=reference, topic=made[topic], doc_id=name, level=level)
    asked = {"question": "Which one?", "options": OPTIONS, "answer": OPTIONS[0]}
    topics_given = {
        topic: asked | {"h_k": names[-1], "n_k": names[0], "documents": names}
        for topic, names in ((topic, list(of_topic)) for topic, of_topic in labels.items())
    }
    settings = {"title": "Relevance feedback 2010, replayed", "redundancy": LABELS, "payment": 1}
    config = {**settings, "entry": "open", "topics": topics_given}
    add_runs(create_study("rf10-replayed", collection.slug, config), dict(_systems(labels)))
    study = draw_topics("rf10-replayed", for_people, 5)
    plan(study, seed=1)
    return open_study(study.slug)


def _systems(labels: Labels) -> Iterator[tuple[str, dict[str, list[tuple[str, float]]]]]:
    """Lists that follow the labels: the higher the number of the system, the less."""
    rng = np.random.default_rng(7)
    for system in range(SYSTEMS):
        lists = {}
        for topic, by_document in labels.items():
            noise = rng.normal(0, 0.3 + 0.2 * system, len(by_document))
            scores = [np.mean(given) for given in by_document.values()] + noise
            order = np.argsort(-scores)[:DEPTH]
            names = list(by_document)
            lists[topic] = [(names[place], float(scores[place])) for place in order]
        yield f"system-{system}", lists


def replay(study: Study, file: Path, topics: int) -> int:
    """Complete all units with the labels that the documents were given; returns how many.

    Anchors are told apart by all, as a unit ends so.
    """
    labels, turns = labels_of(file, topics), defaultdict[PooledDocument, int](int)

    def score(document: PooledDocument) -> str:
        if document.role != "other":
            return SCORES[document.role]
        given = labels[document.study_topic.topic.query_id][document.doc_id]
        turns[document] += 1
        return NUMBERS[given[(turns[document] - 1) % len(given)]]

    units = study.units.count()
    for number in range(units):
        complete(study, f"person-{number}", score)
    return units
