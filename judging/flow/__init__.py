"""A worker's way through a unit: the only writer of the state of an assignment.

Every verb is one transaction that locks what it changes, takes the time as an argument, and may
be repeated: what was done already is not done twice.
"""

from judging.flow.admission import admit
from judging.flow.by_hand import held_unit, release_unit, unit_of_code, withdraw_unit
from judging.flow.commenting import comment
from judging.flow.correcting import Submission
from judging.flow.documents import (
    Page,
    as_text,
    finishes_left,
    judge,
    keep_first_answer,
    open_page,
    stay,
    what_is_missing,
)
from judging.flow.drafts import keep_draft
from judging.flow.ending import expire_overdue, keep_longer, leave, withdraw
from judging.flow.finishing import finish, finish_from_list, resume_revision
from judging.flow.noting import note_fault
from judging.flow.offer import Arrival, NoWork, no_work_reason
from judging.flow.preparation import answer, practise, read_instructions, start_practice
from judging.flow.submissions import confirm_submissions, end_submissions
from judging.flow.taking_back import take_back, withdrawable

__all__ = [
    "Arrival",
    "NoWork",
    "Page",
    "Submission",
    "admit",
    "answer",
    "as_text",
    "comment",
    "confirm_submissions",
    "end_submissions",
    "expire_overdue",
    "finish",
    "finish_from_list",
    "finishes_left",
    "held_unit",
    "judge",
    "keep_draft",
    "keep_first_answer",
    "keep_longer",
    "leave",
    "no_work_reason",
    "note_fault",
    "open_page",
    "practise",
    "read_instructions",
    "release_unit",
    "resume_revision",
    "start_practice",
    "stay",
    "take_back",
    "unit_of_code",
    "what_is_missing",
    "withdraw",
    "withdraw_unit",
    "withdrawable",
]
