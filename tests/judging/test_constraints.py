"""The database itself refuses what must never be, whatever the code does."""

import math
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import IntegrityError, connection, transaction

from judging.models import (
    Assignment,
    CheckFailure,
    Collection,
    Document,
    Judgment,
    Label,
    LabelSet,
    Opinion,
    PlatformAccount,
    PooledDocument,
    Run,
    Study,
    StudyTopic,
    Topic,
    Unit,
    UnitDocument,
    Visit,
    Worker,
)
from judging.states import LIVE, OCCUPYING
from tests.cast import ada, ben
from tests.factory import NOON, later, make_study


@contextmanager
def refused(constraint: str) -> Iterator[None]:
    """The block is refused by this constraint, and leaves the transaction usable."""
    with pytest.raises(IntegrityError, match=f'"{constraint}"'), transaction.atomic():
        yield


def change(row, **values) -> None:
    type(row).objects.filter(pk=row.pk).update(**values)


def copy(row, **values):
    """The same row again, but for some values."""
    kept = {f.attname: getattr(row, f.attname) for f in row._meta.concrete_fields}
    kept.pop("id")
    return type(row).objects.create(**{**kept, **values})


@pytest.fixture
def live(judging) -> Assignment:
    return judging.assignment


@pytest.fixture
def completed(study) -> Assignment:
    person = ada(study)
    person.complete()
    return person.assignment


def ended(state: str) -> dict:
    return {"state": state, "finished_at": NOON, "seconds": [0] * 8, "token": "t"}


# --- assignments --------------------------------------------------------------------------------
@pytest.mark.parametrize("state", LIVE)
def test_a_unit_has_one_live_assignment(study, live, state):
    ben(study).begin()
    other = Worker.objects.get(pseudonym="ben")
    Assignment.objects.filter(worker=other).delete()
    with refused("one_holder_a_unit"):
        copy(live, worker_id=other.pk, token="t", state=state, position=0, furthest=0)


@pytest.mark.parametrize("state", OCCUPYING)
def test_a_completed_unit_has_no_second_holder(study, completed, state):
    other = Worker.objects.create(study=study, pseudonym="ben", consented_at=NOON)
    more = {} if state == "completed" else {"finished_at": None, "seconds": None}
    code = "X" if state == "completed" else None
    with refused("one_holder_a_unit"):
        copy(
            completed,
            worker_id=other.pk,
            token="t",
            state=state,
            completion_code=code,
            position=0,
            furthest=8 if state not in LIVE[:3] else 0,
            **more,
        )


@pytest.mark.parametrize("state", ["failed", "left", "expired"])
def test_ended_assignments_hold_nothing(study, live, state):
    other = Worker.objects.create(study=study, pseudonym="ben", consented_at=NOON)
    assert copy(live, worker_id=other.pk, **ended(state))


def test_a_worker_has_one_live_assignment(study, live):
    unit = Unit.objects.filter(free=True).first()
    with refused("one_live_a_worker"):
        copy(live, unit_id=unit.pk, token="t", barred=False, state="topic", position=0, furthest=0)


def test_a_worker_has_a_topic_once(study, live):
    unit = Unit.objects.filter(free=True).first()
    with refused("topic_once_a_worker"):
        copy(live, unit_id=unit.pk, **ended("left"))


def test_a_code_is_its_units_own(study, completed):
    other = ben(study).come_to_the_end().assignment
    with refused("code_once"):
        change(other, state="completed", completion_code=completed.completion_code, **ENDED)


ENDED = {"finished_at": NOON, "seconds": [0] * 8}


@pytest.mark.parametrize(
    ("constraint", "values"),
    [
        ("seen_bars", {"barred": False}),
        ("ended_has_its_end", {"state": "left"}),
        ("ended_has_its_end", {"state": "left", "finished_at": NOON}),
        ("ended_has_its_end", {"state": "expired", "seconds": [0] * 8}),
        ("ended_has_its_end", {"state": "failed"}),
        ("ended_has_its_end", {"finished_at": NOON}),
        ("ended_has_its_end", {"seconds": [0] * 8}),
        ("ended_has_its_end", ENDED),
        ("code_when_completed", {"completion_code": "CODE"}),
        ("code_when_completed", {**ENDED, "state": "left", "completion_code": "CODE"}),
        ("code_when_completed", {**ENDED, "state": "completed", "furthest": 8}),
        ("code_when_completed", {**ENDED, "state": "withdrawn", "furthest": 8}),
        ("page_within_reach", {"position": 3}),
        ("page_within_reach", {"position": 9}),
        *(("documents_after_topic", {"state": state}) for state in LIVE[:3]),
        *(
            (f"judging_assignment_{name}_check", {name: -1})
            for name in ("position", "furthest", "back_steps", "failed_finishes")
        ),
    ],
)
def test_somebody_on_the_first_document(live, constraint, values):
    with refused(constraint):
        change(live, **values)


