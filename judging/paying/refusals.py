"""For what a payment may be refused: a platform's own list, less what our rule takes off it.

Who has a completion code has passed every check, so failed checks are no reason, and neither is
how fast or slow somebody was (checks (c) and (d) can be repeated, and their work was accepted).
"""

from judging.models import Payment
from judging.studies.underway.running import CannotRun

LONGEST_REASON = 1000
# Prolific's rejection categories (docs.prolific.com, "Approve or reject a submission") without
# TOO_QUICKLY, TOO_SLOWLY and FAILED_CHECK, and without those of submissions that have no data.
PROLIFIC = {
    "LOW_EFFORT": "The reasons are empty talk, or not about the documents",
    "FAILED_INSTRUCTIONS": "The instructions were not followed",
    "MALINGERING": "They are not who the study is for, and said they were",
    "OTHER": "Another reason, which the words name",
}
OTHERS = {
    "low effort": PROLIFIC["LOW_EFFORT"],
    "instructions": PROLIFIC["FAILED_INSTRUCTIONS"],
    "not eligible": PROLIFIC["MALINGERING"],
    "other": PROLIFIC["OTHER"],
}
SHORTEST = {"prolific": 100}  # characters that the platform asks for; the participant reads them


def platform_of(payment: Payment) -> str:
    """The platform that a payment's worker came by; empty: none, or its ids are deleted."""
    return payment.account.platform if payment.account else ""


def refusals_of(platform: str) -> dict[str, str]:
    """The categories for which a platform lets a payment be refused, with what they mean."""
    return PROLIFIC if platform == "prolific" else OTHERS


def check_refusal(payment: Payment, category: str, reason: str) -> str:
    """The reason without blanks around it.

    Raises:
        CannotRun: the category is none of the platform's, or the words are too few or too many.
    """
    platform, reason = platform_of(payment), reason.strip()
    if category not in refusals_of(platform):
        expected = ", ".join(refusals_of(platform))
        raise CannotRun(f"{category}: expected one of {expected}.", field="category")
    least = SHORTEST.get(platform, 1)
    if not least <= len(reason) <= LONGEST_REASON:
        expected = f"{least} to {LONGEST_REASON:,} characters; it has {len(reason):,}"
        raise CannotRun(f"Say why, in {expected}.", field="reason")
    return reason
