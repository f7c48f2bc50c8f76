"""The tables of a study in an archive: settings, plan, workers, and all that they left behind.

A test requires that every field of every model of judging, evaluation and workspace is stored,
computed, or left out with the reason. Rows are in the order of their keys, in which they came;
results may depend on it.
"""

import secrets

from evaluation.models import Verdict
from judging.models import (
    Assignment,
    Batch,
    CheckFailure,
    DocumentNote,
    Judgment,
    Opinion,
    Payment,
    PooledDocument,
    Study,
    StudyTopic,
    TrailEntry,
    Unit,
    UnitDocument,
    Visit,
    Worker,
)
from judging.settings import SETTINGS
from workspace.archive.collection_tables import OF_COLLECTION
from workspace.archive.columns import (
    Code,
    Computed,
    JudgedDocument,
    Link,
    OfAssignment,
    Order,
    Stored,
    WithoutPeople,
)
from workspace.archive.table import TOPIC, Table, added, of_study, stored

MAX_REVISION = 2**40  # of a topic's data: far more than will ever be
MAX_SECONDS = 1e9  # seconds
OF_TOPIC = Link("study_topic", "study_topics", {"topic": "study_topic__topic__query_id"})
POOLED = Link(
    "document",
    "pool",
    {"topic": "study_topic__topic__query_id", "doc_id": "document__doc_id"},
)
STUDY = Table(
    "study",
    Study,
    lambda scope: Study.objects.filter(pk=scope.study.pk),
    added(Study, "topics_seed", "pooled_to", "pay_is_chosen", "analysis_plan")
    + stored(Study, "stage", "main_aspect", "crowd", "all_judgments", "plan_seed")
    + stored(Study, "opened_at", "closed_at")
    + tuple(
        Stored(each.name, Study, is_new=each.archived_later, before=each.archived_before)
        for each in SETTINGS
    ),
    owner="collection",
)
OF_STUDY = (
    Table(
        "study_topics",
        StudyTopic,
        of_study(StudyTopic),
        (
            TOPIC,
            *stored(StudyTopic, "question", "options", "answer", "answer_sentence", "h_k", "n_k"),
            *added(StudyTopic, "anchors_reason", "anchors_unread"),
            *stored(StudyTopic, "anchors_drawn", "pool"),
            Stored("revision", StudyTopic, minimum=0, maximum=MAX_REVISION),
        ),
        owner="study",
        key=("topic__query_id",),
    ),
    Table(
        "pool",
        PooledDocument,
        of_study(PooledDocument, "study_topic__study"),
        (
            OF_TOPIC,
            *stored(PooledDocument, "doc_id", "code", "role"),
            Computed(
                "document", lambda row: None, "is the text of that id, found when all is read"
            ),
        ),
        key=("study_topic__topic__query_id", "doc_id"),
    ),
    Table(
        "batches",
        Batch,
        of_study(Batch),
        stored(Batch, "number", "seed", "redundancy", "chosen", "made_at")
        + added(Batch, "after_ranking"),
        owner="study",
        key=("number",),
    ),
    Table(
        "units",
        Unit,
        of_study(Unit),
        (
            OF_TOPIC,
            *stored(Unit, "number"),
            Link("batch", "batches", {"batch": "batch__number"}, optional=True),
            Computed("free", lambda row: True, "follows from the assignments"),
        ),
        owner="study",
        key=("study_topic__topic__query_id", "number"),
    ),
    Table(
        "unit_documents",
        UnitDocument,
        of_study(UnitDocument, "unit__study"),
        (
            Link(
                "unit",
                "units",
                {"topic": "unit__study_topic__topic__query_id", "unit": "unit__number"},
            ),
            Link(
                "document",
                "pool",
                {"topic": "unit__study_topic__topic__query_id", "doc_id": "document__doc_id"},
            ),
        ),
    ),
    Table(
        "workers",
        Worker,
        of_study(Worker),
        (
            *stored(Worker, "pseudonym", "simulated", "consented_at", "consent_version"),
            *stored(Worker, "practised", "verified", "excluded_at", "exclusion_reason"),
            Computed("resume_code", lambda row: "", "is a secret of the worker"),
        ),
        owner="study",
        key=("pseudonym",),
    ),
    Table(
        "assignments",
        Assignment,
        of_study(Assignment),
        (
            OF_TOPIC,
            Link(
                "unit", "units", {"topic": "study_topic__topic__query_id", "unit": "unit__number"}
            ),
            Link("worker", "workers", {"worker": "worker__pseudonym"}),
            *stored(Assignment, "state", "lines", "line_scores", "practice_step"),
            *stored(Assignment, "wrong_answers", "option_order"),
            Order("order"),
            *stored(Assignment, "position", "furthest", "back_steps", "revise_steps"),
            *stored(Assignment, "failed_finishes", "barred"),
            *stored(Assignment, "started_at", "active_at", "deadline_at", "finished_at"),
            Stored("seconds", Assignment, minimum=0, maximum=MAX_SECONDS),
            *stored(Assignment, "payment"),
            *added(Assignment, "texts_version"),
            Computed("token", lambda row: secrets.token_urlsafe(12), "is a secret of the worker"),
            Code("completion_code"),
        ),
        owner="study",
    ),
    Table(
        "visits",
        Visit,
        of_study(Visit, "assignment__study"),
        (
            OfAssignment("assignment"),
            *stored(Visit, "position", "opened_at", "closed_at"),
            Stored("visible_seconds", Visit, minimum=0, maximum=MAX_SECONDS),
            Stored("hidden_seconds", Visit, minimum=0, maximum=MAX_SECONDS),
            *stored(Visit, "pasted_characters"),
        ),
    ),
    Table(
        "document_notes",
        DocumentNote,
        of_study(DocumentNote, "assignment__study"),
        (
            OfAssignment("assignment"),
            *stored(DocumentNote, "position"),
            JudgedDocument("document"),
            *stored(DocumentNote, "kind", "text", "at"),
        ),
    ),
    Table(
        "judgments",
        Judgment,
        lambda scope: Judgment.objects.filter(assignment__study=scope.study, score__isnull=False),
        (
            OfAssignment("assignment"),
            *stored(Judgment, "position"),
            JudgedDocument("document"),
            *stored(Judgment, "score_text", "score", "graded", "justification", "first_score"),
            *stored(Judgment, "score_at_failure", "submitted_at"),
        ),
    ),
    Table(
        "failures",
        CheckFailure,
        of_study(CheckFailure, "assignment__study"),
        (OfAssignment("assignment"), *stored(CheckFailure, "check_name", "at", "attempt")),
    ),
    Table(
        "payments",
        Payment,
        of_study(Payment, "assignment__study"),
        (
            OfAssignment("assignment"),
            *stored(Payment, "kind", "amount", "currency", "state", "state_at"),
            *stored(Payment, "category", "reason", "question"),
        ),
    ),
    Table(
        "opinions",
        Opinion,
        of_study(Opinion, "study_topic__study"),
        (
            OF_TOPIC,
            POOLED,
            Link("worker", "workers", {"worker": "worker__pseudonym"}),
            *stored(Opinion, "level", "score", "group", "aspect", "occasion"),
        ),
    ),
    Table(
        "verdicts",
        Verdict,
        of_study(Verdict, "document__study_topic__study"),
        (
            Link(
                "document",
                "pool",
                {
                    "topic": "document__study_topic__topic__query_id",
                    "doc_id": "document__doc_id",
                },
            ),
            *stored(Verdict, "label_set", "finding", "note", "at"),
        ),
    ),
    Table(
        "trail",
        TrailEntry,
        of_study(TrailEntry),
        (*stored(TrailEntry, "at", "action"), WithoutPeople("details", TrailEntry)),
        owner="study",
    ),
)
TABLES = (*OF_COLLECTION, STUDY, *OF_STUDY)
