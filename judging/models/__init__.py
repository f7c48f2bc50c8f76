"""The tables of judging."""

from judging.models.assignment import Assignment, CheckFailure, Judgment, Tick, Visit
from judging.models.collection import (
    Collection,
    Document,
    Label,
    LabelSet,
    RankedList,
    Run,
    Topic,
    Vocabulary,
)
from judging.models.opinion import Opinion
from judging.models.study import PooledDocument, Study, StudyTopic
from judging.models.team import Invitation, Membership, Role
from judging.models.unit import Unit, UnitDocument
from judging.models.worker import Participant, PlatformAccount, Worker, WrongResumeCode

__all__ = [
    "Assignment",
    "CheckFailure",
    "Collection",
    "Document",
    "Invitation",
    "Judgment",
    "Label",
    "LabelSet",
    "Membership",
    "Opinion",
    "Participant",
    "PlatformAccount",
    "PooledDocument",
    "RankedList",
    "Role",
    "Run",
    "Study",
    "StudyTopic",
    "Tick",
    "Topic",
    "Unit",
    "UnitDocument",
    "Visit",
    "Vocabulary",
    "Worker",
    "WrongResumeCode",
]
