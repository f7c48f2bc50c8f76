"""The tables of judging."""

from judging.models.assignment import Assignment, CheckFailure, Judgment, Tick, Visit
from judging.models.collection import (
    Collection,
    Document,
    Label,
    LabelSet,
    RankedList,
    Run,
    StagedDocument,
    Topic,
    Vocabulary,
)
from judging.models.note import DocumentNote
from judging.models.opinion import Opinion
from judging.models.payment import Payment
from judging.models.plan_job import PlanJob
from judging.models.record import RecordEntry
from judging.models.study import FormerSlug, PooledDocument, Study, StudyTopic
from judging.models.team import Invitation, Membership, Role
from judging.models.trail import TrailEntry
from judging.models.unit import Batch, Unit, UnitDocument
from judging.models.worker import Comment, Participant, PlatformAccount, Worker, WrongResumeCode

__all__ = [
    "Assignment",
    "Batch",
    "CheckFailure",
    "Collection",
    "Comment",
    "Document",
    "DocumentNote",
    "FormerSlug",
    "Invitation",
    "Judgment",
    "Label",
    "LabelSet",
    "Membership",
    "Opinion",
    "Participant",
    "Payment",
    "PlanJob",
    "PlatformAccount",
    "PooledDocument",
    "RankedList",
    "RecordEntry",
    "Role",
    "Run",
    "StagedDocument",
    "Study",
    "StudyTopic",
    "Tick",
    "Topic",
    "TrailEntry",
    "Unit",
    "UnitDocument",
    "Visit",
    "Vocabulary",
    "Worker",
    "WrongResumeCode",
]
