"""What an archive holds: the one list of its tables and columns, and of what stays out.

Every field of every model of judging, evaluation and workspace stands here, or a test fails: kept,
made anew, or left out with the reason. Rows are in the order of their keys, which is the order in
which they came; results may depend on it.
"""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.db.models import Model, QuerySet

from evaluation.models import Verdict
from judging.collections import vocabulary
from judging.collections.cleaning import VERSION, cleaned
from judging.models import (
    Assignment,
    Batch,
    CheckFailure,
    Collection,
    Document,
    Judgment,
    Label,
    LabelSet,
    Opinion,
    PooledDocument,
    RankedList,
    Run,
    Study,
    StudyTopic,
    Topic,
    TrailEntry,
    Unit,
    UnitDocument,
    Visit,
    Vocabulary,
    Worker,
)
from trec.documents import Document as ReadDocument
from trec.lengths import length
from workspace.archive.columns import (
    Code,
    Column,
    DocumentIds,
    JudgedDocument,
    Kept,
    Link,
    Made,
    OfAssignment,
    Order,
    Packed,
    Row,
    WithoutPeople,
)

MOST_CHANGES = 2**40  # of a topic's data: far more than will ever be
LONGEST = 1e9  # seconds


class Home(NamedTuple):
    """The study that is archived, or being made, and its collection."""

    collection: Collection
    study: Study


@dataclass(frozen=True)
class Table:
    """A file of an archive, with one row of a model a line.

    rows: those of a study; owner: the field that names the study or its collection, if there is
    one; key: what other files name a row by, as paths; left_out: fields, each with the reason.
    """

    name: str
    model: type[Model]
    rows: Callable[[Home], QuerySet[Any]]
    columns: tuple[Column, ...]
    owner: str = ""
    key: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)

    @property
    def sources(self) -> dict[str, str]:
        """The names in the file, each with the path that the database has it under."""
        return {name: path for column in self.columns for name, path in column.sources.items()}


def _kept(model: type[Model], *names: str) -> tuple[Kept, ...]:
    return tuple(Kept(name, model) for name in names)


def _of_collection(model: type[Model]) -> Callable[[Home], QuerySet[Any]]:
    return lambda home: model._default_manager.filter(collection=home.collection)


def _of_study(model: type[Model], path: str = "study") -> Callable[[Home], QuerySet[Any]]:
    return lambda home: model._default_manager.filter(**{path: home.study})


def _read(row: Row) -> ReadDocument:
    return ReadDocument(row["doc_id"], row["title"], row["text"], row["is_html"])


