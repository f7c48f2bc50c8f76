from datetime import datetime
from typing import Any

from django.db.models import Count

from accounts.models import User
from judging.models import Payment, Study
from judging.platforms import PROLIFIC
from workspace.models import ProlificStudy
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


def summary_of(recruiting: ProlificStudy, now: datetime) -> dict[str, Any]:
    """How it stands, and what is to be decided; amounts have their currency.

    address: on Prolific; taken: places; bonuses_sum: without fees.
    """
    spent, limit = committed(recruiting), hundredths(recruiting.spending_limit)
    currency = recruiting.currency or recruiting.study.currency
    due = bonuses.due_bonuses(recruiting)
    to_decide = {
        "to_approve": reviewing.to_approve(recruiting),
        "bonuses": due,
        "without_a_unit": reviewing.without_a_unit(recruiting)[:MAX_LISTED],
        "to_reject": reviewing.to_reject(recruiting)[:MAX_LISTED],
        "doubtful": [
            (each, money(each.total, currency)) for each in bonuses.doubtful(recruiting, now)
        ],
        "questions": _questions(recruiting.study),
    }
    return to_decide | {
        "needs_decision": any(to_decide.values()),
        "status": STATUSES.get(recruiting.status, recruiting.status.lower()),
        "is_published": recruiting.status not in ("", "UNPUBLISHED"),
        "address": STUDY_URL.format(recruiting.prolific_id) if recruiting.prolific_id else "",
        "taken": recruiting.submissions.in_a_place().count(),
        "spent": money(spent, currency),
        "limit": money(limit, currency),
        "statuses": _statuses(recruiting),
        "bonuses_sum": money(sum(hundredths(each.payment.amount) for each in due), currency),
    }


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
