"""What recruiting costs, and the limit that no step exceeds, in hundredths of a currency."""

from decimal import Decimal

from django.db.models import Sum

from accounts.models import User
from judging.studies import trail
from web.bounds import bounds
from workspace.models import ProlificBonus, ProlificStudy
from workspace.recruiting.connecting import api_of
from workspace.recruiting.faults import CannotRecruit

SPENT = (ProlificBonus.State.PAYING, ProlificBonus.State.PAID)


def hundredths(amount: Decimal) -> int:
    return round(amount * 100)


def money(cents: int, currency: str) -> str:
    """As `1,234.50 GBP`."""
    return f"{Decimal(cents) / 100:,.2f} {currency}".rstrip()


def cost_of(recruiting: ProlificStudy, places: int, reward: int | None = None) -> int:
    """Of so many places, with all fees, as Prolific gives it; screen-outs: at most one a place."""
    api, screen_out = api_of(recruiting.connection), recruiting.study.screen_out_reward
    cost = api.cost(recruiting.reward if reward is None else reward, places)
    return cost + (api.cost(hundredths(screen_out), places) if screen_out else 0)


def committed(recruiting: ProlificStudy) -> int:
    """What is spent, or cannot be undone: published and requested places, bonuses.

    A pending call counts as if it had been carried out.
    """
    bonuses = recruiting.bonuses.filter(state__in=SPENT).aggregate(all=Sum("total"))["all"] or 0
    return max(recruiting.places_cost, recruiting.asked_cost) + int(bonuses)


def set_limit(recruiting: ProlificStudy, limit: Decimal, by: User | None) -> None:
    if limit not in (allowed := bounds(ProlificStudy, "spending_limit")):
        raise CannotRecruit(allowed.refuse(limit), field="spending_limit")
    before = recruiting.spending_limit
    ProlificStudy.objects.filter(pk=recruiting.pk).update(spending_limit=limit)
    changes = {"spending limit": [str(before), str(limit)]}
    trail.record(recruiting.study, by, "changed recruiting", changes=changes)


def check_cost(cost: int, expected: int | None, currency: str) -> None:
    """CannotRecruit unless it costs what was confirmed; None: no cost was confirmed."""
    if expected is not None and cost != expected:
        sums = [money(cents, currency) for cents in (cost, expected)]
        raise CannotRecruit(f"It costs {sums[0]}, not {sums[1]}: check again. Nothing was done.")


def check_limit(recruiting: ProlificStudy, cost: int) -> None:
    """CannotRecruit if a cost is more than the limit leaves. The row must be locked."""
    limit, spent = hundredths(recruiting.spending_limit), committed(recruiting)
    if spent + cost > limit:
        amounts = [money(cents, recruiting.currency) for cents in (cost, spent, limit)]
        raise CannotRecruit(
            f"It would cost {amounts[0]}; {amounts[1]} of the limit of {amounts[2]} are spent "
            "already. Nothing was done."
        )
