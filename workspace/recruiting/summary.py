from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count

from accounts.models import User
from judging.models import Payment, Study
from judging.platforms import PROLIFIC
from workspace.models import ProlificBonus, ProlificStudy, ProlificSubmission
from workspace.recruiting import bonuses, reviewing
from workspace.recruiting.spending import committed, hundredths, money

STUDY_URL = "https://app.prolific.com/researcher/workspaces/studies/{}"
STATUSES = {
    "": "not made yet",
    "UNPUBLISHED": "a draft that nobody sees",
    "SCHEDULED": "to be published at a time",
    "PUBLISHING": "being published",
    "ACTIVE": "open to participants",
    "PAUSED": "paused: nobody new takes part",
    "AWAITING REVIEW": "full; submissions wait for review",
    "COMPLETED": "ended",
}
SUBMISSIONS = {
    "RESERVED": "have a place, and have not begun",
    "ACTIVE": "are at work",
    "AWAITING REVIEW": "sent, and wait for approval",
    "APPROVED": "approved and paid",
    "PARTIALLY APPROVED": "paid in part",
    "RETURNED": "returned",
    "TIMED-OUT": "out of time",
    "REJECTED": "rejected",
    "SCREENED OUT": "screened out, and paid for that",
}
MAX_LISTED = 50  # submissions that the page lists


@dataclass(frozen=True)
class RecruitingSummary:
    status: str
    address: str  # on Prolific
    taken: int  # places
    spent: str
    limit: str
    statuses: Sequence[tuple[str, int]]
    to_approve: Sequence[reviewing.Due]
    bonuses: Sequence[reviewing.Due]
    bonuses_sum: str  # without fees
    without_a_unit: Sequence[ProlificSubmission]
    to_reject: Sequence[reviewing.Due]
    doubtful: Sequence[tuple[ProlificBonus, str]]
    questions: int

    @property
    def is_published(self) -> bool:
        return self.status not in (STATUSES[""], STATUSES["UNPUBLISHED"])

    @property
    def needs_decision(self) -> bool:
        lists = self.to_approve, self.bonuses, self.without_a_unit, self.to_reject, self.doubtful
        return any(lists) or bool(self.questions)


def summary_of(recruiting: ProlificStudy, now: datetime) -> RecruitingSummary:
    spent, limit = committed(recruiting), hundredths(recruiting.spending_limit)
    currency = recruiting.currency or recruiting.study.currency
    to_approve, due = reviewing.to_approve(recruiting), bonuses.due_bonuses(recruiting)
    return RecruitingSummary(
        status=STATUSES.get(recruiting.status, recruiting.status.lower()),
        address=STUDY_URL.format(recruiting.prolific_id) if recruiting.prolific_id else "",
        taken=recruiting.submissions.in_a_place().count(),
        spent=money(spent, currency),
        limit=money(limit, currency),
        statuses=_statuses(recruiting),
        to_approve=to_approve,
        bonuses=due,
        bonuses_sum=money(sum(hundredths(each.payment.amount) for each in due), currency),
        without_a_unit=reviewing.without_a_unit(recruiting)[:MAX_LISTED],
        to_reject=reviewing.to_reject(recruiting)[:MAX_LISTED],
        doubtful=[
            (each, money(each.total, currency)) for each in bonuses.doubtful(recruiting, now)
        ],
        questions=_questions(recruiting.study),
    )


def _statuses(recruiting: ProlificStudy) -> list[tuple[str, int]]:
    rows = recruiting.submissions.values("status").annotate(number=Count("pk"))
    counts = {row["status"]: row["number"] for row in rows}
    described = [
        (words, counts.pop(status)) for status, words in SUBMISSIONS.items() if status in counts
    ]
    return described + [(status.lower(), number) for status, number in sorted(counts.items())]


def _questions(study: Study) -> int:
    of_prolific = {"assignment__worker__account__platform": PROLIFIC.name}
    return Payment.objects.of_study(study).filter(**of_prolific).exclude(question="").count()


def others(study: Study, user: User) -> list[ProlificStudy]:
    """Studies in the same workspace of Prolific's that `user` can see."""
    recruiting = ProlificStudy.objects.filter(study=study).first()
    if recruiting is None:
        return []
    rows = ProlificStudy.objects.filter(connection=recruiting.connection_id)
    visible = rows.filter(study__in=Study.objects.seen_by(user)).exclude(pk=recruiting.pk)
    return list(visible.exclude(prolific_id="").select_related("study").order_by("study__title"))
