"""Studies with runs and completed units, as the tests of results want them."""

import random
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any
from unittest import mock

from django.db import connection, transaction

from evaluation.pipeline import evaluate
from judging import flow
from judging.collections.importing import Imported, import_collection
from judging.models import PlatformAccount, PooledDocument, Study
from tests.cast import SCORES, Person
from tests.factory import NOON, later, make_study

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
        topic.topic.query_id: [*topic.documents.order_by("doc_id").values_list("doc_id", flat=True)]
        for topic in study.topics.select_related("topic").order_by("topic__query_id")
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


def naive_lists(runs: Runs) -> dict[str, dict[str, list[str]]]:
    """Runs in the order in which they are evaluated: score, then id, both descending."""
    return {
        tag: {
            query_id: [doc_id for _, doc_id in sorted(((s, d) for d, s in ranked), reverse=True)]
            for query_id, ranked in topics.items()
        }
        for tag, topics in runs.items()
    }


@contextmanager
def drawn_by(seed: int) -> Iterator[None]:
    """Units, and the order of their pages, come from a seed: the same study every time."""
    rng = random.Random(seed)
    with connection.cursor() as cursor:
        cursor.execute("SELECT setseed(%s)", [1 / (1 + seed)])
    with mock.patch.object(random, "SystemRandom", return_value=rng):
        yield


def judged_study(
    seed: int = 1, *, topics: int = 3, units: int = 6, runs: int = 6, **settings: object
) -> tuple[Study, Runs]:
    """A study with random runs, and `units` random units completed by as many people."""
    rng = random.Random(seed)
    study = make_study(topics=topics, **settings)  # type: ignore[arg-type]
    given = random_runs(study, rng, runs)
    if given:
        add_runs(study, given)
    with drawn_by(seed):
        for number in range(units):
            complete(study, f"worker-{number:02}", random_scores(rng))
    return study, given


LEVELS = ["Non", "Rel", "HRel"]


def random_levels(rng: random.Random) -> Scorer:
    """One of three levels, by number, H_k always above N_k."""

    def level(document: PooledDocument) -> str:
        anchors = {"h_k": 2, "n_k": rng.randint(0, 1)}
        return str(anchors.get(document.role, rng.choice([0, 0, 1, 2])))

    return level


def graded_study(seed: int = 1) -> tuple[Study, Runs]:
    """A study of levels with random runs, judged by nine people and evaluated."""
    rng = random.Random(seed)
    study = make_study(topics=3, redundancy=3, scale="graded", levels=LEVELS)
    runs = random_runs(study, rng)
    add_runs(study, runs)
    with drawn_by(seed):
        for number in range(9):
            complete(study, f"worker-{number}", random_levels(rng))
    evaluate(study)
    return study, runs


class Elsewhere(threading.Thread):
    """Something done over another connection, at the same time."""

    def __init__(self, do: Callable[[], Any]) -> None:
        super().__init__(daemon=True)
        self.do = do
        self.start()

    def run(self) -> None:
        try:
            self.answer = self.do()
        except Exception as fault:
            self.answer = fault
        finally:
            connection.close()

    def result(self) -> Any:
        self.join(20)
        assert not self.is_alive(), "it waits for ever"
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


PLATFORM_IDS = {"STUDY_ID": "study-5f1e", "SESSION_ID": "session-5f1e"}
EXTERNAL_ID = "participant-5f1e"


def busy_study(**settings: object) -> Study:
    """A study in which everything has happened, evaluated.

    Ada withdrew. Ben failed Finish once. Carmen and Dora, who came from a platform, did not. Carl
    failed the practice, Gail the question. Hugo left, and Eve is at her first document.
    """
    rng = random.Random(7)
    study = make_study(topics=4, redundancy=4, **settings)  # type: ignore[arg-type]
    add_runs(study, random_runs(study, rng, 4))
    withdrawn = complete(study, "ada", random_scores(rng)).assignment
    flow.withdraw(str(withdrawn.completion_code), later(900))
    ben = Person(study, "ben").come_to_documents()
    h_k = ben.position_of("h_k")
    ben.judge_up_to(8, scores={h_k: "0.5"}).wait(25)
    ben.finish(8, *(["0.5"] if h_k == 8 else []))
    ben.resume()
    ben.open(h_k)
    ben.finish(h_k, "44")
    complete(study, "carmen", random_scores(rng))
    dora = Person(study, "dora", platform="prolific", external_id=EXTERNAL_ID)
    dora.come_to_the_end().finish()
    PlatformAccount.objects.update(ids=PLATFORM_IDS)
    carl, gail, hugo = (Person(study, name) for name in ("carl", "gail", "hugo"))
    for person in (carl, gail, hugo):
        person.begin()
    carl.practise(1, 1, 1)
    gail.practise()
    gail.read()
    gail.answer("a wrong one")
    hugo.leave()
    Person(study, "eve").come_to_documents()
    evaluate(study)
    return study


@contextmanager
def there_for_all(django_db_blocker: Any) -> Iterator[None]:
    """What is made within is there for all tests of a module, and then gone."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)
