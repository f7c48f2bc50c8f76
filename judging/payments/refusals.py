"""For what a payment may be refused: its platform's list, without what our rule forbids.

Who has a completion code has passed every check, so failed checks are no reason, and neither is
how fast or slow somebody was (checks (c) and (d) can be repeated, and their work was accepted).
"""

from collections.abc import Mapping

from judging.models import Payment
from judging.platforms import Platform, platform_of
from judging.studies.conduct.stages import CannotRun

MAX_REASON_LENGTH = 1000


def platform_of_payment(payment: Payment) -> Platform:
    """The platform that a payment's worker came by; one without a name: none, or it is deleted."""
    return platform_of(payment.account.platform if payment.account else "")


def check_refusal(payment: Payment, category: str, reason: str) -> str:
    """Returns the reason, stripped; raises CannotRun if the category or its length is wrong."""
    platform = platform_of_payment(payment)
    return check_reason(platform.refusals, platform.min_reason_length, category, reason)


def check_reason(categories: Mapping[str, str], minimum: int, category: str, reason: str) -> str:
    """As `check_refusal`; minimum: characters that the reason needs."""
    reason = reason.strip()
    if category not in categories:
        expected = ", ".join(categories)
        raise CannotRun(f"{category}: expected one of {expected}.", field="category")
    if not minimum <= len(reason) <= MAX_REASON_LENGTH:
        expected = f"{minimum} to {MAX_REASON_LENGTH:,} characters; it has {len(reason):,}"
        raise CannotRun(f"Say why, in {expected}.", field="reason")
    return reason
