"""What recruiting costs, and the limit that no step goes beyond. In hundredths of a currency."""

from decimal import Decimal

from django.db.models import Sum

from workspace.models import ProlificBonus, ProlificStudy
from workspace.recruiting.faults import CannotRecruit

SPENT = (ProlificBonus.State.PAYING, ProlificBonus.State.PAID)


def hundredths(amount: Decimal) -> int:
    """An amount of money as Prolific counts it."""
    return round(amount * 100)


def money(cents: int, currency: str) -> str:
    """An amount as it is written, as in `1,234.50 GBP`."""
    return f"{Decimal(cents) / 100:,.2f} {currency}".rstrip()


def committed(recruiting: ProlificStudy) -> int:
    """What is spent, or cannot be taken back: published places, asked-for places, bonuses.

    What was asked of Prolific and is not answered counts as if it had been done.
    """
    bonuses = recruiting.bonuses.filter(state__in=SPENT).aggregate(all=Sum("total"))["all"] or 0
    return max(recruiting.places_cost, recruiting.asked_cost) + int(bonuses)


def insist_on_limit(recruiting: ProlificStudy, more: int) -> None:
    """Refuse what would go beyond the limit. The row must be locked, so that it stays true.

    Args:
        more: what would be spent in addition.

    Raises:
        CannotRecruit: it is more than the limit leaves.
    """
    limit, spent = hundredths(recruiting.spending_limit), committed(recruiting)
    if spent + more > limit:
        said = [money(cents, recruiting.currency) for cents in (more, spent, limit)]
        raise CannotRecruit(
            f"It would cost {said[0]}; {said[1]} of the limit of {said[2]} are spent already. "
            "Nothing was done."
        )
