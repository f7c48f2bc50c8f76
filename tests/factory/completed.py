"""Studies with runs and completed units, as the tests of results want them."""

import random
import secrets
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from django.db import transaction
from django.db.models import F

from evaluation.pipeline import evaluate
from judging import checks, flow
from judging.flow.moves import idle_timeout
from judging.flow.submission_checks import Submission, check_submission
from judging.models import (
    Assignment,
    Judgment,
    PooledDocument,
    Study,
    StudyTopic,
    Visit,
    Worker,
)
from judging.payments.earnings import earn
from judging.states import State
from tests.cast import SCORES, WORDS, Person
from tests.database import drawn_by
from tests.factory import NOON, later, make_study
from tests.factory.runs import Runs, add_runs, random_runs

Scorer = Callable[[PooledDocument], str]

# Three lines, instructions, topic and question are moves; then each page is one, and each answer.
MOVES_BEFORE_DOCUMENTS = 6


def by_role(document: PooledDocument) -> str:
    """100 for H_k, 1 for N_k, 10 for all others."""
    return SCORES[document.role]


def complete(
    study: Study,
    name: str,
    score: Scorer = by_role,
    at: datetime = NOON,
    seconds: float = 20,
    **arrival: Any,
) -> Person:
    """Have a person complete a unit, with the scores that `score` gives to its documents.

    They are admitted as anybody is. What follows is stored at once: the rows that flow leaves of
    who reads page after page for `seconds` and finishes, as tests/test_factory.py shows.
    """
    person = Person(study, name, now=at, **arrival)
    assert person.begin() is None
    assignment = person.assignment
    known = PooledDocument.objects.in_bulk(assignment.order)
    documents = [known[key] for key in assignment.order]
    typed = [score(document) for document in documents]
    assert checks.time_on_every_document([seconds], study.minimum_seconds)
    with transaction.atomic():
        _store(assignment, documents, typed, at, timedelta(seconds=seconds))
    person.wait(seconds * len(typed))
    return person


def _store(
    assignment: Assignment,
    documents: Sequence[PooledDocument],
    typed: Sequence[str],
    at: datetime,
    each: timedelta,
) -> None:
    """Store a whole unit as completed: `typed` on its pages from `at` on, a page in `each`."""
    times = [at + page * each for page in range(len(typed) + 1)]
    pages = range(1, len(typed) + 1)
    Visit.objects.bulk_create(
        Visit(assignment=assignment, position=page, opened_at=opened, closed_at=closed)
        for page, (opened, closed) in zip(pages, pairwise(times), strict=True)
    )
    judgments = [
        _judgment(assignment, page, document, text, times[page])
        for page, document, text in zip(pages, documents, typed, strict=True)
    ]
    _assert_anchors_in_order(judgments)
    Judgment.objects.bulk_create(judgments)
    assignment.state, assignment.barred = State.COMPLETED, True
    assignment.practice_step = len(assignment.lines)
    assignment.position = assignment.furthest = len(typed)
    assignment.version = judgments[-1].version
    assignment.active_at = assignment.progressed_at = assignment.finished_at = times[-1]
    assignment.deadline_at = times[-2] + idle_timeout(
        assignment.study, State.JUDGING, assignment.last
    )
    assignment.seconds = [each.total_seconds()] * len(typed)
    assignment.completion_code = secrets.token_hex(5).upper()
    assignment.save()
    earn(assignment, assignment.finished_at)
    Worker.objects.filter(pk=assignment.worker_id).update(practised=True)
    StudyTopic.objects.filter(pk=assignment.study_topic_id).update(revision=F("revision") + 1)


def _assert_anchors_in_order(judgments: Sequence[Judgment]) -> None:
    scores = {judgment.document.role: judgment.score for judgment in judgments}
    assert checks.anchors_in_order(scores["h_k"], scores["n_k"])


def _judgment(
    assignment: Assignment, page: int, document: PooledDocument, typed: str, at: datetime
) -> Judgment:
    levels = assignment.study.levels
    value, errors = check_submission(Submission(page, typed, WORDS), levels)
    assert value is not None, errors
    return Judgment(
        assignment=assignment,
        position=page,
        document=document,
        score_text=levels[int(value)] if levels else typed,
        score=value,
        first_score=value,
        graded=assignment.study.is_graded,
        justification=WORDS,
        submitted_at=at,
        version=MOVES_BEFORE_DOCUMENTS + 2 * page,
    )


def random_scores(rng: random.Random) -> Scorer:
    """Scores on a scale of the worker's own, H_k always above N_k."""
    modulus = 10 ** rng.uniform(-2, 3)

    def score(document: PooledDocument) -> str:
        felt = {"h_k": rng.uniform(3, 9), "n_k": rng.uniform(0.2, 1)}.get(
            document.role, rng.choice([0.5, 1, 2, rng.uniform(0.1, 10)])
        )
        return f"{modulus * felt:.12g}"

    return score


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
    with drawn_by(1):
        withdrawn = complete(study, "ada", random_scores(rng)).assignment
        flow.withdraw(str(withdrawn.completion_code), later(900))
        ben = Person(study, "ben", scores={"h_k": "0.5"}).come_to_documents()
        h_k = ben.position_of("h_k")
        ben.judge_up_to(8).do(f"wait 25, finish, resume, open {h_k}, finish {h_k} 44")
        complete(study, "carmen", random_scores(rng))
        dora = Person(study, "dora", platform="prolific", external_id=EXTERNAL_ID, ids=PLATFORM_IDS)
        dora.come_to_the_end().finish()
        Person(study, "carl").fail("lines")
        Person(study, "gail").fail("question")
        Person(study, "hugo").come_to("practice").leave()
        Person(study, "eve").come_to_documents()
    evaluate(study)
    return study