@pytest.mark.parametrize("values", [{"furthest": 7}, {"seconds": [20.0] * 7}, {"seconds": []}])
def test_completed_means_that_all_was_seen(completed, values):
    with refused("completed_saw_all"):
        change(completed, **values)


def test_a_token_names_one_assignment(study, live):
    ben(study).begin()
    with refused("token_once"):
        change(Assignment.objects.get(worker__pseudonym="ben"), token=live.token)


# --- visits and judgments -----------------------------------------------------------------------
def test_one_open_visit_which_is_of_a_page_and_ends_after_its_start(judging):
    judging.open(1)
    with refused("one_open_visit"):
        Visit.objects.create(assignment=judging.assignment, position=2, opened_at=NOON)
    with refused("visit_ends_after_start"):
        Visit.objects.update(closed_at=later(-1))
    Visit.objects.all().delete()
    with refused("visit_of_a_page"):
        Visit.objects.create(assignment=judging.assignment, position=0, opened_at=NOON)


@pytest.mark.parametrize(
    ("graded", "score", "constraint"),
    [
        (False, 0, "score_on_its_scale"),
        *((False, bad, "judgment_score_within") for bad in (-1, math.inf, -math.inf, math.nan)),
        *((True, bad, "score_on_its_scale") for bad in (0.5, 10)),
        *((True, bad, "judgment_score_within") for bad in (-1, math.inf, math.nan)),
    ],
)
def test_a_score_is_on_its_scale_and_finite(judging, graded, score, constraint):
    judging.next(1)
    Judgment.objects.update(score=0 if graded else 1, graded=graded)
    with refused(constraint):
        Judgment.objects.update(score=score)


@pytest.mark.parametrize(
    "settings",
    [
        {"levels": ["Non", "Rel"]},
        {"scale": "graded"},
        {"scale": "graded", "levels": ["Rel"]},
        {"scale": "graded", "levels": [str(n) for n in range(11)]},
    ],
)
def test_only_a_graded_scale_has_levels(study, settings):
    with refused("levels_of_a_graded_scale"):
        change(study, **settings)


def test_an_opinion_is_a_level_or_nothing(study):
    pooled = PooledDocument.objects.first()
    worker = Worker.objects.create(study=study, pseudonym="w1")
    given = {"study_topic": pooled.study_topic, "document": pooled, "worker": worker}
    Opinion.objects.create(**given, level=None)
    with refused("opinion_level_within"):
        Opinion.objects.create(**given, level=10)


def test_a_page_and_a_document_are_judged_once(judging):
    judging.next(1)
    with refused("judgment_once"):
        copy(Judgment.objects.get(), document_id=judging.document(2).pk)
    with refused("document_judged_once"):
        copy(Judgment.objects.get(), position=2)


def test_a_failure_once_a_try(live):
    live.failures.create(check_name="time", at=NOON, attempt=1)
    with refused("failure_once_a_try"):
        live.failures.create(check_name="time", at=later(1), attempt=1)


# --- studies ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("values", "constraint"),
    [
        ({"unit_size": 2}, "study_unit_size_within"),
        ({"redundancy": 0}, "study_redundancy_within"),
        ({"minimum_seconds": -1}, "study_minimum_seconds_within"),
        ({"minimum_seconds": math.inf}, "study_minimum_seconds_within"),
        ({"minimum_seconds": math.nan}, "study_minimum_seconds_within"),
        ({"expiry_minutes": math.inf}, "study_expiry_minutes_within"),
        ({"expiry_minutes": math.nan}, "study_expiry_minutes_within"),
        ({"expiry_minutes": 0}, "study_expiry_minutes_within"),
        ({"platform": "mturk"}, "platform_known"),
        ({"platform": "connect", "further_units": "paid"}, "submission_pays_once"),
        ({"screen_out_code": "C2"}, "screen_out_pays"),
        ({"screen_out_code": "C2", "screen_out_reward": 1}, "screen_out_pays"),
        ({"return_code": "C3"}, "return_is_asked_for"),
        ({"question_tries": 4}, "study_question_tries_within"),
        ({"most_workers": 0}, "study_most_workers_within"),
        ({"attempts": 1}, "study_attempts_within"),
        ({"submission_minutes": 0}, "study_submission_minutes_within"),
        ({"stage": "draft"}, "opened_unless_draft"),
        ({"opened_at": None}, "opened_unless_draft"),
        ({"stage": "closed"}, "closed_at_when_closed"),
        ({"closed_at": NOON}, "closed_at_when_closed"),
    ],
)
def test_a_studys_settings(study, values, constraint):
    with refused(constraint):
        change(study, **values)