TOPIC = Link("topic", "topics", {"topic": "topic__query_id"})
OF_TOPIC = Link("study_topic", "study_topics", {"topic": "study_topic__topic__query_id"})
POOLED = Link(
    "document",
    "pool",
    {"topic": "study_topic__topic__query_id", "doc_id": "document__doc_id"},
)
OF_COLLECTION = (
    Table(
        "topics",
        Topic,
        _of_collection(Topic),
        _kept(Topic, "query_id", "title", "description", "narrative"),
        owner="collection",
        key=("query_id",),
    ),
    Table(
        "documents",
        Document,
        _of_collection(Document),
        (
            *_kept(Document, "doc_id", "title", "text", "is_html"),
            Made("words", lambda row: length(_read(row)), "follows from the text"),
            Made("cleaned", lambda row: cleaned(row["text"], row["is_html"]), "never trusted"),
            Made("cleaner", lambda row: VERSION, "is that of this site"),
        ),
        owner="collection",
    ),
    Table(
        "vocabularies",
        Vocabulary,
        lambda home: Vocabulary.objects.filter(topic__collection=home.collection),
        (TOPIC, DocumentIds("doc_ids")),
    ),
    Table(
        "runs",
        Run,
        _of_collection(Run),
        _kept(Run, "tag"),
        owner="collection",
        key=("tag",),
    ),
    Table(
        "lists",
        RankedList,
        lambda home: RankedList.objects.filter(run__collection=home.collection),
        (
            Link("run", "runs", {"run": "run__tag"}),
            TOPIC,
            Packed("codes", vocabulary.CODES),
            Packed("ranks", vocabulary.RANKS),
            Packed("scores", vocabulary.SCORES),
        ),
    ),
    Table(
        "label_sets",
        LabelSet,
        _of_collection(LabelSet),
        (
            *_kept(LabelSet, "name"),
            Made("digest", lambda row: secrets.token_hex(32), "tells sets of one site apart"),
        ),
        owner="collection",
        key=("name",),
    ),
    Table(
        "labels",
        Label,
        lambda home: Label.objects.filter(label_set__collection=home.collection),
        (
            Link("label_set", "label_sets", {"label_set": "label_set__name"}),
            TOPIC,
            *_kept(Label, "doc_id", "level"),
        ),
    ),
)
STUDY = Table(
    "study",
    Study,
    lambda home: Study.objects.filter(pk=home.study.pk),
    _kept(
        Study,
        *("stage", "title", "scale", "levels", "main_aspect", "demo", "crowd"),
        *("unit_size", "redundancy", "minimum_seconds", "long_visit_minutes", "pool_depth"),
        *("payment", "platform_fee", "minimum_hourly_pay", "currency", "practice"),
        *("show_previous_score", "expiry_minutes", "entry", "practice_minutes"),
        *("most_failed_finishes", "pay_after_limit", "max_units_per_worker"),
        *("consent", "contact", "ethics_approval", "retention_days", "labels"),
        *("unlabelled_n_k", "all_judgments", "pool_by", "plan_seed", "opened_at", "closed_at"),
    ),
    owner="collection",
    left_out={
        "slug": "stands in the manifest",
        "version": "counts changes on one site",
        "rehearsal_of": "a rehearsal is a study of its own",
        "archived_at": "each site puts its studies away by itself",
        "created_at": "is that of the site it stands on",
    },
)
OF_STUDY = (
    Table(
        "study_topics",
        StudyTopic,
        _of_study(StudyTopic),
        (
            TOPIC,
            *_kept(StudyTopic, "question", "options", "answer", "h_k", "n_k"),
            *_kept(StudyTopic, "anchors_drawn", "pool"),
            Kept("revision", StudyTopic, least=0, most=MOST_CHANGES),
        ),
        owner="study",
        key=("topic__query_id",),
    ),
    Table(
        "pool",
        PooledDocument,
        _of_study(PooledDocument, "study_topic__study"),
        (
            OF_TOPIC,
            *_kept(PooledDocument, "doc_id", "code", "role"),
            Made("document", lambda row: None, "is the text of that id, found when all is read"),
        ),
        key=("study_topic__topic__query_id", "doc_id"),
    ),
    Table(
        "batches",
        Batch,
        _of_study(Batch),
        _kept(Batch, "number", "seed", "redundancy", "chosen", "made_at"),
        owner="study",
        key=("number",),
    ),
    Table(
        "units",
        Unit,
        _of_study(Unit),
        (
            OF_TOPIC,
            *_kept(Unit, "number"),
            Link("batch", "batches", {"batch": "batch__number"}, optional=True),
            Made("free", lambda row: True, "follows from the assignments"),
        ),
        owner="study",
        key=("study_topic__topic__query_id", "number"),
    ),
    Table(
        "unit_documents",
        UnitDocument,
        _of_study(UnitDocument, "unit__study"),
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
        _of_study(Worker),
        (
            *_kept(Worker, "pseudonym", "simulated", "consented_at", "consent_version"),
            *_kept(Worker, "practised", "verified", "excluded_at", "exclusion_reason"),
            Made("resume_code", lambda row: "", "is a secret of the worker"),
        ),
        owner="study",
        key=("pseudonym",),
    ),
    Table(
        "assignments",
        Assignment,
        _of_study(Assignment),
        (
            OF_TOPIC,
            Link(
                "unit", "units", {"topic": "study_topic__topic__query_id", "unit": "unit__number"}
            ),
            Link("worker", "workers", {"worker": "worker__pseudonym"}),
            *_kept(Assignment, "state", "lines", "line_scores", "practice_step", "option_order"),
            Order("order"),
            *_kept(Assignment, "position", "furthest", "back_steps", "revise_steps"),
            *_kept(Assignment, "failed_finishes", "barred"),
            *_kept(Assignment, "started_at", "active_at", "deadline_at", "finished_at"),
            Kept("seconds", Assignment, least=0, most=LONGEST),
            *_kept(Assignment, "payment"),
            Made("token", lambda row: secrets.token_urlsafe(12), "is a secret of the worker"),
            Code("completion_code"),
        ),
        owner="study",
    ),
    Table(
        "visits",
        Visit,
        _of_study(Visit, "assignment__study"),
        (
            OfAssignment("assignment"),
            *_kept(Visit, "position", "opened_at", "closed_at"),
            Kept("visible_seconds", Visit, least=0, most=LONGEST),
        ),
    ),
    Table(
        "judgments",
        Judgment,
        _of_study(Judgment, "assignment__study"),
        (
            OfAssignment("assignment"),
            *_kept(Judgment, "position"),
            JudgedDocument("document"),
            *_kept(Judgment, "score_text", "score", "graded", "justification", "first_score"),
            *_kept(Judgment, "score_at_failure", "submitted_at"),
        ),
    ),
    Table(
        "failures",
        CheckFailure,
        _of_study(CheckFailure, "assignment__study"),
        (OfAssignment("assignment"), *_kept(CheckFailure, "check_name", "at", "attempt")),
    ),
    Table(
        "opinions",
        Opinion,
        _of_study(Opinion, "study_topic__study"),
        (
            OF_TOPIC,
            POOLED,
            Link("worker", "workers", {"worker": "worker__pseudonym"}),
            *_kept(Opinion, "level", "score", "group", "aspect", "occasion"),
        ),
    ),
    Table(
        "verdicts",
        Verdict,
        _of_study(Verdict, "document__study_topic__study"),
        (
            Link(
                "document",
                "pool",
                {
                    "topic": "document__study_topic__topic__query_id",
                    "doc_id": "document__doc_id",
                },
            ),
            *_kept(Verdict, "label_set", "finding", "note", "at"),
        ),
        left_out={"by": "is somebody with an account"},
    ),
    Table(
        "trail",
        TrailEntry,
        _of_study(TrailEntry),
        (*_kept(TrailEntry, "at", "action"), WithoutPeople("details", TrailEntry)),
        owner="study",
        left_out={"by": "is somebody with an account"},
    ),
)
TABLES = (*OF_COLLECTION, STUDY, *OF_STUDY)

OF_COLLECTION_ITSELF = {
    "slug": "stands in the manifest",
    "owner": "has an account",
    "shared_with": "have accounts",
    "revision": "counts changes on one site",
    "created_at": "is that of the site it stands on",
}
# Models of which an archive holds nothing, and why.
LEFT_OUT = {
    "judging.PlatformAccount": "personal data: sealed, where somebody asks for it",
    "judging.Participant": "personal data: sealed, where somebody asks for it",
    "judging.WrongResumeCode": "guards secrets that are not archived",
    "judging.Tick": "is of the site",
    "judging.Membership": "users stay where they are",
    "judging.Invitation": "users stay where they are",
    "workspace.ImportJob": "is of the site",
    "workspace.Upload": "is of the site",
    "evaluation.Evaluation": "computed anew",
    "evaluation.TopicEvaluation": "computed anew",
    "evaluation.Ranking": "computed anew",
    "evaluation.KeptAnalysis": "computed anew",
}
