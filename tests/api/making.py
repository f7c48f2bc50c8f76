"""Studies with runs and completed units, as the tests of results want them."""

import random
import tempfile
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from judging.importing import Imported, import_collection
from judging.models import PooledDocument, Study
from tests.cast import SCORES, Person
from tests.factory import NOON, make_study

# Tag -> query id -> lines of document and score, in the order of the file.
Runs = Mapping[str, Mapping[str, Sequence[tuple[str, float]]]]
Scorer = Callable[[PooledDocument], str]


def by_role(document: PooledDocument) -> str:
    """100 for H_k, 1 for N_k, 10 for all others."""
    return SCORES[document.role]


def add_runs(study: Study, runs: Runs) -> Imported:
    """Import runs into the collection of a study, one file a run."""
    with tempfile.TemporaryDirectory() as folder:
        for number, (tag, topics) in enumerate(runs.items()):
            lines = [
                f"{query_id} Q0 {doc_id} {rank} {score!r} {tag}\n"
                for query_id, ranked in topics.items()
                for rank, (doc_id, score) in enumerate(ranked, 1)
            ]
            (Path(folder) / f"{number}.run").write_text("".join(lines), encoding="utf-8")
        return import_collection(study.collection.slug, runs=[folder])


def complete(study: Study, name: str, score: Scorer = by_role, at: datetime = NOON) -> Person:
    """A person completes a unit, with the scores that `score` gives to its documents."""
    person = Person(study, name, now=at).come_to_documents()
    keys = person.assignment.order
    documents = PooledDocument.objects.in_bulk(keys)
    typed = {page: score(documents[key]) for page, key in enumerate(keys, 1)}
    last = len(keys)
    person.judge_up_to(last, scores=typed).wait(20).finish(last, typed[last])
    assert person.assignment.state == "completed"
    return person


def random_scores(rng: random.Random) -> Scorer:
    """Scores on a scale of the worker's own, H_k always above N_k."""
    modulus = 10 ** rng.uniform(-2, 3)

    def score(document: PooledDocument) -> str:
        felt = {"h_k": rng.uniform(3, 9), "n_k": rng.uniform(0.2, 1)}.get(
            document.role, rng.choice([0.5, 1, 2, rng.uniform(0.1, 10)])
        )
        return f"{modulus * felt:.12g}"

    return score


def random_runs(study: Study, rng: random.Random, count: int = 6) -> Runs:
    """Runs as they come: short lists, equal scores, unpooled documents, missing topics."""
    pools = {
        topic.topic.query_id: [*topic.documents.values_list("doc_id", flat=True)]
        for topic in study.topics.select_related("topic")
    }
    runs = {}
    for number in range(count):
        runs[f"run-{number}-{rng.randrange(1000)}"] = {
            query_id: [
                (doc_id, float(rng.choice([1, 2, 3, rng.random()])))
                for doc_id in rng.sample(
                    [*pool, *(f"elsewhere-{n}" for n in range(8))], rng.randint(1, 16)
                )
            ]
            for query_id, pool in pools.items()
            if rng.random() < 0.9 or query_id == min(pools)
        }
    return runs


def judged_study(
    seed: int = 1, *, topics: int = 3, units: int = 6, runs: int = 6, **settings: object
) -> tuple[Study, Runs]:
    """A study with random runs, and `units` random units completed by as many people."""
    rng = random.Random(seed)
    study = make_study(topics=topics, **settings)  # type: ignore[arg-type]
    given = random_runs(study, rng, runs)
    if given:
        add_runs(study, given)
    for number in range(units):
        complete(study, f"worker-{number:02}", random_scores(rng))
    return study, given
