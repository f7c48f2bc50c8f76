"""A worker's way through a unit: the only writer of the state of an assignment.

Every verb is one idempotent transaction that locks what it changes; the time is an argument.
"""

from judging.flow.admission import admit
from judging.flow.documents import (
    DocumentPage,
    autosave_draft,
    discard_draft,
    finishes_left,
    judge,
    open_page,
    page_errors,
    save_draft,
    score_as_text,
)
from judging.flow.ending import expire_overdue, leave, renew_deadline, withdraw
from judging.flow.finishing import finish, finish_from_list, resume_revision
from judging.flow.notes import save_comment, save_document_note
from judging.flow.offer import Arrival, NoWork, no_work_reason
from judging.flow.own_withdrawal import get_withdrawable, withdraw_own_unit
from judging.flow.platform_submissions import confirm_submissions, end_submissions
from judging.flow.preparation import answer, practise, read_instructions, start_practice
from judging.flow.submission_checks import Submission
from judging.flow.team_actions import release_unit, unit_in_progress, unit_of_code, withdraw_unit

__all__ = [
    "Arrival",
    "DocumentPage",
    "NoWork",
    "Submission",
    "admit",
    "answer",
    "autosave_draft",
    "confirm_submissions",
    "discard_draft",
    "end_submissions",
    "expire_overdue",
    "finish",
    "finish_from_list",
    "finishes_left",
    "get_withdrawable",
    "judge",
    "leave",
    "no_work_reason",
    "open_page",
    "page_errors",
    "practise",
    "read_instructions",
    "release_unit",
    "renew_deadline",
    "resume_revision",
    "save_comment",
    "save_document_note",
    "save_draft",
    "score_as_text",
    "start_practice",
    "unit_in_progress",
    "unit_of_code",
    "withdraw",
    "withdraw_own_unit",
    "withdraw_unit",
]
