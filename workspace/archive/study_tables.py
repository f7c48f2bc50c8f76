"""The tables of a study in an archive: settings, plan, workers, and all that they left behind."""

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
from workspace.archive.columns import (
    Code,
    JudgedDocument,
    Kept,
    Link,
    Made,
    OfAssignment,
    Order,
    WithoutPeople,
)
from workspace.archive.table import TOPIC, Table, added, kept, of_study

MOST_CHANGES = 2**40  # of a topic's data: far more than will ever be
LONGEST = 1e9  # seconds
OF_TOPIC = Link("study_topic", "study_topics", {"topic": "study_topic__topic__query_id"})
POOLED = Link(
    "document",
    "pool",
    {"topic": "study_topic__topic__query_id", "doc_id": "document__doc_id"},
)
STUDY = Table(
    "study",
    Study,
    lambda home: Study.objects.filter(pk=home.study.pk),
    added(Study, "cutoff", "pooled_to", "pay_is_chosen", "ethics_exemption", "analysis_plan")
    + added(Study, "unlabelled_as_zero", ratios_after_practice=False, hints=False)
    + kept(
        Study,
        *("stage", "title", "scale", "levels", "level_descriptions"),
        *("main_aspect", "demo", "crowd"),
        *("unit_size", "redundancy", "minimum_seconds", "long_visit_minutes", "pool_depth"),
        *("payment", "platform_fee", "minimum_hourly_pay", "currency"),
        *("practice",),
        *(
            "show_previous_score",
            "check_before_finish",
            "expiry_minutes",
            "entry",
            "practice_minutes",
        ),
        *("most_failed_finishes", "pay_after_limit", "max_units_per_worker"),
        *("most_workers", "newcomers_an_hour", "newcomers_a_day", "quiet_hours"),
        *("platform", "completion_code", "completion_address", "screen_out_code"),
        *(
            "screen_out_reward",
            "return_code",
            "further_units",
            "submission_minutes",
            "question_tries",
        ),
        *("attempts",),
        *("language", "text_language", "introduction", "practice_instructions", "instructions"),
        *("consent", "consent_by", "contact", "ethics_approval"),
        *("retention_days", "withdraw_days", "labels"),
        *("record_pasting", "unlabelled_n_k", "all_judgments", "pool_by", "plan_seed"),
        *("opened_at", "closed_at"),
    ),
    owner="collection",
    left_out={
        "slug": "stands in the manifest",
        "version": "counts changes on one site",
        "rehearsal_of": "rehearsals are not archived",
        "pilot": "is another study of the site",
        "placeholder_came_at": "is about links to one site",
        "archived_at": "each site puts its studies away by itself",
        "created_at": "is that of the site it stands on",
    },
)
OF_STUDY = (
    Table(
        "study_topics",
        StudyTopic,
        of_study(StudyTopic),
        (
            TOPIC,
            *kept(StudyTopic, "question", "options", "answer", "answer_sentence", "h_k", "n_k"),
            *added(StudyTopic, "anchors_reason", "anchors_unread"),
            *kept(StudyTopic, "anchors_drawn", "pool"),
            Kept("revision", StudyTopic, least=0, most=MOST_CHANGES),
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
            *kept(PooledDocument, "doc_id", "code", "role"),
            Made("document", lambda row: None, "is the text of that id, found when all is read"),
        ),
        key=("study_topic__topic__query_id", "doc_id"),
    ),
    Table(
        "batches",
        Batch,
        of_study(Batch),
        kept(Batch, "number", "seed", "redundancy", "chosen", "made_at")
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
            *kept(Unit, "number"),
            Link("batch", "batches", {"batch": "batch__number"}, optional=True),
            Made("free", lambda row: True, "follows from the assignments"),
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
            *kept(Worker, "pseudonym", "simulated", "consented_at", "consent_version"),
            *kept(Worker, "practised", "verified", "excluded_at", "exclusion_reason"),
            Made("resume_code", lambda row: "", "is a secret of the worker"),
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
            *kept(Assignment, "state", "lines", "line_scores", "practice_step"),
            *kept(Assignment, "wrong_answers", "option_order"),
            Order("order"),
            *kept(Assignment, "position", "furthest", "back_steps", "revise_steps"),
            *kept(Assignment, "failed_finishes", "barred"),
            *kept(Assignment, "started_at", "active_at", "deadline_at", "finished_at"),
            Kept("seconds", Assignment, least=0, most=LONGEST),
            *kept(Assignment, "payment"),
            Made("token", lambda row: secrets.token_urlsafe(12), "is a secret of the worker"),
            Code("completion_code"),
        ),
        owner="study",
        left_out=dict.fromkeys(
            ("version", "progressed_at"), "is of an attempt in hand, which ends where it is read"
        ),
    ),
    Table(
        "visits",
        Visit,
        of_study(Visit, "assignment__study"),
        (
            OfAssignment("assignment"),
            *kept(Visit, "position", "opened_at", "closed_at"),
            Kept("visible_seconds", Visit, least=0, most=LONGEST),
            Kept("hidden_seconds", Visit, least=0, most=LONGEST),
            *kept(Visit, "pasted_characters"),
        ),
    ),
    Table(
        "document_notes",
        DocumentNote,
        of_study(DocumentNote, "assignment__study"),
        (
            OfAssignment("assignment"),
            *kept(DocumentNote, "position"),
            JudgedDocument("document"),
            *kept(DocumentNote, "kind", "text", "at"),
        ),
    ),
    Table(
        "judgments",
        Judgment,
        lambda home: Judgment.objects.filter(assignment__study=home.study, score__isnull=False),
        (
            OfAssignment("assignment"),
            *kept(Judgment, "position"),
            JudgedDocument("document"),
            *kept(Judgment, "score_text", "score", "graded", "justification", "first_score"),
            *kept(Judgment, "score_at_failure", "submitted_at"),
        ),
        left_out=dict.fromkeys(
            ("version", "draft_score_text", "draft_justification"),
            "is for the worker's page, which they cannot come back to elsewhere",
        ),
    ),
    Table(
        "failures",
        CheckFailure,
        of_study(CheckFailure, "assignment__study"),
        (OfAssignment("assignment"), *kept(CheckFailure, "check_name", "at", "attempt")),
    ),
    Table(
        "payments",
        Payment,
        of_study(Payment, "assignment__study"),
        (
            OfAssignment("assignment"),
            *kept(Payment, "kind", "amount", "currency", "state", "state_at"),
            *kept(Payment, "category", "reason", "question"),
        ),
        left_out={"decided_by": "is somebody with an account"},
    ),
    Table(
        "opinions",
        Opinion,
        of_study(Opinion, "study_topic__study"),
        (
            OF_TOPIC,
            POOLED,
            Link("worker", "workers", {"worker": "worker__pseudonym"}),
            *kept(Opinion, "level", "score", "group", "aspect", "occasion"),
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
            *kept(Verdict, "label_set", "finding", "note", "at"),
        ),
        left_out={"by": "is somebody with an account"},
    ),
    Table(
        "trail",
        TrailEntry,
        of_study(TrailEntry),
        (*kept(TrailEntry, "at", "action"), WithoutPeople("details", TrailEntry)),
        owner="study",
        left_out={"by": "is somebody with an account"},
    ),
)
