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
from judging.models.study import FormerSlug, PooledDocument, Study, StudyTopic
from judging.models.team import Invitation, Membership, Role
from judging.models.trail import RecordEntry, TrailEntry
from judging.models.unit import Batch, Unit, UnitDocument
from judging.models.worker import Comment, Participant, PlatformAccount, Worker, WrongResumeCode