@pytest.mark.parametrize(
    ("values", "constraint"),
    [
        ({"h_k": "D401-000"}, "anchors_differ"),
        ({"options": ["a", "b", "c"], "answer": "a"}, "four_options"),
        ({"options": ["a", "b", "c", "d", "e"], "answer": "a"}, "four_options"),
        ({"answer": "none of them"}, "answer_is_an_option"),
    ],
)
def test_a_topics_settings(study, values, constraint):
    with refused(constraint):
        change(StudyTopic.objects.get(), **values)


def test_one_anchor_of_each_kind(study):
    other = PooledDocument.objects.filter(role="other").first()
    for role in ("h_k", "n_k"):
        with refused("one_anchor_a_role"):
            change(other, role=role)


def test_plans_hold_nothing_twice(study):
    for constraint, row in (
        ("pooled_once", PooledDocument.objects.filter(role="other").first()),
        ("document_once_a_unit", UnitDocument.objects.first()),
        ("unit_number_once", Unit.objects.first()),
    ):
        with refused(constraint):
            copy(row)


# --- workers ------------------------------------------------------------------------------------
def test_a_pseudonym_once_a_study(study, worker):
    worker.begin()
    with refused("pseudonym_once"):
        copy(worker.worker)
    assert copy(worker.worker, study_id=make_study().pk)


def test_one_account_an_id(study):
    first, second = ada(study), ben(study)
    for person in (first, second):
        person.begin()
    given = {"study": study, "platform": "prolific"}
    PlatformAccount.objects.create(worker=first.worker, external_id="5f1e", **given)
    with refused("account_once"):
        PlatformAccount.objects.create(worker=second.worker, external_id="5f1e", **given)
    with refused("account_has_an_id"):
        PlatformAccount.objects.create(worker=second.worker, external_id="", **given)
    with refused("judging_platformaccount_worker_id_.*"):
        PlatformAccount.objects.create(worker=first.worker, external_id="77aa", **given)


# --- collections --------------------------------------------------------------------------------
def test_names_are_unique_and_compare_by_bytes(db):
    home = Collection.objects.create(slug="home")
    topic = Topic.objects.create(collection=home, query_id="401", title="t")
    labels = LabelSet.objects.create(collection=home)
    rows = {
        "topic_once": topic,
        "document_once": Document.objects.create(
            collection=home, doc_id="é", title="t", text="t", words=1, cleaner=1
        ),
        "run_once": Run.objects.create(collection=home, tag="bm25"),
        "label_set_once": labels,
        "label_once": Label.objects.create(label_set=labels, topic=topic, doc_id="D", level=1),
    }
    for constraint, row in rows.items():
        with refused(constraint):
            copy(row)
    assert copy(rows["document_once"], doc_id="e\u0301")  # looks the same, is not
    assert copy(rows["run_once"], tag="BM25")
    for tag in ("b", "B", "a", "Z", "é", "z"):
        Run.objects.create(collection=home, tag=f"order-{tag}")
    tags = list(Run.objects.filter(tag__startswith="order").order_by("tag").values_list("tag"))
    assert tags == sorted(tags, key=lambda tag: tag[0].encode())


@pytest.mark.parametrize("level", [math.inf, -math.inf, math.nan])
def test_labels_are_finite(study, level):
    with refused("label_level_within"):
        Label.objects.update(level=level)


# --- all of them --------------------------------------------------------------------------------
def test_every_constraint_of_the_models_is_in_the_database(db):
    models = [
        *(Assignment, CheckFailure, Document, Judgment, Label, LabelSet, PlatformAccount),
        *(PooledDocument, Run, Study, StudyTopic, Topic, Unit, UnitDocument, Visit, Worker),
    ]
    with connection.cursor() as cursor:
        for model in models:
            there = connection.introspection.get_constraints(cursor, model._meta.db_table)
            assert {c.name for c in model._meta.constraints} <= there.keys()


def test_rows_that_belong_together_cannot_be_torn_apart(study, completed):
    """Documents that were judged stay."""
    with pytest.raises(Exception, match=r"restricted|protected"):
        PooledDocument.objects.get(pk=completed.order[0]).delete()
    with pytest.raises(Exception, match=r"restricted|protected"):
        Document.objects.all().delete()
